"""One generator of legal moves: noisy (captures, promotions), quiet, or all; evasions by mask.

Legality is decided before a move is written: pinned pieces stay on their line, in check only moves
to the check mask count, the king's targets are tested with the king taken off the board.
"""

from __future__ import annotations

import numpy as np

from .attacks import (
    BETWEEN,
    KING_ATTACKS,
    KNIGHT_ATTACKS,
    LINE,
    bishop_attacks,
    pawn_attacks,
    rook_attacks,
)
from .bitboard import (
    EMPTY,
    FILE_A,
    FULL,
    NOT_FILE_A,
    NOT_FILE_H,
    ONE,
    RANK_1,
    RANK_3,
    RANK_8,
    U7,
    U8,
    U9,
    lsb,
)
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
    PROMOTION_SHIFT,
    QUEEN,
    QUIET,
    ROOK,
    captured_piece,
    encode_move,
    from_square,
    moving_piece,
    promotion_piece,
    to_square,
)
from .position import (
    attackers_of,
    is_en_passant_legal,
    king_square,
    piece_on,
    pinned_of,
    threats_of,
)

NOISY = np.uint64(1)
QUIETS = np.uint64(2)
ALL_MOVES = np.uint64(3)

CORNERS = np.uint64(0x81)
C1, D1, F1, G1 = (np.uint64(square) for square in (2, 3, 5, 6))


def _diagonals() -> tuple[np.ndarray, np.ndarray]:
    """uint64[64] twice: the whole rising (a1-h8 way) and falling diagonal through a square."""
    rising = np.zeros(64, np.uint64)
    falling = np.zeros(64, np.uint64)
    for square in range(64):
        for other in range(64):
            files, ranks = other % 8 - square % 8, other // 8 - square // 8
            if files == ranks:
                rising[square] |= np.uint64(1 << other)
            if files == -ranks:
                falling[square] |= np.uint64(1 << other)
    return rising, falling


RISING, FALLING = _diagonals()


@inlined
def _add_moves(position, from_sq, piece, targets, moves, count):
    """Write one move to `moves` for each target square; return the new count."""
    captures = targets & position.theirs
    while captures:
        to_sq = lsb(captures)
        moves[count] = encode_move(from_sq, to_sq, piece, piece_on(position, to_sq))
        count += 1
        captures &= captures - ONE
    quiets = targets & ~position.theirs
    base = from_sq | (piece << np.uint64(12)) | QUIET
    while quiets:
        moves[count] = base | (lsb(quiets) << np.uint64(6))
        count += 1
        quiets &= quiets - ONE
    return count


@kernel
def _add_promotions(position, targets, step, moves, count):
    """Write four promotions for each target square, reached by `step` squares up."""
    while targets:
        to_sq = lsb(targets)
        move = encode_move(to_sq - step, to_sq, PAWN, piece_on(position, to_sq))
        moves[count] = move | (QUEEN << PROMOTION_SHIFT)
        moves[count + 1] = move | (KNIGHT << PROMOTION_SHIFT)
        moves[count + 2] = move | (ROOK << PROMOTION_SHIFT)
        moves[count + 3] = move | (BISHOP << PROMOTION_SHIFT)
        count += 4
        targets &= targets - ONE
    return count


@inlined
def _add_pawn_captures(position, targets, step, moves, count):
    while targets:
        to_sq = lsb(targets)
        moves[count] = encode_move(to_sq - step, to_sq, PAWN, piece_on(position, to_sq))
        count += 1
        targets &= targets - ONE
    return count


@inlined
def _add_pushes(targets, step, flags, moves, count):
    while targets:
        to_sq = lsb(targets)
        moves[count] = (to_sq - step) | (to_sq << np.uint64(6)) | flags
        count += 1
        targets &= targets - ONE
    return count


