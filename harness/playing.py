"""The games of a run while they are played: out as chunks, back into the journal.

Every finished game is in the journal before anything is made of it; games that are still being
played when a session ends are dropped. What is missing in the journal is all that the next session
plays.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from harness.bundle import BundleFolder
from harness.chunks import (
    GAMES_PER_PAIR,
    Bundle,
    Done,
    Event,
    Failed,
    GameQueue,
    Glimpse,
    Lost,
    Queue,
    Void,
    Workers,
    match_queue,
)
from harness.conversation import keep_conversation
from harness.errors import EngineStartError, UsageError
from harness.exports import Output
from harness.files import write_whole
from harness.interrupts import Interrupts
from harness.invocation import reproduce_command
from harness.journal import Journal
from harness.openings import OpeningSource, open_source
from harness.provenance import collect_provenance, tree_changes
from harness.revisions import copies_of
from harness.snapshot import Report, create_snapshot, snapshot_of_run, warm, writable_cache
from harness.tally import FAULTS
from harness.void_pairs import PairGate
from harness.workers import LocalWorkers

if TYPE_CHECKING:
    from harness.game import GameRecord
    from harness.schedule import GameTask
    from harness.spec import MatchSpec, RunSpec

#: So many workers may die over one game; then it is the game that kills them.
MAX_LOSSES: Final = 3

#: How long a signal may have to wait for its answer, and how often a view hears of the state.
TICK_SECONDS: Final = 0.1


class WorkerError(Exception):
    """A bug of ours, met in a worker; the message is its traceback there."""


#: Makes the workers of a run from its specification (JSON), the engine's copy, and their number.
Hire = Callable[[str, Path, int], Workers]


def hire_here(
    spec_json: str, snapshot: Path, count: int, cores: Sequence[Set[int]] = ()
) -> Workers:
    """Workers on this machine, each on its own `cores` if there are any."""
    return LocalWorkers(spec_json, snapshot, count, cores=cores)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Where and how a run is played: nothing that has a say in its games or its verdict."""

    run_dir: Path
    concurrency: int
    resume: bool = False
    hire: Hire = hire_here
    output: Output = field(default_factory=Output)


class OpenedRun(NamedTuple):
    """A run that can be played: its journal, the copies of its engines, and its book.

    The book is None where workers make the openings themselves; `others` are engines of other
    revisions, beside the run's own.
    """

    journal: Journal
    snapshot: Path
    others: tuple[Path, ...]
    book: OpeningSource | None

    def warm(self, report: Report, poll: Callable[[], None]) -> None:
        """Compile what was never compiled on this machine."""
        warm_engines(self.snapshot, self.others, report, poll)


def warm_engines(
    snapshot: Path, others: Iterable[Path], report: Report, poll: Callable[[], None]
) -> None:
    """Compile a run's engine and those of other revisions (see `harness.snapshot.warm`)."""
    warm(snapshot, report, poll)
    for other in others:
        warm(other, report, poll, beside=True)


@contextmanager
def opened_run(
    spec: RunSpec, options: RunOptions, tell: Callable[[str], None]
) -> Iterator[OpenedRun]:
    """A new run, or the one in the folder, to go on with; nothing is written before all is checked.

    Raises UsageError (a folder that cannot be used, another specification, engine or book).
    """
    with writable_cache(options.run_dir, tell):
        if options.resume:
            with Journal.reopen(options.run_dir) as journal:
                check_same_run(journal.spec(), spec, options.run_dir)
                others = copies_of(spec.engines)
                snapshot = snapshot_of_run(spec.source_digest)
                yield OpenedRun(journal, snapshot, others, book_of(spec))
            return
        book, snapshot = book_of(spec), create_snapshot(spec.source_digest)
        others = copies_of(spec.engines)
        with Journal.create(options.run_dir, spec, collect_provenance(spec)) as journal:
            changes = tree_changes()
            if changes:
                write_whole(options.run_dir / "changes.diff", changes)
            yield OpenedRun(journal, snapshot, others, book)


def book_of(spec: RunSpec) -> OpeningSource | None:
    """The openings of a run, where workers do not make them themselves."""
    return open_source(spec.openings, spec.seed) if spec.openings.kind == "book" else None


