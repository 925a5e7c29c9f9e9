"""The search: iterative deepening over negamax alpha-beta with principal variation search.

Scores are centipawns from the side to move; being mated at `ply` is -MATE + ply. Every number and
every technique's switch is a parameter.
"""

from __future__ import annotations

import numpy as np

from .accumulator import pass_accumulator, update_accumulator
from .bitboard import EMPTY
from .evaluate import evaluate
from .history import (
    NO_KIND,
    correction_of,
    history_of,
    kind_of,
    update_captures,
    update_correction,
    update_on_cutoff,
)
from .jit import kernel
from .make import make_move, make_null
from .move import NO_MOVE, is_noisy
from .movegen import ALL_MOVES, NOISY, generate_moves
from .ordering import pick_move, score_moves
from .picker import next_move, skip_quiets, start_picking
from .position import checkers_of
from .pruning import (
    gives_direct_check,
    is_above_reach,
    is_below_reach,
    is_futile,
    is_late,
    late_move_reduction,
    loses_exchange,
    may_be_singular,
    may_pass,
    may_probcut,
    null_reduction,
    reduces_without_hint,
)
from .quiescence import bound_allows, bound_of, count_node, extend_pv, quiescence
from .rules import FIFTY_MOVE_PLIES, is_insufficient_material, repetitions
from .see import see_at_least
from .state import (
    MAX_PLY,
    MAX_TRIED,
)
from .transposition import (
    LOWER,
    MATE,
    MATE_BOUND,
    UPPER,
    entry_depth,
    entry_move,
    entry_score,
    prefetch_bucket,
    probe_table,
    store_table,
)

INFINITE = np.int64(MATE + 1)
UNKNOWN = np.int64(-INFINITE - 1)
NEAR_FIFTY_MOVES = np.int64(FIFTY_MOVE_PLIES - 10)  # a table entry knows nothing of the clock
NO, YES = np.int64(0), np.int64(1)


@kernel
def draw_score(parameters, ply):
    """The score of a draw, from the side to move at `ply`."""
    return parameters.draw_score_cp if ply & 1 == 0 else -parameters.draw_score_cp


@kernel
def is_draw(searcher, position, checkers, ply, start):
    """Draw inside the tree: a first repetition, fifty moves (mate goes before), no material."""
    if position.halfmove >= FIFTY_MOVE_PLIES:
        if not checkers:
            return True
        if generate_moves(position, ALL_MOVES, checkers, searcher.moves, start) > start:
            return True
    count = searcher.key_base + ply + 1
    if repetitions(searcher.keys, count, position.halfmove) > 0:
        return True
    return is_insufficient_material(position)


@kernel
def is_improving(searcher, static_eval, checkers, ply):
    """1 if the side to move stands better than at its last turn, else 0."""
    if checkers or ply < 2:
        return NO
    before = searcher.static_evals[ply - 2]
    return YES if before != UNKNOWN and static_eval > before else NO


@kernel
def enter_child(searcher, parameters, position, accumulator, move, ply):
    """Make a move of the tree: the position, its accumulator, and who gives check there."""
    after = make_move(position, move)
    prefetch_bucket(searcher, after.key)
    count_node(searcher)
    searcher.moved[ply] = kind_of(move)
    return after, update_accumulator(accumulator, move, parameters), checkers_of(after)


@kernel
def settle_node(searcher, parameters, position, accumulator, checkers, alpha, beta, ply, start):
    """What a node below the root is worth without a search: (known, value, alpha, beta).

    Draws, the greatest ply, and a window narrowed to the mates still possible.
    """
    searcher.pv_length[ply] = 0
    if is_draw(searcher, position, checkers, ply, start):
        return True, draw_score(parameters, ply), alpha, beta
    if ply >= MAX_PLY - 1:
        return True, evaluate(position, accumulator, parameters), alpha, beta
    if parameters.mate_distance_pruning:
        alpha = max(alpha, -MATE + ply)
        beta = min(beta, MATE - ply - 1)
    return alpha >= beta, alpha, alpha, beta


@kernel
def table_answer(parameters, position, data, depth, alpha, beta, ply):
    """The score of a table entry that ends the node, or UNKNOWN."""
    if data == EMPTY or not parameters.transposition_cutoffs or entry_depth(data) < depth:
        return UNKNOWN
    if position.halfmove >= NEAR_FIFTY_MOVES:
        return UNKNOWN
    score = entry_score(data, ply)
    return score if bound_allows(data, score, alpha, beta) else UNKNOWN


@kernel
def corrected_evaluation(searcher, parameters, position, accumulator):
    """The static evaluation, moved by what earlier results said of its like."""
    value = evaluate(position, accumulator, parameters)
    if parameters.correction_history:
        value += correction_of(searcher, position)
    return value


