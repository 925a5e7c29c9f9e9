"""`harness replay`: recorded pairs are played again, and compared with their record move by move.

At fixed nodes or depth a game of our engine is a function of the run's specification and of its
number, so every move, score, depth and node count must be what was recorded. Times are not
compared. The run's folder is read and nothing in it is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import chess

from harness.chunks import Chunk, Done, Failed, Lost, Workers
from harness.errors import EngineStartError, UsageError
from harness.interrupts import Interrupts
from harness.journal import Journal
from harness.pgn import chess_move
from harness.playing import TICK_SECONDS, Hire, WorkerError, book_of, warm_engines
from harness.revisions import copies_of
from harness.snapshot import snapshot_of_run, writable_cache

if TYPE_CHECKING:
    from harness.books import Opening
    from harness.game import GameRecord
    from harness.schedule import GameTask
    from harness.snapshot import Report
    from harness.spec import RunSpec, Sides

Key = tuple[int, int]  # pair, game


class Ply(NamedTuple):
    """A move of a game and what its player said about it; of an opening's move nothing."""

    move: int
    score_cp: int | None = None
    depth: int | None = None
    nodes: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a game played again leaves its record: the first ply (from 1), or 0 for another end."""

    pair: int
    game: int
    ply: int
    recorded: str
    now: str

    def __str__(self) -> str:
        where = f"ply {self.ply}" if self.ply else "all moves are equal"
        return (
            f"pair {self.pair}, game {self.game}: {where}: recorded {self.recorded}, now {self.now}"
        )


def replay(
    run_dir: Path,
    pairs: Sequence[int],
    concurrency: int,
    hire: Hire,
    compiling: Report,
    update: Callable[[int], None] = lambda games: None,
    tell: Callable[[str], None] = lambda sentence: None,
) -> list[Difference]:
    """Play these pairs of a run again; where their games differ from the record, game by game.

    `update` gets the number of games played so far, `tell` a sentence for whatever of the record is
    damaged. Raises UsageError (no such run or pair, another engine), EngineStartError and
    Interrupted.
    """
    with Journal.reading(run_dir, tell) as journal:
        spec = journal.spec()
        recorded = recorded_games(journal, pairs)
        seating = seating_of(journal, spec, run_dir)
    with Interrupts() as interrupts, writable_cache(run_dir, lambda sentence: None):
        snapshot, others = snapshot_of_run(spec.source_digest), copies_of(spec.engines)
        warm_engines(snapshot, others, compiling, interrupts.check)
        tasks = [game for pair in pairs for game in seating.games(pair)]
        wanted = [task for task in tasks if (task.pair, task.game) in recorded]
        workers = hire(spec.model_dump_json(), snapshot, concurrency)
        differences = []
        try:
            workers.start()
            played = _play(_chunks(wanted, seating), workers, len(wanted), interrupts.check)
            for number, record in enumerate(played, 1):
                difference = first_difference(recorded[record.pair, record.game], record)
                differences += [] if difference is None else [difference]
                update(number)
        finally:
            workers.stop()
    return sorted(differences, key=lambda one: (one.pair, one.game))


class Seating(Protocol):
    """What a pair of a run is: its games, where they begin, and who plays them."""

    def games(self, pair: int) -> tuple[GameTask, GameTask]:
        """The games of a pair. Raises UsageError where the run has no such pair."""

    def opening(self, game: GameTask) -> Opening | None:
        """Where a game begins; None where workers make it themselves."""

    def sides(self, pair: int) -> Sides | None:
        """Who plays a pair; None where workers know by the specification."""


class SpecifiedPairs:
    """The pairs of a run whose specification says all of them."""

    def __init__(self, spec: RunSpec) -> None:
        self._spec = spec
        self._book = book_of(spec)

    def games(self, pair: int) -> tuple[GameTask, GameTask]:
        return self._spec.task_of(pair).games

    def opening(self, game: GameTask) -> Opening | None:
        return None if self._book is None else self._book.opening(game.opening)

    def sides(self, pair: int) -> Sides | None:
        return None


def seating_of(journal: Journal, spec: RunSpec, run_dir: Path) -> Seating:
    """The pairs of a run. Raises UsageError."""
    if spec.kind != "study":
        return SpecifiedPairs(spec)
    from harness.search_tuning.seating import NotedTrials
    from harness.search_tuning.study_spec import StudySpec

    return NotedTrials(journal.spec_of(StudySpec), run_dir, journal.events())


def _chunks(games: Iterable[GameTask], seating: Seating) -> Iterator[Chunk]:
    """One for each game."""
    for number, game in enumerate(games, 1):
        yield Chunk(number, (game,), (seating.opening(game),), (seating.sides(game.pair),))


def is_exact(spec: RunSpec) -> bool:
    """Whether games played again must be equal: our engine, and no clock."""
    return not spec.is_timed and all(engine.program is None for engine in spec.engines)


def recorded_games(journal: Journal, pairs: Sequence[int]) -> dict[Key, GameRecord]:
    """The finished games of these pairs. Raises UsageError where a pair has none."""
    wanted = set(pairs)
    found = {
        (record.pair, record.game): record
        for record in journal.games(max(wanted) + 1)
        if record.pair in wanted
    }
    for pair in pairs:
        if not any((pair, game) in found for game in (0, 1)):
            damage = "".join(f" ({sentence})" for sentence in journal.damage()[:1])
            raise UsageError(
                f"pair {pair}: {journal.path} has no game of it{damage}; expected one that was"
                " played"
            )
    return found


def _play(
    chunks: Iterator[Chunk], workers: Workers, games: int, check: Callable[[], None]
) -> Iterator[GameRecord]:
    """The games as they finish."""
    while games:
        check()
        while workers.capacity and (chunk := next(chunks, None)) is not None:
            workers.submit(chunk)
        for event in workers.events(TICK_SECONDS):
            match event:
                case Done():
                    for void in event.voids:
                        raise EngineStartError(
                            f"pair {void.game.pair}, game {void.game.game}: a fault of the"
                            f" {void.kind}, {void.reason}"
                        )
                    games -= len(event.records)
                    yield from event.records
                case Failed():
                    raise event.error or WorkerError(event.traceback)
                case Lost():
                    raise EngineStartError(f"worker {event.worker} died ({event.reason})")


def first_difference(recorded: GameRecord, now: GameRecord) -> Difference | None:
    """None where two games are equal but for their times."""
    place = (recorded.pair, recorded.game)
    if recorded.fen != now.fen:
        return Difference(*place, 1, f"the position {recorded.fen}", now.fen)
    pairs = zip_longest(plies_of(recorded), plies_of(now))
    for number, (before, after) in enumerate(pairs, 1):
        if before != after:
            board = _board_before(recorded, number)
            return Difference(*place, number, _tell(before, board), _tell(after, board))
    ends = [f"{one.termination.value} ({one.result:+d})" for one in (recorded, now)]
    return None if ends[0] == ends[1] else Difference(*place, 0, *ends)


def plies_of(record: GameRecord) -> Iterator[Ply]:
    """The moves of a game."""
    columns = record.columns()
    moves = columns.moves.tolist()
    yield from map(Ply, moves[: record.book_plies])
    own = moves[record.book_plies :]
    said = (columns.scores_cp.tolist(), columns.depths.tolist(), columns.nodes.tolist())
    yield from map(Ply, own, *said)


def _board_before(record: GameRecord, ply: int) -> chess.Board:
    """The position in which ply number `ply` of a game was played."""
    board = chess.Board(record.fen, chess960=True)
    for move in record.columns().moves.tolist()[: ply - 1]:
        board.push(chess_move(move))
    return board


def _tell(ply: Ply | None, board: chess.Board) -> str:
    """`12...Nf6 (+31 cp, depth 9, 5000 nodes)`."""
    if ply is None:
        return "no move"
    move = chess_move(ply.move)
    dots = "." if board.turn == chess.WHITE else "..."
    shown = board.san(move) if board.is_legal(move) else move.uci()
    said = f" ({ply.score_cp:+d} cp, depth {ply.depth}, {ply.nodes} nodes)"
    return f"{board.fullmove_number}{dots}{shown}{'' if ply.depth is None else said}"
