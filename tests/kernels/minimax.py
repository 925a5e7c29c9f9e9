"""Plain minimax: what the engine's search must equal when it prunes nothing it may not prune.

No window, no ordering, no table, no running sums; the rules of a tree (a first repetition is a
draw, fifty moves with mate first, one ply more in check, captures until quiet) are written out
again. Playing out captures without a window explodes with many pieces on the board, so there the
leaves may be the engine's own quiescence with a full window instead (PRUNED_LEAVES); quiescence is
then compared by itself where there are few pieces. `searcher.node_limit` bounds the work: beyond it
`searcher.stopped` is set and the value means nothing.
"""

from __future__ import annotations

import numpy as np

from engine.accumulator import compute_accumulator
from engine.evaluate import evaluate
from engine.jit import kernel
from engine.make import make_move
from engine.movegen import ALL_MOVES, NOISY, generate_moves
from engine.node import Node
from engine.position import checkers_of
from engine.quiescence import quiescence
from engine.rules import is_insufficient_material
from engine.see import see_at_least
from engine.state import MAX_PLY, load_position
from engine.transposition import MATE

PLAIN_LEAVES, PRUNED_LEAVES = np.int64(0), np.int64(1)

_ZERO, _ONE = np.int64(0), np.int64(1)
_INFINITE = MATE + _ONE
_NEVER = np.int64(1 << 62)


@kernel
def _count(searcher):
    searcher.nodes += 1
    if searcher.nodes >= searcher.node_limit:
        searcher.stopped = 1


@kernel
def _static(position, parameters):
    return evaluate(position, compute_accumulator(position, parameters), parameters)


@kernel
def _is_skipped(parameters, position, move):
    return parameters.see_pruning and not see_at_least(
        position, move, parameters.see_threshold_cp, parameters
    )


@kernel
def _draw(parameters, ply):
    return parameters.draw_score_cp if ply % 2 == 0 else -parameters.draw_score_cp


@kernel
def _drawn_by_rule(searcher, position, checkers, start):
    """Fifty moves, unless they end in mate, or too little material."""
    if position.halfmove < 100:
        return is_insufficient_material(position)
    end = generate_moves(position, ALL_MOVES, checkers, searcher.moves, start)
    return not checkers or end > start


@kernel
def _captures_value(searcher, parameters, position, ply, start):
    checkers = checkers_of(position)
    if _drawn_by_rule(searcher, position, checkers, start):
        return _draw(parameters, ply)
    if ply >= MAX_PLY - 1 or searcher.stopped:
        return _static(position, parameters)
    best = -MATE + ply
    kinds = ALL_MOVES
    if not checkers:
        best = _static(position, parameters)
        kinds = NOISY
    end = generate_moves(position, kinds, checkers, searcher.moves, start)
    for index in range(start, end):
        move = searcher.moves[index]
        if not checkers and _is_skipped(parameters, position, move):
            continue
        _count(searcher)
        after = make_move(position, move)
        best = max(best, -_captures_value(searcher, parameters, after, ply + _ONE, end))
    return best


@kernel
def _leaf(searcher, parameters, position, ply, start, leaves):
    if leaves == PLAIN_LEAVES:
        return _captures_value(searcher, parameters, position, ply, start)
    accumulator = compute_accumulator(position, parameters)
    node = Node(position, accumulator, checkers_of(position), ply, start)
    return quiescence(searcher, parameters, node, -_INFINITE, _INFINITE)


@kernel
def _stood_before(searcher, position, ply):
    """Whether the position stood earlier in the game or line, within the reversible moves."""
    now = searcher.key_base + ply
    for back in range(2, position.halfmove + 1, 2):
        if now - back >= 0 and searcher.keys[now - back] == position.key:
            return True
    return False


@kernel
def _value(searcher, parameters, position, depth, ply, start, leaves):
    checkers = checkers_of(position)
    if checkers and parameters.check_extension:
        depth += _ONE
    searcher.keys[searcher.key_base + ply] = position.key
    if ply > 0 and (
        _stood_before(searcher, position, ply)
        or _drawn_by_rule(searcher, position, checkers, start)
    ):
        return _draw(parameters, ply)
    if depth <= 0:
        return _leaf(searcher, parameters, position, ply, start, leaves)
    end = generate_moves(position, ALL_MOVES, checkers, searcher.moves, start)
    if end == start:
        return -MATE + ply if checkers else _draw(parameters, ply)
    if ply >= MAX_PLY - 1 or searcher.stopped:
        return _static(position, parameters)
    best = -_INFINITE
    for index in range(start, end):
        _count(searcher)
        after = make_move(position, searcher.moves[index])
        value = _value(searcher, parameters, after, depth - _ONE, ply + _ONE, end, leaves)
        best = max(best, -value)
    return best


@kernel
def minimax(game, searcher, parameters, depth, leaves):
    """The value of the position in `game` at `depth`, from the side to move."""
    searcher.nodes = 0
    searcher.stopped = 0
    searcher.key_base = game.key_count - 1
    for index in range(game.key_count):
        searcher.keys[index] = game.keys[index]
    searcher.deadline_ns = _NEVER
    return _value(searcher, parameters, load_position(game), depth, _ZERO, _ZERO, leaves)
