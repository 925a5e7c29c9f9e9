"""Quiescence: search captures and promotions until the position is quiet, then evaluate.

Not in check the side to move may stand pat, so the value is at least the static evaluation. In
check every evasion is tried and there is no standing pat; no evasion is mate. Draws are those by
rule: a capture ends all repetitions, so a position of this tree repeats none. Fail-soft inside.
"""

from __future__ import annotations

import numpy as np

from .bitboard import EMPTY, RANK_7, popcount
from .evaluate import evaluate, evaluate_within
from .history import correction_of
from .intervals import UNKNOWN
from .jit import inlined, kernel
from .move import NO_MOVE, captured_piece, promotion_piece
from .movegen import ALL_MOVES, NOISY, generate_moves
from .node import enter_child
from .ordering import pick_move, score_moves
from .pruning import UNBOUNDED, gives_direct_check
from .rules import FIFTY_MOVE_PLIES, is_insufficient_material
from .see import see_at_least
from .statistics import GENERATIONS, RETURNS, count
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
NEAR_FIFTY_MOVES = np.int64(FIFTY_MOVE_PLIES - 10)  # a table entry knows nothing of the clock


@kernel
def draw_score(parameters, ply):
    """The score of a draw, from the side to move at `ply`."""
    return parameters.draw_score_cp if ply & 1 == 0 else -parameters.draw_score_cp


@kernel
def is_drawn_by_rule(searcher, node):
    """Draw by fifty moves (mate goes before) or for want of material."""
    if node.position.halfmove < FIFTY_MOVE_PLIES:
        return is_insufficient_material(node.position)
    if not node.checkers:
        return True
    end = generate_moves(node.position, ALL_MOVES, node.checkers, searcher.moves, node.start)
    return end > node.start


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
def table_answer(parameters, node, data, depth, alpha, beta):
    """The score of a table entry that ends a node of this depth and window, or UNKNOWN."""
    if data == EMPTY or not parameters.transposition_cutoffs or entry_depth(data) < depth:
        return UNKNOWN
    if node.position.halfmove >= NEAR_FIFTY_MOVES:
        return UNKNOWN
    score = entry_score(data, node.ply)
    return score if bound_allows(data, score, alpha, beta) else UNKNOWN


@kernel
def _has_few_pieces(parameters, position):
    return popcount(position.ours | position.theirs) < parameters.delta_min_pieces


@kernel
def _most_gained(parameters, position, move):
    """What a capture is taken to gain at most: its victim and a margin (delta cut)."""
    if not parameters.delta_pruning or promotion_piece(move):
        return UNBOUNDED
    if _has_few_pieces(parameters, position):
        return UNBOUNDED
    return parameters.exchange_values[captured_piece(move)] + parameters.delta_margin_cp


@kernel
def _most_gained_at_all(parameters, position):
    """What any capture or promotion is taken to gain at most (delta cut of the whole node)."""
    if not parameters.node_delta_pruning or _has_few_pieces(parameters, position):
        return UNBOUNDED
    if position.pawns & position.ours & RANK_7:
        return parameters.node_delta_cp + parameters.node_delta_promotion_cp
    return parameters.node_delta_cp


@kernel
def _loses_material(parameters, position, move):
    """Whether SEE rules a capture out."""
    if not parameters.see_pruning:
        return False
    if see_at_least(position, move, parameters.see_threshold_cp, parameters):
        return False
    if not parameters.see_pruning_guarded:
        return True
    spared = promotion_piece(move) or gives_direct_check(position, move)
    return not spared and not _has_few_pieces(parameters, position)


@kernel
def extend_pv(searcher, ply, move):
    """`move` and the child's line become the principal variation of `ply`."""
    searcher.pv[ply, 0] = move
    length = searcher.pv_length[ply + 1]
    for index in range(length):
        searcher.pv[ply, index + 1] = searcher.pv[ply + 1, index]
    searcher.pv_length[ply] = length + 1


@inlined
def leaf_answer(searcher, parameters, node, alpha, beta):
    """(value or UNKNOWN, hint): a draw by rule, the greatest ply, or what the table knows."""
    if is_drawn_by_rule(searcher, node):
        return draw_score(parameters, node.ply), NO_MOVE
    if node.ply >= parameters.quiescence_max_ply:
        return evaluate(node.position, node.accumulator, parameters), NO_MOVE
    if not parameters.transposition_table:
        return UNKNOWN, NO_MOVE
    data = probe_table(searcher, node.position.key)
    answer = UNKNOWN
    if beta - alpha == 1:
        answer = table_answer(parameters, node, data, ZERO, alpha, beta)
        if answer != UNKNOWN:
            count(searcher, RETURNS)
    return answer, entry_move(data)


@inlined
def stand_pat_value(searcher, parameters, node, alpha, beta):
    """(value, whether the node ends with it): beta is reached, or alpha is out of any capture's
    reach."""
    value = evaluate_within(node.position, node.accumulator, parameters, alpha, beta)
    value += correction_of(searcher, parameters, node.position)
    if value >= beta:
        return value, True
    limit = value + _most_gained_at_all(parameters, node.position)
    return (limit, True) if limit <= alpha else (value, False)


@inlined
def capture_limit(parameters, position, move, stand_pat, alpha):
    """What a capture that is not searched is taken to be worth at most, or UNKNOWN."""
    limit = stand_pat + _most_gained(parameters, position, move)
    if limit <= alpha:
        return limit
    return stand_pat if _loses_material(parameters, position, move) else UNKNOWN


@kernel
def quiescence(searcher, parameters, node, alpha, beta):
    """Value of a node with its captures played out, from the side to move.

    Precondition alpha < beta. A result <= alpha is an upper bound, >= beta a lower bound of the
    quiescence value; inside it is exact. With `stopped` set the result means nothing.
    """
    if searcher.stopped:
        return ZERO
    position, ply = node.position, node.ply
    evading = node.checkers and parameters.quiescence_evasions
    searcher.pv_length[ply] = 0
    searcher.seldepth = max(searcher.seldepth, ply)
    answer, hint = leaf_answer(searcher, parameters, node, alpha, beta)
    if answer != UNKNOWN:
        return answer

    best = stand_pat = -MATE + ply
    old_alpha = alpha
    if not evading:
        stand_pat, ends = stand_pat_value(searcher, parameters, node, alpha, beta)
        if ends:
            return stand_pat
        best = stand_pat
        alpha = max(alpha, best)

    kinds = ALL_MOVES if evading else NOISY
    end = generate_moves(position, kinds, node.checkers, searcher.moves, node.start)
    count(searcher, GENERATIONS)
    score_moves(searcher, parameters, node, node.start, end, hint)
    best_move = NO_MOVE
    for index in range(node.start, end):
        move = pick_move(searcher, index, end)
        if not evading:
            limit = capture_limit(parameters, position, move, stand_pat, alpha)
            if limit != UNKNOWN:
                best = max(best, limit)
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
