"""The one game loop: two players, a referee, clocks and adjudication; every ending is typed.

Whoever the players are, a game is played here. The referee is the compiled `engine.shell.Game`;
moves are its wire moves (uint16: from | to << 6 | promotion << 12, a1 = 0, castling is king takes
own rook). Scores are centipawns from the view of the side that moved, |score| >= MATE_BOUND_CP is
a mate in MATE_CP - |score| plies. Results are white's: 1, 0, -1. Sides are colours (0 white,
1 black), players are 0 = NEW and 1 = BASE.

After each move the rules speak first (checkmate before the fifty moves, then stalemate,
threefold, fifty moves, insufficient material: `Game.push` decides), then adjudication (draw,
resignation, length). Whatever a player does wrong ends its game as a loss with a `detail`; it
never ends the run.

Without a time limit no result depends on a clock: times are then only reported.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from enum import StrEnum
from time import perf_counter_ns
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from harness.adjudication import Adjudicator, Verdict
from harness.clock import NS_PER_MS, Clocks, GameClock

if TYPE_CHECKING:
    from engine.shell import Game
    from harness.config import AdjudicationConfig
    from harness.limits import Limit
    from harness.openings import Opening
    from harness.schedule import GameTask

MATE_CP: Final = 49_000
MATE_BOUND_CP: Final = 48_000

COLOURS: Final = ("white", "black")


class Termination(StrEnum):
    """How a game ended."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    THREEFOLD = "threefold"
    FIFTY_MOVES = "fifty_moves"
    INSUFFICIENT_MATERIAL = "insufficient_material"
    ADJUDICATED_WIN = "adjudicated_win"
    ADJUDICATED_DRAW = "adjudicated_draw"
    MAX_PLIES = "max_plies"
    TIME_FORFEIT = "time_forfeit"
    ILLEGAL_MOVE = "illegal_move"
    CRASH = "crash"
    HANG = "hang"
    INTERRUPTED = "interrupted"


class Reply(NamedTuple):
    """A player's answer. Depth 0 says that there is no evaluation behind the move."""

    move: int
    score_cp: int
    depth: int
    nodes: int
    search_ns: int  # time inside the search itself, as the player measured it


class PlayerFault(Exception):
    """Raised by a player that knows what went wrong: the ending its game gets, and why."""

    def __init__(self, termination: Termination, detail: str) -> None:
        super().__init__(detail)
        self.termination = termination
        self.detail = detail


class Player(Protocol):
    """One side of games played one after another; never of both sides of one game."""

    def new_game(self, fen: str, chess960: bool, seed: int) -> None:
        """Forget everything; the next game starts from `fen`. `seed` feeds any randomness."""

    def play(
        self, moves: NDArray[np.uint16], count: int, limit: Limit, clocks: Clocks | None
    ) -> Reply:
        """A move after the game's first `count` wire moves; `clocks` is None in untimed games."""

    def close(self) -> None:
        """Give back what the player holds; it plays no more."""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game. The byte columns are little-endian, one entry per move.

    `moves` (uint16) begins with the moves of the opening. `scores_cp` (int32), `depths` (uint8),
    `nodes` and `times_us` (uint32, saturating) have entries only for the players' own moves.
    """

    pair: int
    game: int
    fen: str
    result: int
    termination: Termination
    plies: int
    moves: bytes
    scores_cp: bytes
    depths: bytes
    nodes: bytes
    times_us: bytes
    search_ns: tuple[int, int]
    wall_ns: int
    detail: str

    @property
    def book_plies(self) -> int:
        """How many of the moves are the opening's."""
        return self.plies - len(self.depths)

    @property
    def new_result(self) -> int:
        """The result from NEW's view: 1, 0, -1."""
        return -self.result if self.game else self.result

    def columns(self) -> MoveColumns:
        """The byte columns as arrays."""
        return MoveColumns(
            np.frombuffer(self.moves, "<u2"),
            np.frombuffer(self.scores_cp, "<i4"),
            np.frombuffer(self.depths, "u1"),
            np.frombuffer(self.nodes, "<u4"),
            np.frombuffer(self.times_us, "<u4"),
        )


