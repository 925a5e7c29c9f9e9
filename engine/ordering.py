"""The order in which moves are tried. A move's score is packed above its 24 bits, in one word.

Table move, then captures and promotions by victim and attacker (MVV-LVA), killers, quiets by
history, captures that lose material last.
"""

from __future__ import annotations

import numpy as np

from .history import capture_history_of, history_of
from .jit import kernel
from .move import (
    MOVE_MASK,
    NO_PIECE,
    QUEEN,
    captured_piece,
    is_noisy,
    moving_piece,
    promotion_piece,
)
from .see import see_at_least

_SCORE_SHIFT = np.uint64(24)
_SCORE_OFFSET = np.int64(1 << 24)  # scores below are within +-2^23

HINT_SCORE = np.int64(1 << 22)
NOISY_SCORE = np.int64(1 << 20)
KILLER_SCORE = np.int64(1 << 19)
LOSING_SCORE = np.int64(-(1 << 20))
LOSING_BOUND = LOSING_SCORE // 2

_PER_CENTIPAWN = np.int64(8)  # a centipawn of victim outweighs any attacker's rank, 0 to 5
_CAPTURE_HISTORY_SHARE = np.int64(10)  # a full history is worth two pawns of victim


@kernel
def _noisy_score(searcher, parameters, position, move):
    captured = captured_piece(move)
    promotion = promotion_piece(move)
    values = parameters.exchange_values
    score = values[captured] * _PER_CENTIPAWN - np.int64(moving_piece(move))
    if parameters.capture_history and captured != NO_PIECE:
        score += capture_history_of(searcher, move) // _CAPTURE_HISTORY_SHARE
    if promotion:
        gain = values[QUEEN] * _PER_CENTIPAWN
        score += gain if promotion == QUEEN else -gain
    if not parameters.see_ordering:
        return NOISY_SCORE + score
    # Taking the dearer with the cheaper never loses; only the others need the exchange.
    if captured != NO_PIECE and values[captured] >= values[moving_piece(move)]:
        return NOISY_SCORE + score
    if see_at_least(position, move, np.int64(0), parameters):
        return NOISY_SCORE + score
    return LOSING_SCORE + score


@kernel
def _quiet_score(searcher, parameters, side, move, ply):
    if parameters.killers:
        slot = searcher.killer_slot[ply]
        if move == searcher.killers[slot, 0]:
            return KILLER_SCORE + np.int64(1)
        if move == searcher.killers[slot, 1]:
            return KILLER_SCORE
    return history_of(searcher, parameters, side, move, ply)


@kernel
def score_moves(searcher, parameters, node, start, end, hint):
    """Pack its score above each of `moves[start:end]`."""
    for index in range(start, end):
        move = searcher.moves[index]
        if move == hint:
            score = HINT_SCORE
        elif is_noisy(move):
            score = _noisy_score(searcher, parameters, node.position, move)
        else:
            score = _quiet_score(searcher, parameters, node.position.side, move, node.ply)
        searcher.moves[index] = (np.uint64(score + _SCORE_OFFSET) << _SCORE_SHIFT) | move


@kernel
def pick_move(searcher, index, end):
    """Rotate the best of `moves[index:end]` to `index` and return it; the first of equals wins.

    The others keep their order. Sorting the whole list would be wasted on nodes that are cut.
    """
    best = index
    for other in range(index + 1, end):
        if searcher.moves[other] >> _SCORE_SHIFT > searcher.moves[best] >> _SCORE_SHIFT:
            best = other
    chosen = searcher.moves[best]
    for other in range(best, index, -1):
        searcher.moves[other] = searcher.moves[other - 1]
    searcher.moves[index] = chosen
    return chosen & MOVE_MASK


@kernel
def is_losing(packed):
    """Whether the packed move is a capture that was found to lose material."""
    return np.int64(packed >> _SCORE_SHIFT) - _SCORE_OFFSET < LOSING_BOUND
