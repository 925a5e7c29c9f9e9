"""The root of the search: iterative deepening, aspiration windows, and the entry point `think`."""

from __future__ import annotations

import numpy as np

from .accumulator import compute_accumulator
from .bitboard import ONE
from .evaluate import evaluate
from .jit import kernel
from .machine import clock_ns
from .move import MOVE_MASK, NO_MOVE, to_wire
from .node import root_node
from .rules import push_move
from .search import INFINITE, NO, YES, search
from .state import MAX_PLY, game_at, load_position, parameters_at, searcher_at
from .transposition import MATE, MATE_BOUND

ILLEGAL_MOVE, GAME_OVER = np.int64(-1), np.int64(-2)  # instead of a wire move


@kernel
def search_root(searcher, parameters, position, depth, previous):
    """One iteration, its window opened around the previous score and widened until it holds."""
    root = root_node(position, parameters)
    window = parameters.aspiration_window_cp
    alpha, beta = -INFINITE, INFINITE
    if window > 0 and depth >= parameters.aspiration_min_depth:
        alpha = max(alpha, previous - window)
        beta = min(beta, previous + window)
    while True:
        score = search(searcher, parameters, root, depth, alpha, beta, NO)
        if searcher.stopped or alpha < score < beta:
            return score
        window = min(INFINITE, window * parameters.aspiration_growth_pct // 100 + 1)
        if score <= alpha:
            alpha = max(-INFINITE, previous - window) if window < MATE_BOUND else -INFINITE
        else:
            beta = min(INFINITE, previous + window) if window < MATE_BOUND else INFINITE


@kernel
def catch_up(game, moves, count):
    """Play `moves[game.plies:count]` (wire moves) in the record; whether all were legal."""
    while game.plies < count:
        if push_move(game, np.uint64(moves[game.plies])) < 0:
            return False
    return True


@kernel
def _start_search(searcher, game):
    searcher.nodes = 0
    searcher.qnodes = 0
    searcher.seldepth = 0
    searcher.stopped = 0
    searcher.root_move = NO_MOVE
    searcher.root_score = 0
    searcher.pv_length[0] = 0
    searcher.excluded[:] = NO_MOVE
    searcher.tt_age = (searcher.tt_age + ONE) & np.uint64(31)
    searcher.key_base = game.key_count - 1
    for index in range(game.key_count):
        searcher.keys[index] = game.keys[index]
    for ply in range(MAX_PLY + 1):
        searcher.killers[ply, 0] = NO_MOVE
        searcher.killers[ply, 1] = NO_MOVE


@kernel
def play_first_move(searcher, parameters, position):
    """No root move was searched to its end (its captures can take for ever): the first in order."""
    first = searcher.given[0]
    searcher.root_move = first if first != NO_MOVE else searcher.moves[0] & MOVE_MASK
    searcher.root_score = evaluate(position, compute_accumulator(position, parameters), parameters)
    searcher.pv[0, 0] = searcher.root_move
    searcher.pv_length[0] = np.int64(1)


@kernel
def is_over(searcher, game, depth, soft_ns):
    """Whether no iteration after `depth` may start."""
    if searcher.stopped or searcher.nodes >= searcher.node_limit:
        return True
    if MATE - abs(searcher.root_score) <= depth:
        return True  # a forced mate that more depth cannot shorten
    return soft_ns > 0 and (game.move_count == 1 or clock_ns() - searcher.started_ns >= soft_ns)


@kernel
def think(
    searcher_address,
    parameters_address,
    game_address,
    moves,
    count,
    node_limit,
    first_depth,
    last_depth,
    soft_ns,
    hard_ns,
):
    """Search the position after `moves[:count]` until a limit; the best move and what it took.

    The addresses are those of a SEARCHER_DTYPE, a PARAMETERS_DTYPE and a GAME_DTYPE record.
    moves : uint16[>= count], wire moves of the whole game. Limits of 0 are none; `soft_ns` stops
    before a new iteration, `hard_ns` inside one. There is always a move to play. A search
    begins with `first_depth` 1; a higher one goes on with the same search, so that iterations asked
    for one by one are those of a single call. `searcher.finished` tells whether a limit other than
    `last_depth` ended it. Returns int64 (wire move, score, depth, seldepth, nodes, qnodes,
    elapsed_ns); the move is ILLEGAL_MOVE if `moves` holds one, GAME_OVER if there is no legal move.
    """
    searcher = searcher_at(searcher_address)
    parameters = parameters_at(parameters_address)
    game = game_at(game_address)
    if first_depth == 1:
        searcher.started_ns = clock_ns()
        if not catch_up(game, moves, count):
            return ILLEGAL_MOVE, NO, NO, NO, NO, NO, NO
        if game.move_count == 0:
            return GAME_OVER, NO, NO, NO, NO, NO, NO
        _start_search(searcher, game)
        searcher.node_limit = node_limit if node_limit > 0 else np.int64(1 << 62)
        searcher.deadline_ns = searcher.started_ns + hard_ns if hard_ns > 0 else np.int64(1 << 62)
    position = load_position(game)
    last = last_depth if 0 < last_depth < MAX_PLY else np.int64(MAX_PLY - 1)
    done = first_depth - 1
    for depth in range(first_depth, last + 1):
        score = search_root(searcher, parameters, position, np.int64(depth), searcher.root_score)
        if not searcher.stopped:
            done = np.int64(depth)
            searcher.root_score = score
        elif searcher.root_move == NO_MOVE:
            play_first_move(searcher, parameters, position)
        searcher.finished = YES if is_over(searcher, game, depth, soft_ns) else NO
        if searcher.finished:
            break
    return (
        np.int64(to_wire(searcher.root_move, game.side)),
        searcher.root_score,
        done,
        searcher.seldepth,
        searcher.nodes,
        searcher.qnodes,
        clock_ns() - searcher.started_ns,
    )
