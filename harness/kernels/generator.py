"""The generator: every legal move of a position."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.jit import kernel
from engine.move import MAX_MOVES
from engine.movegen import ALL_MOVES, generate_moves
from engine.state import load_position
from harness.kernels import Work
from harness.kernels.workload import Workload


@kernel
def _generate(places: NDArray[Any], buffer: NDArray[np.uint64], rounds: int) -> Any:
    count = np.int64(0)
    for _ in range(rounds):
        for index in range(len(places)):
            position, checkers = load_position(places[index]), places[index].checkers
            count += generate_moves(position, ALL_MOVES, checkers, buffer, np.int64(0))
    return count


def prepare(workload: Workload) -> Work:
    """A call for each position."""
    buffer = np.zeros(MAX_MOVES, np.uint64)
    return Work(lambda rounds: _generate(workload.places, buffer, rounds), len(workload.places))