@inlined
def _generate_pawn_moves(position, kinds, king, pinned, mask, moves, count):
    pawns = position.pawns & position.ours
    empty = ~(position.ours | position.theirs)
    # A pinned pawn stays on its line: pushes along the king's file, captures along its diagonals.
    pushers = pawns & (~pinned | (FILE_A << (king & U7)))
    pushed = (pushers << U8) & empty
    targets = pushed & mask
    if kinds & NOISY:
        rising = ((pawns & (~pinned | RISING[king]) & NOT_FILE_H) << U9) & position.theirs & mask
        falling = ((pawns & (~pinned | FALLING[king]) & NOT_FILE_A) << U7) & position.theirs & mask
        if (rising | falling | targets) & RANK_8:
            count = _add_promotions(position, rising & RANK_8, U9, moves, count)
            count = _add_promotions(position, falling & RANK_8, U7, moves, count)
            count = _add_promotions(position, targets & RANK_8, U8, moves, count)
        count = _add_pawn_captures(position, rising & ~RANK_8, U9, moves, count)
        count = _add_pawn_captures(position, falling & ~RANK_8, U7, moves, count)
        if position.en_passant:
            count = _generate_en_passant(position, moves, count)
    if kinds & QUIETS:
        count = _add_pushes(targets & ~RANK_8, U8, QUIET, moves, count)
        doubled = ((pushed & RANK_3) << U8) & empty & mask
        count = _add_pushes(doubled, U8 + U8, QUIET | DOUBLE_PUSH, moves, count)
    return count


@kernel
def _generate_en_passant(position, moves, count):
    to_sq = lsb(position.en_passant)
    below = ((position.en_passant & NOT_FILE_A) >> U9) | ((position.en_passant & NOT_FILE_H) >> U7)
    capturers = below & position.pawns & position.ours
    while capturers:
        from_sq = lsb(capturers)
        if is_en_passant_legal(position, ONE << from_sq, to_sq):
            moves[count] = encode_move(from_sq, to_sq, PAWN, PAWN) | EN_PASSANT
            count += 1
        capturers &= capturers - ONE
    return count


@inlined
def _generate_castling(position, king, moves, count):
    """Castling for each rook that may (not in check): king takes own rook; Chess960 included."""
    rooks = position.castling & RANK_1
    occupied = position.ours | position.theirs
    while rooks:
        rook = lsb(rooks)
        rooks &= rooks - ONE
        king_to = G1 if rook > king else C1
        rook_to = F1 if rook > king else D1
        pieces = (ONE << king) | (ONE << rook)
        path = BETWEEN[king, king_to] | (ONE << king_to)
        rook_path = BETWEEN[rook, rook_to] | (ONE << rook_to)
        if (path | rook_path) & occupied & ~pieces:
            continue
        if path & threats_of(position):
            continue
        # In Chess960 the castling rook may have shielded the king's new square.
        if (ONE << rook) & ~CORNERS and attackers_of(
            position, king_to, (occupied & ~pieces) | (ONE << rook_to)
        ):
            continue
        moves[count] = king | (rook << np.uint64(6)) | (KING << np.uint64(12)) | QUIET | CASTLING
        count += 1
    return count


@inlined
def _generate_king_moves(position, king, targets, moves, count):
    reach = KING_ATTACKS[king] & targets
    if reach:
        count = _add_moves(position, king, KING, reach & ~threats_of(position), moves, count)
    return count


@inlined
def _generate_piece_moves(position, king, pinned, targets, moves, count):
    """Knights and sliders to `targets`."""
    occupied = position.ours | position.theirs
    knights = position.knights & position.ours & ~pinned
    while knights:
        from_sq = lsb(knights)
        reach = KNIGHT_ATTACKS[from_sq] & targets
        count = _add_moves(position, from_sq, KNIGHT, reach, moves, count)
        knights &= knights - ONE
    sliders = (position.diagonals | position.orthogonals) & position.ours
    while sliders:
        from_sq = lsb(sliders)
        from_bb = ONE << from_sq
        reach = EMPTY
        piece = BISHOP
        if position.diagonals & from_bb:
            reach |= bishop_attacks(from_sq, occupied)
        if position.orthogonals & from_bb:
            reach |= rook_attacks(from_sq, occupied)
            piece = QUEEN if position.diagonals & from_bb else ROOK
        if pinned & from_bb:
            reach &= LINE[king, from_sq]
        count = _add_moves(position, from_sq, piece, reach & targets, moves, count)
        sliders &= sliders - ONE
    return count


