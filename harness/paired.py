"""How fast one program is beside another, from rounds in which both did the same; pure arithmetic.

Times of a shared machine are skewed and now and then far out, so means and normal intervals of ten
of them promise too much. In each round x = ln(speed here / speed there) is taken. Where the two
sides are equals, x is as often above as below its centre by any amount, and that alone is used:

    ratio      exp of the Hodges-Lehmann estimate: the median of the means (x_i + x_j) / 2, i <= j
    interval   exp of the lowest and highest of those means after k at either end are left out, k
               by the distribution of Wilcoxon's signed-rank statistic, exact for any number of
               rounds

(Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3rd edition, 3.2 and 3.3.)
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Fewer rounds cannot say anything surely.
FEWEST_ROUNDS: Final = 10
#: Their means are all held in memory.
MOST_ROUNDS: Final = 1000

CONFIDENCE: Final = 0.95
#: Several things are compared at once: a verdict on one of them needs an interval as sure as this.
SURE: Final = 0.995


class Ratio(NamedTuple):
    """A ratio of speeds, its 95 % interval, and -1 slower, +1 faster, 0 where that is not sure."""

    ratio: float
    low: float
    high: float
    verdict: int


def compare(logs: Sequence[float], trifle: float) -> Ratio:
    """The ratio of `logs`, one ln of a ratio for each round; FEWEST_ROUNDS of them or more.

    A verdict needs a ratio further from one than `trifle`, and surely another one than one.
    """
    means = walsh_means(logs)
    centre = float(np.median(means))
    low, high = _interval(means, len(logs), CONFIDENCE)
    surely_low, surely_high = _interval(means, len(logs), SURE)
    matters = abs(math.expm1(centre)) > trifle
    verdict = (surely_low > 0) - (surely_high < 0) if matters else 0
    return Ratio(math.exp(centre), math.exp(low), math.exp(high), verdict)


def walsh_means(values: Sequence[float]) -> NDArray[np.float64]:
    """The means of all pairs of values, each with itself too, in ascending order."""
    x = np.asarray(values, np.float64)
    first, second = np.triu_indices(len(x))
    return np.sort((x[first] + x[second]) / 2)


def _interval(means: NDArray[np.float64], rounds: int, confidence: float) -> tuple[float, float]:
    outside = rank_outside(rounds, (1 - confidence) / 2)
    return float(means[outside]), float(means[-1 - outside])


@functools.cache
def rank_outside(rounds: int, tail: float) -> int:
    """The largest k with P(signed-rank statistic <= k) <= tail: so many means lie outside.

    0 where there is none: of few rounds even the extremes are less sure.
    """
    chances = np.zeros(rounds * (rounds + 1) // 2 + 1)
    chances[0] = 1.0
    for rank in range(1, rounds + 1):  # each rank counts or does not, with equal chance
        shifted = np.zeros_like(chances)
        shifted[rank:] = chances[:-rank]
        chances = (chances + shifted) / 2
    return max(0, int(np.searchsorted(np.cumsum(chances), tail, side="right")) - 1)
