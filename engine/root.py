"""The root of the search: iterative deepening, aspiration windows, and the entry points.

A search is `start_search` and then `think`, once for all iterations or step by step. What the steps
share is kept in the searcher's record.
"""

from __future__ import annotations

import numpy as np

from .accumulator import compute_accumulator
from .bitboard import ONE
from .evaluate import evaluate
from .history import forget_killers
from .jit import kernel
from .machine import clock_ns
from .move import NO_MOVE, to_wire
from .node import root_node
from .rules import push_move
from .search import INFINITE, NO, YES, search
from .state import MAX_PLY, game_at, load_position, parameters_at, searcher_at
from .transposition import EXACT, LOWER, MATE, MATE_BOUND, UPPER

ILLEGAL_MOVE, GAME_OVER, STARTED = np.int64(-1), np.int64(-2), np.int64(0)
NEVER = np.int64(1 << 62)  # a deadline or a number of nodes that is not reached


@kernel
def open_window(searcher, parameters, depth):
    """The first window of an iteration: around the last iteration's score, or everything."""
    window = parameters.aspiration_window_cp
    searcher.window_cp = window
    searcher.window_centre = searcher.root_score
    searcher.root_alpha = -INFINITE
    searcher.root_beta = INFINITE
    if window > 0 and depth >= parameters.aspiration_min_depth:
        searcher.root_alpha = max(-INFINITE, searcher.root_score - window)
        searcher.root_beta = min(INFINITE, searcher.root_score + window)


