"""The search: iterative deepening over negamax alpha-beta with principal variation search.

Scores are centipawns from the side to move; being mated at `ply` is -MATE + ply. Every number and
every technique's switch is a parameter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .bitboard import EMPTY
from .evaluate import evaluate
from .history import (
    correction_of,
    history_of,
    remember_tried,
    reward_cutoff,
    update_correction,
)
from .intervals import narrow_by_interval, store_interval
from .jit import kernel, step
from .move import NO_MOVE, is_noisy
from .node import enter_child, enter_null
from .picker import next_move, next_winning, skip_quiets, start_picking
from .pruning import (
    futility_limit,
    gives_direct_check,
    is_below_reach,
    is_late,
    late_move_reduction,
    least_expected,
    loses_exchange,
    may_be_singular,
    may_pass,
    may_probcut,
    null_reduction,
    reduces_without_hint,
)
from .quiescence import (
    NEAR_FIFTY_MOVES,
    UNKNOWN,
    bound_of,
    draw_score,
    extend_pv,
    is_drawn_by_rule,
    quiescence,
    table_answer,
)
from .rules import repetitions
from .state import MAX_PLY
from .statistics import CUTOFFS, FIRST_MOVE_CUTOFFS, LEAVES, REPETITIONS, RETURNS, TERMINALS, count
from .transposition import (
    LOWER,
    MATE,
    MATE_BOUND,
    UPPER,
    entry_move,
    entry_score,
    probe_table,
    store_table,
)

INFINITE = np.int64(MATE + 1)
NO, YES = np.int64(0), np.int64(1)


@kernel
def is_draw(searcher, node):
    """Draw inside the tree: a first repetition, or by rule."""
    length = searcher.key_base + node.ply + 1
    if repetitions(searcher.keys, length, node.position.halfmove) > 0:
        count(searcher, REPETITIONS)
        return True
    return is_drawn_by_rule(searcher, node)


@kernel
def follow_last_line(searcher):
    """From the root on, moves of the line found last are known by `on_last_line`."""
    length = searcher.pv_length[0]
    for ply in range(length):
        searcher.last_line[ply] = searcher.pv[0, ply]
    searcher.last_line[length] = NO_MOVE
    searcher.on_last_line[0] = 1


@kernel
def settle_node(searcher, parameters, node, alpha, beta):
    """What a node is worth without a search: (known, value, alpha, beta).

    Below the root: draws, and a window narrowed to the mates still possible.
    """
    ply = node.ply
    searcher.keys[searcher.key_base + ply] = node.position.key
    if ply == 0:
        follow_last_line(searcher)
        return False, NO, alpha, beta
    searcher.seldepth = max(searcher.seldepth, ply)
    searcher.pv_length[ply] = 0
    if is_draw(searcher, node):
        return True, draw_score(parameters, ply), alpha, beta
    if parameters.mate_distance_pruning:
        alpha = max(alpha, -MATE + ply)
        beta = min(beta, MATE - ply - 1)
    return alpha >= beta, alpha, alpha, beta


@kernel
def consult_table(searcher, parameters, node, depth, alpha, beta):
    """What earlier searches tell of a node: (answer or UNKNOWN, alpha, beta, data, hint).

    An answer ends a zero-window node; the root is always searched. Intervals may also narrow the
    window.
    """
    ply = node.ply
    data, hint = EMPTY, NO_MOVE
    answer = UNKNOWN
    if parameters.exact_depth_entries:
        if ply > 0 and node.position.halfmove < NEAR_FIFTY_MOVES:
            answer, alpha, beta, hint = narrow_by_interval(searcher, node, depth, alpha, beta)
    elif parameters.transposition_table:
        data = probe_table(searcher, node.position.key)
        hint = entry_move(data)
        if ply > 0 and beta - alpha == 1 and searcher.excluded[ply] == NO_MOVE:
            answer = table_answer(parameters, node, data, depth, alpha, beta)
    if ply == 0 and searcher.root_move:
        hint = searcher.root_move
    elif hint == NO_MOVE and parameters.pv_hint and searcher.on_last_line[ply]:
        hint = searcher.last_line[ply]
    return answer, alpha, beta, data, hint


class Outlook(NamedTuple):
    """What is known of a node before any of its moves is tried."""

    depth: int
    pv_node: bool
    static_eval: int
    improving: int  # 1 if the side to move stands better than at its last turn, else 0


@kernel
def assess_node(searcher, parameters, node, depth, pv_node):
    """The outlook of a node; its static evaluation is kept for the plies to come."""
    ply = node.ply
    static_eval = evaluate(node.position, node.accumulator, parameters)
    static_eval += correction_of(searcher, parameters, node.position)
    searcher.static_evals[ply] = UNKNOWN if node.checkers else static_eval
    improving = NO
    if ply >= 2 and not node.checkers:
        before = searcher.static_evals[ply - 2]
        improving = YES if before != UNKNOWN and static_eval > before else NO
    return Outlook(depth, pv_node, static_eval, improving)


@kernel
def cut_by_evaluation(searcher, parameters, node, outlook, alpha, beta):
    """Reverse futility and razoring: the value of a node that needs no search, or UNKNOWN."""
    depth, static_eval = outlook.depth, outlook.static_eval
    kept = least_expected(parameters, depth, static_eval, beta, outlook.improving)
    if kept >= beta:
        return kept
    if is_below_reach(parameters, depth, static_eval, alpha):
        score = quiescence(searcher, parameters, node, alpha, beta)
        if searcher.stopped or score <= alpha:
            return score
    return UNKNOWN


@kernel
def reduction_of(searcher, parameters, node, outlook, move, searched):
    """The plies by which a move's first search is shortened."""
    if node.checkers or is_noisy(move) or not parameters.late_move_reductions:
        return NO
    merit = history_of(searcher, parameters, node.position.side, move, node.ply)
    return late_move_reduction(
        parameters, outlook.depth, searched, outlook.pv_node, outlook.improving, merit
    )


