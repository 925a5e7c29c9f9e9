"""What a test will probably cost, and whether it will pass, for supposed strengths; pure.

The LLR is taken for a Brownian motion (see `harness.brownian`), which has no overshoot: what a test
comes to whose bounds are drawn in for that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from harness.elo import elo_from_score, score_from_elo
from harness.likelihood.constants import NORMALIZED_ELO_SCALE
from harness.sprt import Hypotheses, SprtState, motion_from, scale_of


class Outlook(NamedTuple):
    """A test for a supposed strength: how likely its ends are, and its mean length.

    `undecided` is the chance that `max_games` come first; the other two are those before that.
    """

    elo: float
    nelo: float
    passes: float
    fails: float
    undecided: float
    games: float


def game_deviation(elo: float, draw_ratio: float) -> float:
    """Standard deviation of a game's score, for an Elo difference and a share of draws.

    With mean s: s (1 - s) - d/4. Raises ValueError where a share of draws is not possible.
    """
    score = score_from_elo(elo)
    most = 2.0 * min(score, 1.0 - score)
    if not 0.0 <= draw_ratio < most:
        raise ValueError(f"{draw_ratio:g}: expected a share from 0 to {most:.2f} at {elo:g} Elo")
    return math.sqrt(score * (1.0 - score) - draw_ratio / 4.0)


def elo_of_nelo(nelo: float, deviation: float) -> float:
    """Elo of a normalized one, for games of this spread; held where scores are between 0 and 1."""
    score = 0.5 + nelo * deviation / NORMALIZED_ELO_SCALE
    return elo_from_score(min(max(score, 1e-3), 1.0 - 1e-3))


def outlook(state: SprtState, elo: float, deviation: float, max_games: int) -> Outlook:
    """What is to be expected of a test from here on, at most `max_games` more of them."""
    score = score_from_elo(elo)
    nelo = NORMALIZED_ELO_SCALE * (score - 0.5) / deviation
    scale, strength = scale_of(state.hypotheses, state.counts), nelo
    if state.hypotheses.model != "normalized":
        scale, strength = scale._replace(game_variance=deviation**2), score
    motion = motion_from(state, scale.drift(strength))
    end = max_games * scale.variance_per_game
    games = motion.mean_time_within(end) / scale.variance_per_game
    return Outlook(
        elo, nelo, motion.top_by(end), motion.bottom_by(end), motion.not_stopped_by(end), games
    )


def usual_strengths(test: Hypotheses, deviation: float) -> Iterator[float]:
    """Elo differences worth a look: both hypotheses, between them, and as far beyond each."""
    width = test.elo1 - test.elo0
    for elo in (
        test.elo0 - width / 2.0,
        test.elo0,
        (test.elo0 + test.elo1) / 2.0,
        test.elo1,
        test.elo1 + width / 2.0,
    ):
        yield elo_of_nelo(elo, deviation) if test.model == "normalized" else elo


def table(rows: Sequence[Outlook], games_per_min: float | None) -> Iterator[str]:
    """Lines of text; with a pace, the time too."""
    from harness.report.numbers import duration, number, percent

    yield f"{'Elo':>8} {'nElo':>8} {'passes':>8} {'fails':>8} {'undecided':>10} {'games':>9}"
    for row in rows:
        time = "" if not games_per_min else f"   {duration(60.0 * row.games / games_per_min)}"
        yield (
            f"{number(row.elo, 2, signed=True):>8} {number(row.nelo, 2, signed=True):>8}"
            f" {percent(row.passes):>8} {percent(row.fails):>8} {percent(row.undecided):>10}"
            f" {number(row.games, 0):>9}{time}"
        )
