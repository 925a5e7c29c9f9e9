"""Quiescence: search captures and promotions until the position is quiet, then evaluate.

Not in check the side to move may stand pat, so the value is at least the static evaluation. In
check every evasion is tried and there is no standing pat; no evasion is mate. Fail-soft inside.
"""

from __future__ import annotations

import numpy as np

from .accumulator import update_accumulator
from .bitboard import popcount
from .evaluate import evaluate, evaluate_within
from .jit import kernel
from .machine import clock_ns, load_word
from .make import make_move
from .move import NO_MOVE, captured_piece, promotion_piece
from .movegen import ALL_MOVES, NOISY, generate_moves
from .ordering import pick_move, score_moves
from .position import checkers_of
from .see import see_at_least
from .state import MAX_PLY
from .transposition import (
    EXACT,
    LOWER,
    MATE,
    UPPER,
    entry_bound,
    entry_move,
    entry_score,
    prefetch_bucket,
    probe_table,
    store_table,
)

POLL_MASK = np.int64(2047)  # look at clock and stop flag every 2,048 nodes


@kernel
def count_node(searcher):
    """One more move made; raises `stopped` at the node limit, the deadline or the stop flag."""
    searcher.nodes += 1
    if searcher.nodes >= searcher.node_limit:
        searcher.stopped = 1
    elif searcher.nodes & POLL_MASK == 0 and (
        clock_ns() >= searcher.deadline_ns or load_word(searcher.stop_address)
    ):
        searcher.stopped = 1


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
def quiescence(searcher, parameters, position, accumulator, checkers, alpha, beta, ply, start):
    """Value of a position with its captures played out, from the side to move.

    Precondition alpha < beta. A result <= alpha is an upper bound, >= beta a lower bound of the
    quiescence value; inside it is exact. `searcher.moves` is free from `start` on.
    """
    searcher.pv_length[ply] = 0
    searcher.seldepth = max(searcher.seldepth, ply)
    if ply >= MAX_PLY - 1:
        return evaluate(position, accumulator, parameters)
    hint = NO_MOVE
    if parameters.transposition_table:
        data = probe_table(searcher, position.key)
        if data:
            score = entry_score(data, ply)
            if parameters.transposition_cutoffs and beta - alpha == 1:
                if bound_allows(data, score, alpha, beta):
                    return score
            hint = entry_move(data)

    best = -MATE + ply
    stand_pat = best
    old_alpha = alpha
    kinds = ALL_MOVES
    if not checkers:
        kinds = NOISY
        stand_pat = evaluate_within(position, accumulator, parameters, alpha, beta)
        best = stand_pat
        if best >= beta:
            return best
        alpha = max(alpha, best)

    end = generate_moves(position, kinds, checkers, searcher.moves, start)
    score_moves(searcher, parameters, position, start, end, hint, ply)
    best_move = NO_MOVE
    for index in range(start, end):
        move = pick_move(searcher, index, end)
        if not checkers:
            if _is_hopeless(parameters, position, move, stand_pat, alpha):
                continue
            if _loses_material(parameters, position, move):
                continue
        after = make_move(position, move)
        prefetch_bucket(searcher, after.key)
        count_node(searcher)
        if searcher.stopped:
            return np.int64(0)
        searcher.qnodes += 1
        score = -quiescence(
            searcher,
            parameters,
            after,
            update_accumulator(accumulator, move, parameters),
            checkers_of(after),
            -beta,
            -alpha,
            ply + 1,
            end,
        )
        if searcher.stopped:
            return np.int64(0)
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
        store_table(searcher, position.key, best_move, best, np.int64(0), bound, ply)
    return best
