"""What the games of a trial say: an Elo difference and how sure it is, of any number of pairs.

The five classes of pairs (see `harness.score`) have a Dirichlet prior, so that a few pairs claim
neither an infinite difference nor certainty. Its shares are those of chess-tuning-tools (equal
players, many even pairs); it weighs 2.5 pairs.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final, NamedTuple

from harness.elo import elo_from_score
from harness.score import Pentanomial

PRIOR_PAIRS: Final = 2.5
_PRIOR_SHARES: Final = (0.14, 0.19, 0.34, 0.19, 0.14)


class Evidence(NamedTuple):
    """A strength difference in logistic Elo, from the first-named player's view."""

    elo: float
    variance_elo2: float
    pairs: int

    @property
    def error_elo(self) -> float:
        """The standard error."""
        return math.sqrt(self.variance_elo2)

    @property
    def likelihood(self) -> tuple[float, float]:
        """Elo and its variance as the games alone have them, without the prior's pairs.

        For those who have a prior of their own: with two, short trials would be drawn to 0 twice.
        """
        share = 1.0 + PRIOR_PAIRS / self.pairs
        return self.elo * share, self.variance_elo2 * share * share

    def upper_elo(self, z: float) -> float:
        """The difference that lies `z` standard errors above."""
        return self.elo + z * self.error_elo


def evidence(counts: Pentanomial) -> Evidence:
    """The posterior mean of the score as Elo, with the delta method's variance.

    For a Dirichlet with total weight A the variance of the mean score is v / (A + 1), v the
    variance of one pair's score under the mean shares; d Elo / d score = 400 / (ln 10 s (1 - s)).
    """
    weights = [n + PRIOR_PAIRS * p for n, p in zip(counts.classes, _PRIOR_SHARES, strict=True)]
    total = math.fsum(weights)
    score = math.fsum(i / 4 * w for i, w in enumerate(weights)) / total
    variance = math.fsum((i / 4 - score) ** 2 * w for i, w in enumerate(weights)) / total
    slope = 400.0 / (math.log(10.0) * score * (1.0 - score))
    return Evidence(
        elo_from_score(score), slope * slope * variance / (total + 1.0), counts.observations
    )


def look_z(error_rate: float, looks: int) -> float:
    """How many standard errors one of so many looks needs, all together wrong at `error_rate`.

    The error is spent in equal shares (a union bound: the looks need not be independent), since a
    bad trial should end early; a rule that saves the error for the last look would play it out.
    """
    return NormalDist().inv_cdf(1.0 - error_rate / max(1, looks))
