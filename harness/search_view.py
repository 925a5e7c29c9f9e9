"""What a user sees of a study while it goes on: its best trials, its speed, the time left."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from harness.elo import Z95
from harness.report.numbers import duration
from harness.search_tuning.ledger import Told
from harness.search_tuning.study import Progress
from harness.search_tuning.study_spec import StudySpec

_BEST: Final = 3
#: Lines come rarer as the study grows longer.
_LINE_S: Final = 10.0
_LINE_SHARE_OF_STUDY: Final = 0.05


class StudyWatch:
    """Tells how a study stands, now and then."""

    def __init__(
        self,
        spec: StudySpec,
        tell: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._spec = spec
        self._tell = tell
        self._clock = clock
        self._next_at = clock() + _LINE_S

    def update(self, progress: Progress) -> None:
        """Some lines when they are due."""
        if self._clock() < self._next_at:
            return
        elapsed_s = progress.session.elapsed_s
        self._next_at = self._clock() + max(_LINE_S, _LINE_SHARE_OF_STUDY * elapsed_s)
        for line in study_lines(
            self._spec,
            progress.course.told,
            progress.course.pairs_done,
            progress.session.games,
            elapsed_s,
        ):
            self._tell(line)


def study_lines(
    spec: StudySpec, told: Sequence[Told], pairs_done: int, games: int, elapsed_s: float
) -> list[str]:
    """How far it is, how fast, and the best trials so far; `games` are those of `elapsed_s`."""
    per_s = games / elapsed_s if elapsed_s > 0 else 0.0
    left = max(0, spec.rules.games - 2 * pairs_done)
    time_left = f", about {duration(left / per_s)} left" if per_s else ""
    head = (
        f"{len(told)} trials, {2 * pairs_done:,} of {spec.rules.games:,} games,"
        f" {60 * per_s:.0f} games/min{time_left}"
    )
    return [head, *(f"  {trial_line(spec, one)}" for one in best_trials(told))]


def best_trials(told: Sequence[Told]) -> list[Told]:
    """Those whose lower bounds are highest: of the merely highest most are lucky."""
    known = [one for one in told if one.evidence is not None and one.order.opponent is None]
    return sorted(known, key=_lower_elo, reverse=True)[:_BEST]


def _lower_elo(told: Told) -> float:
    assert told.evidence is not None
    return told.evidence.upper_elo(-Z95)


def trial_line(spec: StudySpec, told: Told) -> str:
    """A trial's result with its interval, and its values."""
    assert told.evidence is not None
    values = ", ".join(
        f"{one.name} {one.format(told.order.played[one.name])}" for one in spec.space.dimensions
    )
    return (
        f"trial {told.order.ordinal}: {told.evidence.elo:+.0f} ±"
        f" {Z95 * told.evidence.error_elo:.0f} Elo in {told.evidence.pairs} pairs; {values}"
    )
