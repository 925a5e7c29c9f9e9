"""Which games a run plays: pure arithmetic from (run seed, pair number), the same on any machine.

Pairs are numbered from 0. Pair k uses opening `start + k`; its two games share that opening with
the colours swapped, and in game 0 NEW (the first-named player) is white. Opening numbers are not
wrapped here: only the opening source knows its size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Final

from harness.splitmix import derive_seed

# A step of `derive_seed`, so that games share no stream with anything else of the run.
_GAME_STEP: Final = 0x67616D65  # "game"


@dataclass(frozen=True, slots=True)
class GameTask:
    """One game to play: everything about it that is not in the run's spec."""

    pair: int
    game: int
    opening: int
    seed: int

    @property
    def white(self) -> int:
        """Who is white: 0 = NEW, 1 = BASE."""
        return self.game


@dataclass(frozen=True, slots=True)
class PairTask:
    """Two games from one opening, colours swapped: the unit that is scheduled and counted."""

    pair: int
    opening: int
    seeds: tuple[int, int]

    @property
    def games(self) -> tuple[GameTask, GameTask]:
        first, second = self.seeds
        return (
            GameTask(self.pair, 0, self.opening, first),
            GameTask(self.pair, 1, self.opening, second),
        )


def pair_task(run_seed: int, pair: int, start: int = 0) -> PairTask:
    """Pair number `pair` of the run: opening `start + pair`, and a seed for each game."""
    first, second = (derive_seed(run_seed, _GAME_STEP, pair, game) for game in (0, 1))
    return PairTask(pair, start + pair, (first, second))


def pair_tasks(run_seed: int, start: int = 0, first_pair: int = 0) -> Iterator[PairTask]:
    """All pairs from `first_pair` on, without end: the stop rule decides how many are played."""
    return (pair_task(run_seed, pair, start) for pair in count(first_pair))
