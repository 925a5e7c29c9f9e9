"""Table entries that answer for one depth only and hold an interval of bounds (seed 002).

The greatest lower and the least upper bound known of a position at a depth are two entries of the
transposition table, under keys of their own. So nothing is ever answered by a search of another
depth, and a search that prunes nothing equals plain minimax with the table and without it.
"""

from __future__ import annotations

import numpy as np

from .bitboard import EMPTY
from .jit import kernel
from .move import NO_MOVE
from .transposition import (
    LOWER,
    MATE,
    UPPER,
    entry_move,
    entry_score,
    probe_table,
    store_table,
)

UNKNOWN = np.int64(-MATE - 2)  # no score at all
_WORST, _BEST = np.int64(-MATE - 1), np.int64(MATE + 1)
_ONE_PLY = np.int64(1)
_DEPTH_FACTOR = np.uint64(0xC2B2_AE3D_27D4_EB4F)  # odd, so that all depths differ
_TWO = np.uint64(2)


@kernel
def _key_of(node, depth, bound):
    return node.position.key ^ ((np.uint64(depth) << _TWO | bound) * _DEPTH_FACTOR)


@kernel
def _interval_of(searcher, node, depth):
    """(lower, upper, move) known of the node's value at `depth`."""
    below = probe_table(searcher, _key_of(node, depth, LOWER))
    above = probe_table(searcher, _key_of(node, depth, UPPER))
    lower = _WORST if below == EMPTY else entry_score(below, node.ply)
    upper = _BEST if above == EMPTY else entry_score(above, node.ply)
    return lower, upper, entry_move(below)


@kernel
def narrow_by_interval(searcher, node, depth, alpha, beta):
    """(answer or UNKNOWN, alpha, beta, hint): the interval's part of the window is searched."""
    lower, upper, hint = _interval_of(searcher, node, depth)
    if hint == NO_MOVE:
        _, _, hint = _interval_of(searcher, node, depth - _ONE_PLY)
    answer = UNKNOWN
    if lower >= beta:
        answer = lower
    elif upper <= alpha or lower == upper:
        answer = upper
    return answer, max(alpha, lower), min(beta, upper), hint


@kernel
def store_interval(searcher, node, move, score, depth, bound):
    """Intersect what is known of the node at `depth` with what `score` proves."""
    lower, upper, _ = _interval_of(searcher, node, depth)
    if bound & LOWER:
        key = _key_of(node, depth, LOWER)
        store_table(searcher, key, move, max(lower, score), depth, LOWER, node.ply)
    if bound & UPPER:
        key = _key_of(node, depth, UPPER)
        store_table(searcher, key, NO_MOVE, min(upper, score), depth, UPPER, node.ply)