@kernel
def skip_limit(searcher, parameters, node, outlook, move, searched, reduction, alpha):
    """What a move that need not be searched is taken to be worth at most; else UNKNOWN.

    It is at most alpha: by futility a margin above the static evaluation, and for late quiets and
    lost exchanges the evaluation itself, as standing pat is in quiescence. The node's value may not
    be below it, or the table would be told of a proof that nobody has made. Once it is too late for
    one quiet, it is for all of them.
    """
    depth = outlook.depth
    quiet = not is_noisy(move)
    as_it_stands = min(alpha, outlook.static_eval)
    if quiet:
        if is_late(parameters, depth, searched, outlook.improving):
            skip_quiets(searcher, node.ply)
            return as_it_stands
        limit = futility_limit(parameters, depth - reduction, outlook.static_eval)
        if limit <= alpha and not gives_direct_check(node.position, move):
            return limit
    if loses_exchange(parameters, node.position, move, depth, quiet):
        return as_it_stands
    return UNKNOWN


@kernel
def count_cutoff(searcher, searched):
    """A node was cut by the last of the moves `searched`."""
    count(searcher, CUTOFFS)
    if searched == 1:
        count(searcher, FIRST_MOVE_CUTOFFS)


@kernel
def is_left_out(searcher, move):
    """Whether a root move is not to be searched."""
    for index in range(searcher.left_out_count):
        if searcher.left_out[index] == move:
            return True
    return False


@kernel
def note_root_move(searcher, move):
    """For those who watch the search from another thread."""
    searcher.current_move = move
    searcher.current_number += 1


@kernel
def raise_alpha(searcher, move, score, ply):
    """`move` is the best so far: keep its line, and at the root the move itself."""
    extend_pv(searcher, ply, move)
    if ply == 0:
        searcher.root_move = move
        searcher.root_score = score


@kernel
def teaches(best, bound, static_eval, best_move):
    """Whether a node's result says that its static evaluation is wrong, and on which side."""
    if (best_move != NO_MOVE and is_noisy(best_move)) or abs(best) >= MATE_BOUND:
        return False
    if bound == LOWER:
        return best > static_eval
    return bound != UPPER or best < static_eval


@kernel
def remember_node(searcher, parameters, node, best_move, best, static_eval, depth, alpha, beta):
    """Keep a node's result, found with window (alpha, beta), in table and correction history."""
    bound = bound_of(best, alpha, beta)
    if parameters.correction_history and not node.checkers:
        if teaches(best, bound, static_eval, best_move):
            update_correction(searcher, node.position, depth, best - static_eval)
    if parameters.exact_depth_entries:
        store_interval(searcher, node, best_move, best, depth, bound)
    elif parameters.transposition_table:
        store_table(searcher, node.position.key, best_move, best, depth, bound, node.ply)