@kernel
def is_skipped(
    searcher,
    parameters,
    position,
    move,
    quiet,
    depth,
    reduction,
    searched,
    improving,
    static_eval,
    alpha,
    ply,
):
    """Whether a move is not searched at all; once it is too late for one quiet, for all of them."""
    if quiet:
        if is_late(parameters, depth, searched, improving):
            skip_quiets(searcher, ply)
            return True
        if is_futile(parameters, depth - reduction, static_eval, alpha):
            if not gives_direct_check(position, move):
                return True
    return loses_exchange(parameters, position, move, depth, quiet)


@kernel
def reward_cutoff(searcher, parameters, side, move, depth, ply, tried, captures):
    """Teach the histories that `move` cut and that the moves searched before it did not."""
    if not is_noisy(move):
        update_on_cutoff(searcher, parameters, side, move, depth, ply, tried - 1)
    if parameters.capture_history:
        update_captures(searcher, parameters, move, depth, ply, captures)


@kernel
def teaches(best, bound, static_eval, best_move):
    """Whether a node's result says that its static evaluation is wrong, and on which side."""
    if (best_move != NO_MOVE and is_noisy(best_move)) or abs(best) >= MATE_BOUND:
        return False
    if bound == LOWER:
        return best > static_eval
    return bound != UPPER or best < static_eval


@kernel
def remember_node(
    searcher, parameters, position, checkers, best_move, best, static_eval, depth, alpha, beta, ply
):
    """Keep a node's result, found with window (alpha, beta), in table and correction history."""
    bound = bound_of(best, alpha, beta)
    if parameters.correction_history and not checkers:
        if teaches(best, bound, static_eval, best_move):
            update_correction(searcher, position, depth, best - static_eval)
    if parameters.transposition_table:
        store_table(searcher, position.key, best_move, best, depth, bound, ply)


