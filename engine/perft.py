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
from .state import MAX_PLY, MOVES, POSITION_FIELDS, load_position

MAX_PERFT_DEPTH = MAX_PLY

#: A position and the moves of all plies.
PERFT_DTYPE = np.dtype([*POSITION_FIELDS, MOVES], align=True)


@kernel
def _count_leaves(position, depth, buffer, start):
    checkers, pinned = checkers_and_pinned(position)
    end = generate_legal(position, ALL_MOVES, checkers, pinned, buffer.moves, start)
    if depth <= 1:
        return end - start
    leaves = np.int64(0)
    for index in range(start, end):
        after = make_move(position, buffer.moves[index])
        leaves += _count_leaves(after, depth - 1, buffer, end)
    return leaves


@kernel
def perft(buffer, depth):
    """Leaves of the position in `buffer` (PERFT_DTYPE) at `depth` >= 1 plies, as int64."""
    return _count_leaves(load_position(buffer), depth, buffer, np.int64(0))
