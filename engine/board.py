"""Seed 000's board: twelve piece sets and three occupancies, changed in place, in white's view.

The engine plays on immutable values (position.py); this board is kept as the oracle's, and to
measure the two ways of taking a move back: by unmaking it, or by restoring a copy. It shares no
code with `make.py`, and its keys are its own: Zobrist's as usually told, with a number for the side
to move and one for every en passant square.

Moves are those of move.py with absolute squares. A side is 0 (white) or 1 (black); a right to
castle is a bit: 1 white short, 2 white long, 4 black short, 8 black long.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .attacks import (
    KING_ATTACKS,
    KNIGHT_ATTACKS,
    PAWN_CAPTURES,
    PAWN_PUSHES,
    bishop_attacks_rays,
    first_bit,
    rook_attacks_rays,
)
from .bitboard import EMPTY, ONE
from .jit import kernel
from .move import (
    BISHOP,
    CASTLING,
    DOUBLE_PUSH,
    EN_PASSANT,
    KING,
    KNIGHT,
    NO_PIECE,
    PAWN,
    ROOK,
    captured_piece,
    from_square,
    moving_piece,
    promotion_piece,
    to_square,
)
from .position import fill_bitboards, from_white
from .state import MAX_PLY, MOVES, U64
from .zobrist import splitmix64

KINDS = np.uint64(6)
BOTH = np.uint64(2)  # index of the occupancy of both sides
ALL_RIGHTS = np.uint64(15)
RIGHTS_OF_A_SIDE = np.uint64(2)
_RANK_SHIFT = np.uint64(3)
_BLACK_HOME = np.uint64(56)
_KING_TO = np.array([6, 2], np.uint64)  # g1 and c1: castling short, long
_ROOK_TO = np.array([5, 3], np.uint64)

#: All that a move changes: 19 words.
STATE_DTYPE = np.dtype(
    [
        ("bitboards", U64, (12,)),  # P N B R Q K p n b r q k
        ("occupancies", U64, (3,)),  # white, black, both
        ("side", U64),
        ("castling", U64),
        ("en_passant", U64),  # the square a double push passed, as a set; legal or not
        ("key", U64),
    ],
    align=True,
)

#: A board, the copies made of it by ply, and what its game's castling rules are.
BOARD_DTYPE = np.dtype(
    [
        ("now", STATE_DTYPE),
        ("copies", STATE_DTYPE, (MAX_PLY + 1,)),
        ("kept_rights", U64, (64,)),  # rights that survive a move from or to the square
        ("castling_rooks", U64, (4,)),  # the rook's square, by right
        MOVES,
        ("move_count", np.int64),
    ],
    align=True,
)

_NUMBERS = splitmix64(1970, 12 * 64 + 16 + 64 + 1)
PIECE_NUMBERS = _NUMBERS[:768].reshape(12, 64).copy()
CASTLING_NUMBERS = _NUMBERS[768:784].copy()  # by set of rights
EN_PASSANT_NUMBERS = _NUMBERS[784:848].copy()
SIDE_NUMBER = _NUMBERS[848]


class Undo(NamedTuple):
    """What a move does not tell of the position before it."""

    castling: np.uint64
    en_passant: np.uint64
    key: np.uint64


@kernel
def board_key(now):
    """The key from nothing."""
    key = CASTLING_NUMBERS[now.castling]
    for piece in range(12):
        squares = now.bitboards[piece]
        while squares:
            key ^= PIECE_NUMBERS[piece, first_bit(squares)]
            squares &= squares - ONE
    if now.en_passant:
        key ^= EN_PASSANT_NUMBERS[first_bit(now.en_passant)]
    if now.side:
        key ^= SIDE_NUMBER
    return key


@kernel
def load_board(board, position):
    """Set up a BOARD_DTYPE record from a Position."""
    now = board.now
    fill_bitboards(position, now.bitboards, now.occupancies)
    now.side = position.side
    now.en_passant = from_white(position, position.en_passant)
    now.castling = EMPTY
    board.kept_rights[:] = ALL_RIGHTS
    rooks = from_white(position, position.castling)
    while rooks:
        _add_right(board, first_bit(rooks))
        rooks &= rooks - ONE
    now.key = board_key(now)


@kernel
def _add_right(board, rook):
    """The rook on a square may castle, until it or its king moves or it is taken."""
    side = rook // _BLACK_HOME
    king = king_of(board.now, side)
    right = side * RIGHTS_OF_A_SIDE + (ONE if rook < king else EMPTY)
    board.castling_rooks[right] = rook
    board.now.castling |= ONE << right
    board.kept_rights[rook] &= ~(ONE << right)
    board.kept_rights[king] &= ~(ONE << right)


@kernel
def king_of(now, side):
    """Square of a side's king."""
    return first_bit(now.bitboards[side * KINDS + KING])


