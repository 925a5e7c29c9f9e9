"""The engine as Python sees it: `Game` (the rules) and `Searcher` (a player), over the kernels."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .board import BOARD_DTYPE
from .evaluate import evaluate_record, trace_evaluation
from .fen import STARTPOS, FenError, Setup, format_fen, parse_fen, square_name
from .history import clear_tables
from .move import KING
from .parameters import SEARCH, search_defaults
from .perft import MAX_PERFT_DEPTH, perft, perft_picker
from .pseudo_legal import perft_oracle
from .root import GAME_OVER, think
from .rules import IRREVERSIBLE, push_at, start_game
from .state import (
    GAME_DTYPE,
    MAX_PLY,
    PARAMETERS_DTYPE,
    REDUCTION_LIMIT,
    SEARCHER_DTYPE,
    address_of,
    new_record,
)
from .terms import OFFSETS, SQUARES_INDEX, VALUE_INDEX, WEIGHT_COUNT
from .timeman import time_bounds_ns
from .transposition import BUCKET_BYTES, MATE, MATE_BOUND, MAX_GENERATION, fill_permille
from .weights import EVALUATION, weight_defaults

__all__ = [
    "MATE",
    "MATE_BOUND",
    "MAX_PERFT_DEPTH",
    "PERFT_WAYS",
    "STARTPOS",
    "FenError",
    "Game",
    "IllegalMoveError",
    "SearchLimit",
    "SearchResult",
    "Searcher",
    "Status",
    "build_parameters",
    "warm_up",
]

Weights = Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]]

_PROMOTIONS = ("", "n", "b", "r", "q")
_SQUARES = {square_name(square): square for square in range(64)}
_KING_VALUE_CP = 20_000
_NO_TIME = (0, 0)


class IllegalMoveError(ValueError):
    """A move that the rules do not allow here; the message names it and the position."""


class Status(IntEnum):
    """Whether and how a game has ended; the values are those of `rules.py`."""

    ONGOING = 0
    CHECKMATE = 1
    STALEMATE = 2
    THREEFOLD = 3
    FIFTY_MOVES = 4
    INSUFFICIENT_MATERIAL = 5


_STATUSES = tuple(Status)  # looking up is an order faster than Status(value)


class SearchLimit(NamedTuple):
    """What ends a search; 0 means no such limit. Times in milliseconds, for one move or a clock."""

    nodes: int = 0
    depth: int = 0
    movetime_ms: int = 0
    time_left_ms: int = 0
    increment_ms: int = 0
    moves_to_go: int = 0


class SearchResult(NamedTuple):
    """A chosen wire move; `score_cp` from the side to move, mate in n plies is MATE - n."""

    move: int
    score_cp: int
    depth: int
    seldepth: int
    nodes: int
    qnodes: int
    time_ns: int


def _place(record: np.recarray, setup: Setup) -> int:
    """Fill a record's piece sets from a setup; return the en passant square set as written."""
    turn = 0 if setup.white_to_move else 56
    sets = dict.fromkeys("pnbrqk", 0)
    ours = theirs = 0
    for square, letter in enumerate(setup.board):
        if letter:
            bit = 1 << (square ^ turn)
            sets[letter.lower()] |= bit
            if letter.isupper() == setup.white_to_move:
                ours |= bit
            else:
                theirs |= bit
    record.pawns, record.knights, record.kings = sets["p"], sets["n"], sets["k"]
    record.diagonals = sets["b"] | sets["q"]
    record.orthogonals = sets["r"] | sets["q"]
    record.ours, record.theirs = ours, theirs
    record.castling = sum(1 << (rook ^ turn) for rook in setup.castling_rooks)
    record.halfmove = setup.halfmove
    record.side = 0 if setup.white_to_move else 1
    return 0 if setup.en_passant is None else 1 << (setup.en_passant ^ turn)


def _squares(bitboard: int, turn: int) -> list[int]:
    squares = []
    while bitboard:
        squares.append((bitboard & -bitboard).bit_length() - 1 ^ turn)
        bitboard &= bitboard - 1
    return squares


class _Start(NamedTuple):
    """A game's first position, complete: what a record begins as."""

    image: NDArray[np.uint8]  # the bytes of a GAME_DTYPE record
    notes: tuple[str, ...]
    fullmove: int
    side: int


