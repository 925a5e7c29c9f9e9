"""Making a move: from one position value to the next, turned to the other side.

No unmake: the caller still holds the old value. The key is updated incrementally and the en passant
square is kept only where a legal en passant capture exists, so that transpositions meet.
"""

from __future__ import annotations

import numpy as np

from .bitboard import EMPTY, NOT_FILE_A, NOT_FILE_H, ONE, RANK_1, U7, U8, U9, flip, lsb
from .jit import inlined, kernel
from .move import (
    BISHOP,
    CASTLING,
    DOUBLE_PUSH,
    EN_PASSANT,
    KING,
    KNIGHT,
    NO_PIECE,
    PAWN,
    QUEEN,
    ROOK,
    captured_piece,
    from_square,
    moving_piece,
    promotion_piece,
    to_square,
)
from .movegen import C1, D1, F1, G1
from .position import Position, is_en_passant_legal
from .zobrist import EN_PASSANT_KEYS, PIECE_KEYS, THEIR_PIECE_KEYS, castling_key


@inlined
def make_move(position, move):
    """The position after a legal `move`, seen from the side that is then to move."""
    if move & CASTLING:
        return _make_castling(position, move)
    from_sq = from_square(move)
    to_sq = to_square(move)
    piece = moving_piece(move)
    captured = captured_piece(move)
    promotion = promotion_piece(move)
    placed = promotion if promotion else piece
    to_bb = ONE << to_sq
    moved = (ONE << from_sq) | to_bb
    taken_sq = to_sq - U8 if move & EN_PASSANT else to_sq
    gone = moved | (ONE << taken_sq)

    castling = position.castling & ~moved
    if piece == KING:
        castling &= ~RANK_1
    key = position.key ^ PIECE_KEYS[piece, from_sq] ^ PIECE_KEYS[placed, to_sq]
    if captured != NO_PIECE:
        key ^= THEIR_PIECE_KEYS[captured, taken_sq]
    if castling != position.castling:
        key ^= castling_key(position.castling ^ castling)
    if position.en_passant:
        key ^= EN_PASSANT_KEYS[lsb(position.en_passant)]

    is_quiet_piece = piece != PAWN and captured == NO_PIECE
    after = Position(
        flip((position.pawns & ~gone) | (to_bb if placed == PAWN else EMPTY)),
        flip((position.knights & ~gone) | (to_bb if placed == KNIGHT else EMPTY)),
        flip(
            (position.diagonals & ~gone) | (to_bb if placed == BISHOP or placed == QUEEN else EMPTY)
        ),
        flip(
            (position.orthogonals & ~gone) | (to_bb if placed == ROOK or placed == QUEEN else EMPTY)
        ),
        flip((position.kings & ~gone) | (to_bb if placed == KING else EMPTY)),
        flip(position.theirs & ~gone),
        flip((position.ours & ~gone) | to_bb),
        EMPTY,
        flip(castling),
        flip(key),
        position.halfmove + 1 if is_quiet_piece else 0,
        position.side ^ ONE,
    )
    if move & DOUBLE_PUSH:
        return with_en_passant(after, flip(to_bb) << U8)
    return after


@kernel
def _make_castling(position, move):
    king_from = from_square(move)
    rook_from = to_square(move)
    king_to = G1 if rook_from > king_from else C1
    rook_to = F1 if rook_from > king_from else D1
    kings = position.kings ^ (ONE << king_from) ^ (ONE << king_to)
    left = ~((ONE << king_from) | (ONE << rook_from))
    castling = position.castling & ~RANK_1
    key = (
        position.key
        ^ PIECE_KEYS[KING, king_from]
        ^ PIECE_KEYS[KING, king_to]
        ^ PIECE_KEYS[ROOK, rook_from]
        ^ PIECE_KEYS[ROOK, rook_to]
        ^ castling_key(position.castling ^ castling)
    )
    if position.en_passant:
        key ^= EN_PASSANT_KEYS[lsb(position.en_passant)]
    return Position(
        flip(position.pawns),
        flip(position.knights),
        flip(position.diagonals),
        flip((position.orthogonals & ~(ONE << rook_from)) | (ONE << rook_to)),
        flip(kings),
        flip(position.theirs),
        flip((position.ours & left) | (ONE << king_to) | (ONE << rook_to)),
        EMPTY,
        flip(castling),
        flip(key),
        position.halfmove + 1,
        position.side ^ ONE,
    )


@kernel
def with_en_passant(position, square_bb):
    """`position` with the en passant square, if one of our pawns may legally capture there."""
    below = ((square_bb & NOT_FILE_A) >> U9) | ((square_bb & NOT_FILE_H) >> U7)
    capturers = below & position.pawns & position.ours
    square = lsb(square_bb)
    while capturers:
        if is_en_passant_legal(position, capturers & (~capturers + ONE), square):
            return Position(
                position.pawns,
                position.knights,
                position.diagonals,
                position.orthogonals,
                position.kings,
                position.ours,
                position.theirs,
                square_bb,
                position.castling,
                position.key ^ EN_PASSANT_KEYS[square],
                position.halfmove,
                position.side,
            )
        capturers &= capturers - ONE
    return position


@kernel
def make_null(position):
    """The position after passing. Its clock is 0: no repetition reaches back over a pass."""
    key = position.key
    if position.en_passant:
        key ^= EN_PASSANT_KEYS[lsb(position.en_passant)]
    return Position(
        flip(position.pawns),
        flip(position.knights),
        flip(position.diagonals),
        flip(position.orthogonals),
        flip(position.kings),
        flip(position.theirs),
        flip(position.ours),
        EMPTY,
        flip(position.castling),
        flip(key),
        np.int64(0),
        position.side ^ ONE,
    )