def check_same_run(begun: RunSpec, wanted: RunSpec, run_dir: Path) -> None:
    """Refuse to go on with a run that was begun as another one."""
    for what, before, now in (
        ("engine source", begun.source_digest, wanted.source_digest),
        ("specification", begun.spec_hash(), wanted.spec_hash()),
    ):
        if before != now:
            raise UsageError(
                f"{run_dir} was begun with {what} {before[:12]}, not {now[:12]};"
                " expected the one it was begun with"
            )


def queue_of(
    spec: MatchSpec,
    concurrency: int,
    book: OpeningSource | None,
    finished: Set[tuple[int, int]],
    games_per_pair: int = GAMES_PER_PAIR,
) -> GameQueue:
    """The games of a run that are not `finished`; of each pair the first `games_per_pair`."""
    return match_queue(
        seed=spec.seed,
        start=spec.openings.start,
        pairs=spec.max_games // 2,
        workers=concurrency,
        finished=finished,
        book=book,
        games_per_pair=games_per_pair,
    )


class Goal(Protocol):
    """What a run's games are played for."""

    def add(self, record: GameRecord) -> None:
        """Take a finished game."""

    @property
    def reached(self) -> bool:
        """Whether no more games are wanted."""


class Session:
    """One sitting of a run. `tell` is called with what the user should know."""

    def __init__(
        self,
        spec: RunSpec,
        options: RunOptions,
        journal: Journal,
        interrupts: Interrupts,
        goal: Goal,
        tell: Callable[[str], None],
        games_per_pair: int = GAMES_PER_PAIR,
        watched: bool = False,
    ) -> None:
        """`watched`: glimpses of the running games are wanted."""
        self._spec = spec
        self._options = options
        self._journal = journal
        self._interrupts = interrupts
        self._goal = goal
        self._tell = tell
        self._losses: Counter[GameTask] = Counter()
        self._started_s = time.monotonic()
        self._next_update_s = 0.0
        self._busy_ns = 0
        self._gate = PairGate(games_per_pair)
        self._bundles = BundleFolder(options.run_dir)
        self._watched = watched
        self._glimpses: dict[tuple[int, int], Glimpse] = {}
        self.games = 0
        self.workers_lost = 0

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self._started_s

    @property
    def glimpses(self) -> tuple[Glimpse, ...]:
        """The games that are being played, as far as they were seen, in their order."""
        return tuple(glimpse for _, glimpse in sorted(self._glimpses.items()))

    def take_up(self) -> set[tuple[int, int]]:
        """Count what the journal has; the finished games as (pair, game)."""
        finished = set()
        for record in self._journal.games():
            self._interrupts.check()
            for counted in self._gate.finish(record):
                self._goal.add(counted)
            finished.add((record.pair, record.game))
        events = self._journal.events()
        self.workers_lost = sum(event.kind == "worker_lost" for event in events)
        self._journal.discard_damaged()
        self._journal.add_event(
            "resumed" if events else "started",
            concurrency=self._options.concurrency,
            finished_games=len(finished),
        )
        self._journal.commit()
        return finished

    def note_end(self, how: str) -> None:
        """Note in the journal that the sitting is over."""
        for record in self._gate.rest():
            self._goal.add(record)
        self._journal.add_event(
            how,
            games=self.games,
            elapsed_s=round(self.elapsed_s, 3),
            busy_s=round(self._busy_ns / 1e9, 3),
        )
        self._journal.commit()

    def play(
        self,
        queue: Queue,
        snapshot: Path,
        prepare: Callable[[], None],
        update: Callable[[], None],
    ) -> None:
        """Play until the goal is reached.

        `prepare` is called while the workers load the engine, `update` again and again.
        """
        spec, options = self._spec, self._options
        if self._journal.journal_mode != "wal":
            self._tell(
                f"{self._journal.path} is on a file system without shared memory: each group of"
                " games takes longer to save, and the run cannot be read while it goes on"
            )
        workers = options.hire(spec.model_dump_json(), snapshot, options.concurrency)
        try:
            prepare()
            workers.start()
            self._started_s = time.monotonic()
            self._until_reached(queue, workers, update)
        finally:
            workers.stop()

    def _until_reached(self, queue: Queue, workers: Workers, update: Callable[[], None]) -> None:
        while not self._goal.reached:
            self._interrupts.check()
            while workers.capacity and (chunk := queue.next_chunk()) is not None:
                self._gate.hand_out(chunk.games)
                logged = self._options.output.conversations
                workers.submit(replace(chunk, logged=logged, watched=self._watched))
            due_s = self._journal.commit_due_s
            if due_s == 0.0:
                self._journal.commit()
            for event in workers.events(min(TICK_SECONDS, due_s or TICK_SECONDS)):
                self._take(event, queue)
            self._update(update)

    def _take(self, event: Event, queue: Queue) -> None:
        match event:
            case Done():
                if event.records:
                    queue.measured(len(event.records), event.wall_ns)
                self._busy_ns += event.wall_ns
                bundles = {(bundle.pair, bundle.game): bundle for bundle in event.bundles}
                for record in event.records:
                    self._take_game(record, bundles.get((record.pair, record.game)), queue)
                for conversation in event.conversations:
                    keep_conversation(self._options.run_dir, conversation)
                for void in event.voids:
                    self._take_void(void, queue)
            case Failed():
                if event.error is not None:
                    raise event.error
                raise WorkerError(event.traceback)
            case Lost():
                self._take_loss(event, queue)
            case Glimpse():
                self._glimpses[event.pair, event.game] = event

    def _take_game(self, record: GameRecord, bundle: Bundle | None, queue: Queue) -> None:
        self._glimpses.pop((record.pair, record.game), None)
        stale = self._gate.stale(record)
        if stale is not None:
            queue.give_back([stale])
            return
        self.games += 1
        self._journal.add_games([record])
        for counted in self._gate.finish(record):
            self._goal.add(counted)
        if record.termination in FAULTS or bundle is not None:
            self._note_fault(record, bundle)

    def _note_fault(self, record: GameRecord, bundle: Bundle | None) -> None:
        kept = self._bundles.keep(bundle) if bundle is not None else None
        self._journal.add_event(
            record.termination.value, pair=record.pair, game=record.game, detail=record.detail
        )
        self._tell(
            f"pair {record.pair}, game {record.game}: {record.termination.value},"
            f" {record.detail}; counted as a lost game"
            + ("" if kept is None else f"; to see it again: {reproduce_command(kept)}")
        )

    def _take_void(self, void: Void, queue: Queue) -> None:
        pair, game = void.game.pair, void.game.game
        self._glimpses.pop((pair, game), None)
        voided = self._gate.void(void.game, self._spec.other_game(void.game))
        self._journal.remove_games(voided.finished)
        self._journal.add_event("void", pair=pair, game=game, fault=void.kind, detail=void.reason)
        self.games -= len(voided.finished)
        self._tell(
            f"pair {pair}, game {game}: a fault of the {void.kind}, {void.reason}; the pair is void"
            " and played again"
        )
        if self._gate.voids[pair] >= MAX_LOSSES:
            raise EngineStartError(
                f"pair {pair} was void {MAX_LOSSES} times by a fault of the {void.kind}"
                f" ({void.reason}); finished games are kept in {self._options.run_dir}"
            )
        queue.give_back(voided.again)

    def _take_loss(self, loss: Lost, queue: Queue) -> None:
        games = loss.chunk.games if loss.chunk is not None else ()
        self.workers_lost += 1
        self._journal.add_event(
            "worker_lost",
            worker=loss.worker,
            reason=loss.reason,
            games=[[game.pair, game.game] for game in games],
        )
        self._tell(
            f"worker {loss.worker} died ({loss.reason}); games to be played again: {len(games)}"
        )
        for game in games:
            self._glimpses.pop((game.pair, game.game), None)
        self._gate.take_back(games)
        queue.give_back(games)
        self._losses.update(games)
        for game in games:
            if self._losses[game] >= MAX_LOSSES:
                raise EngineStartError(
                    f"{MAX_LOSSES} workers died playing game {game.game} of pair {game.pair}"
                    f" ({loss.reason}); finished games are kept in {self._options.run_dir}"
                )

    def _update(self, update: Callable[[], None]) -> None:
        now_s = time.monotonic()
        if now_s >= self._next_update_s:
            self._next_update_s = now_s + TICK_SECONDS
            update()
