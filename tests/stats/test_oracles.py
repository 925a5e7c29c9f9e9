"""The compiled likelihood against other methods for the same maximum, written with SciPy."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar

from harness.elo import NORMALIZED_ELO_SCALE, ZERO_COUNT
from harness.likelihood.kernel import logistic_maximum, normalized_maximum

Floats = NDArray[np.float64]

#: Less than any maximum that occurs here, but finite: SciPy's parabolas need numbers.
NONE = -1e6


def frequencies(classes: Sequence[int]) -> Floats:
    counts = np.array([count or ZERO_COUNT for count in classes], dtype=float)
    return counts / counts.sum()


def t_value(nelo: float, classes: int) -> float:
    return nelo / NORMALIZED_ELO_SCALE * math.sqrt((classes - 1) / 2)


def random_cases(classes: int, widest_nelo: float, number: int) -> list[tuple[Floats, float]]:
    """Frequencies with and without zero counts, lopsided or not, and a t-value."""
    random = np.random.default_rng(round(classes * widest_nelo))
    cases = []
    for _ in range(number):
        counts = np.floor(np.exp(random.uniform(-1, 8, classes)))
        counts[random.random(classes) < random.choice([0.0, 0.4])] = 0
        nelo = random.uniform(-widest_nelo, widest_nelo)
        cases.append((frequencies(counts.astype(int)), t_value(nelo, classes)))
    return cases


def dual_maximum(p: Floats, constraints: Floats) -> float:
    """max of sum p ln(q/p) where E_q[g] = 0 for each row g: a damped Newton method on the dual.

    The dual, max of sum p ln(1 + l.g) over l, is concave; some q > 0 must satisfy the constraints.
    """
    multipliers = np.zeros(len(constraints))
    for _ in range(300):
        weights = 1.0 + multipliers @ constraints
        gradient = constraints @ (p / weights)
        hessian = (constraints * (p / weights**2)) @ constraints.T
        step = np.linalg.solve(hessian, gradient)
        slope = float(gradient @ step)
        if slope < 1e-16:
            break
        value = float(p @ np.log(weights))
        while True:
            changed = 1.0 + (multipliers + step) @ constraints
            if changed.min() > 0.0 and float(p @ np.log(changed)) >= value + 0.1 * slope - 1e-15:
                break
            step, slope = step / 2.0, slope / 2.0
        multipliers = multipliers + step
    return -float(p @ np.log(1.0 + multipliers @ constraints))


def maximum_at_mean(p: Floats, t: float, mean: float) -> float:
    """max of sum p ln(q/p) where E_q[x] = `mean` and the t-value is `t`; NONE where no q is."""
    second_moment = mean * mean * (1.0 + 1.0 / (t * t))
    if p.size == 3:  # nothing is left to maximise
        decisive = 4.0 * second_moment
        q = np.array([decisive / 2.0 - mean, 1.0 - decisive, decisive / 2.0 + mean])
        return float(p @ np.log(q / p))
    x = np.linspace(-0.5, 0.5, p.size)
    if second_moment <= np.interp(mean, x, x * x):  # below the hull of the points (x, x^2)
        return NONE
    try:
        return dual_maximum(p, np.array([x - mean, x * x - second_moment]))
    except np.linalg.LinAlgError:  # hardly any q is left; if it were the best, a test would fail
        return NONE


def profile_over_mean(p: Floats, t: float) -> float:
    """The maximum at t-value `t` as the best over the mean, which fixes the variance as well."""
    if t < 0:
        p, t = p[::-1], -t
    # E[x] = tau sqrt(E[x^2]) and |x|/(n-1) <= x^2 <= 1/4 bound the mean.
    tau = t / math.sqrt(1.0 + t * t)
    low, high = tau * tau / (p.size - 1), tau / 2.0
    # Dense near both ends, where the maximum of a one-sided result lies.
    near = np.geomspace(1e-8, 0.5, 80)
    grid = low + (high - low) * np.unique(np.concatenate([near, 1.0 - near]))
    values = np.array([maximum_at_mean(p, t, mean) for mean in grid])
    peaks = [k for k in range(1, len(grid) - 1) if values[k] >= max(values[k - 1], values[k + 1])]
    return max(
        -float(
            minimize_scalar(
                lambda mean: -maximum_at_mean(p, t, mean),
                bounds=(grid[k - 1], grid[k + 1]),
                method="bounded",
                options={"xatol": 1e-13},
            ).fun
        )
        for k in peaks
    )


@pytest.mark.parametrize("widest_nelo", [20.0, 150.0, 600.0])
@pytest.mark.parametrize("classes", [3, 5])
def test_normalized_equals_the_profile_over_the_mean(classes: int, widest_nelo: float) -> None:
    for p, t in random_cases(classes, widest_nelo, 4):
        expected = profile_over_mean(p, t)
        assert normalized_maximum(p, t) == pytest.approx(expected, rel=1e-6, abs=1e-12), (p, t)


@pytest.mark.parametrize("widest_elo", [20.0, 200.0, 1500.0])
def test_logistic_equals_a_bracketed_root(widest_elo: float) -> None:
    random = np.random.default_rng(3)
    scores = np.linspace(0.0, 1.0, 5)
    for p, _ in random_cases(5, widest_elo, 50):
        elo = random.uniform(-widest_elo, widest_elo)
        distance = scores - 1.0 / (1.0 + 10.0 ** (-elo / 400.0))
        shrunk = 1.0 - 1e-13
        root = brentq(
            lambda x, p=p, distance=distance: float(p @ (distance / (1.0 + x * distance))),
            -shrunk / distance.max(),
            -shrunk / distance.min(),
            xtol=1e-15,
        )
        expected = -float(p @ np.log1p(root * distance))
        assert logistic_maximum(p, elo) == pytest.approx(expected, rel=1e-7, abs=1e-13), (p, elo)


def textbook_iteration(p: Floats, t: float) -> float | None:
    """normalized_elo_practical.pdf, section 4.1; None where a linearisation has no solution."""
    a = np.linspace(0.0, 1.0, p.size)
    q = np.full(p.size, 1.0 / p.size)
    for _ in range(100):
        mean = float(q @ a)
        deviation = math.sqrt(float(q @ (a - mean) ** 2))
        phi = a - 0.5 - t * deviation * (1.0 + ((a - mean) / deviation) ** 2) / 2.0
        if phi.max() <= 0.0 or phi.min() >= 0.0:
            return None
        shrunk = 1.0 - 1e-13
        root = brentq(
            lambda x, phi=phi: float(p @ (phi / (1.0 + x * phi))),
            -shrunk / phi.max(),
            -shrunk / phi.min(),
            xtol=1e-15,
        )
        previous, q = q, p / (1.0 + root * phi)
        if np.abs(q - previous).max() < 1e-12:
            return float(p @ np.log(q / p))
    return None


@pytest.mark.parametrize("classes", [3, 5])
def test_normalized_equals_the_textbook_iteration_for_usual_bounds(classes: int) -> None:
    compared = 0
    for p, t in random_cases(classes, 20.0, 150):
        expected = textbook_iteration(p, t)
        if expected is not None:
            compared += 1
            # It ends in *a* stationary point, ours in the best one.
            assert normalized_maximum(p, t) >= expected - 1e-9 * abs(expected) - 1e-15, (p, t)
            assert normalized_maximum(p, t) == pytest.approx(expected, rel=1e-6, abs=1e-13), (p, t)
    assert compared > 140


def test_the_better_of_two_peaks_is_found() -> None:
    """38 draws: mass may move to draws-and-wins or to whole wins, and whole wins are better."""
    p, t = frequencies([0, 0, 38, 0, 0]), t_value(8.85, 5)
    assert normalized_maximum(p, t) == pytest.approx(profile_over_mean(p, t), rel=1e-6)
    assert normalized_maximum(p, t) == pytest.approx(-0.0011904, rel=1e-3)
