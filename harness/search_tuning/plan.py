"""What a study can be expected to find, said before its first game.

Nobody knows how much there is to gain, so the plan is made for several answers to that. With n
dimensions, N games and a game's standard deviation s in Elo, the answer misses

    loss = A / (1 + A N / (k n s^2)) of what is attainable, A,

and its claim has the standard error s / sqrt(m N). k and m are those of the simulation
(docs/search-tuning.md); the chance of the final test is that of `harness.planning`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from harness.planning import game_deviation, outlook
from harness.sprt import Hypotheses, SprtState

_LOSS_FACTOR: Final = 2.0
_CLAIM_SHARE: Final = 0.25
#: Elo for a score's difference near one half.
_ELO_OF_SCORE: Final = 1600.0 / math.log(10.0)
#: Plies of a usual game with adjudication, counted over both sides.
_PLIES: Final = 110
ATTAINABLE_ELO: Final = (5.0, 15.0, 40.0)
#: A study that its test is less likely to pass than this, with the most to gain, is not worth it.
_HOPELESS: Final = 0.25


class Expectation(NamedTuple):
    """What comes of a study when so much is to be gained."""

    attainable_elo: float
    gain_elo: float
    pass_chance: float


class Plan(NamedTuple):
    """A study in numbers."""

    dimensions: int
    games: int
    hours: float | None
    claim_error_elo: float
    expectations: tuple[Expectation, ...]

    @property
    def is_hopeless(self) -> bool:
        return max(one.pass_chance for one in self.expectations) < _HOPELESS

    @property
    def lines(self) -> list[str]:
        """The plan in words."""
        time = "" if self.hours is None else f", some {self.hours:.1f} hours"
        lines = [
            f"plan: {self.dimensions} dimensions, {self.games:,} games{time}; the claim's standard"
            f" error will be about {self.claim_error_elo:.1f} Elo"
        ]
        lines += [
            f"  if {one.attainable_elo:+.0f} Elo are to be gained: {one.gain_elo:+.1f} expected,"
            f" the test passes with {100 * one.pass_chance:.0f} %"
            for one in self.expectations
        ]
        if self.is_hopeless:
            lines.append(
                "  hopeless: so few games cannot tell good values from lucky ones; expected more"
                " --games, or fewer dimensions"
            )
        return lines


def make_plan(
    dimensions: int,
    games: int,
    test: Hypotheses,
    max_games: int,
    games_per_hour: float | None = None,
    draw_ratio: float = 0.4,
) -> Plan:
    """The plan of a study of so many games, the final test's not counted."""
    deviation = game_deviation(0.0, draw_ratio)
    deviation_elo = _ELO_OF_SCORE * deviation
    start = SprtState.start(test)
    expectations = []
    for attainable in ATTAINABLE_ELO:
        noise = _LOSS_FACTOR * dimensions * deviation_elo**2 / games
        gain = attainable - attainable / (1.0 + attainable / noise)
        chance = outlook(start, gain, deviation, max_games).passes
        expectations.append(Expectation(attainable, gain, chance))
    return Plan(
        dimensions,
        games,
        None if games_per_hour is None else games / games_per_hour,
        deviation_elo / math.sqrt(_CLAIM_SHARE * games),
        tuple(expectations),
    )


def measured_games_per_hour(seconds: Sequence[float], workers: int) -> float:
    """From the seconds that some moves took; both sides think equally long."""
    return 3600.0 * workers / (_PLIES * sum(seconds) / len(seconds))