@functools.lru_cache(maxsize=256)  # a game's referee and both players begin alike
def _start_of(fen: str, chess960: bool) -> _Start:
    setup = parse_fen(fen, chess960)
    memory = np.zeros(1, GAME_DTYPE)
    record = memory.view(np.recarray)[0]
    en_passant = _place(record, setup)
    if start_game(record, np.uint64(en_passant)):
        raise FenError("the side to move could take the king")
    notes = setup.notes
    if en_passant and not record.en_passant:
        name = square_name(setup.en_passant or 0)
        notes += (f"en passant square {name} dropped: no legal capture there",)
    return _Start(memory.view(np.uint8), notes, setup.fullmove, int(record.side))


class Game:
    """One game and its rules. Moves are wire moves (see move.py).

    Raises FenError if the position cannot be. `notes` says what was dropped from the FEN.
    """

    def __init__(self, fen: str = STARTPOS, chess960: bool = False) -> None:
        memory = np.zeros(1, GAME_DTYPE)
        self._image = memory.view(np.uint8)
        self.record = memory.view(np.recarray)[0]
        self.address = memory.ctypes.data
        self.chess960 = chess960
        self.restart(fen)

    def restart(self, fen: str) -> None:
        """Begin anew from `fen`. Raises FenError and then keeps the old position."""
        start = _start_of(fen, self.chess960)
        self._image[:] = start.image
        self.last_move_irreversible = False  # whether it was a pawn move or a capture
        self.notes = start.notes
        self._first_fullmove = start.fullmove
        self._first_side = start.side

    @property
    def status(self) -> Status:
        return Status(int(self.record.status))

    @property
    def side_to_move(self) -> int:
        """0 white, 1 black."""
        return int(self.record.side)

    @property
    def halfmove_clock(self) -> int:
        return int(self.record.halfmove)

    @property
    def ply(self) -> int:
        """Moves pushed since the start position."""
        return int(self.record.plies)

    @property
    def key(self) -> int:
        """The Zobrist key, from the side to move (see zobrist.py)."""
        return int(self.record.key)

    @property
    def fen(self) -> str:
        record = self.record
        side = self.side_to_move
        turn = 56 * side
        ours = int(record.ours)
        diagonals, orthogonals = int(record.diagonals), int(record.orthogonals)
        queens = diagonals & orthogonals
        board = [""] * 64
        for letter, pieces in (
            ("P", int(record.pawns)),
            ("N", int(record.knights)),
            ("B", diagonals ^ queens),
            ("R", orthogonals ^ queens),
            ("Q", queens),
            ("K", int(record.kings)),
        ):
            for square in _squares(pieces & ours, turn):
                board[square] = letter.lower() if side else letter
            for square in _squares(pieces & ~ours, turn):
                board[square] = letter if side else letter.lower()
        en_passant = _squares(int(record.en_passant), turn)
        setup = Setup(
            tuple(board),
            side == 0,
            tuple(_squares(int(record.castling), turn)),
            en_passant[0] if en_passant else None,
            self.halfmove_clock,
            self._first_fullmove + (self._first_side + self.ply) // 2,
            (),
        )
        return format_fen(setup, self.chess960)

    def push(self, move: int) -> Status:
        """Play a wire move. Raises IllegalMoveError and then leaves the game as it was."""
        code = push_at(self.address, move)
        if code < 0:
            raise IllegalMoveError(f"move {_wire_name(move)} is not legal in {self.fen}")
        self.last_move_irreversible = code >= IRREVERSIBLE
        return _STATUSES[code % IRREVERSIBLE]

    def legal_moves(self) -> list[int]:
        """Every legal wire move, in the generator's order."""
        record, turn = self.record, 56 * self.side_to_move
        wires = []
        for move in map(int, record.moves[: record.move_count]):
            promotion = move >> 18 & 7
            wires.append((move & 63) ^ turn | ((move >> 6 & 63) ^ turn) << 6 | promotion << 12)
        return wires

    def _is_castling(self, move: int) -> bool:
        turn = 56 * self.side_to_move
        own_kings = int(self.record.kings) & int(self.record.ours)
        return bool(
            own_kings >> ((move & 63) ^ turn) & 1
            and int(self.record.ours) >> ((move >> 6 & 63) ^ turn) & 1
        )

    def format_uci(self, move: int) -> str:
        """The UCI text of a wire move here; castling by the king's target unless Chess960."""
        if self._is_castling(move) and not self.chess960:
            start, rook = move & 63, move >> 6 & 63
            target = (start & 56) | (6 if rook > start else 2)
            return square_name(start) + square_name(target)
        return _wire_name(move)

    def parse_uci(self, text: str) -> int:
        """The legal wire move of a UCI text, either castling form. Raises IllegalMoveError."""
        wanted = text.strip().lower()
        for move in self.legal_moves():
            if wanted == self.format_uci(move) or wanted == _wire_name(move):
                return move
        raise IllegalMoveError(f"move {text!r} is not legal in {self.fen}")

    def push_uci(self, text: str) -> int:
        """Play the move that a UCI text means; return it. Raises IllegalMoveError."""
        move = _wire_of(text.lower())
        try:
            self.push(move)
        except IllegalMoveError:  # castling by the king's target, or indeed illegal
            move = self.parse_uci(text)
            self.push(move)
        return move

    def children(self) -> Iterator[tuple[int, Game]]:
        """Each legal wire move with the game that starts after it."""
        for move in self.legal_moves():
            child = Game(self.fen, self.chess960)
            child.push(move)
            yield move, child

    def perft(self, depth: int, through: str = "generator") -> int:
        """The number of legal move sequences of `depth` plies, 0 to MAX_PERFT_DEPTH.

        `through` is one of PERFT_WAYS: the search's generator, its staged picker, or the oracle
        generator of pseudo_legal.py (slow).
        """
        return _PERFTS[through](self.record.copy(), depth) if depth else 1


