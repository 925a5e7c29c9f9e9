"""A study while it is played: pairs of its course out to the workers, results back into it.

Every finished game is in the run's journal before the course hears of it, every trial in Optuna's
storage; a study that was cut off takes both up and goes on as if it had not been.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from harness.chunks import CHUNK_SECONDS, GAMES_PER_PAIR, Chunk
from harness.errors import EngineStartError, Interrupted
from harness.interrupts import Interrupts
from harness.playing import RunOptions, Session, opened_run
from harness.schedule import GameTask
from harness.score import pair_class
from harness.search_tuning.answers import Conclusion, Proposer
from harness.search_tuning.course import Course, Failure, PairRef
from harness.search_tuning.ledger import Ledger, Told
from harness.search_tuning.openings import StudyOpenings, study_openings
from harness.search_tuning.seating import TRIAL, games_of, note_of, sides_of
from harness.search_tuning.storage import Lease, opened_study
from harness.search_tuning.study_spec import StudySpec, trial_pair
from harness.spec import Sides
from harness.tally import FAULTS

if TYPE_CHECKING:
    from harness.books import Opening
    from harness.game import GameRecord
    from harness.journal import Journal
    from harness.view import View

#: Pairs of one chunk: few, since a trial is judged when its batch is complete.
_MOST_PAIRS: Final = 8


class StudyQueue:
    """The pairs that a course wants, as chunks; a queue of `harness.playing`."""

    def __init__(
        self,
        course: Course,
        spec: StudySpec,
        openings: StudyOpenings,
        journal: Journal,
    ) -> None:
        self._course = course
        self._spec = spec
        self._openings = openings
        self._journal = journal
        self.finished: Set[tuple[int, int]] = frozenset()
        self._returned: deque[GameTask] = deque()
        self._sides: dict[int, Sides] = {}
        self._fens: dict[int, Opening] = {}
        self._chunks = 0
        self._pair_s: float | None = None

    def next_chunk(self) -> Chunk | None:
        """The next pairs that are wanted; games that were given back come first, one by one."""
        games = [self._returned.popleft()] if self._returned else self._next_games()
        if not games:
            return None
        self._chunks += 1
        return Chunk(
            self._chunks,
            tuple(games),
            tuple(self._fens[game.pair] for game in games),
            tuple(self._sides[trial_pair(game.pair)[0]] for game in games),
        )

    def _next_games(self) -> list[GameTask]:
        games: list[GameTask] = []
        for _ in range(self._size()):
            pair = self._course.next_pair()
            if pair is None:
                break
            games += self._games(pair)
        return games

    def _size(self) -> int:
        if self._pair_s is None:
            return 1
        return max(1, min(_MOST_PAIRS, int(CHUNK_SECONDS / max(self._pair_s, 1e-9))))

    def _games(self, pair: PairRef) -> list[GameTask]:
        """What is missing of a pair."""
        games = games_of(self._spec, pair)
        self._fens[games[0].pair] = self._openings.opening(pair)
        self._seat(pair)
        return [game for game in games if (game.pair, game.game) not in self.finished]

    def _seat(self, pair: PairRef) -> None:
        """The players of a trial, noted in the journal before its first game."""
        if pair.ordinal in self._sides:
            return
        order = self._course.order(pair.ordinal)
        self._journal.add_event(TRIAL, **note_of(order, pair))
        self._sides[pair.ordinal] = sides_of(self._spec, pair.ordinal, order.played, order.opponent)

    def give_back(self, games: Iterable[GameTask]) -> None:
        """These were not played after all; they are next."""
        self._returned.extend(games)

    def measured(self, games: int, wall_ns: int) -> None:
        """Learn how long a pair takes: half from the latest chunk, half from all before it."""
        latest_s = GAMES_PER_PAIR * wall_ns / 1e9 / games
        self._pair_s = latest_s if self._pair_s is None else (self._pair_s + latest_s) / 2


class StudyGoal:
    """Puts games together to pairs for the course; a goal of `harness.playing`."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._halves: dict[int, GameRecord] = {}

    def add(self, record: GameRecord) -> None:
        """Take a finished game."""
        other = self._halves.pop(record.pair, None)
        if other is None:
            self._halves[record.pair] = record
            return
        ordinal, index = trial_pair(record.pair)
        faults = [game for game in (other, record) if game.termination in FAULTS]
        if faults:
            reason = f"{faults[0].termination.value}: {faults[0].detail}"
            self._course.take(ordinal, index, Failure(reason, faults[0].new_result == 0))
        else:
            self._course.take(ordinal, index, pair_class(other.new_result, record.new_result))

    @property
    def reached(self) -> bool:
        return self._course.finished


class Progress(NamedTuple):
    """A study on its way, for the view."""

    course: Course
    proposer: Proposer
    session: Session


@dataclass(frozen=True, slots=True)
class StudyResult:
    """All trials of a study, and what they come to (None: every entrant of the race failed)."""

    told: tuple[Told, ...]
    conclusion: Conclusion | None
    proposer: Proposer
    openings: StudyOpenings


def play_study(
    spec: StudySpec,
    options: RunOptions,
    storage_url: str | None,
    view: View,
    update: Callable[[Progress], None],
) -> StudyResult:
    """Play a study, or what is missing of it; `update` is called again and again.

    Raises UsageError, EngineStartError, and Interrupted, after which it can be gone on with.
    """
    with (
        Interrupts() as interrupts,
        opened_run(spec, options, view.message) as opened,
        opened_study(storage_url, options.run_dir, spec.name, spec.facts()) as study,
    ):
        lease = Lease(study, options.run_dir)
        openings = study_openings(options.run_dir, spec, spec.rules)
        openings.check_same(opened.journal, options.run_dir)
        ledger = Ledger(study, spec.space, opened.journal.commit)
        base = spec.base_values()
        proposer = Proposer(
            spec.rules, spec.space, spec.seed, None if base is None else spec.space.units(base)
        )
        course = Course(spec.rules, proposer, ledger)
        goal = StudyGoal(course)
        session = Session(
            spec, options, opened.journal, interrupts, goal, view.message, watched=view.shows_games
        )
        queue = StudyQueue(course, spec, openings, opened.journal)
        progress = Progress(course, proposer, session)

        def see() -> None:
            lease.renew()
            update(progress)

        try:
            queue.finished = session.take_up()
            if not course.finished:
                opened.warm(view.compiling, interrupts.check)
                session.play(queue, opened.snapshot, lambda: None, see)
        except (EngineStartError, Interrupted):
            session.note_end("interrupted")
            raise
        finally:
            lease.give_back()
        session.note_end("finished")
        told = tuple(ledger.told)
        return StudyResult(told, proposer.conclude(told), proposer, openings)
