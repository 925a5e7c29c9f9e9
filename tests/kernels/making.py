"""Making a move and taking it back in three ways, without anything else, to time them.

Each kernel makes every legal move of a position `rounds` times and returns a digest of all that was
reached, so that nothing can be left out by the compiler.
"""

from __future__ import annotations

import numpy as np

from engine.board import copy_board, load_board, make_in_place, take_back, unmake
from engine.jit import kernel
from engine.make import make_move
from engine.pseudo_legal import count_by_unmaking, fill_oracle_moves
from engine.state import load_position

_PLY = np.int64(0)


@kernel
def _digest(position):
    pieces = position.pawns ^ position.knights ^ position.diagonals ^ position.orthogonals
    sides = position.kings ^ position.ours ^ position.theirs ^ position.en_passant
    return pieces ^ sides ^ position.castling ^ position.key ^ np.uint64(position.halfmove)


@kernel
def make_values(game, rounds):
    """The engine's way: each move gives another value, and the old one is still there."""
    position = load_position(game)
    digest = np.uint64(0)
    for _ in range(rounds):
        for index in range(game.move_count):
            digest ^= _digest(make_move(position, game.moves[index]))
    return digest


@kernel
def make_and_unmake(game, board, rounds):
    fill_oracle_moves(game, board)
    load_board(board, load_position(game))
    digest = np.uint64(0)
    for _ in range(rounds):
        for index in range(board.move_count):
            undo = make_in_place(board, board.moves[index])
            digest ^= board.now.key
            unmake(board, board.moves[index], undo)
    return digest


@kernel
def make_and_restore(game, board, rounds):
    """A copy before each move, as seed 000 has it, and not one for all moves of the node."""
    fill_oracle_moves(game, board)
    load_board(board, load_position(game))
    digest = np.uint64(0)
    for _ in range(rounds):
        for index in range(board.move_count):
            copy_board(board, _PLY)
            make_in_place(board, board.moves[index])
            digest ^= board.now.key
            take_back(board, _PLY)
    return digest


@kernel
def perft_by_unmaking(game, board, depth):
    """`perft_oracle`, which restores copies, with each move unmade instead."""
    load_board(board, load_position(game))
    return count_by_unmaking(board, depth, np.int64(0))