def _perft_picker(record: np.recarray, depth: int) -> int:
    searcher = Searcher(hash_mb=1)
    return int(perft_picker(record, searcher.record, searcher.parameters, depth))


_PERFTS: dict[str, Callable[[np.recarray, int], int]] = {
    "generator": lambda record, depth: int(perft(record, depth)),
    "picker": _perft_picker,
    "oracle": lambda record, depth: int(perft_oracle(record, new_record(BOARD_DTYPE), depth)),
}
PERFT_WAYS = tuple(_PERFTS)


def _wire_of(text: str) -> int:
    """The wire move spelt as two squares and a promotion; else a1a1, which is never legal."""
    start, target, promotion = text[:2], text[2:4], text[4:]
    if start not in _SQUARES or target not in _SQUARES or promotion not in _PROMOTIONS:
        return 0
    return _SQUARES[start] | _SQUARES[target] << 6 | _PROMOTIONS.index(promotion) << 12


def _wire_name(move: int) -> str:
    promotion = move >> 12 & 7
    letter = _PROMOTIONS[promotion] if promotion < len(_PROMOTIONS) else "?"
    return square_name(move & 63) + square_name(move >> 6 & 63) + letter


def _a1_first(term_weights: tuple[int, ...]) -> NDArray[np.int64]:
    """A board printed rank 8 first becomes a1 first; a scalar stays."""
    values = np.array(term_weights, np.int64)
    return values.reshape(8, 8)[::-1].reshape(64) if len(values) == 64 else values


