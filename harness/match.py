"""One run from its specification to its verdict.

schedule -> workers -> journal -> tally in pair order -> stop. Every finished game is in the journal
before a verdict is made of it; games that are still being played when the run ends or is
interrupted are dropped. What is missing in the journal is all that a resumed run plays.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.chunks import Done, Event, Failed, GameQueue, Lost, Workers
from harness.errors import EngineStartError, Interrupted, UsageError
from harness.exports import export_run
from harness.interrupts import Interrupts
from harness.invocation import resume_command
from harness.journal import Journal
from harness.openings import OpeningSource, open_source
from harness.provenance import collect_provenance
from harness.result import Document, RunProgress, describe_openings, document_of, progress_of
from harness.score import Pentanomial
from harness.snapshot import create_snapshot, snapshot_of_run, warm, writable_cache
from harness.sprt import llr
from harness.tally import FAULTS, Tally
from harness.workers import LocalWorkers

if TYPE_CHECKING:
    from harness.game import GameRecord
    from harness.schedule import GameTask
    from harness.spec import MatchSpec
    from harness.view import RunHeading, View

__all__ = ["RunOptions", "RunProgress", "read_run", "read_spec", "run_match"]

#: So many workers may die over one game; then it is the game that kills them.
MAX_LOSSES: Final = 3

#: How long a signal may have to wait for its answer, and how often a view hears of the state.
TICK_SECONDS: Final = 0.1


class WorkerError(Exception):
    """A bug of ours, met in a worker; the message is its traceback there."""


#: Makes the workers of a run from its specification (JSON), the engine's copy, and their number.
Hire = Callable[[str, Path, int], Workers]


def hire_here(spec_json: str, snapshot: Path, count: int) -> Workers:
    """Workers on this machine."""
    return LocalWorkers(spec_json, snapshot, count)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Where and how a run is played: nothing that has a say in its games or its verdict."""

    run_dir: Path
    concurrency: int
    resume: bool = False
    hire: Hire = hire_here


def read_spec(run_dir: Path) -> MatchSpec:
    """The specification of the run in a folder. Raises UsageError when there is none."""
    with Journal.read(run_dir) as journal:
        return journal.spec()


def read_run(run_dir: Path, tell: Callable[[str], None]) -> Document:
    """The document of the run in a folder as its journal has it now, ended or not.

    `tell` is called with a sentence for each damaged row, which is left out.
    """
    with Journal.read(run_dir) as journal:
        spec = journal.spec()
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
    with Interrupts() as interrupts, writable_cache(options.run_dir, view.message):
        if options.resume:
            with Journal.reopen(options.run_dir) as journal:
                _check_same_run(journal.spec(), spec, options.run_dir)
                run = _Run(spec, options, view, interrupts, journal)
                return run.to_the_end(snapshot_of_run(spec.source_digest), _book(spec))
        _new_tally(spec)  # refuses a run without hypotheses before anything is written
        book, snapshot = _book(spec), create_snapshot(spec.source_digest)
        with Journal.create(options.run_dir, spec, collect_provenance(spec)) as journal:
            run = _Run(spec, options, view, interrupts, journal)
            return run.to_the_end(snapshot, book)


def _book(spec: MatchSpec) -> OpeningSource | None:
    """The book of the run, checked; None where workers make the openings themselves."""
    return open_source(spec.openings, spec.seed) if spec.openings.kind == "book" else None


