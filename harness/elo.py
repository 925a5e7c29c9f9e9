"""Estimates of a playing strength difference from counts; no test, no stop rule.

Symbols: classes i = 0..n-1 with scores a_i = i/(n-1); p_i observed frequencies, where a class that
never occurred counts as ZERO_COUNT results; N = their sum; mu mean and v variance of the score of
one observation (pair or game); z = 1.96, the normal quantile of 97.5 %.

Elo is `elo(mu)` of the logistic curve. Normalized Elo (Van den Bergh, normalized_elo.pdf and
normalized_elo_practical.pdf, section 2) is C (mu - 1/2)/sigma with C = 800/ln 10 and sigma the
standard deviation of a *game*, sqrt(2 v) for pairs: how easily a difference is seen in a match,
whatever the number of draws. For equal players without draws both scales agree.

The intervals are for a match of fixed length. After an SPRT they are biased towards the verdict.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from harness.likelihood.constants import NORMALIZED_ELO_SCALE, ZERO_COUNT
from harness.score import Counts, Pentanomial

#: 97.5 % quantile of the normal distribution.
Z95 = 1.959963984540054

#: Scores are held in [0.001, 0.999], Elo hence in +-1199.83: beyond, a match says no more.
_SCORE_MARGIN = 1e-3


@dataclass(frozen=True, slots=True)
class Estimate:
    """What counts say about NEW against BASE. Every number is finite, also for no games at all."""

    score: float  # share of the points, 0.5 without games
    elo: float
    elo_ci95: tuple[float, float]
    elo_error: float  # half the width of elo_ci95
    nelo: float
    nelo_ci95: tuple[float, float]
    nelo_error: float
    los: float  # likelihood of superiority: of a true score above 1/2
    draw_ratio: float  # share of even pairs (DD or WL), or of drawn games
    pairs_ratio: float | None  # pairs won over pairs lost; None where there is no such ratio


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean, variance, skewness and excess kurtosis of the score of one observation."""

    observations: float
    mean: float
    variance: float
    skewness: float
    excess_kurtosis: float


def moments(counts: Counts) -> Moments:
    """Moments of the regularised frequencies: the variance is never zero."""
    classes = [float(count) or ZERO_COUNT for count in counts.classes]
    total = math.fsum(classes)
    scores = [i / (len(classes) - 1) for i in range(len(classes))]
    # fsum and x = a - 1/2: even counts have a mean of exactly 1/2, hence Elo 0 and not 1e-13.
    mean = 0.5 + math.fsum(c * (a - 0.5) for c, a in zip(classes, scores, strict=True)) / total
    second, third, fourth = (
        math.fsum(c * (a - mean) ** k for c, a in zip(classes, scores, strict=True)) / total
        for k in (2, 3, 4)
    )
    return Moments(total, mean, second, third / second**1.5, fourth / second**2 - 3.0)


def elo_from_score(score: float) -> float:
    """Logistic Elo difference of an expected score in (0, 1)."""
    return 400.0 * math.log10(score / (1.0 - score))


def score_from_elo(elo: float) -> float:
    """Expected score of a logistic Elo difference; the inverse of `elo_from_score`."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


def score_from_bayes_elo(bayes_elo: float, counts: Counts) -> float:
    """Expected score of a BayesElo difference, for the draws that were seen in single games.

    BayesElo (Coulom) has P(win) = f(b - d) and P(loss) = f(-b - d), f the logistic curve of Elo, b
    the difference and d the draw parameter, here d = 200 log10((1 - l)/l (1 - w)/w) of the shares
    of losses l and wins w.
    """
    lost, drawn, won = (float(count) or ZERO_COUNT for count in counts.classes)
    total = lost + drawn + won
    draw_elo = 200.0 * math.log10((total / lost - 1.0) * (total / won - 1.0))
    win = score_from_elo(bayes_elo - draw_elo)
    loss = score_from_elo(-bayes_elo - draw_elo)
    return (1.0 + win - loss) / 2.0


def normal_cdf(x: float) -> float:
    """Phi(x), with full relative precision in the lower tail."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def estimate(counts: Counts) -> Estimate:
    """Elo, normalized Elo, their 95 % intervals and the usual ratios.

    With t = (mu - 1/2)/sqrt(v) and g games in an observation (pairs 2, games 1):
    Elo interval: elo(mu -+ z sqrt(v/N)), clamped.   nElo = C t/sqrt(g).   LOS = Phi(t sqrt(N)).
    nElo error: z C sqrt(V/(g N)), V = max(0, 1 - t skewness + t^2 (excess kurtosis + 2)/4), the
    delta method for a ratio whose denominator is estimated too (as fishtest does); the popular
    V = 1 is far too narrow for one-sided results.
    """
    m = moments(counts)
    standard_error = math.sqrt(m.variance / m.observations)
    low, high = (_clamped_elo(m.mean + z * standard_error) for z in (-Z95, Z95))
    t = (m.mean - 0.5) / math.sqrt(m.variance)
    scale = NORMALIZED_ELO_SCALE / math.sqrt(counts.games_per_observation)
    nelo = scale * t
    spread = max(0.0, 1.0 - t * m.skewness + t * t * (m.excess_kurtosis + 2.0) / 4.0)
    nelo_error = Z95 * scale * math.sqrt(spread / m.observations)
    return Estimate(
        score=mean_score(counts),
        elo=_clamped_elo(m.mean),
        elo_ci95=(low, high),
        elo_error=(high - low) / 2.0,
        nelo=nelo,
        nelo_ci95=(nelo - nelo_error, nelo + nelo_error),
        nelo_error=nelo_error,
        los=normal_cdf(t * math.sqrt(m.observations)),
        draw_ratio=draw_ratio(counts),
        pairs_ratio=pairs_ratio(counts),
    )


def mean_score(counts: Counts) -> float:
    """Share of the points as played, without regularisation; 0.5 without games."""
    classes = counts.classes
    if not counts.observations:
        return 0.5
    return sum(i * c for i, c in enumerate(classes)) / ((len(classes) - 1) * counts.observations)


def draw_ratio(counts: Counts) -> float:
    """Share of the middle class: even pairs, or drawn games; 0 without games."""
    classes = counts.classes
    return classes[len(classes) // 2] / counts.observations if counts.observations else 0.0


def pairs_ratio(counts: Counts) -> float | None:
    """(WW + WD)/(LD + LL): pairs won over pairs lost. None for single games or no lost pair."""
    if not isinstance(counts, Pentanomial):
        return None
    lost = counts.ll + counts.ld
    return (counts.ww + counts.wd) / lost if lost else None


def _clamped_elo(score: float) -> float:
    return elo_from_score(min(max(score, _SCORE_MARGIN), 1.0 - _SCORE_MARGIN))
