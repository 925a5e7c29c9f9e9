"""Ratings of many players from the pairs they played: maximum likelihood, with anchors.

Symbols: r_i rating in Elo; E_ij = 1/(1 + 10^((r_j - r_i)/400)) expected score of i against j;
N_ij games and S_ij points of i in them (a draw is half a point); c = ln 10 / 400; L the sum over
the meetings of (e_i - e_j)(e_i - e_j)^T, with a weight each.

The r maximise sum S_ij ln E_ij (Zermelo 1929, Bradley and Terry 1952; draws as half a win and half
a loss). That is a concave problem with gradient c (sum_j S_ij - N_ij E_ij) and information
J = c^2 L[N E (1 - E)]. Anchored ratings are given; without anchors the mean rating is 0.

The covariance is the sandwich J^-1 K J^-1 with K = c^2 L[Var S], where Var S comes from the
observed pairs of the meeting (White 1982): games of a pair are not independent, and draws make
scores less variable than the model says. For two players it is the interval of `harness.elo`.

The maximum is at infinity when a group of players took every point from another one (Ford 1957).
Each meeting of two such groups then counts one drawn game more, and the model's own variance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from harness.elo import Z95, estimate, mean_score, moments, normal_cdf
from harness.score import Pentanomial

_C: Final = math.log(10.0) / 400.0

#: Newton's method takes some five steps; a longer step than this overshoots where scores saturate.
_MAX_STEPS: Final = 200
_LONGEST_STEP_ELO: Final = 300.0
_PRECISION_ELO: Final = 1e-9

_Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Meeting:
    """The pairs of two players, given by their numbers from 0; counts are the first one's."""

    first: int
    second: int
    pairs: Pentanomial


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings in Elo, and the covariance of their errors (zero for anchors)."""

    elo: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]

    def error95(self, player: int) -> float:
        """Half the width of the 95 % interval; of an anchored player 0."""
        return Z95 * math.sqrt(max(0.0, self.covariance[player][player]))

    def los(self, player: int, other: int) -> float:
        """Likelihood that `player` is the stronger one."""
        v = self.covariance
        variance = v[player][player] + v[other][other] - 2.0 * v[player][other]
        lead = self.elo[player] - self.elo[other]
        if variance <= 0.0:
            return 0.5 * (1.0 + math.copysign(1.0, lead)) if lead else 0.5
        return normal_cdf(lead / math.sqrt(variance))


def fit_ratings(
    players: int, meetings: Sequence[Meeting], anchors: Mapping[int, float] | None = None
) -> Ratings:
    """The most likely ratings of players 0 to `players` - 1; `anchors` are given, in Elo."""
    anchors = anchors or {}
    played = _results(players, [m for m in meetings if m.pairs.observations], anchors)
    free = [player for player in range(players) if player not in anchors]
    ratings = np.full(players, np.mean(list(anchors.values())) if anchors else 0.0)
    for player, elo in anchors.items():
        ratings[player] = elo
    for _ in range(_MAX_STEPS):
        step = _newton_step(ratings, played, free)
        ratings[free] += step
        if np.max(np.abs(step), initial=0.0) < _PRECISION_ELO:
            break
    covariance = _covariance(ratings, played, free)
    return Ratings(tuple(ratings.tolist()), tuple(map(tuple, covariance.tolist())))


@dataclass(frozen=True, slots=True)
class _Results:
    """The meetings as columns: players, games, points of the first, and what these may vary by.

    A variance below 0 stands for the model's own.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    games: _Array
    points: _Array
    variance: _Array

    def expected(self, ratings: _Array) -> _Array:
        lead = ratings[self.first] - ratings[self.second]
        return np.asarray(1.0 / (1.0 + np.power(10.0, -lead / 400.0)))

    def laplacian(self, weights: _Array, players: int) -> _Array:
        """The sum over the meetings of weight (e_i - e_j)(e_i - e_j)^T."""
        total = np.zeros((players, players))
        np.add.at(total, (self.first, self.first), weights)
        np.add.at(total, (self.second, self.second), weights)
        np.add.at(total, (self.first, self.second), -weights)
        np.add.at(total, (self.second, self.first), -weights)
        return total


