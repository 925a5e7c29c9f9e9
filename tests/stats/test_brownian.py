"""The stopped Brownian motion: known cases, and what must hold for all of them."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.brownian import Motion, log_normal_cdf

motions = st.builds(
    Motion,
    st.floats(-4.0, 4.0),
    st.floats(-8.0, -0.2),
    st.floats(0.2, 8.0),
)
times = st.floats(0.01, 60.0)


@given(motions, times)
def test_at_any_time_it_has_stopped_or_not(motion: Motion, time: float) -> None:
    stopped = motion.top_by(time) + motion.bottom_by(time)
    assert math.isclose(stopped + motion.inside_below(motion.upper, time), 1.0, abs_tol=1e-9)


@given(motions, times)
def test_both_ways_round(motion: Motion, time: float) -> None:
    assert math.isclose(motion.bottom_by(time), motion.mirrored().top_by(time), abs_tol=1e-12)
    value = (motion.lower + motion.upper) / 3.0
    above = motion.inside_below(motion.upper, time) - motion.inside_below(value, time)
    assert math.isclose(above, motion.mirrored().inside_below(-value, time), abs_tol=1e-9)


@given(motions)
def test_in_the_end_it_has_stopped(motion: Motion) -> None:
    # Without drift, 16 wide, a share of e^-19 is still on its way at 1000.
    assert math.isclose(motion.top_by(10_000.0), motion.top(), abs_tol=1e-9)
    assert math.isclose(motion.top() + motion.mirrored().top(), 1.0, abs_tol=1e-12)


@given(motions, times, times)
def test_probabilities_grow_with_time(motion: Motion, first: float, second: float) -> None:
    early, late = sorted((first, second))
    assert motion.top_by(early) <= motion.top_by(late) + 1e-12


@pytest.mark.parametrize("drift", [-1.0, 0.0, 0.7])
def test_one_far_bound_is_as_none(drift: float) -> None:
    """P(max by t of a motion with drift m exceeds b), by the reflection principle."""
    normal, bound, time = NormalDist(), 1.5, 2.0
    root = math.sqrt(time)
    expected = normal.cdf((drift * time - bound) / root) + math.exp(2 * drift * bound) * normal.cdf(
        (-drift * time - bound) / root
    )
    assert math.isclose(Motion(drift, -40.0, bound).top_by(time), expected, rel_tol=1e-12)


def test_the_mean_time_is_the_integral_of_not_having_stopped() -> None:
    motion = Motion(0.4, -2.0, 3.0)
    grid = np.linspace(0.0, 200.0, 20_001)
    going_on = [motion.inside_below(motion.upper, float(time)) for time in grid]
    assert math.isclose(np.trapezoid(going_on, grid), motion.mean_time(), rel_tol=1e-4)


def test_the_normal_distribution_far_out() -> None:
    for x in (3.0, -3.0, -24.9):
        assert math.isclose(log_normal_cdf(x), math.log(0.5 * math.erfc(-x / math.sqrt(2))))
    # Mills' ratio brackets the tail: phi(x)/x (1 - 1/x^2) < Phi(-x) < phi(x)/x.
    x = 60.0
    density = -0.5 * x * x - 0.5 * math.log(2.0 * math.pi) - math.log(x)
    assert density + math.log1p(-1.0 / x**2) < log_normal_cdf(-x) < density


def test_bounds_have_the_start_between_them() -> None:
    with pytest.raises(ValueError, match="bounds 1, 2: expected 0 between them"):
        Motion(0.0, 1.0, 2.0)
