"""Quiescence: search captures and promotions until the position is quiet, then evaluate.

Not in check the side to move may stand pat, so the value is at least the static evaluation. In
check every evasion is tried and there is no standing pat; no evasion is mate. Fail-soft inside.
"""

from __future__ import annotations

import numpy as np

from .bitboard import EMPTY, popcount
from .evaluate import evaluate, evaluate_within
from .jit import kernel
from .move import NO_MOVE, captured_piece, promotion_piece
from .movegen import ALL_MOVES, NOISY, generate_moves
from .node import enter_child
from .ordering import pick_move, score_moves
from .see import see_at_least
from .state import MAX_PLY
from .transposition import (
    EXACT,
    LOWER,
    MATE,
    UPPER,
    entry_bound,
    entry_depth,
    entry_move,
    entry_score,
    probe_table,
    store_table,
)

ZERO = np.int64(0)
UNKNOWN = np.int64(-MATE - 2)  # no score at all


@kernel
def bound_allows(data, score, alpha, beta):
    """Whether a table entry's score already answers the window."""
    bound = entry_bound(data)
    if bound == EXACT:
        return True
    return score >= beta if bound == LOWER else score <= alpha


@kernel
def bound_of(score, alpha, beta):
    """What `score` proves, found with window (alpha, beta)."""
    if score >= beta:
        return LOWER
    return EXACT if score > alpha else UPPER


@kernel
def table_answer(parameters, data, depth, alpha, beta, ply):
    """The score of a table entry that ends a node of this depth and window, or UNKNOWN."""
    if data == EMPTY or not parameters.transposition_cutoffs or entry_depth(data) < depth:
        return UNKNOWN
    score = entry_score(data, ply)
    return score if bound_allows(data, score, alpha, beta) else UNKNOWN


@kernel
def _is_hopeless(parameters, position, move, stand_pat, alpha):
    """Delta cut: the victim and a margin on top do not bring the score up to alpha."""
    if not parameters.delta_pruning or promotion_piece(move):
        return False
    if popcount(position.ours | position.theirs) < parameters.delta_min_pieces:
        return False
    gain = parameters.exchange_values[captured_piece(move)] + parameters.delta_margin_cp
    return stand_pat + gain <= alpha


@kernel
def _loses_material(parameters, position, move):
    return parameters.see_pruning and not see_at_least(
        position, move, parameters.see_threshold_cp, parameters
    )


@kernel
def extend_pv(searcher, ply, move):
    """`move` and the child's line become the principal variation of `ply`."""
    searcher.pv[ply, 0] = move
    length = searcher.pv_length[ply + 1]
    for index in range(length):
        searcher.pv[ply, index + 1] = searcher.pv[ply + 1, index]
    searcher.pv_length[ply] = length + 1


@kernel
def quiescence(searcher, parameters, node, alpha, beta):
    """Value of a node with its captures played out, from the side to move.

    Precondition alpha < beta. A result <= alpha is an upper bound, >= beta a lower bound of the
    quiescence value; inside it is exact. With `stopped` set the result means nothing.
    """
    if searcher.stopped:
        return ZERO
    position, checkers, ply = node.position, node.checkers, node.ply
    searcher.pv_length[ply] = 0
    searcher.seldepth = max(searcher.seldepth, ply)
    if ply >= MAX_PLY - 1:
        return evaluate(position, node.accumulator, parameters)
    hint = NO_MOVE
    if parameters.transposition_table:
        data = probe_table(searcher, position.key)
        hint = entry_move(data)
        if beta - alpha == 1:
            score = table_answer(parameters, data, ZERO, alpha, beta, ply)
            if score != UNKNOWN:
                return score

    best = -MATE + ply
    stand_pat = best
    old_alpha = alpha
    kinds = ALL_MOVES
    if not checkers:
        kinds = NOISY
        stand_pat = evaluate_within(position, node.accumulator, parameters, alpha, beta)
        best = stand_pat
        if best >= beta:
            return best
        alpha = max(alpha, best)

    end = generate_moves(position, kinds, checkers, searcher.moves, node.start)
    score_moves(searcher, parameters, node, node.start, end, hint)
    best_move = NO_MOVE
    for index in range(node.start, end):
        move = pick_move(searcher, index, end)
        if not checkers:
            if _is_hopeless(parameters, position, move, stand_pat, alpha):
                continue
            if _loses_material(parameters, position, move):
                continue
        child = enter_child(searcher, parameters, node, move, end)
        searcher.qnodes += 1
        score = -quiescence(searcher, parameters, child, -beta, -alpha)
        if searcher.stopped:
            return ZERO
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = move
                extend_pv(searcher, ply, move)
                if score >= beta:
                    break
    if parameters.transposition_table:
        bound = bound_of(best, old_alpha, beta)
        store_table(searcher, position.key, best_move, best, ZERO, bound, ply)
    return best