def _results(players: int, meetings: Sequence[Meeting], anchors: Mapping[int, float]) -> _Results:
    groups = _groups(players, meetings, anchors)
    first = np.array([m.first for m in meetings], dtype=np.intp)
    second = np.array([m.second for m in meetings], dtype=np.intp)
    games = np.array([float(m.pairs.games) for m in meetings])
    points = games * np.array([mean_score(m.pairs) for m in meetings])
    # The variance of a sum of n pairs, each worth two games, is n 2^2 v.
    variance = np.array([4.0 * m.pairs.observations * moments(m.pairs).variance for m in meetings])
    apart = np.array([groups[m.first] != groups[m.second] for m in meetings], dtype=bool)
    return _Results(
        first, second, games + apart, points + 0.5 * apart, np.where(apart, -1.0, variance)
    )


def _groups(
    players: int, meetings: Sequence[Meeting], anchors: Mapping[int, float]
) -> NDArray[np.intp]:
    """A number for each player, equal for those who each took points, in a chain, off the other.

    Anchored players are of one group: their difference is given.
    """
    reaches = np.eye(players, dtype=bool)
    reaches[np.ix_(list(anchors), list(anchors))] = True
    for m in meetings:
        score = mean_score(m.pairs)
        reaches[m.first, m.second] |= score > 0.0
        reaches[m.second, m.first] |= score < 1.0
    for through in range(players):  # Warshall's closure
        reaches |= np.outer(reaches[:, through], reaches[through])
    return np.asarray(np.argmax(reaches & reaches.T, axis=1), dtype=np.intp)


def _newton_step(ratings: _Array, played: _Results, free: list[int]) -> _Array:
    """What to add to the free ratings; at most `_LONGEST_STEP_ELO` of any."""
    expected = played.expected(ratings)
    surplus = played.points - played.games * expected
    gradient = np.zeros(len(ratings))
    np.add.at(gradient, played.first, surplus)
    np.add.at(gradient, played.second, -surplus)
    information = _C * played.laplacian(played.games * expected * (1.0 - expected), len(ratings))
    # The pseudo-inverse also serves where only differences are known, or nothing yet.
    step = np.linalg.pinv(information[np.ix_(free, free)], hermitian=True) @ gradient[free]
    longest = np.max(np.abs(step), initial=0.0)
    return np.asarray(step * min(1.0, _LONGEST_STEP_ELO / max(longest, 1e-12)))


def _covariance(ratings: _Array, played: _Results, free: list[int]) -> _Array:
    expected = played.expected(ratings)
    of_model = played.games * expected * (1.0 - expected)
    size = len(ratings)
    chosen = np.ix_(free, free)
    inverse = np.linalg.pinv(_C**2 * played.laplacian(of_model, size)[chosen], hermitian=True)
    observed = np.where(played.variance < 0.0, of_model, played.variance)
    spread = _C**2 * played.laplacian(observed, size)[chosen]
    covariance = np.zeros((size, size))
    covariance[chosen] = inverse @ spread @ inverse
    return covariance


@dataclass(frozen=True, slots=True)
class Implied:
    """The rating that a player's score against one opponent stands for, were there no others."""

    opponent: int
    games: int
    score: float
    elo: float
    elo_ci95: tuple[float, float]


def implied_ratings(
    player: int, meetings: Sequence[Meeting], ratings: Ratings
) -> tuple[Implied, ...]:
    """One for each opponent of `player`: the opponent's rating plus the Elo of the score."""
    implied = []
    for m in meetings:
        if player not in (m.first, m.second) or not m.pairs.observations:
            continue
        mine = m.pairs if player == m.first else m.pairs.inverted()
        opponent = m.second if player == m.first else m.first
        now, base = estimate(mine), ratings.elo[opponent]
        low, high = now.elo_ci95
        implied.append(
            Implied(opponent, mine.games, now.score, base + now.elo, (base + low, base + high))
        )
    return tuple(implied)


def spread_elo(implied: Sequence[Implied]) -> float | None:
    """Standard deviation of what the opponents imply; None for fewer than two.

    Much above the errors of the single ratings it says that one number does not describe the
    player, or that the anchors are not on one scale.
    """
    if len(implied) < 2:
        return None
    mean = math.fsum(one.elo for one in implied) / len(implied)
    return math.sqrt(math.fsum((one.elo - mean) ** 2 for one in implied) / (len(implied) - 1))
