"""Perft: the number of move sequences of a given length, the proof of generator and make.

The last ply is counted by the length of the move list (bulk counting), which the search's own
generator writes in full. `perft_picker` counts by the search's staged picker instead, which may be
wrong where the generator is right; pseudo_legal.py has a third count, by a generator of its own.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel
from .make import make_move
from .move import NO_MOVE
from .movegen import ALL_MOVES, generate_legal
from .node import Node, root_node
from .picker import next_move, start_picking
from .position import checkers_and_pinned, checkers_of
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


@kernel
def _count_picked(searcher, parameters, node, depth):
    """Each hint is the move last made at the same ply: legal here or not, as a table's may be.

    The accumulator stays the root's: moves are ordered without it.
    """
    if depth == 0:
        return np.int64(1)
    hint = searcher.pv[node.ply, 0]
    start_picking(searcher, node, hint)
    leaves = np.int64(0)
    while True:
        move = next_move(searcher, parameters, node, hint)
        if move == NO_MOVE:
            return leaves
        searcher.pv[node.ply, 0] = move
        after = make_move(node.position, move)
        end = searcher.list_end[node.ply]
        child = Node(after, node.accumulator, checkers_of(after), node.ply + 1, end)
        leaves += _count_picked(searcher, parameters, child, depth - 1)


@kernel
def perft_picker(game, searcher, parameters, depth):
    """`perft` by the staged picker of `searcher`, its hints good and bad; each leaf is made."""
    root = root_node(load_position(game), parameters)
    return _count_picked(searcher, parameters, root, depth)
