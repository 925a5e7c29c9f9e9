"""The evaluation, its running sums given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.evaluate import evaluate
from engine.jit import kernel
from engine.state import load_position
from harness.kernels import Work
from harness.kernels.workload import Workload, accumulator_of


@kernel
def _evaluate(places: NDArray[Any], parameters: Any, rounds: int) -> Any:
    total = np.int64(0)
    for _ in range(rounds):
        for index in range(len(places)):
            position = load_position(places[index])
            total += evaluate(position, accumulator_of(places[index]), parameters)
    return total


def prepare(workload: Workload) -> Work:
    """A call for each position."""
    places, _, parameters = workload
    return Work(lambda rounds: _evaluate(places, parameters, rounds), len(places))
