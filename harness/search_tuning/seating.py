"""Who plays the pairs of a study, and from where: while it goes on, and when it is played again.

A trial is noted in the run's journal before its first game, as an event `trial`:

    ordinal        its place in the study's course
    trial          search, re-evaluation or race
    new, base      the values of the two players; no `base`: the base itself
    opening_set    which openings it plays
    first_opening  the place of its first one in them
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.books import Opening
from harness.errors import UsageError
from harness.journal import Event
from harness.schedule import GameTask
from harness.search_tuning.course import PairRef
from harness.search_tuning.ledger import Order
from harness.search_tuning.openings import StudyOpenings, read_openings
from harness.search_tuning.space import Values
from harness.search_tuning.study_spec import StudySpec, pair_number, trial_pair
from harness.spec import Sides

TRIAL: str = "trial"


def games_of(spec: StudySpec, pair: PairRef) -> tuple[GameTask, GameTask]:
    """The games of a pair, by the numbers of the run."""
    return spec.games_of(pair_number(pair.ordinal, pair.place), pair.opening)


def sides_of(spec: StudySpec, ordinal: int, new: Values, base: Values | None) -> Sides:
    """The two players of a trial."""
    first = spec.engine(new, f"trial-{ordinal}")
    return first, spec.base if base is None else spec.engine(base, f"trial-{ordinal}-minus")


def note_of(order: Order, first: PairRef) -> dict[str, Any]:
    """What is noted of a trial that begins with a pair."""
    return {
        "ordinal": order.ordinal,
        "trial": order.kind,
        "new": order.played,
        "base": order.opponent,
        "opening_set": first.opening_set,
        "first_opening": first.opening - first.place,
    }


class NotedTrials:
    """The trials of a study that was played; a seating of `harness.replay`."""

    def __init__(self, spec: StudySpec, folder: Path, events: Iterable[Event]) -> None:
        self._spec = spec
        self._openings: StudyOpenings = read_openings(folder, spec.rules)
        self._notes = {one.detail["ordinal"]: one.detail for one in events if one.kind == TRIAL}

    def games(self, pair: int) -> tuple[GameTask, GameTask]:
        """The games of a pair of the run. Raises UsageError."""
        return games_of(self._spec, self._place(pair))

    def opening(self, game: GameTask) -> Opening:
        """Where a game begins."""
        return self._openings.opening(self._place(game.pair))

    def sides(self, pair: int) -> Sides:
        """Who plays a pair."""
        ordinal, _ = trial_pair(pair)
        note = self._notes[ordinal]
        return sides_of(self._spec, ordinal, note["new"], note["base"])

    def _place(self, pair: int) -> PairRef:
        ordinal, place = trial_pair(pair)
        note = self._notes.get(ordinal)
        if note is None or "first_opening" not in note:
            raise UsageError(f"trial {ordinal}: the study has no note of it; expected another one")
        return PairRef(ordinal, place, note["opening_set"], note["first_opening"] + place)
