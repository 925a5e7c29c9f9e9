"""Static exchange evaluation by the swap algorithm (CPW, "SEE - The Swap Algorithm").

Pins are not looked at. Values are `parameters.exchange_values`, by piece, NO_PIECE worth 0.
"""

from __future__ import annotations

import numpy as np

from .attacks import (
    KING_ATTACKS,
    KNIGHT_ATTACKS,
    bishop_attacks,
    pawn_attacks,
    pawn_attacks_down,
    rook_attacks,
)
from .bitboard import ONE, U8, lsb
from .jit import kernel
from .move import (
    BISHOP,
    EN_PASSANT,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    ROOK,
    captured_piece,
    from_square,
    moving_piece,
    promotion_piece,
    to_square,
)


@kernel
def _all_attackers(position, square, occupied):
    """Pieces of both sides that attack `square` through `occupied`."""
    square_bb = ONE << square
    return (
        (pawn_attacks_down(square_bb) & position.pawns & position.ours)
        | (pawn_attacks(square_bb) & position.pawns & position.theirs)
        | (KNIGHT_ATTACKS[square] & position.knights)
        | (KING_ATTACKS[square] & position.kings)
        | (bishop_attacks(square, occupied) & position.diagonals)
        | (rook_attacks(square, occupied) & position.orthogonals)
    )


@kernel
def _least_valuable(position, attackers):
    """The piece kind of the cheapest of `attackers` (not empty)."""
    if attackers & position.pawns:
        return PAWN
    if attackers & position.knights:
        return KNIGHT
    if attackers & position.diagonals & ~position.orthogonals:
        return BISHOP
    if attackers & position.orthogonals & ~position.diagonals:
        return ROOK
    if attackers & position.orthogonals:
        return QUEEN
    return KING


@kernel
def _pieces_of(position, piece):
    if piece == PAWN:
        return position.pawns
    if piece == KNIGHT:
        return position.knights
    if piece == BISHOP:
        return position.diagonals & ~position.orthogonals
    if piece == ROOK:
        return position.orthogonals & ~position.diagonals
    if piece == QUEEN:
        return position.diagonals & position.orthogonals
    return position.kings


@kernel
def see_at_least(position, move, threshold, parameters):
    """Whether the exchange that `move` starts wins at least `threshold` centipawns."""
    values = parameters.exchange_values
    square = to_square(move)
    promotion = promotion_piece(move)
    balance = values[captured_piece(move)] - threshold
    on_square = moving_piece(move)
    if promotion:
        balance += values[promotion] - values[PAWN]
        on_square = promotion
    if balance < 0:
        return False
    balance -= values[on_square]
    if balance >= 0:
        return True
    occupied = (position.ours | position.theirs) ^ (ONE << from_square(move))
    occupied |= ONE << square
    if move & EN_PASSANT:
        occupied ^= ONE << (square - U8)
    attackers = _all_attackers(position, square, occupied) & occupied
    ours_to_move = False
    while True:
        side = position.ours if ours_to_move else position.theirs
        mine = attackers & side
        if not mine:
            break
        piece = _least_valuable(position, mine)
        if piece == KING and attackers & ~side:
            break  # the king may not capture a defended piece
        occupied ^= ONE << lsb(mine & _pieces_of(position, piece))
        attackers = _all_attackers(position, square, occupied) & occupied
        balance = -balance - np.int64(1) - values[piece]
        ours_to_move = not ours_to_move
        if balance >= 0:
            break
    return not ours_to_move
