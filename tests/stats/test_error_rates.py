"""The promise of the test itself: simulated, it errs no more often than alpha and beta.

Pairs are drawn from a usual distribution of engine tests, exponentially tilted to the strength of
a hypothesis. The 2,000 tests of each case make a standard error of 0.005.
"""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from harness.brownian import Motion
from harness.elo import NORMALIZED_ELO_SCALE, elo_from_score
from harness.sprt import Hypotheses, Model, SprtState

TESTS = 2000
BASE = np.array([0.02, 0.22, 0.52, 0.22, 0.02])
SCORES = np.linspace(0.0, 1.0, 5)


def tilted(elo: float, model: Model) -> list[float]:
    """Frequencies of pair classes for a true strength of `elo` in the unit of `model`."""

    def frequencies(tilt: float) -> np.ndarray:
        weights = BASE * np.exp(tilt * SCORES)
        return weights / weights.sum()

    def strength(p: np.ndarray) -> float:
        mean = float(p @ SCORES)
        if model == "logistic":
            return elo_from_score(mean)
        deviation = math.sqrt(2.0 * float(p @ (SCORES - mean) ** 2))
        return NORMALIZED_ELO_SCALE * (mean - 0.5) / deviation

    root = brentq(lambda tilt: strength(frequencies(tilt)) - elo, -5.0, 5.0)
    return [float(share) for share in frequencies(root)]


def simulate(hypotheses: Hypotheses, true_elo: float, seed: int) -> tuple[float, float]:
    """Share of tests that end in H1, and their mean length in games."""
    random = np.random.default_rng(seed)
    frequencies = tilted(true_elo, hypotheses.model)
    accepted, pairs = 0, 0
    for _ in range(TESTS):
        state = SprtState.start(hypotheses)
        while state.decision is None:
            for pair_class in random.choice(5, size=32, p=frequencies).tolist():
                state = state.update(pair_class)
                pairs += 1
                if state.decision is not None:
                    break
        accepted += state.decision == "H1"
    return accepted / TESTS, 2.0 * pairs / TESTS


def two_standard_errors(rate: float) -> float:
    return 2.0 * math.sqrt(rate * (1.0 - rate) / TESTS)


@pytest.mark.nightly
@pytest.mark.parametrize("model", ["normalized", "logistic"])
@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.05), (0.05, 0.1)])
def test_errors_are_as_rare_as_promised(model: Model, alpha: float, beta: float) -> None:
    """At most the nominal rates, and not far below them, which would cost games for nothing.

    Wide hypotheses make tests short; their steps overshoot the bounds most, to the safe side.
    """
    hypotheses = Hypotheses(0.0, 50.0 if model == "normalized" else 30.0, alpha, beta, model)
    false_h1, _ = simulate(hypotheses, hypotheses.elo0, seed=11)
    h1, _ = simulate(hypotheses, hypotheses.elo1, seed=12)
    assert 0.7 * alpha <= false_h1 <= alpha + two_standard_errors(alpha)
    assert 0.7 * beta <= 1.0 - h1 <= beta + two_standard_errors(beta)


@pytest.mark.nightly
def test_tests_last_as_long_as_forecast() -> None:
    """Discrete steps overshoot the bounds, so real tests are a little longer."""
    hypotheses = Hypotheses(0.0, 50.0)
    bounds = hypotheses.bounds
    for h, true_elo in ((-1.0, 0.0), (0.0, 25.0), (1.0, 50.0)):
        forecast = (
            Motion(h / 2, bounds.lower, bounds.upper).mean_time() * (NORMALIZED_ELO_SCALE / 50) ** 2
        )
        _, games = simulate(hypotheses, true_elo, seed=5)
        assert 1.0 < games / forecast < 1.15, (true_elo, games, forecast)
