"""Void pairs: what becomes of the two games of a pair when the machine or the harness fails one.

Such a game says nothing about its players, and nor may its pair: both games are played again, by a
rule that looks at neither player. So a finished game is let through to whoever counts it only with
its whole pair, and one whose pair was void while it was played is dropped when it comes. A game of
an earlier sitting is no exception.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from harness.record import GameRecord
    from harness.schedule import GameTask

Key = tuple[int, int]


class Voided(NamedTuple):
    """What a void pair costs: games to be played again, and those of them that were finished."""

    again: tuple[GameTask, ...]
    finished: tuple[Key, ...]


class PairGate:
    """Which games are being played, which wait for the other one of their pair."""

    def __init__(self, games_per_pair: int) -> None:
        self._games_per_pair = games_per_pair
        self._played: dict[Key, GameTask] = {}  # being played
        self._stale: set[Key] = set()  # of them, those of void pairs
        self._alone: dict[Key, GameRecord] = {}
        self.voids: Counter[int] = Counter()

    def hand_out(self, games: Iterable[GameTask]) -> None:
        """These are being played from now on."""
        self._played |= {(game.pair, game.game): game for game in games}

    def take_back(self, games: Iterable[GameTask]) -> None:
        """These were not played after all."""
        for game in games:
            key = (game.pair, game.game)
            self._played.pop(key, None)
            self._stale.discard(key)

    def stale(self, record: GameRecord) -> GameTask | None:
        """The game to be played again, where this one belongs to a pair void since it began."""
        key = (record.pair, record.game)
        if key not in self._stale:
            return None
        self._stale.remove(key)
        return self._played.pop(key)

    def finish(self, record: GameRecord) -> list[GameRecord]:
        """The games that can be counted now: none while the pair has another one to come."""
        key = (record.pair, record.game)
        self._played.pop(key, None)
        if self._games_per_pair == 1:
            return [record]
        other = self._alone.pop((record.pair, 1 - record.game), None)
        if other is None:
            self._alone[key] = record
            return []
        return [other, record]

    def void(self, game: GameTask, other: GameTask) -> Voided:
        """A fault that is nobody's of the two has ended `game`; `other` is its pair's other one."""
        self.voids[game.pair] += 1
        self.take_back([game])
        key = (other.pair, other.game)
        if key in self._played:
            self._stale.add(key)
        if self._alone.pop(key, None) is None:
            return Voided((game,), ())
        return Voided((game, other), (key,))

    def rest(self) -> list[GameRecord]:
        """The games that wait; they wait no longer."""
        waiting = list(self._alone.values())
        self._alone.clear()
        return waiting