@kernel
def search(
    searcher,
    parameters,
    position,
    accumulator,
    checkers,
    depth,
    alpha,
    beta,
    ply,
    start,
    null_allowed,
):
    """Value of a position searched to `depth`, from the side to move.

    Precondition alpha < beta. A result <= alpha is an upper bound and one >= beta a lower bound of
    the value at this depth; inside it is the value, and `searcher.pv[ply]` the line. With
    `stopped` set the result means nothing. `searcher.moves` is free from `start` on.
    """
    if checkers and parameters.check_extension:
        depth += 1
    if depth <= 0:
        return quiescence(
            searcher, parameters, position, accumulator, checkers, alpha, beta, ply, start
        )
    searcher.keys[searcher.key_base + ply] = position.key
    if ply > 0:
        known, value, alpha, beta = settle_node(
            searcher, parameters, position, accumulator, checkers, alpha, beta, ply, start
        )
        if known:
            return value
    old_alpha = alpha
    pv_node = beta - alpha > 1
    excluded = searcher.excluded[ply]
    whole_node = excluded == NO_MOVE
    zero_window = not pv_node and whole_node

    data = probe_table(searcher, position.key) if parameters.transposition_table else EMPTY
    hint = entry_move(data)
    if zero_window:
        score = table_answer(parameters, position, data, depth, alpha, beta, ply)
        if score != UNKNOWN:
            return score
    if ply == 0 and searcher.root_move:
        hint = searcher.root_move
    elif hint == NO_MOVE and reduces_without_hint(parameters, depth, ply):
        depth -= 1

    static_eval = corrected_evaluation(searcher, parameters, position, accumulator)
    searcher.static_evals[ply] = UNKNOWN if checkers else static_eval
    improving = is_improving(searcher, static_eval, checkers, ply)
    if zero_window and not checkers:
        if is_above_reach(parameters, depth, static_eval, beta, improving):
            return static_eval
        if is_below_reach(parameters, depth, static_eval, alpha):
            score = quiescence(
                searcher, parameters, position, accumulator, checkers, alpha, beta, ply, start
            )
            if searcher.stopped or score <= alpha:
                return score
        if null_allowed and may_pass(parameters, position, checkers, depth, beta, static_eval, ply):
            after = make_null(position)
            searcher.moved[ply] = NO_KIND
            prefetch_bucket(searcher, after.key)
            count_node(searcher)
            if searcher.stopped:
                return NO
            score = -search(
                searcher,
                parameters,
                after,
                pass_accumulator(accumulator),
                checkers,
                depth - 1 - null_reduction(parameters, depth, beta, static_eval),
                -beta,
                -beta + 1,
                ply + 1,
                start,
                NO,
            )
            if searcher.stopped:
                return NO
            if score >= beta:
                return beta if score >= MATE_BOUND else score

        if may_probcut(parameters, depth, beta):
            goal = beta + parameters.probcut_margin_cp
            end = generate_moves(position, NOISY, checkers, searcher.moves, start)
            score_moves(searcher, parameters, position, start, end, hint, ply)
            for index in range(start, end):
                move = pick_move(searcher, index, end)
                if not see_at_least(position, move, goal - static_eval, parameters):
                    continue
                after, running, child_checkers = enter_child(
                    searcher, parameters, position, accumulator, move, ply
                )
                if searcher.stopped:
                    return NO
                score = -quiescence(
                    searcher,
                    parameters,
                    after,
                    running,
                    child_checkers,
                    -goal,
                    -goal + 1,
                    ply + 1,
                    end,
                )
                if score >= goal and not searcher.stopped:
                    score = -search(
                        searcher,
                        parameters,
                        after,
                        running,
                        child_checkers,
                        depth - 4,
                        -goal,
                        -goal + 1,
                        ply + 1,
                        end,
                        YES,
                    )
                if searcher.stopped:
                    return NO
                if score >= goal:
                    store_table(searcher, position.key, move, score, depth - 3, LOWER, ply)
                    return score

    extension = NO
    if whole_node and may_be_singular(parameters, position, checkers, data, hint, depth, ply):
        goal = entry_score(data, ply) - parameters.singular_margin_cp * depth
        searcher.excluded[ply] = hint
        score = search(
            searcher,
            parameters,
            position,
            accumulator,
            checkers,
            (depth - 1) // 2,
            goal - 1,
            goal,
            ply,
            start,
            NO,
        )
        searcher.excluded[ply] = NO_MOVE
        if searcher.stopped:
            return NO
        if score < goal:
            extension = YES
        elif parameters.multi_cut and score >= beta and not pv_node:
            return score

    start_picking(searcher, position, checkers, hint, ply, start)
    best = -INFINITE
    best_move = NO_MOVE
    searched = NO
    tried = NO
    captures = NO
    while True:
        move = next_move(searcher, parameters, position, checkers, hint, ply)
        if move == NO_MOVE:
            break
        if move == excluded:
            continue
        end = searcher.list_end[ply]
        quiet = not is_noisy(move)
        reduction = NO
        if quiet and not checkers and parameters.late_move_reductions:
            merit = history_of(searcher, parameters, position.side, move, ply)
            reduction = late_move_reduction(parameters, depth, searched, pv_node, improving, merit)
        if ply > 0 and not pv_node and not checkers and best > -MATE_BOUND:
            if is_skipped(
                searcher,
                parameters,
                position,
                move,
                quiet,
                depth,
                reduction,
                searched,
                improving,
                static_eval,
                alpha,
                ply,
            ):
                continue
        after, running, child_checkers = enter_child(
            searcher, parameters, position, accumulator, move, ply
        )
        if searcher.stopped:
            return NO
        if child_checkers and not parameters.lmr_checks:
            reduction = NO
        full_window = searched == 0 or not parameters.principal_variation_search
        # Reduced and zero-window first; what beats alpha is searched again, deeper, then wider.
        full_depth = depth - 1
        if move == hint:
            full_depth += extension
        child_depth = full_depth - reduction
        child_beta = beta if full_window and reduction == 0 else alpha + 1
        while True:
            score = -search(
                searcher,
                parameters,
                after,
                running,
                child_checkers,
                child_depth,
                -child_beta,
                -alpha,
                ply + 1,
                end,
                YES,
            )
            if searcher.stopped:
                return NO
            if score <= alpha:
                break
            if child_depth < full_depth:
                child_depth = full_depth
                child_beta = beta if full_window else child_beta
            elif child_beta < beta and score < beta:
                child_beta = beta
            else:
                break
        searched += 1
        if quiet and tried < MAX_TRIED:
            searcher.tried[ply, tried] = move
            tried += 1
        elif not quiet and captures < MAX_TRIED:
            searcher.tried_captures[ply, captures] = move
            captures += 1
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = move
                extend_pv(searcher, ply, move)
                if ply == 0:
                    searcher.root_move = move
                    searcher.root_score = score
                if score >= beta:
                    reward_cutoff(
                        searcher, parameters, position.side, move, depth, ply, tried, captures
                    )
                    break
    if best == -INFINITE:
        if not whole_node:
            return alpha
        return -MATE + ply if checkers else draw_score(parameters, ply)
    if not parameters.fail_soft:
        best = max(old_alpha, min(best, beta))
    if whole_node:
        remember_node(
            searcher,
            parameters,
            position,
            checkers,
            best_move,
            best,
            static_eval,
            depth,
            old_alpha,
            beta,
            ply,
        )
    return best
