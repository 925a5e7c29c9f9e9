"""The one game loop: two players, a referee, clocks and adjudication; every ending is typed.

Whoever the players are, a game is played here. The referee is the compiled `engine.shell.Game`.
Moves, scores and results are written as `harness.record` says; sides are colours (0 white,
1 black), players are 0 = NEW and 1 = BASE.

After each move the rules speak first (checkmate before the fifty moves, then stalemate,
threefold, fifty moves, insufficient material: `Game.push` decides), then adjudication (draw,
resignation, length). Whatever a player does wrong ends its game as a loss with a `detail`; it
never ends the run.

Without a time limit no result depends on a clock: times are then only reported.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import lru_cache
from time import perf_counter_ns
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from harness.adjudication import Adjudicator, Verdict
from harness.clock import NS_PER_MS, TIME_MARGIN_MS, Clocks, GameClock
from harness.errors import HarnessError, MachineFault
from harness.record import Exhibit, GameRecord, MoveLog, Reply, Termination

if TYPE_CHECKING:
    from engine.shell import Game
    from harness.config import AdjudicationConfig
    from harness.limits import Limit
    from harness.openings import Opening
    from harness.schedule import GameTask
    from harness.tablebases import Tablebases

__all__ = ["GameRecord", "Player", "PlayerFault", "Reply", "Termination", "play_game"]

COLOURS: Final = ("white", "black")


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

    def cpu_ns(self) -> int:
        """Processor time that its searches have taken; only differences of it say something."""

    def exhibit(self) -> Exhibit | None:
        """The latest game's conversation, where there is one."""

    def close(self) -> None:
        """Give back what the player holds; it plays no more."""


#: Told of each move: the side that made it, all moves, and the clock of a timed game.
Watch = Callable[[int, MoveLog, GameClock | None], None]


class _Ending(NamedTuple):
    termination: Termination
    result: int
    detail: str = ""


def play_game(
    task: GameTask,
    players: tuple[Player, Player],
    opening: Opening,
    limits: tuple[Limit, Limit],
    adjudication: AdjudicationConfig,
    *,
    chess960: bool = False,
    margin_ms: int = TIME_MARGIN_MS,
    tablebases: Tablebases | None = None,
    watch: Watch | None = None,
) -> GameRecord:
    """Play one game; `players` and `limits` are (NEW, BASE).

    `margin_ms` is how far a player may overstep its time; `tablebases` end games that they know;
    `watch` is told of every move.

    An opening that the referee refuses is a fault of the caller and raises (FenError,
    IllegalMoveError), and so does a player that cannot be had (EngineStartError) or a machine that
    fails (MachineFault); whatever a player does is part of the record.
    """
    from engine.shell import Game

    started_ns = perf_counter_ns()
    start_fen = _whole_fen(opening.fen, chess960)
    referee = Game(start_fen, chess960)
    log = MoveLog()
    for move in opening.moves:
        referee.push(move)
        log.add_book_move(move)
    white, black = task.white, 1 - task.white
    table = _Table(
        referee=referee,
        seats=(players[white], players[black]),
        limits=(limits[white], limits[black]),
        clock=_game_clock(limits[white], limits[black], margin_ms),
        adjudicator=Adjudicator(adjudication) if adjudication.enabled else None,
        tablebases=tablebases if adjudication.enabled else None,
        log=log,
        search_ns=[0, 0],
        watch=watch,
    )
    ending = _seat_players(table.seats, start_fen, chess960, task.seed) or _play_on(table)
    return GameRecord(
        pair=task.pair,
        game=task.game,
        fen=start_fen,
        result=ending.result,
        termination=ending.termination,
        plies=log.count,
        **log.narrowed(),
        search_ns=(table.search_ns[white], table.search_ns[black]),
        wall_ns=perf_counter_ns() - started_ns,
        detail=ending.detail,
    )


@lru_cache(maxsize=256)
def _whole_fen(fen: str, chess960: bool) -> str:
    """All six fields of a FEN, as the referee understands it: players and records get this one.

    Kept, because writing a FEN costs as much as several moves and both games of a pair need it.
    """
    from engine.shell import Game

    return Game(fen, chess960).fen


def _game_clock(white: Limit, black: Limit, margin_ms: int) -> GameClock | None:
    """None when no limit is a time, so that an untimed game has no clock to depend on."""
    if white.is_deterministic and black.is_deterministic:
        return None
    return GameClock(white, black, margin_ms)


