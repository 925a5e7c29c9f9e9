"""Making a move."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.jit import kernel
from engine.make import make_move
from engine.state import load_position
from harness.kernels import Work
from harness.kernels.workload import Workload


@kernel
def _digest(position: Any) -> Any:
    """Of all fields, so that nothing can be left out by the compiler."""
    pieces = position.pawns ^ position.knights ^ position.diagonals ^ position.orthogonals
    sides = position.kings ^ position.ours ^ position.theirs ^ position.en_passant
    return pieces ^ sides ^ position.castling ^ position.key ^ np.uint64(position.halfmove)


@kernel
def _make(places: NDArray[Any], moves: NDArray[np.uint64], rounds: int) -> Any:
    digest = np.uint64(0)
    for _ in range(rounds):
        for number in range(len(places)):
            position = load_position(places[number])
            for index in range(places[number].start, places[number].end):
                digest ^= _digest(make_move(position, moves[index]))
    return digest


def prepare(workload: Workload) -> Work:
    """A call for each move."""
    places, moves, _ = workload
    return Work(lambda rounds: _make(places, moves, rounds), len(moves))
