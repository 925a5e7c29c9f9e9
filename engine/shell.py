"""The engine as Python sees it: `Game` (the rules) and `Searcher` (a player), over the kernels."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .configuration import Weights, build_parameters
from .evaluate import evaluate_record, trace_evaluation
from .fen import STARTPOS, FenError
from .game import Game, IllegalMoveError, Status, start_of, wire_name, wire_of
from .history import clear_tables
from .lines import Line, search_lines
from .parameters import EXHAUSTIVE, search_defaults
from .perft import MAX_PERFT_DEPTH
from .perft_ways import PERFT_WAYS, PerftCounter
from .root import GAME_OVER, ILLEGAL_MOVE, NEVER, help_search, start_search, think
from .state import (
    MAX_PLY,
    SEARCHER_DTYPE,
    address_of,
    new_record,
)
from .statistics import COUNTERS
from .terms import WEIGHT_COUNT
from .timeman import time_bounds_ns
from .transposition import (
    BUCKET_BYTES,
    EXACT,
    LOWER,
    MATE,
    MATE_BOUND,
    MAX_GENERATION,
    UPPER,
    fill_permille,
)

__all__ = [
    "EXACT",
    "LOWER",
    "MATE",
    "MATE_BOUND",
    "MAX_PERFT_DEPTH",
    "PERFT_WAYS",
    "STARTPOS",
    "UPPER",
    "FenError",
    "Game",
    "IllegalMoveError",
    "Line",
    "PerftCounter",
    "SearchLimit",
    "SearchResult",
    "Searcher",
    "Status",
    "build_parameters",
    "warm_up",
]

_NO_TIME = (0, 0)
_AT_ONCE, _STEP_BY_STEP = 0, 1


class SearchLimit(NamedTuple):
    """What ends a search; None is no such limit, and 0 or less means a move at once.

    Times in milliseconds: for one move, or a clock. `mate` is in moves: a mate within them is
    looked for, nothing deeper, and no move is left out on the way.
    """

    nodes: int | None = None
    depth: int | None = None
    movetime_ms: int | None = None
    time_left_ms: int | None = None
    increment_ms: int = 0
    moves_to_go: int = 0
    mate: int | None = None

    @property
    def last_depth(self) -> int:
        """The last iteration that these limits allow."""
        depths = [MAX_PLY - 1]
        if self.depth is not None:
            depths.append(self.depth)
        if self.mate is not None:
            depths.append(2 * self.mate - 1)
        return max(1, min(depths))


class SearchResult(NamedTuple):
    """A chosen wire move; `score_cp` from the side to move, mate in n plies is MATE - n.

    `depth` is the last iteration's that was searched to its end. A `bound` other than EXACT is
    what the next one proved before its window failed or the search was stopped.
    """

    move: int
    score_cp: int
    depth: int
    seldepth: int
    nodes: int
    qnodes: int
    bound: int
    time_ns: int


class Searcher:
    """One player: its parameters, its tables, its copy of the game.

    `hash_mb` is the size of the transposition table in MiB. Raises MemoryError if it cannot be had.
    """

    def __init__(
        self,
        search: Mapping[str, int] | None = None,
        weights: Weights | None = None,
        hash_mb: int = 16,
    ) -> None:
        self._weights = weights
        self.configure(search or {})
        self.record = new_record(SEARCHER_DTYPE)
        self._address = address_of(self.record)
        self._time_bounds_ns = _NO_TIME
        self._stop = np.zeros(1, np.uint64)
        self.record.stop_address = self._stop.ctypes.data
        self._helpers: list[np.recarray] = []
        self.game = Game()
        self._fen = STARTPOS
        self._played = b""  # the wire moves that the game has seen
        self.resize(hash_mb)

    def set_threads(self, count: int) -> None:
        """Search with `count` threads on one table; with more than one no search repeats itself.

        Each has the record of a searcher, since histories and killers are its own.
        """
        self._helpers = [new_record(SEARCHER_DTYPE) for _ in range(count - 1)]

    def configure(self, search: Mapping[str, int]) -> None:
        """Search with these parameters, the others at their defaults. What is learnt stays."""
        self._search = search_defaults() | dict(search)
        self.parameters = build_parameters(search, self._weights)
        self._exhaustive = build_parameters(self._search | EXHAUSTIVE, self._weights)
        self._addresses = address_of(self.parameters), address_of(self._exhaustive)

    def resize(self, hash_mb: int) -> None:
        """A new, empty table of the largest power of two of buckets within `hash_mb` MiB.

        Raises MemoryError and then keeps the old one.
        """
        buckets_log2 = max(1, ((hash_mb << 20) // BUCKET_BYTES).bit_length() - 1)
        words = np.zeros((BUCKET_BYTES << buckets_log2) // 8 + 8, np.uint64)
        start = -words.ctypes.data % 64 // 8  # a bucket must not straddle cache lines
        self._table = words[start:]
        self.record.tt_address = self._table.ctypes.data
        self.record.tt_shift = 64 - buckets_log2
        self.record.tt_generation = 1

    def new_game(self, fen: str = STARTPOS, chess960: bool = False) -> None:
        """Forget everything and start from `fen`. Raises FenError."""
        self.set_position(fen, chess960)
        for record in (self.record, *self._helpers):
            clear_tables(record)
        self.record.tt_age = 0
        self._forget_table()

    def _forget_table(self) -> None:
        if self.record.tt_generation == MAX_GENERATION:
            self._table[:] = 0
            self.record.tt_generation = 0
        self.record.tt_generation += 1

    def set_position(self, fen: str, chess960: bool = False) -> None:
        """Start from `fen` with what the tables have learnt. Raises FenError."""
        start_of(fen, chess960)  # a refusal must not leave half of the new position behind
        self.game.chess960 = chess960
        self.game.restart(fen)
        self._fen = fen
        self._played = b""

    def stop(self) -> None:
        """End a running search soon (from another thread)."""
        self._stop[0] = 1

    def go(self, moves: NDArray[np.uint16], count: int, limit: SearchLimit) -> SearchResult:
        """Search the position after `moves[:count]` of the game. Raises IllegalMoveError.

        With a node or depth limit only, the result is a function of the game and the parameters.
        """
        self._start(moves, count, limit)
        with self._helped():
            return self._think(1, limit.last_depth, _AT_ONCE)

    def deepen(
        self,
        moves: NDArray[np.uint16],
        count: int,
        limit: SearchLimit,
        *,
        among: Sequence[int] = (),
        lines: int = 1,
        ponder: bool = False,
    ) -> Iterator[Line]:
        """Search as `go` does, step by step; the last result of rank 1 is that of `go`.

        `among` are the legal moves to choose from, if not all. The best `lines` are told after
        each iteration, and each window that fails. With `ponder` the clock does not run before
        `ponderhit()`. That and `stop()` are heeded from this call on, before the first step.
        """
        self._start(moves, count, limit)
        if ponder:
            self.record.soft_ns = 0
            self.record.deadline_ns = NEVER
        among = among or self.game.legal_moves()
        return self._deepen(search_lines(self, among, lines, limit.last_depth))

    def _deepen(self, lines: Iterator[Line]) -> Iterator[Line]:
        with self._helped():
            yield from lines

    @contextmanager
    def _helped(self) -> Iterator[None]:
        """The helpers search along for as long as this lasts."""
        threads = [
            threading.Thread(target=help_search, args=self._helper_arguments(number, helper))
            for number, helper in enumerate(self._helpers, 1)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            if threads:
                self.stop()
            for thread in threads:
                thread.join()

    def _helper_arguments(self, number: int, helper: np.recarray) -> tuple[int, ...]:
        addresses = (self._address, self._parameters_address, self.game.address)
        return address_of(helper), *addresses, 1 + number % 2

    def ponderhit(self) -> None:
        """The clock runs from now on (from another thread)."""
        soft_ns, hard_ns = self._time_bounds_ns
        if hard_ns:  # each a single word, which the running search looks at again and again
            now_ns = time.perf_counter_ns()
            self.record.clock_started_ns = now_ns
            self.record.soft_ns = soft_ns
            self.record.deadline_ns = now_ns + hard_ns

    @property
    def is_finished(self) -> bool:
        """Whether the search is over, by a limit or by `stop()`."""
        return bool(self.record.finished or self._stop[0])

    @property
    def current_move(self) -> tuple[int, int, int]:
        """What is being searched (asked from another thread): depth, root move, its number."""
        record = self.record
        move = wire_of(int(record.current_move), self.game.side_to_move)
        return int(record.root_depth), move, int(record.current_number)

    def step(self, depth: int) -> SearchResult:
        """Search one window of an iteration, after `deepen` has begun."""
        return self._think(depth, depth, _STEP_BY_STEP)

    def _start(self, moves: NDArray[np.uint16], count: int, limit: SearchLimit) -> None:
        """Begin a search. Raises IllegalMoveError."""
        self._go_back(moves, count)
        self._stop[0] = 0
        self._time_bounds_ns = _NO_TIME
        if limit.movetime_ms is not None or limit.time_left_ms is not None:
            self._time_bounds_ns = time_bounds_ns(self._search, *limit[2:6])
        for helper in self._helpers:
            helper.nodes = helper.qnodes = 0  # until its thread has begun
        threads = 1 + len(self._helpers)
        nodes = 0 if limit.nodes is None else max(1, limit.nodes // threads)
        mate_plies = 0 if limit.mate is None else 2 * limit.mate - 1
        if limit.mate is not None:
            self._forget_table()
        self._parameters_address = self._addresses[limit.mate is not None]
        code = start_search(
            self._address,
            self.game.address,
            moves,
            count,
            nodes,
            *self._time_bounds_ns,
            mate_plies,
        )
        if code == GAME_OVER:
            raise IllegalMoveError(f"there is no legal move in {self.game.fen}")
        if code == ILLEGAL_MOVE:
            illegal = wire_name(int(moves[self.game.ply]))
            raise IllegalMoveError(f"move {illegal} is not legal in {self.game.fen}")

    def _go_back(self, moves: NDArray[np.uint16], count: int) -> None:
        """Restart the game where `moves[:count]` do not go on from the moves played."""
        line = moves[:count].tobytes()
        if not line.startswith(self._played):
            self.game.restart(self._fen)
        self._played = line

    def _think(self, first_depth: int, last_depth: int, step_by_step: int) -> SearchResult:
        result = SearchResult._make(
            think(
                self._address,
                self._parameters_address,
                self.game.address,
                first_depth,
                last_depth,
                step_by_step,
            )
        )
        if not self._helpers:
            return result
        return result._replace(
            nodes=result.nodes + sum(int(helper.nodes) for helper in self._helpers),
            qnodes=result.qnodes + sum(int(helper.qnodes) for helper in self._helpers),
        )

    def keep_statistics(self, on: bool = True) -> None:
        """Whether the next searches count what `statistics` tells."""
        self.record.counting = int(on)

    def statistics(self) -> dict[str, int]:
        """What the last search did, by the names of `statistics.py`, nodes and qnodes."""
        counts = dict(zip(COUNTERS, map(int, self.record.counts), strict=True))
        return {"nodes": int(self.record.nodes), "qnodes": int(self.record.qnodes), **counts}

    def hashfull_permille(self) -> int:
        """How much of the transposition table this game has filled (not during a search)."""
        return fill_permille(self._table, int(self.record.tt_generation))

    def principal_variation(self) -> list[int]:
        """The last search's line as wire moves."""
        side = self.game.side_to_move
        line = self.record.pv[0, : self.record.pv_length[0]].tolist()
        return [wire_of(move, (side + ply) & 1) for ply, move in enumerate(line)]


def _search_once() -> None:
    searcher = Searcher(hash_mb=1)
    searcher.set_threads(2)
    searcher.new_game()
    searcher.go(np.zeros(1, np.uint16), 0, SearchLimit(nodes=1))


def _evaluate_once() -> None:
    record, parameters = Game().record, build_parameters()
    evaluate_record(record, parameters)
    trace_evaluation(record, parameters, np.zeros((2, WEIGHT_COUNT), np.int64))


_ENTRY_POINTS: tuple[tuple[str, Callable[[], object]], ...] = (
    ("rules", lambda: Game().push_uci("e2e4")),
    ("search", _search_once),
    ("evaluation", _evaluate_once),
    ("perft", lambda: Game().perft(1)),
)


def warm_up(report: Callable[[str, int, int], None] = lambda name, done, total: None) -> None:
    """Compile or load every entry point; `report(name, done, total)` before each and at the end."""
    for done, (name, use) in enumerate(_ENTRY_POINTS):
        report(name, done, len(_ENTRY_POINTS))
        use()
    report("done", len(_ENTRY_POINTS), len(_ENTRY_POINTS))
