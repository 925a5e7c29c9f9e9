"""Estimates of strength that know of the stop rule: median-unbiased, with an interval.

A test stopped by its own result overstates it. Outcomes are ordered along the stopping boundary,
the worst for NEW first: H0 early, H0 late, undecided by the LLR, H1 late, H1 early (stagewise
order). For a supposed strength theta let F(theta) be the probability of an outcome no better than
the observed one; it falls as theta grows. The estimate is where F = 1/2, so that it is too high as
often as too low; the 95 % interval is where F is between 0.975 and 0.025; F(0) is the likelihood of
superiority. (Van den Bergh, brownian_approximation.pdf, section 6; the LLR is taken for the motion
of `harness.brownian`, as fishtest does: exact in the limit of long tests.)

With s the supposed strength, on the model's scale (nElo, or the score of logistic Elo), s0 and s1
the hypotheses, v the variance of a game on that scale: the motion has variance (s1 - s0)^2/v a game
and, per unit of it, the drift (s - (s0 + s1)/2)/(s1 - s0).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from harness.brownian import Motion
from harness.elo import elo_from_score, moments
from harness.likelihood.constants import NORMALIZED_ELO_SCALE
from harness.score import Counts
from harness.sprt import Decision, Hypotheses, scale_of

_MARGIN: Final = 1e-3  # of a score, as in harness.elo
_STEPS: Final = 60


@dataclass(frozen=True, slots=True)
class StoppedEstimate:
    """Elo and normalized Elo of NEW over BASE, as far as a stopped test tells them."""

    elo: float
    elo_ci95: tuple[float, float]
    nelo: float
    nelo_ci95: tuple[float, float]
    los: float


def estimate_stopped(
    test: Hypotheses, counts: Counts, llr: float, decision: Decision
) -> StoppedEstimate | None:
    """The estimate after a test that ended so, with these counts; None without results.

    `decision` "undecided" is a test that was cut off by its limit, or is looked at on its way;
    "invalid" counts as that too.
    """
    if not counts.observations:
        return None
    scale = scale_of(test, counts)
    time = counts.games * scale.variance_per_game
    bounds = test.bounds

    def no_better(strength: float) -> float:
        motion = Motion(scale.drift(strength), bounds.lower, bounds.upper)
        if decision == "H1":
            return 1.0 - motion.top_by(time)
        below = motion.bottom_by(time)
        return below if decision == "H0" else below + motion.inside_below(llr, time)

    least, most = _limits(test, counts)
    found = [_where(no_better, share, least, most) for share in (0.975, 0.5, 0.025)]
    neutral = 0.0 if test.model == "normalized" else 0.5
    (elo_low, elo, elo_high), (nelo_low, nelo, nelo_high) = (
        [convert(strength) for strength in found] for convert in _converters(test, counts)
    )
    return StoppedEstimate(
        elo, (elo_low, elo_high), nelo, (nelo_low, nelo_high), no_better(neutral)
    )


def game_deviation_of(counts: Counts) -> float:
    """Standard deviation of a game's score, as far as pairs tell it."""
    return math.sqrt(counts.games_per_observation * moments(counts).variance)


def _limits(test: Hypotheses, counts: Counts) -> tuple[float, float]:
    """The strengths that are looked at: beyond, Elo says nothing."""
    if test.model != "normalized":
        return _MARGIN, 1.0 - _MARGIN
    most = NORMALIZED_ELO_SCALE * (0.5 - _MARGIN) / game_deviation_of(counts)
    return -most, most


def _converters(
    test: Hypotheses, counts: Counts
) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """From the model's scale to Elo and to nElo, for games of the spread that was seen."""
    deviation = game_deviation_of(counts)
    if test.model == "normalized":
        return (
            lambda nelo: elo_from_score(0.5 + nelo * deviation / NORMALIZED_ELO_SCALE),
            lambda nelo: nelo,
        )
    return elo_from_score, lambda score: NORMALIZED_ELO_SCALE * (score - 0.5) / deviation


def _where(falling: Callable[[float], float], share: float, low: float, high: float) -> float:
    """The place in [low, high] where a falling function has this value, or the nearer end."""
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        if falling(middle) > share:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0