@kernel
def widen_window(searcher, parameters, bound):
    """Move the side that failed away from the centre, each time further; at last open both."""
    window = min(INFINITE, searcher.window_cp * parameters.aspiration_growth_pct // 100 + 1)
    searcher.window_cp = window
    if window >= MATE_BOUND:
        searcher.root_alpha, searcher.root_beta = -INFINITE, INFINITE
    elif bound == UPPER:
        searcher.root_alpha = max(-INFINITE, searcher.window_centre - window)
    else:
        searcher.root_beta = min(INFINITE, searcher.window_centre + window)


@kernel
def search_root(searcher, parameters, position, depth):
    """Search the root once with its window, which is widened if it fails; the score."""
    searcher.current_number = 0
    root = root_node(position, parameters)
    alpha, beta = searcher.root_alpha, searcher.root_beta
    score = search(searcher, parameters, root, depth, alpha, beta, NO)
    if not searcher.stopped:
        if score <= searcher.root_alpha:
            searcher.root_bound = UPPER
            widen_window(searcher, parameters, UPPER)
        elif score >= searcher.root_beta:
            searcher.root_bound = LOWER
            widen_window(searcher, parameters, LOWER)
        else:
            searcher.root_bound = EXACT
    return score


@kernel
def settle_iteration(searcher, score):
    """A line's iteration is through: its score, and whether the best move is still the same."""
    searcher.root_score = score
    if searcher.line > 0:
        return
    searcher.best_score = score
    searcher.score_drop = searcher.window_centre - score
    searcher.stable_iterations += 1
    if searcher.root_move != searcher.settled_move:
        searcher.stable_iterations = 0
    searcher.settled_move = searcher.root_move


@kernel
def catch_up(game, moves, count):
    """Play `moves[game.plies:count]` (wire moves) in the record; whether all were legal."""
    while game.plies < count:
        if push_move(game, np.uint64(moves[game.plies])) < 0:
            return False
    return True


@kernel
def _forget_last_search(searcher, game):
    searcher.nodes = 0
    searcher.qnodes = 0
    searcher.counts[:] = 0
    searcher.seldepth = 0
    searcher.stopped = 0
    searcher.finished = 0
    searcher.line = 0
    searcher.line_count = 1
    searcher.root_depth = 0
    searcher.root_move = NO_MOVE
    searcher.root_score = 0
    searcher.root_bound = EXACT
    searcher.best_score = 0
    searcher.settled_move = NO_MOVE
    searcher.stable_iterations = 0
    searcher.score_drop = 0
    searcher.left_out_count = 0
    searcher.current_move = NO_MOVE
    searcher.current_number = 0
    searcher.pv_length[0] = 0
    searcher.excluded[:] = NO_MOVE
    searcher.key_base = game.key_count - 1
    for index in range(game.key_count):
        searcher.keys[index] = game.keys[index]
    forget_killers(searcher)


@kernel
def start_search(
    searcher_address, game_address, moves, count, node_limit, soft_ns, hard_ns, mate_plies
):
    """Begin to search the position after `moves[:count]`.

    The addresses are those of a SEARCHER_DTYPE and a GAME_DTYPE record.
    moves : uint16[>= count], wire moves of the whole game. Limits of 0 are none; `soft_ns` stops
    before a new iteration, `hard_ns` inside one, a mate within `mate_plies` after one.
    Returns STARTED, ILLEGAL_MOVE if `moves` holds one, or GAME_OVER if there is no legal move.
    """
    searcher = searcher_at(searcher_address)
    game = game_at(game_address)
    searcher.started_ns = clock_ns()
    if not catch_up(game, moves, count):
        return ILLEGAL_MOVE
    if game.move_count == 0:
        return GAME_OVER
    _forget_last_search(searcher, game)
    searcher.tt_age = (searcher.tt_age + ONE) & np.uint64(31)
    searcher.node_limit = node_limit if node_limit > 0 else NEVER
    searcher.clock_started_ns = searcher.started_ns
    searcher.soft_ns = soft_ns
    searcher.deadline_ns = searcher.started_ns + hard_ns if hard_ns > 0 else NEVER
    searcher.mate_plies = mate_plies
    return STARTED


@kernel
def play_current_move(searcher, parameters, position):
    """No root move was searched to its end (its captures can take for ever): the one begun."""
    searcher.root_move = searcher.current_move
    searcher.root_score = evaluate(position, compute_accumulator(position, parameters), parameters)
    searcher.pv[0, 0] = searcher.root_move
    searcher.pv_length[0] = np.int64(1)


@kernel
def time_share_pct(searcher, parameters):
    """How much of an average move's time this one gets: more in doubt, less when all is clear."""
    share = np.int64(100) + parameters.new_move_time_pct
    share -= parameters.stable_move_time_pct * min(
        searcher.stable_iterations, parameters.stable_move_iterations
    )
    drop = min(searcher.score_drop, parameters.score_drop_max_cp)
    return share + parameters.score_drop_time_pct * max(np.int64(0), drop)


@kernel
def is_over(searcher, parameters, depth, choices):
    """Whether nothing may be searched after an iteration of `depth` over `choices` root moves."""
    if searcher.stopped or searcher.nodes >= searcher.node_limit:
        return True
    if MATE - abs(searcher.best_score) <= depth:
        return True  # a forced mate that more depth cannot shorten
    if searcher.best_score >= MATE - searcher.mate_plies:
        return True
    if choices == 1 and searcher.deadline_ns < NEVER:
        return True
    if searcher.soft_ns == 0:
        return False
    budget_ns = searcher.soft_ns // 100 * time_share_pct(searcher, parameters)
    return clock_ns() - searcher.clock_started_ns >= budget_ns


@kernel
def bound_reached(searcher):
    """What the score is when the search is stopped: of an iteration, or better than its result."""
    if searcher.root_move != searcher.settled_move:
        return LOWER
    return EXACT if searcher.root_score == searcher.window_centre else LOWER


@kernel
def deepen(searcher, parameters, game, first_depth, last_depth, step_by_step):
    """Iterative deepening, as `think` describes it."""
    position = load_position(game)
    depth = first_depth
    done = first_depth - 1
    score = searcher.root_score
    bound = EXACT
    while depth <= last_depth and not searcher.finished:
        searcher.root_depth = depth
        if searcher.root_bound == EXACT:
            open_window(searcher, parameters, depth)
        score = search_root(searcher, parameters, position, depth)
        if searcher.stopped:
            if searcher.root_move == NO_MOVE:
                play_current_move(searcher, parameters, position)
            else:
                bound = bound_reached(searcher)
            score = searcher.root_score
        else:
            bound = searcher.root_bound
            if bound == EXACT:
                settle_iteration(searcher, score)
                done = depth
                depth += 1
        if searcher.stopped or (bound == EXACT and searcher.line == searcher.line_count - 1):
            choices = game.move_count - searcher.left_out_count + searcher.line
            searcher.finished = YES if is_over(searcher, parameters, done, choices) else NO
        if step_by_step and bound != EXACT:
            break
    return (
        np.int64(to_wire(searcher.root_move, game.side)),
        score,
        done,
        searcher.seldepth,
        searcher.nodes,
        searcher.qnodes,
        np.int64(bound),
        clock_ns() - searcher.started_ns,
    )


@kernel
def think(
    searcher_address, parameters_address, game_address, first_depth, last_depth, step_by_step
):
    """Search, after `start_search`, from `first_depth` to `last_depth` or a limit.

    1 <= first_depth <= last_depth < MAX_PLY. With `step_by_step` an iteration whose window has
    failed is left, too, and the next call with its depth goes on; so the steps are those of a
    single call. `searcher.finished` tells whether a limit other than `last_depth` ended it.
    Returns int64 (wire move, score, depth, seldepth, nodes, qnodes, bound, elapsed_ns). `depth` is
    that of the last iteration that is through; a bound other than EXACT is one of the next.
    There is always a move to play.
    """
    searcher = searcher_at(searcher_address)
    parameters = parameters_at(parameters_address)
    game = game_at(game_address)
    return deepen(searcher, parameters, game, first_depth, last_depth, step_by_step)


@kernel
def help_search(helper_address, searcher_address, parameters_address, game_address, first_depth):
    """Search along with a searcher that has started, until its stop flag is raised (Lazy SMP).

    The helper, a SEARCHER_DTYPE record too, fills the same table; its own result is not looked at.
    Beginning at another `first_depth` it is elsewhere in the tree than its companions.
    """
    helper = searcher_at(helper_address)
    searcher = searcher_at(searcher_address)
    game = game_at(game_address)
    _forget_last_search(helper, game)
    helper.tt_address = searcher.tt_address
    helper.tt_shift = searcher.tt_shift
    helper.tt_generation = searcher.tt_generation
    helper.tt_age = searcher.tt_age
    helper.stop_address = searcher.stop_address
    helper.node_limit = searcher.node_limit
    helper.deadline_ns = NEVER
    for index in range(searcher.left_out_count):
        helper.left_out[index] = searcher.left_out[index]
    helper.left_out_count = searcher.left_out_count
    parameters = parameters_at(parameters_address)
    deepen(helper, parameters, game, first_depth, np.int64(MAX_PLY - 1), NO)