@kernel
def kind_on(now, side, square):
    """The piece of `side` on a square, PAWN .. KING, or NO_PIECE."""
    for piece in range(6):
        if now.bitboards[side * KINDS + np.uint64(piece)] >> square & ONE:
            return np.uint64(piece)
    return NO_PIECE


@kernel
def attacks_of(now, side, piece, square):
    """Squares that a piece would attack from `square`."""
    occupied = now.occupancies[BOTH]
    if piece == PAWN:
        return PAWN_CAPTURES[side, square]
    if piece == KNIGHT:
        return KNIGHT_ATTACKS[square]
    if piece == KING:
        return KING_ATTACKS[square]
    attacks = EMPTY
    if piece != ROOK:
        attacks |= bishop_attacks_rays(square, occupied)
    if piece != BISHOP:
        attacks |= rook_attacks_rays(square, occupied)
    return attacks


@kernel
def is_square_attacked(now, square, by_side):
    """Whether a side attacks a square. Attacks are symmetric: what a piece of each kind would see
    *from* the square is looked at for pieces of that kind.
    """
    for piece in range(6):
        seen = attacks_of(now, by_side ^ ONE, np.uint64(piece), square)
        if seen & now.bitboards[by_side * KINDS + np.uint64(piece)]:
            return True
    return False


@kernel
def castling_targets(right):
    """(king's, rook's) squares after castling by a right (its number, 0 to 3)."""
    home = _BLACK_HOME * (right // RIGHTS_OF_A_SIDE)
    long = right % RIGHTS_OF_A_SIDE
    return home + _KING_TO[long], home + _ROOK_TO[long]


@kernel
def _toggle(now, side, piece, square):
    """Put a piece on a square, or take it off; returns its Zobrist number."""
    bit = ONE << square
    now.bitboards[side * KINDS + piece] ^= bit
    now.occupancies[side] ^= bit
    now.occupancies[BOTH] ^= bit
    return PIECE_NUMBERS[side * KINDS + piece, square]


@kernel
def _toggle_move(now, side, move):
    """Make a move of `side` on the piece sets, or unmake it: by XOR they are the same.

    Returns the change of the key.
    """
    from_sq, to_sq = from_square(move), to_square(move)
    piece, captured, promotion = moving_piece(move), captured_piece(move), promotion_piece(move)
    if move & CASTLING:
        right = side * RIGHTS_OF_A_SIDE + (ONE if to_sq < from_sq else EMPTY)
        king_to, rook_to = castling_targets(right)
        change = _toggle(now, side, KING, from_sq) ^ _toggle(now, side, KING, king_to)
        return change ^ _toggle(now, side, ROOK, to_sq) ^ _toggle(now, side, ROOK, rook_to)
    change = _toggle(now, side, piece, from_sq)
    change ^= _toggle(now, side, promotion if promotion else piece, to_sq)
    if captured != NO_PIECE:
        taken = first_bit(PAWN_PUSHES[side ^ ONE, to_sq]) if move & EN_PASSANT else to_sq
        change ^= _toggle(now, side ^ ONE, captured, taken)
    return change


@kernel
def make_in_place(board, move):
    """Make a pseudo-legal move; returns what unmaking it needs."""
    now = board.now
    undo = Undo(now.castling, now.en_passant, now.key)
    side = now.side
    key = now.key ^ _toggle_move(now, side, move) ^ SIDE_NUMBER
    key ^= CASTLING_NUMBERS[now.castling]
    now.castling &= board.kept_rights[from_square(move)] & board.kept_rights[to_square(move)]
    key ^= CASTLING_NUMBERS[now.castling]
    if now.en_passant:
        key ^= EN_PASSANT_NUMBERS[first_bit(now.en_passant)]
    now.en_passant = EMPTY
    if move & DOUBLE_PUSH:
        now.en_passant = PAWN_PUSHES[side, from_square(move)]
        key ^= EN_PASSANT_NUMBERS[first_bit(now.en_passant)]
    now.key = key
    now.side = side ^ ONE
    return undo


@kernel
def unmake(board, move, undo):
    """Take back the move just made in place."""
    now = board.now
    now.side ^= ONE
    _toggle_move(now, now.side, move)
    now.castling = undo.castling
    now.en_passant = undo.en_passant
    now.key = undo.key


@kernel
def copy_board(board, ply):
    """Remember the board as it stands."""
    board.copies[ply] = board.now


@kernel
def take_back(board, ply):
    """Restore the board remembered at `ply`."""
    board.now = board.copies[ply]


@kernel
def leaves_king_in_check(now):
    """Whether the side that has just moved can lose its king."""
    return is_square_attacked(now, king_of(now, now.side ^ ONE), now.side)
