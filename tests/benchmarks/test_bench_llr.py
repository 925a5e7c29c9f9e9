"""What the statistics cost for each finished pair: the LLR alone, then all of a state's update."""

from typing import Any

import numpy as np
import pytest

from harness.elo import estimate
from harness.likelihood.kernel import log_likelihood_ratio
from harness.score import Pentanomial
from harness.sprt import Hypotheses, SprtState, expected_games, llr

COUNTS = {
    "usual": (365, 16618, 36229, 16974, 390),
    "early": (0, 2, 5, 3, 0),
    "draws": (0, 0, 100, 0, 0),
    "one-sided": (0, 0, 0, 10, 90),
    "games": (36027, 68692, 36433),
}
BOUNDS = {"gain": (0.0, 5.0), "wide": (-200.0, 400.0)}


@pytest.mark.parametrize("normalized", [True, False], ids=["normalized", "logistic"])
@pytest.mark.parametrize("bounds", BOUNDS.values(), ids=BOUNDS)
@pytest.mark.parametrize("classes", COUNTS.values(), ids=COUNTS)
def test_kernel(
    benchmark: Any, classes: tuple[int, ...], bounds: tuple[float, float], normalized: bool
) -> None:
    counts = np.array(classes, dtype=np.float64)
    log_likelihood_ratio(counts, *bounds, normalized)
    benchmark(log_likelihood_ratio, counts, *bounds, normalized)


def test_update_of_a_test(benchmark: Any) -> None:
    counts = Pentanomial(*COUNTS["usual"])
    state = SprtState(Hypotheses(0.0, 5.0), counts, llr(counts, 0.0, 5.0))
    benchmark(state.update, 2)


def test_estimate(benchmark: Any) -> None:
    benchmark(estimate, Pentanomial(*COUNTS["usual"]))


def test_forecast(benchmark: Any) -> None:
    counts = Pentanomial(2, 20, 56, 30, 4)
    benchmark(expected_games, SprtState(Hypotheses(0.0, 5.0), counts, llr(counts, 0.0, 5.0)))