class MoveColumns(NamedTuple):
    """The moves of a game and what the players said about theirs."""

    moves: NDArray[np.uint16]
    scores_cp: NDArray[np.int32]
    depths: NDArray[np.uint8]
    nodes: NDArray[np.uint32]
    times_us: NDArray[np.uint32]


class _Ending(NamedTuple):
    termination: Termination
    result: int
    detail: str = ""


class _MoveLog:
    """Growing columns of one game. Their rows are wide; they are narrowed once, at the end."""

    __slots__ = ("_depths", "_nodes", "_scores_cp", "_times_ns", "book_plies", "count", "moves")

    def __init__(self, capacity: int = 256) -> None:
        self.moves = np.empty(capacity, np.uint16)
        self._scores_cp = np.empty(capacity, np.int64)
        self._depths = np.empty(capacity, np.int64)
        self._nodes = np.empty(capacity, np.int64)
        self._times_ns = np.empty(capacity, np.int64)
        self.count = 0
        self.book_plies = 0

    def add_book_move(self, move: int) -> None:
        self.add(Reply(move, 0, 0, 0, 0), 0)
        self.book_plies = self.count

    def add(self, reply: Reply, elapsed_ns: int) -> None:
        count = self.count
        if count == len(self.moves):
            self._grow()
        self.moves[count] = reply.move
        self._scores_cp[count] = reply.score_cp
        self._depths[count] = reply.depth
        self._nodes[count] = reply.nodes
        self._times_ns[count] = elapsed_ns
        self.count = count + 1

    def _grow(self) -> None:
        for name in ("moves", "_scores_cp", "_depths", "_nodes", "_times_ns"):
            column = getattr(self, name)
            setattr(self, name, np.concatenate([column, np.empty_like(column)]))

    def narrowed(self) -> tuple[bytes, bytes, bytes, bytes, bytes]:
        """The columns as a GameRecord keeps them: moves, scores, depths, nodes, times in µs."""
        own = slice(self.book_plies, self.count)
        return (
            self.moves[: self.count].astype("<u2").tobytes(),
            _saturate(self._scores_cp[own], "<i4"),
            _saturate(self._depths[own], "u1"),
            _saturate(self._nodes[own], "<u4"),
            _saturate(self._times_ns[own] // 1000, "<u4"),
        )


def _saturate(column: NDArray[np.int64], dtype: str) -> bytes:
    bounds = np.iinfo(dtype)
    return column.clip(bounds.min, bounds.max).astype(dtype).tobytes()


def play_game(
    task: GameTask,
    players: tuple[Player, Player],
    opening: Opening,
    limits: tuple[Limit, Limit],
    adjudication: AdjudicationConfig,
    *,
    chess960: bool = False,
) -> GameRecord:
    """Play one game; `players` and `limits` are (NEW, BASE).

    An opening that the referee refuses is a fault of the caller and raises (FenError,
    IllegalMoveError); whatever a player does is part of the record.
    """
    from engine.shell import Game

    started_ns = perf_counter_ns()
    referee = Game(opening.fen, chess960)
    start_fen = referee.fen
    log = _MoveLog()
    for move in opening.moves:
        referee.push(move)
        log.add_book_move(move)
    white, black = task.white, 1 - task.white
    table = _Table(
        referee=referee,
        seats=(players[white], players[black]),
        limits=(limits[white], limits[black]),
        clock=_game_clock(limits[white], limits[black]),
        adjudicator=Adjudicator(adjudication) if adjudication.enabled else None,
        log=log,
        search_ns=[0, 0],
    )
    ending = _seat_players(table.seats, start_fen, chess960, task.seed) or _play_on(table)
    moves, scores_cp, depths, nodes, times_us = log.narrowed()
    return GameRecord(
        pair=task.pair,
        game=task.game,
        fen=start_fen,
        result=ending.result,
        termination=ending.termination,
        plies=log.count,
        moves=moves,
        scores_cp=scores_cp,
        depths=depths,
        nodes=nodes,
        times_us=times_us,
        search_ns=(table.search_ns[white], table.search_ns[black]),
        wall_ns=perf_counter_ns() - started_ns,
        detail=ending.detail,
    )


def _game_clock(white: Limit, black: Limit) -> GameClock | None:
    """None when no limit is a time, so that an untimed game has no clock to depend on."""
    if white.is_deterministic and black.is_deterministic:
        return None
    return GameClock(white, black)


def _seat_players(
    seats: tuple[Player, Player], fen: str, chess960: bool, seed: int
) -> _Ending | None:
    """Tell both players of the game; the ending, when one of them fails at that."""
    for side, player in enumerate(seats):
        try:
            player.new_game(fen, chess960, seed)
        except Exception as error:  # noqa: BLE001 - a failing player loses, and is quoted
            return _fault(error, side)
    return None


class _Table(NamedTuple):
    """What a game is played with; pairs are (white, black)."""

    referee: Game
    seats: tuple[Player, Player]
    limits: tuple[Limit, Limit]
    clock: GameClock | None
    adjudicator: Adjudicator | None
    log: _MoveLog
    search_ns: list[int]


def _play_on(table: _Table) -> _Ending:
    """Play to the end. Every Python statement here is paid once a ply: keep it lean."""
    from engine.shell import IllegalMoveError

    referee, seats, limits, clock, adjudicator, log, search_ns = table
    status = referee.status
    side = referee.side_to_move
    clocks = None
    while not status:
        if clock is not None:
            clocks = clock.show(side)
        begun_ns = perf_counter_ns()
        try:
            reply = seats[side].play(log.moves, log.count, limits[side], clocks)
        except Exception as error:  # noqa: BLE001 - a failing player loses, and is quoted
            return _fault(error, side)
        elapsed_ns = perf_counter_ns() - begun_ns
        if clock is not None and not clock.punch(side, elapsed_ns):
            return _time_forfeit(clock, side, elapsed_ns)
        try:
            status = referee.push(reply.move)
        except IllegalMoveError as error:
            return _lost(Termination.ILLEGAL_MOVE, side, str(error))
        log.add(reply, elapsed_ns)
        search_ns[side] += reply.search_ns
        if adjudicator is not None and not status:
            irreversible = referee.last_move_irreversible
            verdict = adjudicator.update(side, reply.score_cp, reply.depth, irreversible, log.count)
            if verdict:
                return _VERDICT_ENDINGS[verdict]
        side ^= 1
    return _natural_ending(status.name, side)


_VERDICT_ENDINGS: Final = {
    Verdict.DRAW: _Ending(Termination.ADJUDICATED_DRAW, 0),
    Verdict.WHITE_WINS: _Ending(Termination.ADJUDICATED_WIN, 1),
    Verdict.BLACK_WINS: _Ending(Termination.ADJUDICATED_WIN, -1),
    Verdict.TOO_LONG: _Ending(Termination.MAX_PLIES, 0),
}


def _natural_ending(status_name: str, side_to_move: int) -> _Ending:
    """The ending by the rules: `Status` and `Termination` share their names."""
    termination = Termination[status_name]
    if termination is Termination.CHECKMATE:
        return _Ending(termination, 1 if side_to_move else -1)
    return _Ending(termination, 0)


def _lost(termination: Termination, side: int, detail: str) -> _Ending:
    return _Ending(termination, 1 if side else -1, f"{COLOURS[side]}: {detail}")


def _time_forfeit(clock: GameClock, side: int, elapsed_ns: int) -> _Ending:
    allowance_ns = clock.allowance_ns(side) or 0
    detail = (
        f"used {elapsed_ns / NS_PER_MS:.1f} ms where {allowance_ns / NS_PER_MS:.1f} ms"
        " were left, margin included"
    )
    return _lost(Termination.TIME_FORFEIT, side, detail)


def _fault(error: Exception, side: int) -> _Ending:
    """The loss of a player that raised: as it says itself, else a crash with the place."""
    if isinstance(error, PlayerFault):
        return _lost(error.termination, side, error.detail)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{frame.filename.rpartition('/')[2]}:{frame.lineno} in {frame.name}"
    return _lost(Termination.CRASH, side, f"{type(error).__name__}: {error} ({place})")
