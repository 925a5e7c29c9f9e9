"""The move: one integer that says all, so that nothing need be looked up when it is made.

Squares are those of the side that moves (its own first rank is rank 1). Held as uint64.

| bits  | content                                             |
|-------|-----------------------------------------------------|
| 0-5   | from square                                         |
| 6-11  | to square; for castling the square of the own rook  |
| 12-14 | moving piece (PAWN .. KING)                         |
| 15-17 | captured piece, NO_PIECE if none                    |
| 18-20 | promotion piece (KNIGHT .. QUEEN), 0 if none        |
| 21    | double push                                         |
| 22    | en passant                                          |
| 23    | castling                                            |

The *wire move* (uint16) names a move outside the kernels and in journals: from | to << 6 |
promotion << 12, squares absolute (white's view), castling as king takes own rook.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, NO_PIECE = (np.uint64(piece) for piece in range(7))

NO_MOVE = np.uint64(0)
SQUARE_MASK = np.uint64(63)
PIECE_MASK = np.uint64(7)
TO_SHIFT = np.uint64(6)
PIECE_SHIFT = np.uint64(12)
CAPTURED_SHIFT = np.uint64(15)
PROMOTION_SHIFT = np.uint64(18)
QUIET = NO_PIECE << CAPTURED_SHIFT
DOUBLE_PUSH = np.uint64(1 << 21)
EN_PASSANT = np.uint64(1 << 22)
CASTLING = np.uint64(1 << 23)
MOVE_MASK = np.uint64((1 << 24) - 1)

MAX_MOVES = 256  # a game's positions have at most 218; other FENs of 16 pieces reached 226


@kernel
def from_square(move):
    return move & SQUARE_MASK


@kernel
def to_square(move):
    return (move >> TO_SHIFT) & SQUARE_MASK


@kernel
def moving_piece(move):
    return (move >> PIECE_SHIFT) & PIECE_MASK


@kernel
def captured_piece(move):
    return (move >> CAPTURED_SHIFT) & PIECE_MASK


@kernel
def promotion_piece(move):
    return (move >> PROMOTION_SHIFT) & PIECE_MASK


@kernel
def is_noisy(move):
    """Whether the move captures or promotes."""
    return captured_piece(move) != NO_PIECE or promotion_piece(move) != PAWN


@kernel
def encode_move(from_sq, to_sq, piece, captured):
    return from_sq | (to_sq << TO_SHIFT) | (piece << PIECE_SHIFT) | (captured << CAPTURED_SHIFT)


@kernel
def to_wire(move, side):
    """The wire move of `move`, made by `side` (0 white, 1 black)."""
    turn = np.uint64(56) * side
    return (
        (from_square(move) ^ turn)
        | ((to_square(move) ^ turn) << TO_SHIFT)
        | (promotion_piece(move) << PIECE_SHIFT)
    )
