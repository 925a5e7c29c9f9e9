"""Perft: the number of move sequences of a given length, the proof of generator and make.

The last ply is counted by the length of the move list (bulk counting), which the search's own
generator writes in full. `perft_picker` counts by the search's staged picker instead, which may be
wrong where the generator is right; pseudo_legal.py has a third count, by a generator of its own.
`perft_hashed` is for deep counts: it makes the moves of a position once and then remembers it.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel
from .make import make_move
from .move import NO_MOVE
from .movegen import ALL_MOVES, generate_legal
from .node import Node, root_node
from .perft_table import MOST_LEAVES, TOO_MANY, UNKNOWN, bucket_of, probe_count, store_count
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

    Its `moves` are used beyond `move_count`: the game stays as it is.
    """
    return _count_leaves(load_position(game), depth, game, game.move_count)


@kernel
def _count_hashed(position, depth, game, start, table):
    if depth <= 1:  # cheaper than a look at the table
        return _count_leaves(position, depth, game, start)
    bucket = bucket_of(table, position, depth)
    known = probe_count(bucket, position, depth)
    if known != UNKNOWN:
        return known
    checkers, pinned = checkers_and_pinned(position)
    end = generate_legal(position, ALL_MOVES, checkers, pinned, game.moves, start)
    leaves = np.int64(0)
    for index in range(start, end):
        after = make_move(position, game.moves[index])
        below = _count_hashed(after, depth - 1, game, end, table)
        if below == TOO_MANY or leaves + below > MOST_LEAVES:
            return TOO_MANY
        leaves += below
    store_count(bucket, position, depth, leaves)
    return leaves


@kernel
def perft_hashed(game, table, depth):
    """`perft` with a PERFT_TABLE_DTYPE record; TOO_MANY instead of more than MOST_LEAVES.

    Positions that are alike but for the way to them make a tree of few positions and of so many
    leaves that no count without a table would ever come to its end.
    """
    return _count_hashed(load_position(game), depth, game, game.move_count, table)


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


@kernel
def pick_moves(game, searcher, parameters, picked):
    """Write the picker's moves to `picked`, uint64[MAX_MOVES]; return how many there are."""
    root = root_node(load_position(game), parameters)
    start_picking(searcher, root, NO_MOVE)
    count = 0
    while count < len(picked):
        move = next_move(searcher, parameters, root, NO_MOVE)
        if move == NO_MOVE:
            break
        picked[count] = move
        count += 1
    return count
