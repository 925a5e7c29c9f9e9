"""Who meets whom, and when: pure arithmetic, the same on any machine.

A *cycle* is one pair of games of every pairing, all from one opening; pairings come in the order of
the format. Pair k of the run is place k mod P of cycle k div P, where P is the number of pairings.
A tournament cut off after any cycle has thus given everyone the same openings and opponents.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from typing import Literal, NamedTuple

from harness.schedule import GameTask, PairTask, pair_task

Format = Literal["match", "gauntlet", "roundrobin"]


class Pairing(NamedTuple):
    """Two players by their numbers from 0; the first is white in game 0 of each of their pairs."""

    first: int
    second: int


def pairings(form: Format, players: int) -> tuple[Pairing, ...]:
    """The pairings of one cycle, in the order in which they are played."""
    if form == "roundrobin":
        return tuple(_berger(players))
    return tuple(Pairing(0, other) for other in range(1, players))


def _berger(players: int) -> Iterator[Pairing]:
    """The Berger tables (FIDE Handbook C.05, annex 1), round by round.

    With n players, or one more where that is odd (who meets the added one is free), the last meets
    (r n/2) mod (n - 1) in round r, white and black in turn; the others meet at equal distances
    from him on the circle of n - 1.
    """
    even = players + players % 2
    circle = even - 1
    for turn in range(circle):
        centre = turn * even // 2 % circle
        boards = [Pairing(centre, circle) if turn % 2 == 0 else Pairing(circle, centre)]
        boards += [
            Pairing((centre + distance) % circle, (centre - distance) % circle)
            for distance in range(1, even // 2)
        ]
        yield from (board for board in boards if max(board) < players)


def tournament_pair(run_seed: int, pair: int, cycle_pairs: int, start: int = 0) -> PairTask:
    """Pair number `pair`; all of one cycle have the same opening."""
    return replace(pair_task(run_seed, pair), opening=start + pair // cycle_pairs)


def tournament_games(
    run_seed: int, pairs: int, cycle_pairs: int, start: int, finished: Set[tuple[int, int]]
) -> Iterator[GameTask]:
    """The games of the first `pairs` pairs but for the `finished`, given as (pair, game)."""
    for pair in range(pairs):
        for game in tournament_pair(run_seed, pair, cycle_pairs, start).games:
            if (pair, game.game) not in finished:
                yield game