def _check_same_run(begun: MatchSpec, wanted: MatchSpec, run_dir: Path) -> None:
    for what, before, now in (
        ("engine source", begun.source_digest, wanted.source_digest),
        ("specification", begun.spec_hash(), wanted.spec_hash()),
    ):
        if before != now:
            raise UsageError(
                f"{run_dir} was begun with {what} {before[:12]}, not {now[:12]};"
                " expected the one it was begun with"
            )


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
        self._losses: Counter[GameTask] = Counter()
        self._workers_lost = 0
        self._session_games = 0
        self._session_busy_ns = 0
        self._started_s = time.monotonic()
        self._next_update_s = 0.0

    def to_the_end(self, snapshot: Path, book: OpeningSource | None) -> Document:
        """Play what is missing, write the files, show the verdict."""
        try:
            finished = self._take_up()
            if self._tally.decision is None:
                self._play(snapshot, book, finished)
        except (EngineStartError, Interrupted) as error:
            self._note_end("interrupted")
            if self._session_games or isinstance(error, Interrupted):
                self._view.finish(self._document())
            raise
        self._note_end("finished")
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

    def _take_up(self) -> set[tuple[int, int]]:
        """Count what the journal has; the finished games as (pair, game)."""
        finished = set()
        for record in self._journal.games():
            self._interrupts.check()
            self._tally.add(record)
            finished.add((record.pair, record.game))
        events = self._journal.events()
        self._workers_lost = sum(event.kind == "worker_lost" for event in events)
        self._journal.discard_damaged()
        self._journal.add_event(
            "resumed" if events else "started",
            concurrency=self._options.concurrency,
            finished_games=len(finished),
        )
        self._journal.commit()
        return finished

    def _note_end(self, how: str) -> None:
        self._journal.add_event(
            how,
            games=self._session_games,
            elapsed_s=round(self._elapsed_s(), 3),
            busy_s=round(self._session_busy_ns / 1e9, 3),
        )
        self._journal.commit()

    def _elapsed_s(self) -> float:
        return time.monotonic() - self._started_s

    def _document(self) -> Document:
        return document_of(self._spec, self._tally, self._journal, self._options.run_dir)

    def _play(
        self, snapshot: Path, book: OpeningSource | None, finished: Set[tuple[int, int]]
    ) -> None:
        spec, options = self._spec, self._options
        warm(snapshot, self._view.compiling, self._interrupts.check)
        self._view.start(heading(spec, options))
        if self._journal.journal_mode != "wal":
            self._view.message(
                f"{self._journal.path} is on a file system without shared memory: each group of"
                " games takes longer to save, and the run cannot be read while it goes on"
            )
        queue = GameQueue(
            seed=spec.seed,
            start=spec.openings.start,
            pairs=spec.max_games // 2,
            workers=options.concurrency,
            finished=finished,
            book=book,
        )
        workers = options.hire(spec.model_dump_json(), snapshot, options.concurrency)
        try:
            # This process loads its own compiled kernel while the workers load theirs.
            llr(Pentanomial(), 0.0, 1.0)
            workers.start()
            self._started_s = time.monotonic()
            self._until_decided(queue, workers)
        finally:
            workers.stop()

    def _until_decided(self, queue: GameQueue, workers: Workers) -> None:
        while self._tally.decision is None:
            self._interrupts.check()
            while workers.capacity and (chunk := queue.next_chunk()) is not None:
                workers.submit(chunk)
            due_s = self._journal.commit_due_s
            if due_s == 0.0:
                self._journal.commit()
            for event in workers.events(min(TICK_SECONDS, due_s or TICK_SECONDS)):
                self._take(event, queue)
            self._tell()

    def _take(self, event: Event, queue: GameQueue) -> None:
        match event:
            case Done():
                queue.measured(len(event.records), event.wall_ns)
                self._session_games += len(event.records)
                self._session_busy_ns += event.wall_ns
                self._journal.add_games(event.records)
                for record in event.records:
                    self._tally.add(record)
                    if record.termination in FAULTS:
                        self._note_fault(record)
            case Failed():
                if event.error is not None:
                    raise event.error
                raise WorkerError(event.traceback)
            case Lost():
                self._take_loss(event, queue)

    def _note_fault(self, record: GameRecord) -> None:
        self._journal.add_event(
            record.termination.value, pair=record.pair, game=record.game, detail=record.detail
        )
        self._view.message(
            f"pair {record.pair}, game {record.game}: {record.termination.value},"
            f" {record.detail}; counted as a lost game"
        )

    def _take_loss(self, loss: Lost, queue: GameQueue) -> None:
        games = loss.chunk.games if loss.chunk is not None else ()
        self._workers_lost += 1
        self._journal.add_event(
            "worker_lost",
            worker=loss.worker,
            reason=loss.reason,
            games=[[game.pair, game.game] for game in games],
        )
        self._view.message(
            f"worker {loss.worker} died ({loss.reason}); games to be played again: {len(games)}"
        )
        queue.give_back(games)
        self._losses.update(games)
        for game in games:
            if self._losses[game] >= MAX_LOSSES:
                raise EngineStartError(
                    f"{MAX_LOSSES} workers died playing game {game.game} of pair {game.pair}"
                    f" ({loss.reason}); finished games are kept in {self._options.run_dir}"
                )

    def _tell(self) -> None:
        now_s = time.monotonic()
        if now_s >= self._next_update_s:
            self._next_update_s = now_s + TICK_SECONDS
            self._view.update(
                progress_of(self._tally, self._session_games, self._elapsed_s(), self._workers_lost)
            )
