"""Which parameters change anything, found without games: node counts and moves on fixed positions.

A parameter that changes no node count over its whole range is dead: switched off, hidden behind
another one, or out of reach at this depth. Games spent on it are lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from harness.limits import Limit
from harness.search_tuning.probe import searches
from harness.search_tuning.space import Space
from harness.search_tuning.tunables import tunables_of
from harness.spec import EngineConfig

#: Deep enough for every technique of the search, shallow enough for a second a search.
DEPTH: Final = 9


class Fingerprint(NamedTuple):
    """What a search of the positions looks like from outside."""

    nodes: tuple[int, ...]
    moves: tuple[int, ...]


class Effect(NamedTuple):
    """How much a parameter changes when it goes from the base's value to the ends of its range."""

    name: str
    positions: int
    node_counts_changed: int
    moves_changed: int
    nodes_pct: tuple[float, float]

    @property
    def is_dead(self) -> bool:
        return not self.node_counts_changed

    @property
    def sentence(self) -> str:
        """The effect in words."""
        if self.is_dead:
            return (
                f"{self.name}: dead, it changes nothing on {self.positions} positions at depth"
                f" {DEPTH}"
            )
        low, high = self.nodes_pct
        return (
            f"{self.name}: other node counts on {self.node_counts_changed} of {self.positions}"
            f" positions, other moves on {self.moves_changed}; nodes {low:+.0f} % at the low end,"
            f" {high:+.0f} % at the high one"
        )


def screen(space: Space, base: EngineConfig) -> Iterator[Effect]:
    """The effect of each dimension alone, the others at the base's values."""
    tunables = tunables_of(base)
    centre = tunables.changed(base, space.fixed)
    start = _fingerprint(centre)
    for one in space.dimensions:
        ends = [_fingerprint(tunables.changed(centre, {one.name: x})) for x in (one.low, one.high)]
        yield effect(one.name, start, ends[0], ends[1])


def effect(name: str, start: Fingerprint, low: Fingerprint, high: Fingerprint) -> Effect:
    """Compare the two ends of a range with the start."""
    nodes, moves = (
        sum(a != b or a != c for a, b, c in zip(start[i], low[i], high[i], strict=True))
        for i in (0, 1)
    )
    low_pct, high_pct = (
        100.0 * (sum(end.nodes) / max(1, sum(start.nodes)) - 1.0) for end in (low, high)
    )
    return Effect(name, len(start.nodes), nodes, moves, (low_pct, high_pct))


def _fingerprint(engine: EngineConfig) -> Fingerprint:
    found = list(searches(engine, Limit(depth=DEPTH)))
    return Fingerprint(tuple(one.nodes for one in found), tuple(one.move for one in found))
