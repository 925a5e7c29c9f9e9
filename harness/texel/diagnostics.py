"""How well values foretell scores: calibration, and where the error lies along a game."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.texel.sums.kernel import Floats

BINS: Final = 20


class Bin(NamedTuple):
    """Positions of about one expected score (white's), and what they scored."""

    expected: float
    actual: float
    weight: float


class PhaseError(NamedTuple):
    """Positions of one phase: score less expected score of the side that is ahead.

    Above 0 the evaluation is too cautious, below 0 too sure.
    """

    phase: int
    mean: float
    standard_error: float
    weight: float


def expected_scores(values_cp: Floats, k: float) -> Floats:
    """float64[n]: white's expected scores."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(k * values_cp, -700.0, 700.0))))


def calibration(expected: Floats, target: Floats, weight: Floats) -> list[Bin]:
    """Mean expected and actual scores in bins of equal width; empty bins are left out."""
    place = np.minimum((expected * BINS).astype(np.int64), BINS - 1)
    total = np.bincount(place, weight, BINS)
    mean_expected = np.bincount(place, weight * expected, BINS)
    mean_actual = np.bincount(place, weight * target, BINS)
    return [
        Bin(mean_expected[i] / total[i], mean_actual[i] / total[i], total[i])
        for i in range(BINS)
        if total[i] > 0
    ]


def phase_errors(
    expected: Floats,
    target: Floats,
    weight: Floats,
    phase: NDArray[np.uint8],
    game: NDArray[np.int32],
) -> list[PhaseError]:
    """The mean error of each phase that occurs, from 24 down to 0; standard errors by game."""
    error = np.where(expected >= 0.5, target - expected, expected - target)
    _, group = np.unique(game, return_inverse=True)
    found = []
    for number in range(24, -1, -1):
        here = phase == number
        total = float(weight[here].sum())
        if total > 0:
            mean = float(np.average(error[here], weights=weight[here]))
            off = np.bincount(group[here], weight[here] * (error[here] - mean))
            found.append(PhaseError(number, mean, float(np.sqrt(off @ off)) / total, total))
    return found
