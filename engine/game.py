"""A game and its rules as Python sees them: positions from FEN, moves from UCI text."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .fen import STARTPOS, FenError, Setup, format_fen, parse_fen, square_name
from .move import MOVE_MASK
from .perft import perft
from .rules import IRREVERSIBLE, push_at, start_game
from .state import GAME_DTYPE

_PROMOTIONS = ("", "n", "b", "r", "q")
_CODE_MASK = int(MOVE_MASK)
_SQUARES = {square_name(square): square for square in range(64)}


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
def start_of(fen: str, chess960: bool) -> _Start:
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
        start = start_of(fen, self.chess960)
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
    def man_count(self) -> int:
        """Kings, pieces and pawns of both sides."""
        return (int(self.record.ours) | int(self.record.theirs)).bit_count()

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
            raise IllegalMoveError(f"move {wire_name(move)} is not legal in {self.fen}")
        self.last_move_irreversible = code >= IRREVERSIBLE
        return _STATUSES[code % IRREVERSIBLE]

    def legal_moves(self) -> list[int]:
        """Every legal wire move, in the generator's order."""
        return [wire_of(move, self.side_to_move) for move in self._moves()]

    def codes(self) -> dict[int, int]:
        """The kernels' code of each legal wire move (see move.py)."""
        return {wire_of(move, self.side_to_move): move & _CODE_MASK for move in self._moves()}

    def _moves(self) -> list[int]:
        return self.record.moves[: self.record.move_count].tolist()

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
        return wire_name(move)

    def parse_uci(self, text: str) -> int:
        """The legal wire move of a UCI text, either castling form. Raises IllegalMoveError."""
        wanted = text.strip().lower()
        for move in self.legal_moves():
            if wanted == self.format_uci(move) or wanted == wire_name(move):
                return move
        raise IllegalMoveError(f"move {text!r} is not legal in {self.fen}")

    def push_uci(self, text: str) -> int:
        """Play the move that a UCI text means; return it. Raises IllegalMoveError."""
        move = _parse_wire(text.lower())
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

    def perft(self, depth: int) -> int:
        """The number of legal move sequences of `depth` plies, 0 to MAX_PERFT_DEPTH.

        By the search's generator; perft_ways.py has others.
        """
        return int(perft(self.record, depth)) if depth else 1


def wire_of(code: int, side: int) -> int:
    """The wire move of a kernel's move, made by `side`."""
    turn = 56 * side
    return (code & 63) ^ turn | ((code >> 6 & 63) ^ turn) << 6 | (code >> 18 & 7) << 12


def _parse_wire(text: str) -> int:
    """The wire move spelt as two squares and a promotion; else a1a1, which is never legal."""
    start, target, promotion = text[:2], text[2:4], text[4:]
    if start not in _SQUARES or target not in _SQUARES or promotion not in _PROMOTIONS:
        return 0
    return _SQUARES[start] | _SQUARES[target] << 6 | _PROMOTIONS.index(promotion) << 12


def wire_name(move: int) -> str:
    promotion = move >> 12 & 7
    letter = _PROMOTIONS[promotion] if promotion < len(_PROMOTIONS) else "?"
    return square_name(move & 63) + square_name(move >> 6 & 63) + letter
