"""Small kernels through which tests look at the mutable board of seed 000."""

from __future__ import annotations

import numpy as np

from engine.board import (
    board_key,
    copy_board,
    load_board,
    make_in_place,
    take_back,
    unmake,
)
from engine.jit import kernel
from engine.move import promotion_piece
from engine.position import fill_bitboards
from engine.pseudo_legal import fill_oracle_moves, generate_pseudo_legal
from engine.state import load_position

_FIRST, _SECOND = np.int64(0), np.int64(1)
_SQUARES = np.uint64(0o7777)
_PROMOTION = np.uint64(12)


@kernel
def bitboards_of(game, bitboards, occupancies):
    fill_bitboards(load_position(game), bitboards, occupancies)


@kernel
def _is_same(one, other):
    same = one.side == other.side and one.castling == other.castling
    same = same and one.en_passant == other.en_passant and one.key == other.key
    for piece in range(12):
        same = same and one.bitboards[piece] == other.bitboards[piece]
    for side in range(3):
        same = same and one.occupancies[side] == other.occupancies[side]
    return same


@kernel
def copies_agree(game, board):
    """Whether both ways to take a move back restore the board, and keys run along, at this node."""
    load_board(board, load_position(game))
    agree = True
    copy_board(board, _FIRST)
    for index in range(generate_pseudo_legal(board, _FIRST)):
        undo = make_in_place(board, board.moves[index])
        agree = agree and board.now.key == board_key(board.now)
        agree = agree and not _is_same(board.now, board.copies[0])
        copy_board(board, _SECOND)
        unmake(board, board.moves[index], undo)
        agree = agree and _is_same(board.now, board.copies[0])
        take_back(board, _SECOND)
        agree = agree and not _is_same(board.now, board.copies[0])
        take_back(board, _FIRST)
        agree = agree and _is_same(board.now, board.copies[0])
    return agree


@kernel
def follow(game, wire, board):
    """Make the move of a wire form in place; whether there is one."""
    fill_oracle_moves(game, board)
    for index in range(board.move_count):
        move = board.moves[index]
        if move & _SQUARES | promotion_piece(move) << _PROMOTION == wire:
            make_in_place(board, move)
            return True
    return False
