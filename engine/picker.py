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

HINT, MAKE_NOISY, WINNING, MAKE_QUIETS, QUIET, LOSING, FINISHED = (
    np.int64(stage) for stage in range(7)
)
NO, YES = np.int64(0), np.int64(1)


@kernel
def start_picking(searcher, position, checkers, hint, ply, start):
    """Prepare the moves of a node; they will lie in `searcher.moves` from `start` on."""
    known = hint != NO_MOVE and is_legal(position, checkers, hint)
    searcher.stage[ply] = HINT if known else MAKE_NOISY
    searcher.given[ply] = NO_MOVE
    searcher.noisy_cursor[ply] = start
    searcher.noisy_end[ply] = start
    searcher.quiet_cursor[ply] = start
    searcher.list_end[ply] = start


@kernel
def skip_quiets(searcher, ply):
    """The node wants no more quiet moves."""
    if searcher.stage[ply] == QUIET or searcher.stage[ply] == MAKE_QUIETS:
        searcher.stage[ply] = LOSING


@kernel
def next_move(searcher, parameters, position, checkers, hint, ply):
    """The next legal move of the node, each once; NO_MOVE when there is none left."""
    if searcher.stage[ply] == HINT:
        searcher.stage[ply] = MAKE_NOISY
        searcher.given[ply] = hint
        return hint
    if searcher.stage[ply] == MAKE_NOISY:
        start = searcher.noisy_cursor[ply]
        end = generate_moves(position, NOISY, checkers, searcher.moves, start)
        score_moves(searcher, parameters, position, start, end, hint, ply)
        searcher.noisy_end[ply] = searcher.list_end[ply] = end
        searcher.stage[ply] = WINNING
    if searcher.stage[ply] == WINNING:
        move = _next_noisy(searcher, ply, NO)
        if move != NO_MOVE:
            return move
        searcher.stage[ply] = MAKE_QUIETS
    if searcher.stage[ply] == MAKE_QUIETS:
        start = searcher.noisy_end[ply]
        end = generate_moves(position, QUIETS, checkers, searcher.moves, start)
        score_moves(searcher, parameters, position, start, end, hint, ply)
        searcher.quiet_cursor[ply] = start
        searcher.list_end[ply] = end
        searcher.stage[ply] = QUIET
    if searcher.stage[ply] == QUIET:
        while searcher.quiet_cursor[ply] < searcher.list_end[ply]:
            move = pick_move(searcher, searcher.quiet_cursor[ply], searcher.list_end[ply])
            searcher.quiet_cursor[ply] += 1
            if move != searcher.given[ply]:
                return move
        searcher.stage[ply] = LOSING
    return _next_noisy(searcher, ply, YES)


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
