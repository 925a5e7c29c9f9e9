"""The staged picker with an empty history: every move of a position, scored and in order."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.jit import kernel
from engine.move import NO_MOVE
from engine.node import Node
from engine.picker import next_move, start_picking
from engine.shell import Searcher
from engine.state import load_position
from harness.kernels import Work
from harness.kernels.workload import Workload, accumulator_of

_ZERO: Final[Any] = np.int64(0)


@kernel
def _pick(places: NDArray[Any], searcher: Any, parameters: Any, rounds: int) -> Any:
    digest = np.uint64(0)
    for _ in range(rounds):
        for index in range(len(places)):
            place = places[index]
            position, accumulator = load_position(place), accumulator_of(place)
            node = Node(position, accumulator, place.checkers, _ZERO, _ZERO)
            start_picking(searcher, node, NO_MOVE)
            move = next_move(searcher, parameters, node, NO_MOVE)
            while move != NO_MOVE:
                digest ^= move
                move = next_move(searcher, parameters, node, NO_MOVE)
    return digest


def prepare(workload: Workload) -> Work:
    """A call for each position."""
    record, parameters = Searcher(hash_mb=1).record, workload.parameters
    return Work(
        lambda rounds: _pick(workload.places, record, parameters, rounds), len(workload.places)
    )
