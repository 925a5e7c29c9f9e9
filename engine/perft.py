"""Perft: the number of move sequences of a given length, the proof of generator and make.

The last ply is counted by the length of the move list (bulk counting), which the search's own
generator writes in full.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel
from .make import make_move
from .movegen import ALL_MOVES, generate_legal
from .position import checkers_and_pinned
from .state import MAX_PLY, load_position

MAX_PERFT_DEPTH = MAX_PLY


@kernel
def _count_leaves(position, depth, game, start):
    checkers, pinned = checkers_and_pinned(position)
    end = generate_legal(position, ALL_MOVES, checkers, pinned, game.moves, start)
    if depth <= 1:
        return end - start
    leaves = np.int64(0)
    for index in range(start, end):
        after = make_move(position, game.moves[index])
        leaves += _count_leaves(after, depth - 1, game, end)
    return leaves


@kernel
def perft(game, depth):
    """Leaves of the position in a GAME_DTYPE record at `depth` >= 1 plies, as int64.

    Its `moves` are overwritten.
    """
    return _count_leaves(load_position(game), depth, game, np.int64(0))
