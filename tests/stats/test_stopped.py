"""The estimate that knows of the stop rule, and the bounds that are drawn in for overshoot."""

from __future__ import annotations

import math

import pytest

from harness.elo import estimate
from harness.score import Pentanomial, Trinomial
from harness.sprt import Decision, Hypotheses, SprtState, chance_to_pass, llr
from harness.stopped import estimate_stopped

# Published: the main block of fishtest's stat_util.py, Elo with its interval and LOS.
FISHTEST = [
    (
        Pentanomial(10789, 19328, 33806, 19402, 10543),
        Hypotheses(-3.0, 1.0, model="logistic"),
        (-0.99254, -3.48849, 1.48859, 0.188035),
    ),
    (
        Pentanomial(39, 2226, 31451, 2412, 40),
        Hypotheses(0.2, 0.9, model="logistic"),
        (0.86518, 0.16831, 1.54060, 0.992002),
    ),
    (
        Pentanomial(39, 2226, 31451, 2412, 40),
        Hypotheses(0.764, 3.439),
        (0.86516, 0.16827, 1.54058, 0.991999),
    ),
    (
        Trinomial(5026, 15699, 5019),
        Hypotheses(0.0, 5.0, model="bayesian"),
        (0.36922, -2.40537, 3.30377, 0.601487),
    ),
]


@pytest.mark.parametrize(("counts", "test", "expected"), FISHTEST)
def test_published_estimates(
    counts: Pentanomial | Trinomial, test: Hypotheses, expected: tuple[float, ...]
) -> None:
    ratio = llr(counts, test.elo0, test.elo1, test.model)
    found = estimate_stopped(test, counts, ratio, "undecided")
    assert found is not None
    low, high = found.elo_ci95
    assert (found.elo, low, high, found.los) == pytest.approx(expected, abs=2e-5)


def stopped(counts: Pentanomial, decision: Decision, test: Hypotheses) -> float:
    found = estimate_stopped(test, counts, llr(counts, test.elo0, test.elo1), decision)
    assert found is not None
    return found.nelo


def test_a_pass_overstates_the_gain_and_a_failure_the_loss() -> None:
    test, counts = Hypotheses(0.0, 50.0), Pentanomial(1, 14, 40, 26, 5)
    plain = estimate(counts).nelo
    assert stopped(counts, "H1", test) < plain
    mirrored = Hypotheses(-50.0, 0.0)
    assert stopped(counts.inverted(), "H0", mirrored) > -plain
    assert math.isclose(
        stopped(counts.inverted(), "H0", mirrored), -stopped(counts, "H1", test), rel_tol=1e-6
    )


def test_without_results_there_is_none() -> None:
    assert estimate_stopped(Hypotheses(0.0, 5.0), Pentanomial(), 0.0, "undecided") is None


@pytest.mark.parametrize("counts", [(0, 0, 0, 0, 40), (40, 0, 0, 0, 0), (0, 0, 90, 0, 0)])
def test_one_sided_results_have_finite_estimates(counts: tuple[int, ...]) -> None:
    found = estimate_stopped(Hypotheses(0.0, 100.0), Pentanomial(*counts), 2.0, "undecided")
    assert found is not None
    numbers = (found.elo, *found.elo_ci95, found.nelo, *found.nelo_ci95, found.los)
    assert all(map(math.isfinite, numbers))


# --- Overshoot ---------------------------------------------------------------------------------

#: The check sequence of fishtest's dynamic correction, normalized [0, 50]: classes of pairs.
SEQUENCE = "2321342323123324232231323"


def test_the_check_sequence() -> None:
    state = SprtState.start(Hypotheses(0.0, 50.0, overshoot=True))
    states = [state := state.update(int(digit)) for digit in SEQUENCE]
    fifth, tenth, last = states[4], states[9], states[-1]
    assert fifth.overshoot.below.total == pytest.approx(-0.08205, abs=5e-6)
    assert fifth.overshoot.below.squares == pytest.approx(0.003401, abs=5e-7)
    assert fifth.overshoot.above.total == pytest.approx(0.197463, abs=5e-7)
    assert tenth.overshoot.below.mean_excess == pytest.approx(-0.020723, abs=5e-7)
    assert tenth.overshoot.above.mean_excess == pytest.approx(0.096822, abs=5e-7)
    assert last.overshoot.above.mean_excess == pytest.approx(0.082220, abs=5e-7)
    plain = last.hypotheses.bounds
    assert last.bounds.upper == plain.upper - last.overshoot.above.mean_excess
    assert last.bounds.lower == plain.lower + 0.020722957461663


def test_a_test_stops_at_the_drawn_in_bound() -> None:
    state = before = SprtState.start(Hypotheses(0.0, 50.0, overshoot=True))
    while state.decision is None:
        before, state = state, state.update(3)
    assert state.decision == "H1"
    assert before.llr < before.bounds.upper < before.hypotheses.bounds.upper
    assert state.llr >= state.bounds.upper


# --- The chance to pass ------------------------------------------------------------------------


def test_the_chance_to_pass() -> None:
    start = SprtState.start(Hypotheses(0.0, 50.0))
    assert chance_to_pass(start) is None
    good, bad = start, start
    for _ in range(10):
        good, bad = good.update(3).update(2), bad.update(1).update(2)
    assert good.decision is bad.decision is None
    above, below = chance_to_pass(good), chance_to_pass(bad)
    assert above is not None
    assert below is not None
    assert 0.9 < above <= 1.0
    assert 0.0 <= below < 0.1
    even = start.update(1).update(3).update(2)
    chance = chance_to_pass(even)
    assert chance is not None
    assert 0.2 < chance < 0.6
