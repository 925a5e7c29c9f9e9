"""One run from its specification to its verdict.

schedule -> workers -> journal -> tally in pair order -> stop; its games are played as
`harness.playing` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.chunks import GameQueue
from harness.conduct import Conduct
from harness.errors import UsageError
from harness.interrupts import Interrupts
from harness.journal import Journal
from harness.openings import OpeningSource
from harness.playing import (
    Hire,
    RunOptions,
    hire_here,
    opened_run,
    queue_of,
)
from harness.result import Document, RunProgress, describe_openings, document_of, progress_of
from harness.score import Pentanomial
from harness.spec import MatchSpec
from harness.sprt import Hypotheses, llr
from harness.stats import stats_of_tally
from harness.tally import Tally

if TYPE_CHECKING:
    from harness.game import GameRecord
    from harness.view import RunHeading, View

__all__ = [
    "Hire",
    "RunOptions",
    "RunProgress",
    "hire_here",
    "read_run",
    "read_spec",
    "run_match",
]


def read_spec(run_dir: Path) -> MatchSpec:
    """The specification of the run in a folder. Raises UsageError when there is none.

    Damage that leaves it whole is not told here but by whatever reads the games.
    """
    with Journal.reading(run_dir, lambda sentence: None) as journal:
        return journal.spec_of(MatchSpec)


def read_run(run_dir: Path, tell: Callable[[str], None]) -> Document:
    """The document of the run in a folder as its journal has it now, ended or not.

    `tell` is called with a sentence for each damaged row, which is left out.
    """
    return _recounted(run_dir, tell)[1]


def read_tally(run_dir: Path, tell: Callable[[str], None]) -> tuple[Tally, float | None]:
    """The counted pairs of a run, and its games a minute, if known; `tell` as in `read_run`."""
    tally, document = _recounted(run_dir, tell)
    return tally, document["games_per_min"] or None


def _recounted(run_dir: Path, tell: Callable[[str], None]) -> tuple[Tally, Document]:
    with Journal.reading(run_dir, tell) as journal:
        spec = journal.spec_of(MatchSpec)
        tally = _new_tally(spec)
        for record in journal.games():
            tally.add(record)
        return tally, document_of(spec, tally, journal, run_dir)


def judge_run(run_dir: Path, hypotheses: Hypotheses, tell: Callable[[str], None]) -> dict[str, Any]:
    """What another test would say of a run's pairs, taken in order; `tell` as in `read_run`.

    Its bounds are drawn in for overshoot where those of the run's own test are.
    """
    with Journal.reading(run_dir, tell) as journal:
        spec = journal.spec_of(MatchSpec)
        own, names = _new_tally(spec), (spec.new.name, spec.base.name)
        test = replace(hypotheses, overshoot=own.hypotheses.overshoot)
        tally = Tally(test, spec.max_games // 2)
        for record in journal.games():
            own.add(record)
            tally.add(record)
    own_end = own.decision or "no verdict yet"
    return stats_of_tally(tally, *names, f"{own_end} after {own.pentanomial.games} games")


def run_match(spec: MatchSpec, options: RunOptions, view: View) -> Document:
    """Play a run, or the rest of it, and return the document that is in its run.json.

    Raises UsageError (a folder that cannot be used, another specification or engine),
    EngineStartError, and Interrupted, after which the run can be resumed.
    """
    _new_tally(spec)  # refuses a run without hypotheses before anything is written
    with Interrupts() as interrupts, opened_run(spec, options, view.message) as opened:
        test = _Test(spec, options, view, interrupts, opened.journal)
        return test.to_the_end(opened)


def _new_tally(spec: MatchSpec) -> Tally:
    if spec.sprt is None:
        raise UsageError("the specification has no hypotheses; expected those of a test")
    return Tally(spec.sprt.hypotheses(), spec.max_games // 2)


def heading(spec: MatchSpec, options: RunOptions) -> RunHeading:
    """What is played, in words."""
    from harness.view import RunHeading

    assert spec.sprt is not None
    test = spec.sprt.hypotheses()
    return RunHeading(
        new=spec.new.name,
        base=spec.base.name,
        limit=spec.limit.describe(),
        test=f"[{test.elo0:g}, {test.elo1:g}] {test.unit}, alpha {test.alpha:g},"
        f" beta {test.beta:g}, at most {spec.max_games} games",
        openings=describe_openings(spec.openings),
        seed=spec.seed,
        concurrency=options.concurrency,
        run_dir=str(options.run_dir),
    )


class _Test(Conduct):
    """A test while it is played."""

    command = "sprt"

    def __init__(
        self,
        spec: MatchSpec,
        options: RunOptions,
        view: View,
        interrupts: Interrupts,
        journal: Journal,
    ) -> None:
        self._tally = _new_tally(spec)
        super().__init__(spec, options, view, interrupts, journal, self._tally)
        self._test = spec

    def queue(self, book: OpeningSource | None, finished: Set[tuple[int, int]]) -> GameQueue:
        return queue_of(self._test, self.options.concurrency, book, finished)

    def show_heading(self) -> None:
        self.view.start(heading(self._test, self.options))

    def prepare(self) -> None:
        llr(Pentanomial(), 0.0, 1.0)  # the one kernel that this process runs

    def show_progress(self) -> None:
        session = self.session
        self.view.update(
            progress_of(
                self._tally,
                session.games,
                session.elapsed_s,
                session.workers_lost,
                session.glimpses,
            )
        )

    def document(self) -> Document:
        return document_of(self._test, self._tally, self.journal, self.options.run_dir)

    def counted_games(self, document: Document) -> Iterable[GameRecord]:
        return self.journal.games(document["games_played"] // 2)