@inlined
def generate_legal(position, kinds, checkers, pinned, moves, start):
    """`generate_moves` for a caller that already has `checkers_and_pinned(position)`."""
    king = king_square(position)
    wanted = EMPTY
    if kinds & NOISY:
        wanted |= position.theirs
    if kinds & QUIETS:
        wanted |= ~(position.ours | position.theirs)
    count = _generate_king_moves(position, king, wanted, moves, start)
    mask = FULL
    if checkers:
        if checkers & (checkers - ONE):
            return count
        mask = BETWEEN[king, lsb(checkers)] | checkers
    elif kinds & QUIETS and position.castling & RANK_1:
        count = _generate_castling(position, king, moves, count)
    count = _generate_pawn_moves(position, kinds, king, pinned, mask, moves, count)
    return _generate_piece_moves(position, king, pinned, wanted & mask, moves, count)


@kernel
def generate_moves(position, kinds, checkers, moves, start):
    """Write the legal moves of `kinds` to `moves` from index `start`; return the end index.

    moves : uint64[>= start + MAX_MOVES], out. `checkers` is `checkers_of(position)`.
    """
    return generate_legal(position, kinds, checkers, pinned_of(position), moves, start)


@kernel
def is_legal(position, checkers, move):
    """Whether `move`, perhaps of another position, is legal here; castling and en passant: False.

    A table's entry may belong to another position with the same key. The two rare kinds are left
    to the generator; a caller that gets False loses nothing but time.
    """
    from_sq, to_sq = from_square(move), to_square(move)
    from_bb, to_bb = ONE << from_sq, ONE << to_sq
    piece = moving_piece(move)
    if move & (CASTLING | EN_PASSANT) or not from_bb & position.ours:
        return False
    if to_bb & position.ours or piece_on(position, from_sq) != piece:
        return False
    if piece_on(position, to_sq) != captured_piece(move):
        return False
    if not _reaches(position, move, from_sq, to_sq):
        return False
    king = king_square(position)
    if piece == KING:
        occupied = (position.ours | position.theirs) ^ from_bb
        return attackers_of(position, to_sq, occupied) == EMPTY
    if checkers:
        if checkers & (checkers - ONE):
            return False
        if not (BETWEEN[king, lsb(checkers)] | checkers) & to_bb:
            return False
    return not from_bb & pinned_of(position) or LINE[king, from_sq] & to_bb != EMPTY


@kernel
def _reaches(position, move, from_sq, to_sq):
    """Whether the moving piece could go from one square to the other, pins and checks aside."""
    occupied = position.ours | position.theirs
    to_bb = ONE << to_sq
    piece = moving_piece(move)
    if piece == PAWN:
        if (promotion_piece(move) != PAWN) != (to_bb & RANK_8 != EMPTY):
            return False
        if captured_piece(move) != NO_PIECE:
            return pawn_attacks(ONE << from_sq) & to_bb != EMPTY
        if move & DOUBLE_PUSH:
            step = (ONE << from_sq) << U8
            return step & RANK_3 & ~occupied != EMPTY and to_sq == from_sq + U8 + U8
        return to_sq == from_sq + U8
    if move & DOUBLE_PUSH or promotion_piece(move) != PAWN:
        return False
    if piece == KNIGHT:
        return KNIGHT_ATTACKS[from_sq] & to_bb != EMPTY
    if piece == KING:
        return KING_ATTACKS[from_sq] & to_bb != EMPTY
    reach = EMPTY
    if piece != ROOK:
        reach |= bishop_attacks(from_sq, occupied)
    if piece != BISHOP:
        reach |= rook_attacks(from_sq, occupied)
    return reach & to_bb != EMPTY
