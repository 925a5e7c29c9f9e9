"""The oracle generator: pseudo-legal moves, of which the illegal are found by making them.

As seed 000 describes it. It knows neither pins nor check masks, walks its sliders by rays and makes
its moves on the board of board.py, so that it is a second opinion on `movegen.py` and `make.py`:
what it shares with them is the layout of a move. Squares are absolute (white's view).
"""

from __future__ import annotations

import numpy as np

from .attacks import PAWN_CAPTURES, PAWN_PUSHES, first_bit
from .bitboard import ONE, RANK_1, RANK_8
from .board import (
    BOTH,
    KINDS,
    RIGHTS_OF_A_SIDE,
    attacks_of,
    castling_targets,
    copy_board,
    is_square_attacked,
    kind_on,
    king_of,
    leaves_king_in_check,
    load_board,
    make_in_place,
    take_back,
    unmake,
)
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
    PROMOTION_SHIFT,
    QUEEN,
    ROOK,
    encode_move,
)
from .state import load_position

LAST_RANKS = RANK_1 | RANK_8
HOME_RANKS = np.array([0xFF << 8, 0xFF << 48], np.uint64)  # of the pawns, by side
_ONE_PLY = np.int64(1)


@kernel
def _add_move(moves, count, move):
    moves[count] = move
    return count + 1


@kernel
def _add_to_targets(board, from_sq, piece, targets, moves, count):
    """Write a move to each target square, with what it captures."""
    while targets:
        to_sq = first_bit(targets)
        captured = kind_on(board.now, board.now.side ^ ONE, to_sq)
        move = encode_move(from_sq, to_sq, piece, captured)
        if piece == PAWN and ONE << to_sq & LAST_RANKS:
            for promotion in (QUEEN, KNIGHT, ROOK, BISHOP):
                count = _add_move(moves, count, move | promotion << PROMOTION_SHIFT)
        else:
            count = _add_move(moves, count, move)
        targets &= targets - ONE
    return count


@kernel
def _generate_pawn(board, from_sq, moves, count):
    """Pushes and captures of one pawn, by the tables of its square."""
    now = board.now
    side = now.side
    captures = PAWN_CAPTURES[side, from_sq]
    push = PAWN_PUSHES[side, from_sq] & ~now.occupancies[BOTH]
    targets = push | (captures & now.occupancies[side ^ ONE])
    count = _add_to_targets(board, from_sq, PAWN, targets, moves, count)
    if push and ONE << from_sq & HOME_RANKS[side]:
        to_sq = first_bit(PAWN_PUSHES[side, first_bit(push)])
        if not now.occupancies[BOTH] >> to_sq & ONE:
            move = encode_move(from_sq, to_sq, PAWN, NO_PIECE) | DOUBLE_PUSH
            count = _add_move(moves, count, move)
    if captures & now.en_passant:
        move = encode_move(from_sq, first_bit(now.en_passant), PAWN, PAWN) | EN_PASSANT
        count = _add_move(moves, count, move)
    return count


@kernel
def _span(first, second):
    """The squares from one to another of the same rank, both included."""
    low, high = min(first, second), max(first, second)
    return ((ONE << (high - low) << ONE) - ONE) << low


@kernel
def _is_attacked_somewhere(now, squares, by_side):
    while squares:
        if is_square_attacked(now, first_bit(squares), by_side):
            return True
        squares &= squares - ONE
    return False


@kernel
def _may_castle(board, king, right):
    """Whether the way is free and the king is not attacked where it stands or passes."""
    now = board.now
    rook = board.castling_rooks[right]
    king_to, rook_to = castling_targets(right)
    others = now.occupancies[BOTH] & ~(ONE << king | ONE << rook)
    if (_span(king, king_to) | _span(rook, rook_to)) & others:
        return False
    return not _is_attacked_somewhere(now, _span(king, king_to), now.side ^ ONE)


@kernel
def _generate_castling(board, moves, count):
    """Castling as king takes own rook."""
    king = king_of(board.now, board.now.side)
    for long in range(2):
        right = board.now.side * RIGHTS_OF_A_SIDE + np.uint64(long)
        if board.now.castling >> right & ONE and _may_castle(board, king, right):
            move = encode_move(king, board.castling_rooks[right], KING, NO_PIECE) | CASTLING
            count = _add_move(moves, count, move)
    return count


@kernel
def generate_pseudo_legal(board, start):
    """Write to `board.moves` from `start` on all moves, legal or not; return the end."""
    now = board.now
    count = start
    pawns = now.bitboards[now.side * KINDS]
    while pawns:
        count = _generate_pawn(board, first_bit(pawns), board.moves, count)
        pawns &= pawns - ONE
    for kind in range(1, 6):
        piece = np.uint64(kind)
        pieces = now.bitboards[now.side * KINDS + piece]
        while pieces:
            from_sq = first_bit(pieces)
            targets = attacks_of(now, now.side, piece, from_sq) & ~now.occupancies[now.side]
            count = _add_to_targets(board, from_sq, piece, targets, board.moves, count)
            pieces &= pieces - ONE
    return _generate_castling(board, board.moves, count)


@kernel
def count_by_copying(board, depth, ply, start):
    """Leaves below the board, each move taken back by restoring a copy."""
    if depth == 0:
        return _ONE_PLY
    end = generate_pseudo_legal(board, start)
    leaves = np.int64(0)
    copy_board(board, ply)
    for index in range(start, end):
        make_in_place(board, board.moves[index])
        if not leaves_king_in_check(board.now):
            leaves += count_by_copying(board, depth - _ONE_PLY, ply + _ONE_PLY, end)
        take_back(board, ply)
    return leaves


@kernel
def count_by_unmaking(board, depth, start):
    """Leaves below the board, each move taken back by unmaking it."""
    if depth == 0:
        return _ONE_PLY
    end = generate_pseudo_legal(board, start)
    leaves = np.int64(0)
    for index in range(start, end):
        undo = make_in_place(board, board.moves[index])
        if not leaves_king_in_check(board.now):
            leaves += count_by_unmaking(board, depth - _ONE_PLY, end)
        unmake(board, board.moves[index], undo)
    return leaves


@kernel
def perft_oracle(game, board, depth):
    """Leaves of the position in a GAME_DTYPE record at `depth` plies, by this generator.

    board : a BOARD_DTYPE record, overwritten. Each leaf is made, none is counted in bulk.
    """
    load_board(board, load_position(game))
    return count_by_copying(board, depth, np.int64(0), np.int64(0))


@kernel
def fill_oracle_moves(game, board):
    """Fill `board.moves` with the legal moves of the position in `game`: made, kept if legal."""
    load_board(board, load_position(game))
    end = generate_pseudo_legal(board, np.int64(0))
    board.move_count = 0
    for index in range(end):
        move = board.moves[index]
        undo = make_in_place(board, move)
        if not leaves_king_in_check(board.now):
            board.moves[board.move_count] = move
            board.move_count += 1
        unmake(board, move, undo)
