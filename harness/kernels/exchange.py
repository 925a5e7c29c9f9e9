"""Static exchange evaluation (SEE) of every move: does it lose material?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.jit import kernel
from engine.see import see_at_least
from engine.state import load_position
from harness.kernels import Work
from harness.kernels.workload import Workload


@kernel
def _exchange(places: NDArray[Any], moves: NDArray[np.uint64], parameters: Any, rounds: int) -> Any:
    winning = np.int64(0)
    for _ in range(rounds):
        for number in range(len(places)):
            position = load_position(places[number])
            for index in range(places[number].start, places[number].end):
                if see_at_least(position, moves[index], np.int64(0), parameters):
                    winning += 1
    return winning


def prepare(workload: Workload) -> Work:
    """A call for each move."""
    places, moves, parameters = workload
    return Work(lambda rounds: _exchange(places, moves, parameters, rounds), len(moves))
