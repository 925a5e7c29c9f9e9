"""The course of a run, pair by pair, thinned out so that a page stays small.

A run is described by one digit for each counted pair, in pair order: 0..4 for the pair classes
LL, LD, DD+WL, WD, WW of NEW.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from harness.elo import estimate
from harness.score import Pentanomial

#: Points of a curve: more than a page has pixels for adds size and nothing to see.
MAX_POINTS = 400


@dataclass(frozen=True, slots=True)
class EloPoint:
    """The Elo estimate after `pairs` pairs and its 95 % interval."""

    pairs: int
    elo: float
    low: float
    high: float


def thin(values: Sequence[float], points: int = MAX_POINTS) -> list[tuple[int, float]]:
    """(pair number from 1, value), at most about `points` of them.

    Of each stretch the lowest and the highest value stay, so that no excursion disappears, and so
    do the first and the last.
    """
    if len(values) <= points:
        return list(enumerate(values, start=1))
    edges = [round(k * len(values) / (points // 2)) for k in range(points // 2 + 1)]
    kept = {0, len(values) - 1}
    for start, end in pairwise(edges):
        stretch = range(start, end)
        kept |= {min(stretch, key=values.__getitem__), max(stretch, key=values.__getitem__)}
    return [(i + 1, values[i]) for i in sorted(kept)]


def elo_path(pairs: str, points: int = MAX_POINTS) -> list[EloPoint]:
    """The Elo estimate along the run, at pair numbers spread evenly.

    The first few pairs say nothing yet and their intervals would hide the rest, so the path begins
    where a fiftieth of the run, and at least ten pairs, have been counted.
    """
    first = max(10, len(pairs) // 50)
    step = max(1, (len(pairs) - first) // points)
    wanted = {*range(first, len(pairs), step), len(pairs)} if len(pairs) >= first else set()
    counts = [0, 0, 0, 0, 0]
    path: list[EloPoint] = []
    for number, digit in enumerate(pairs, start=1):
        counts[int(digit)] += 1
        if number in wanted:
            now = estimate(Pentanomial(*counts))
            path.append(EloPoint(number, now.elo, *now.elo_ci95))
    return path
