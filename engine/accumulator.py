"""Running sums beside the position: the placement term and the game phase, updated move by move.

Kept apart from `Position`, so that the rules do not depend on weights and perft does not pay.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .bitboard import FLIP, U8, popcount
from .jit import kernel
from .move import (
    CASTLING,
    EN_PASSANT,
    KING,
    NO_PIECE,
    ROOK,
    captured_piece,
    from_square,
    moving_piece,
    promotion_piece,
    to_square,
)
from .movegen import C1, D1, F1, G1
from .terms import PHASE, placement


class Accumulator(NamedTuple):
    """`score` is packed (ours minus theirs, from the side to move); both are int64."""

    score: int
    phase: int


@kernel
def compute_accumulator(position, parameters):
    """The sums from nothing: what the running ones must equal at every node."""
    queens = position.diagonals & position.orthogonals
    phase = (
        popcount(position.knights)
        + popcount(position.diagonals ^ queens)
        + np.int64(2) * popcount(position.orthogonals ^ queens)
        + np.int64(4) * popcount(queens)
    )
    return Accumulator(placement(position, parameters.weights, None), phase)


@kernel
def update_accumulator(accumulator, move, parameters):
    """The sums after `move`, seen from the side that is then to move."""
    table = parameters.placement
    from_sq = from_square(move)
    to_sq = to_square(move)
    piece = moving_piece(move)
    if move & CASTLING:
        king_to = G1 if to_sq > from_sq else C1
        rook_to = F1 if to_sq > from_sq else D1
        delta = table[KING, king_to] - table[KING, from_sq] + table[ROOK, rook_to]
        return Accumulator(-(accumulator.score + delta - table[ROOK, to_sq]), accumulator.phase)
    captured = captured_piece(move)
    promotion = promotion_piece(move)
    placed = promotion if promotion else piece
    score = accumulator.score + table[placed, to_sq] - table[piece, from_sq]
    if captured != NO_PIECE:
        taken_sq = to_sq - U8 if move & EN_PASSANT else to_sq
        score += table[captured, taken_sq ^ FLIP]
    return Accumulator(-score, accumulator.phase - PHASE[captured] + PHASE[promotion])


@kernel
def pass_accumulator(accumulator):
    """The sums after a null move."""
    return Accumulator(-accumulator.score, accumulator.phase)