@kernel
def value_without_moves(searcher, parameters, node, alpha, whole_node):
    """Of a node where no move could be searched: mate or stalemate, or nothing beside those left
    out."""
    if not whole_node:
        return alpha
    count(searcher, TERMINALS)
    return -MATE + node.ply if node.checkers else draw_score(parameters, node.ply)


@kernel
def is_passed_over(searcher, move, ply):
    """Whether a move is not for this search: the one a singular search leaves out, or one that the
    root does."""
    return move == searcher.excluded[ply] or (ply == 0 and is_left_out(searcher, move))


@step
def value_of_passing(searcher, parameters, node, depth, beta, static_eval):
    """Null move: what the node is worth to one who passes, proved again far from the leaves."""
    null_depth = depth - 1 - null_reduction(parameters, depth, beta, static_eval)
    child = enter_null(searcher, node)
    again = parameters.null_move_twice
    score = -search(searcher, parameters, child, null_depth, -beta, -beta + 1, again)
    needs_proof = depth >= parameters.null_move_verified_depth and not searcher.stopped
    if score >= beta and needs_proof:
        score = search(searcher, parameters, node, null_depth, beta - 1, beta, NO)
    return score


@step
def value_of_captures(searcher, parameters, node, hint, depth, goal, static_eval):
    """ProbCut: the value of the first capture that reaches `goal` at reduced depth, else less."""
    ply = node.ply
    score = -INFINITE
    start_picking(searcher, node, NO_MOVE)
    while score < goal and not searcher.stopped:
        move = next_winning(searcher, parameters, node, hint, goal - static_eval)
        if move == NO_MOVE:
            break
        child = enter_child(searcher, parameters, node, move, searcher.list_end[ply])
        score = -quiescence(searcher, parameters, child, -goal, -goal + 1)
        if score >= goal:
            score = -search(searcher, parameters, child, depth - 4, -goal, -goal + 1, YES)
        if score >= goal and not searcher.stopped:
            store_table(searcher, node.position.key, move, score, depth - 3, LOWER, ply)
    return score


@step
def cut_early(searcher, parameters, node, outlook, hint, alpha, beta, null_allowed):
    """The value of a zero-window node that is known before its moves are tried, or UNKNOWN."""
    depth, static_eval = outlook.depth, outlook.static_eval
    score = cut_by_evaluation(searcher, parameters, node, outlook, alpha, beta)
    if score != UNKNOWN:
        return score
    if null_allowed and may_pass(parameters, node, depth, beta, static_eval):
        score = value_of_passing(searcher, parameters, node, depth, beta, static_eval)
        if searcher.stopped:
            return NO
        if score >= beta:
            return beta if score >= MATE_BOUND else score
    if may_probcut(parameters, depth, beta):
        goal = beta + parameters.probcut_margin_cp
        score = value_of_captures(searcher, parameters, node, hint, depth, goal, static_eval)
        if searcher.stopped or score >= goal:
            return score
    return UNKNOWN


