"""One run from its specification to its verdict.

schedule -> workers -> journal -> tally in pair order -> stop; its games are played as
`harness.playing` says.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import EngineStartError, Interrupted, UsageError
from harness.exports import export_run
from harness.interrupts import Interrupts
from harness.invocation import resume_command
from harness.journal import Journal
from harness.playing import (
    Hire,
    OpenedRun,
    RunOptions,
    Session,
    hire_here,
    opened_run,
    queue_of,
)
from harness.result import Document, RunProgress, describe_openings, document_of, progress_of
from harness.score import Pentanomial
from harness.spec import MatchSpec
from harness.sprt import llr
from harness.tally import Tally

if TYPE_CHECKING:
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
    """The specification of the run in a folder. Raises UsageError when there is none."""
    with Journal.read(run_dir) as journal:
        return journal.spec_of(MatchSpec)


def read_run(run_dir: Path, tell: Callable[[str], None]) -> Document:
    """The document of the run in a folder as its journal has it now, ended or not.

    `tell` is called with a sentence for each damaged row, which is left out.
    """
    with Journal.read(run_dir) as journal:
        spec = journal.spec_of(MatchSpec)
        tally = _new_tally(spec)
        for record in journal.games():
            tally.add(record)
        document = document_of(spec, tally, journal, run_dir)
        for sentence in journal.damage():
            tell(f"{sentence}; it is left out")
        return document


def run_match(spec: MatchSpec, options: RunOptions, view: View) -> Document:
    """Play a run, or the rest of it, and return the document that is in its run.json.

    Raises UsageError (a folder that cannot be used, another specification or engine),
    EngineStartError, and Interrupted, after which the run can be resumed.
    """
    _new_tally(spec)  # refuses a run without hypotheses before anything is written
    with Interrupts() as interrupts, opened_run(spec, options, view.message) as opened:
        run = _Run(spec, options, view, interrupts, opened.journal)
        return run.to_the_end(opened)


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


class _Run:
    """A run while it is played."""

    def __init__(
        self,
        spec: MatchSpec,
        options: RunOptions,
        view: View,
        interrupts: Interrupts,
        journal: Journal,
    ) -> None:
        self._spec = spec
        self._options = options
        self._view = view
        self._interrupts = interrupts
        self._journal = journal
        self._tally = _new_tally(spec)
        self._session = Session(spec, options, journal, interrupts, self._tally, view.message)

    def to_the_end(self, opened: OpenedRun) -> Document:
        """Play what is missing, write the files, show the verdict."""
        try:
            finished = self._session.take_up()
            if not self._tally.reached:
                self._play(opened, finished)
        except (EngineStartError, Interrupted) as error:
            self._session.note_end("interrupted")
            if self._session.games or isinstance(error, Interrupted):
                self._view.finish(self._document())
            raise
        self._session.note_end("finished")
        document = self._document()
        try:
            export_run(
                self._journal, self._spec, document, self._view.message, self._interrupts.check
            )
        except Interrupted:
            self._view.finish(document)
            self._view.message(
                f"interrupted; to have all files written: {resume_command(self._options.run_dir)}"
            )
            raise
        self._view.finish(document)
        return document

    def _document(self) -> Document:
        return document_of(self._spec, self._tally, self._journal, self._options.run_dir)

    def _play(self, opened: OpenedRun, finished: Set[tuple[int, int]]) -> None:
        opened.warm(self._view.compiling, self._interrupts.check)
        self._view.start(heading(self._spec, self._options))
        queue = queue_of(self._spec, self._options.concurrency, opened.book, finished)
        self._session.play(queue, opened.snapshot, _load_kernel, self._tell)

    def _tell(self) -> None:
        session = self._session
        self._view.update(
            progress_of(self._tally, session.games, session.elapsed_s, session.workers_lost)
        )


def _load_kernel() -> None:
    """Load what this process has compiled code for: the ratio."""
    llr(Pentanomial(), 0.0, 1.0)
