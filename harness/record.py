"""What is kept of a game: how it ended, its moves, and what the players said about them.

Moves are wire moves (uint16: from | to << 6 | promotion << 12, a1 = 0, castling is king takes own
rook). Scores are centipawns from the view of the side that moved; |score| >= MATE_BOUND_CP is a
mate in MATE_CP - |score| plies. Results are white's: 1, 0, -1. Players are 0 = NEW and 1 = BASE.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

MATE_CP: Final = 49_000
MATE_BOUND_CP: Final = 48_000


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
    FLOOD = "flood"
    INTERRUPTED = "interrupted"


class MoveTimes(NamedTuple):
    """What a move took, as its player measured it: another process has times of its own."""

    wall_ns: int  # from just before `go` was written to just after `bestmove` was read
    cpu_ns: int  # of all its threads
    delay_ns: int  # while its busiest thread, or the one that asks, waited for a processor


class Reply(NamedTuple):
    """A player's answer. Depth 0 says that there is no evaluation behind the move.

    `times` is None where whoever asked has to measure the time from question to answer.
    """

    move: int
    score_cp: int
    depth: int
    nodes: int
    search_ns: int  # time inside the search itself, as the player measured it
    times: MoveTimes | None = None


class Exhibit(NamedTuple):
    """What is kept of a process for a report; the talk's times count from its first piece."""

    talk: list[tuple[float, str, str]]  # ms, `>` to the engine or `<` from it, the text
    stderr: str
    exit_status: int | None


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game. The byte columns are little-endian, one entry per move.

    `moves` (uint16) begins with the moves of the opening. `scores_cp` (int32), `depths` (uint8),
    `nodes` and `times_us` (uint32, saturating) have entries only for the players' own moves.
    So have `cpus_us` and `delays_us` (uint32, of `MoveTimes`) in games with a clock of programs;
    other games have none of them.
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
    cpus_us: bytes = b""
    delays_us: bytes = b""

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


# Bounds of the columns of MoveLog's table: int32, uint8, and uint32 for the others.
_LOWEST: Final = np.array([[-(2**31)], [0], [0], [0], [0], [0]])
_HIGHEST: Final = np.array([[2**31 - 1], [2**8 - 1], *[[2**32 - 1]] * 4])


_NO_TIMES: Final = MoveTimes(0, 0, 0)


class MoveLog:
    """The moves of a game as it grows, wide; they are narrowed once, at its end.

    `_rows` has for each of the players' moves score, depth, nodes, and times in ns: of the clock,
    of the processor, and of waiting for one. A list, since setting items of arrays costs more.
    """

    __slots__ = ("_rows", "book_plies", "count", "has_process_times", "moves")

    def __init__(self, capacity: int = 256) -> None:
        self.count = 0
        self.book_plies = 0
        self.has_process_times = False
        self.moves: NDArray[np.uint16] = np.empty(capacity, np.uint16)
        self._rows: list[tuple[int, int, int, int, int, int]] = []

    def _add_move(self, move: int) -> None:
        if self.count == len(self.moves):
            self.moves = np.resize(self.moves, 2 * self.count)
        self.moves[self.count] = move
        self.count += 1

    def add_book_move(self, move: int) -> None:
        """A move of the opening; all of them come first."""
        self._add_move(move)
        self.book_plies = self.count

    def add(self, reply: Reply, elapsed_ns: int) -> None:
        """A player's move."""
        self._add_move(reply.move)
        _, cpu_ns, delay_ns = reply.times or _NO_TIMES
        if cpu_ns:
            self.has_process_times = True
        else:
            delay_ns = 0
        row = (reply.score_cp, reply.depth, reply.nodes, elapsed_ns, cpu_ns, delay_ns)
        self._rows.append(row)

    @property
    def latest(self) -> tuple[int, int]:
        """Score in cp, as its player sees it, and depth of the last move."""
        return self._rows[-1][:2] if self._rows else (0, 0)

    def narrowed(self) -> dict[str, bytes]:
        """The columns as a GameRecord has them."""
        own = np.array(self._rows, np.int64).reshape(-1, 6).T
        own[3:] //= 1_000
        columns = np.minimum(np.maximum(own, _LOWEST), _HIGHEST)
        scores_cp, depths, nodes, times_us, cpus_us, delays_us = columns
        narrow = {
            "moves": self.moves[: self.count].astype("<u2").tobytes(),
            "scores_cp": scores_cp.astype("<i4").tobytes(),
            "depths": depths.astype("u1").tobytes(),
            "nodes": nodes.astype("<u4").tobytes(),
            "times_us": times_us.astype("<u4").tobytes(),
        }
        if self.has_process_times:
            narrow["cpus_us"] = cpus_us.astype("<u4").tobytes()
            narrow["delays_us"] = delays_us.astype("<u4").tobytes()
        return narrow
