"""The staged move picker: moves are generated only when their turn has come.

First the hint (a table move that is legal here), before anything is generated; then captures and
promotions; then quiets, killers first; last the captures that lose material. What a node has been
given so far is kept in the searcher under its ply.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel
from .move import NO_MOVE
from .movegen import NOISY, QUIETS, generate_moves, is_legal
from .ordering import is_losing, pick_move, score_moves
from .see import see_at_least
from .statistics import GENERATIONS, count

HINT, MAKE_NOISY, WINNING, MAKE_QUIETS, QUIET, LOSING, FINISHED = (
    np.int64(stage) for stage in range(7)
)
NO, YES = np.int64(0), np.int64(1)


@kernel
def start_picking(searcher, node, hint):
    """Prepare the moves of a node; they will lie in `searcher.moves` from `node.start` on."""
    ply, start = node.ply, node.start
    known = hint != NO_MOVE and is_legal(node.position, node.checkers, hint)
    searcher.stage[ply] = HINT if known else MAKE_NOISY
    searcher.given[ply] = NO_MOVE
    searcher.noisy_cursor[ply] = start
    searcher.noisy_end[ply] = start
    searcher.quiet_cursor[ply] = start
    searcher.list_end[ply] = start
    searcher.tried_count[ply] = 0
    searcher.tried_captures_count[ply] = 0


@kernel
def skip_quiets(searcher, ply):
    """The node wants no more quiet moves."""
    if searcher.stage[ply] == QUIET or searcher.stage[ply] == MAKE_QUIETS:
        searcher.stage[ply] = LOSING


@kernel
def _make_noisy(searcher, parameters, node, hint):
    ply, start = node.ply, node.start
    end = generate_moves(node.position, NOISY, node.checkers, searcher.moves, start)
    count(searcher, GENERATIONS)
    score_moves(searcher, parameters, node, start, end, hint)
    searcher.noisy_end[ply] = searcher.list_end[ply] = end
    searcher.stage[ply] = WINNING


@kernel
def _make_quiets(searcher, parameters, node, hint):
    ply, start = node.ply, searcher.noisy_end[node.ply]
    end = generate_moves(node.position, QUIETS, node.checkers, searcher.moves, start)
    count(searcher, GENERATIONS)
    score_moves(searcher, parameters, node, start, end, hint)
    searcher.quiet_cursor[ply] = start
    searcher.list_end[ply] = end
    searcher.stage[ply] = QUIET


@kernel
def next_move(searcher, parameters, node, hint):
    """The next legal move of the node, each once; NO_MOVE when there is none left."""
    ply = node.ply
    if searcher.stage[ply] == HINT:
        searcher.stage[ply] = MAKE_NOISY
        searcher.given[ply] = hint
        return hint
    if searcher.stage[ply] == MAKE_NOISY:
        _make_noisy(searcher, parameters, node, hint)
    if searcher.stage[ply] == WINNING:
        move = _next_noisy(searcher, ply, NO)
        if move != NO_MOVE:
            return move
        searcher.stage[ply] = MAKE_QUIETS
    if searcher.stage[ply] == MAKE_QUIETS:
        _make_quiets(searcher, parameters, node, hint)
    if searcher.stage[ply] == QUIET:
        while searcher.quiet_cursor[ply] < searcher.list_end[ply]:
            move = pick_move(searcher, searcher.quiet_cursor[ply], searcher.list_end[ply])
            searcher.quiet_cursor[ply] += 1
            if move != searcher.given[ply]:
                return move
        searcher.stage[ply] = LOSING
    return _next_noisy(searcher, ply, YES)


@kernel
def next_winning(searcher, parameters, node, hint, least_cp):
    """The next capture or promotion that wins `least_cp` or more; NO_MOVE after the last."""
    if searcher.stage[node.ply] == MAKE_NOISY:
        _make_noisy(searcher, parameters, node, hint)
    while True:
        move = _next_noisy(searcher, node.ply, YES)
        if move == NO_MOVE or see_at_least(node.position, move, least_cp, parameters):
            return move


@kernel
def _next_noisy(searcher, ply, losing):
    """The next capture or promotion; without `losing` only until the first that loses material."""
    while searcher.noisy_cursor[ply] < searcher.noisy_end[ply]:
        cursor = searcher.noisy_cursor[ply]
        move = pick_move(searcher, cursor, searcher.noisy_end[ply])
        if not losing and is_losing(searcher.moves[cursor]):
            return NO_MOVE
        searcher.noisy_cursor[ply] = cursor + 1
        if move != searcher.given[ply]:
            return move
    return NO_MOVE