def _seat_players(
    seats: tuple[Player, Player], fen: str, chess960: bool, seed: int
) -> _Ending | None:
    """Tell both players of the game; the ending, when one of them fails at that."""
    for side, player in enumerate(seats):
        try:
            player.new_game(fen, chess960, seed)
        except HarnessError:
            raise
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
    tablebases: Tablebases | None
    log: MoveLog
    search_ns: list[int]
    watch: Watch | None


def _play_on(table: _Table) -> _Ending:
    """Play to the end. Every Python statement here is paid once a ply: keep it lean."""
    from engine.shell import IllegalMoveError

    referee, seats, limits, clock, adjudicator, tablebases, log, search_ns, watch = table
    status = referee.status
    side = referee.side_to_move
    clocks = None
    while not status:
        if clock is not None:
            clocks = clock.show(side)
        begun_ns = perf_counter_ns()
        try:
            reply = seats[side].play(log.moves, log.count, limits[side], clocks)
        except HarnessError:
            raise
        except Exception as error:  # noqa: BLE001 - a failing player loses, and is quoted
            return _fault(error, side)
        times = reply.times
        elapsed_ns = times.wall_ns if times is not None else perf_counter_ns() - begun_ns
        if clock is not None and not clock.punch(side, elapsed_ns):
            return _time_forfeit(clock, side, elapsed_ns, times.delay_ns if times else 0)
        try:
            status = referee.push(reply.move)
        except IllegalMoveError as error:
            return _lost(Termination.ILLEGAL_MOVE, side, str(error))
        log.add(reply, elapsed_ns)
        search_ns[side] += reply.search_ns
        if watch is not None:
            watch(side, log, clock)
        if adjudicator is not None and not status:
            irreversible = referee.last_move_irreversible
            verdict = adjudicator.update(side, reply.score_cp, reply.depth, irreversible, log.count)
            if verdict:
                return _VERDICT_ENDINGS[verdict]
        if tablebases is not None and not status:
            known = tablebases.result(referee)
            if known is not None:
                return _KNOWN_ENDINGS[known]
        side ^= 1
    return _natural_ending(status.name, side)


_VERDICT_ENDINGS: Final = {
    Verdict.DRAW: _Ending(Termination.ADJUDICATED_DRAW, 0),
    Verdict.WHITE_WINS: _Ending(Termination.ADJUDICATED_WIN, 1),
    Verdict.BLACK_WINS: _Ending(Termination.ADJUDICATED_WIN, -1),
    Verdict.TOO_LONG: _Ending(Termination.MAX_PLIES, 0),
}


_KNOWN_ENDINGS: Final = {
    result: _Ending(
        Termination.ADJUDICATED_WIN if result else Termination.ADJUDICATED_DRAW, result, "tablebase"
    )
    for result in (1, 0, -1)
}


def _natural_ending(status_name: str, side_to_move: int) -> _Ending:
    """The ending by the rules: `Status` and `Termination` share their names."""
    termination = Termination[status_name]
    if termination is Termination.CHECKMATE:
        return _Ending(termination, 1 if side_to_move else -1)
    return _Ending(termination, 0)


def _lost(termination: Termination, side: int, detail: str) -> _Ending:
    return _Ending(termination, 1 if side else -1, f"{COLOURS[side]}: {detail}")


def _time_forfeit(clock: GameClock, side: int, elapsed_ns: int, delay_ns: int) -> _Ending:
    """The loss of a player that overstepped, unless it was the machine that kept it from playing.

    Raises MachineFault.
    """
    allowance_ns = clock.allowance_ns(side) or 0
    detail = (
        f"used {elapsed_ns / NS_PER_MS:.1f} ms where {allowance_ns / NS_PER_MS:.1f} ms"
        " were left, margin included"
    )
    if elapsed_ns - delay_ns <= allowance_ns:
        raise MachineFault(
            f"{COLOURS[side]} {detail}, and waited {delay_ns / NS_PER_MS:.1f} ms of them for a"
            " processor"
        )
    return _lost(Termination.TIME_FORFEIT, side, detail)


def _fault(error: Exception, side: int) -> _Ending:
    """The loss of a player that raised: as it says itself, else a crash with the place."""
    if isinstance(error, PlayerFault):
        return _lost(error.termination, side, error.detail)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{frame.filename.rpartition('/')[2]}:{frame.lineno} in {frame.name}"
    return _lost(Termination.CRASH, side, f"{type(error).__name__}: {error} ({place})")