@step
def verify_hint(searcher, parameters, node, data, hint, depth):
    """Singular extension: (plies that the hint is extended by, bound of the other moves).

    They are searched to half the depth, against a goal below what the table knows of the hint. The
    bound is -INFINITE where they do not reach it.
    """
    ply = node.ply
    goal = entry_score(data, ply) - parameters.singular_margin_cp * depth
    searcher.excluded[ply] = hint
    score = search(searcher, parameters, node, (depth - 1) // 2, goal - 1, goal, NO)
    searcher.excluded[ply] = NO_MOVE
    if score < goal:
        return YES, -INFINITE
    return NO, score


@step
def value_of_move(searcher, parameters, child, depth, reduction, full_window, alpha, beta):
    """Principal variation search of one move: reduced, then at full depth, then in the window."""
    score = alpha + 1
    if reduction > 0:
        score = -search(searcher, parameters, child, depth - reduction, -alpha - 1, -alpha, YES)
    if score > alpha and not full_window:
        score = -search(searcher, parameters, child, depth, -alpha - 1, -alpha, YES)
    if score > alpha and (full_window or score < beta):
        score = -search(searcher, parameters, child, depth, -beta, -alpha, YES)
    return score


@step
def try_moves(searcher, parameters, node, outlook, hint, extension, depth, alpha, beta):
    """(Best value, best move, moves searched) of a node; `extension` is the hint's, in plies.

    The best move is NO_MOVE while none is better than alpha. Ends at a cut-off, or when stopped.
    """
    ply = node.ply
    pv_node = beta - alpha > 1
    start_picking(searcher, node, hint)
    best, best_move, searched = -INFINITE, NO_MOVE, NO
    while True:
        move = next_move(searcher, parameters, node, hint)
        if move == NO_MOVE:
            break
        if is_passed_over(searcher, move, ply):
            continue
        if ply == 0:
            note_root_move(searcher, move)
        reduction = reduction_of(searcher, parameters, node, outlook, move, searched)
        if ply > 0 and not pv_node and not node.checkers and best > -MATE_BOUND:
            limit = skip_limit(
                searcher, parameters, node, outlook, move, searched, reduction, alpha
            )
            if limit != UNKNOWN:
                best = max(best, limit)
                continue
        child = enter_child(searcher, parameters, node, move, searcher.list_end[ply])
        if child.checkers and not parameters.lmr_checks:
            reduction = NO
        full_depth = depth - 1 + (extension if move == hint else NO)
        full_window = searched == 0 or not parameters.principal_variation_search
        score = value_of_move(
            searcher, parameters, child, full_depth, reduction, full_window, alpha, beta
        )
        if searcher.stopped:
            break
        searched += 1
        best = max(best, score)
        if score > alpha:
            alpha = score
            best_move = move
            raise_alpha(searcher, move, score, ply)
            if score >= beta:
                count_cutoff(searcher, searched)
                reward_cutoff(searcher, parameters, node.position.side, move, depth, ply)
                break
        remember_tried(searcher, move, ply)
    return best, best_move, searched


@kernel
def search(searcher, parameters, node, depth, alpha, beta, null_allowed):
    """Value of a node searched to `depth`, from the side to move.

    Precondition alpha < beta. A result <= alpha is an upper bound and one >= beta a lower bound of
    the value at this depth; inside it is the value, and `searcher.pv[ply]` the line. With
    `stopped` set the result means nothing.
    """
    if node.checkers and parameters.check_extension:
        depth += 1
    known, value, alpha, beta = settle_node(searcher, parameters, node, alpha, beta)
    if known or searcher.stopped:
        return value
    ply = node.ply
    if depth <= 0 or ply >= parameters.search_max_ply:
        count(searcher, LEAVES)
        return quiescence(searcher, parameters, node, alpha, beta)

    answer, alpha, beta, data, hint = consult_table(searcher, parameters, node, depth, alpha, beta)
    if answer != UNKNOWN:
        count(searcher, RETURNS)
        return answer
    if hint == NO_MOVE and reduces_without_hint(parameters, depth, ply):
        depth -= 1
    pv_node = beta - alpha > 1
    whole_node = searcher.excluded[ply] == NO_MOVE and (ply > 0 or searcher.left_out_count == 0)
    zero_window = not pv_node and whole_node

    outlook = assess_node(searcher, parameters, node, depth, pv_node)
    static_eval = outlook.static_eval
    if zero_window and not node.checkers:
        score = cut_early(searcher, parameters, node, outlook, hint, alpha, beta, null_allowed)
        if score != UNKNOWN:
            return score
    extension = NO
    if whole_node and may_be_singular(parameters, node, data, hint, depth):
        extension, score = verify_hint(searcher, parameters, node, data, hint, depth)
        if searcher.stopped or (parameters.multi_cut and score >= beta and not pv_node):
            return score

    if parameters.killers_by_depth:
        searcher.killer_slot[ply] = min(depth, np.int64(MAX_PLY))
    best, best_move, searched = try_moves(
        searcher, parameters, node, outlook, hint, extension, depth, alpha, beta
    )
    if searcher.stopped:
        return NO
    if searched == 0:
        return value_without_moves(searcher, parameters, node, alpha, whole_node)
    if not parameters.fail_soft:
        best = max(alpha, min(best, beta))
    if whole_node:
        remember_node(searcher, parameters, node, best_move, best, static_eval, depth, alpha, beta)
    return best