def build_parameters(
    search: Mapping[str, int] | None = None, weights: Weights | None = None
) -> np.recarray:
    """The parameter record of a configuration; names left out have their defaults."""
    record = new_record(PARAMETERS_DTYPE)
    values = search_defaults() | dict(search or {})
    for parameter in SEARCH:
        record[parameter.name] = values[parameter.name]
    terms = weight_defaults() | dict(weights or {})
    for term in EVALUATION:
        middlegame, endgame = (_a1_first(part) for part in terms[term.name])
        offset = OFFSETS[term.name]
        record.weights[offset : offset + len(middlegame)] = middlegame + (endgame << 32)
    for piece in range(6):
        squares = record.weights[SQUARES_INDEX[piece] :][:64]
        value = record.weights[VALUE_INDEX[piece]] if piece != KING else 0
        record.placement[piece] = squares + value
        if piece != KING:
            name = EVALUATION[piece].name
            record.exchange_values[piece] = (terms[name][0][0] + terms[name][1][0]) // 2
    record.exchange_values[int(KING)] = _KING_VALUE_CP
    base = values["lmr_base"] / 100
    divisor = values["lmr_divisor"] / 100
    logarithms = [math.log(number) for number in range(1, REDUCTION_LIMIT)]
    record.reductions[1:, 1:] = [
        [int(base + by_depth * by_number / divisor) for by_number in logarithms]
        for by_depth in logarithms
    ]
    return record


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
        self._search = search_defaults() | dict(search or {})
        self.parameters = build_parameters(search, weights)
        self.record = new_record(SEARCHER_DTYPE)
        self._address = address_of(self.record)
        self._parameters_address = address_of(self.parameters)
        self._stop = np.zeros(1, np.uint64)
        self.record.stop_address = self._stop.ctypes.data
        self._game = Game()
        self._fen = STARTPOS
        self._count = 0
        self.resize(hash_mb)

    def resize(self, hash_mb: int) -> None:
        """A new, empty table of the largest power of two of buckets within `hash_mb` MiB."""
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
        clear_tables(self.record)
        self.record.tt_age = 0
        if self.record.tt_generation == MAX_GENERATION:
            self._table[:] = 0
            self.record.tt_generation = 0
        self.record.tt_generation += 1

    def set_position(self, fen: str, chess960: bool = False) -> None:
        """Start from `fen` with what the tables have learnt. Raises FenError."""
        _start_of(fen, chess960)  # a refusal must not leave half of the new position behind
        self._game.chess960 = chess960
        self._game.restart(fen)
        self._fen = fen
        self._count = 0

    def stop(self) -> None:
        """End a running search soon (from another thread)."""
        self._stop[0] = 1

    def go(self, moves: NDArray[np.uint16], count: int, limit: SearchLimit) -> SearchResult:
        """Search the position after `moves[:count]` of the game. Raises IllegalMoveError.

        With a node or depth limit only, the result is a function of the game and the parameters.
        """
        soft_ns, hard_ns = self._start(count, limit)
        return self._think(moves, count, limit.nodes, 1, limit.depth, soft_ns, hard_ns)

    def deepen(
        self, moves: NDArray[np.uint16], count: int, limit: SearchLimit
    ) -> Iterator[SearchResult]:
        """Search as `go` does, iteration by iteration; the last result is that of `go`.

        `stop()` is heeded from this call on, before the first result is asked for.
        """
        soft_ns, hard_ns = self._start(count, limit)
        return self._iterate(moves, count, limit, soft_ns, hard_ns)

    def _iterate(
        self, moves: NDArray[np.uint16], count: int, limit: SearchLimit, soft_ns: int, hard_ns: int
    ) -> Iterator[SearchResult]:
        last = limit.depth if 0 < limit.depth < MAX_PLY else MAX_PLY - 1
        for depth in range(1, last + 1):
            yield self._think(moves, count, limit.nodes, depth, depth, soft_ns, hard_ns)
            if self.record.finished or self._stop[0]:
                return

    def _start(self, count: int, limit: SearchLimit) -> tuple[int, int]:
        """Prepare a search; its soft and hard time bounds in ns."""
        if count < self._count:
            self._game.restart(self._fen)
        self._count = count
        self._stop[0] = 0
        if limit.movetime_ms or limit.time_left_ms:
            return time_bounds_ns(self._search, *limit[2:])
        return _NO_TIME

    def _think(
        self,
        moves: NDArray[np.uint16],
        count: int,
        nodes: int,
        first_depth: int,
        last_depth: int,
        soft_ns: int,
        hard_ns: int,
    ) -> SearchResult:
        result = think(
            self._address,
            self._parameters_address,
            self._game.address,
            moves,
            count,
            nodes,
            first_depth,
            last_depth,
            soft_ns,
            hard_ns,
        )
        if result[0] == GAME_OVER:
            raise IllegalMoveError(f"there is no legal move in {self._game.fen}")
        if result[0] < 0:
            illegal = _wire_name(int(moves[self._game.ply]))
            raise IllegalMoveError(f"move {illegal} is not legal in {self._game.fen}")
        return SearchResult._make(result)

    def hashfull_permille(self) -> int:
        """How much of the transposition table this game has filled (not during a search)."""
        return fill_permille(self._table, int(self.record.tt_generation))

    def principal_variation(self) -> list[int]:
        """The last search's line as wire moves."""
        side = self._game.side_to_move
        line = []
        for ply, move in enumerate(map(int, self.record.pv[0, : self.record.pv_length[0]])):
            turn = 56 * ((side + ply) & 1)
            promotion = move >> 18 & 7
            line.append((move & 63) ^ turn | ((move >> 6 & 63) ^ turn) << 6 | promotion << 12)
        return line


def _search_once() -> None:
    searcher = Searcher(hash_mb=1)
    searcher.new_game()
    searcher.go(np.zeros(1, np.uint16), 0, SearchLimit(nodes=1))


def _evaluate_once() -> None:
    record, parameters = Game().record, build_parameters()
    evaluate_record(record, parameters)
    trace_evaluation(record, parameters, np.zeros(WEIGHT_COUNT, np.int64))


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
