"""The sink that evaluation terms feed, packed weights, and the placement term.

A term is written once, for one side, and calls `feed(trace, weights, index, count)` for each of its
weights. With `trace` None (a type of its own to the compiler, so the branch is pruned) that is
`weights[index] * count`; with an array the count is also recorded in `trace[index]`. The evaluation
is our sum less theirs; a whole trace has a row for each side, ours first, so `(trace[0] - trace[1])
@ weights` is exactly what the terms of both sides amount to.

Weights are pairs packed in one int64: `middlegame + (endgame << 32)`; sums and integer multiples
of packed pairs are packed pairs. Squares are seen from the owner.
"""

from __future__ import annotations

import numpy as np

from .bitboard import FLIP, ONE, lsb
from .jit import kernel
from .move import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from .position import piece_sets
from .weights import EVALUATION

LENGTHS = {term.name: len(term.middlegame) for term in EVALUATION}
OFFSETS = {name: sum(list(LENGTHS.values())[:number]) for number, name in enumerate(LENGTHS)}
WEIGHT_COUNT = sum(LENGTHS.values())

#: Index of each piece's value; the king has none.
VALUE_INDEX = np.array(
    [OFFSETS[f"{name}_value"] for name in ("pawn", "knight", "bishop", "rook", "queen")] + [-1],
    np.int64,
)
#: Index of each piece's a1 weight; boards are kept a1 first in the weight vector.
SQUARES_INDEX = np.array(
    [OFFSETS[f"{name}_squares"] for name in ("pawn", "knight", "bishop", "rook", "queen", "king")],
    np.int64,
)
MAX_PHASE = np.int64(24)
PHASE = np.array([0, 1, 1, 2, 4, 0, 0], np.int64)  # by piece; the start position has 24

PERCENT = np.int64(100)
NOT_TURNED = np.uint64(0)
OURS, THEIRS = np.int64(0), np.int64(1)  # rows of a trace

_HALF_WORD = np.int64(1 << 31)
_LOW_WORD = np.int64((1 << 32) - 1)


@kernel
def middlegame(packed):
    """The low half of a packed pair, signed."""
    return ((packed + _HALF_WORD) & _LOW_WORD) - _HALF_WORD


@kernel
def endgame(packed):
    """The high half of a packed pair, signed."""
    return (packed + _HALF_WORD) >> np.int64(32)


@kernel
def taper(packed, phase, scale_pct):
    """Centipawns between middlegame (phase 24 or more) and endgame (0), rounded down.

    The endgame half counts `scale_pct` percent.
    """
    share = min(phase, MAX_PHASE)
    middle = middlegame(packed) * share * PERCENT
    return (middle + endgame(packed) * (MAX_PHASE - share) * scale_pct) // (MAX_PHASE * PERCENT)


@kernel
def feed(trace, weights, index, count):
    """`count` times a weight; recorded when there is a trace."""
    if trace is not None:
        trace[index] += count
    return weights[index] * count


@kernel
def row(trace, side):
    """One side's row of a whole trace, or None."""
    if trace is None:
        return None
    return trace[side]


@kernel
def _feed_pieces(trace, weights, piece, pieces, turn):
    score = np.int64(0)
    while pieces:
        square = np.int64(lsb(pieces) ^ turn)
        score += feed(trace, weights, SQUARES_INDEX[piece] + square, np.int64(1))
        if piece != KING:
            score += feed(trace, weights, VALUE_INDEX[piece], np.int64(1))
        pieces &= pieces - ONE
    return score


@kernel
def placement(position, weights, trace):
    """Material and piece-square tables, from nothing; the accumulator keeps this sum running."""
    sets = piece_sets(position)
    kinds = (PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING)
    score = np.int64(0)
    for index in range(6):
        ours = sets[index] & position.ours
        theirs = sets[index] & position.theirs
        score += _feed_pieces(row(trace, OURS), weights, kinds[index], ours, NOT_TURNED)
        score -= _feed_pieces(row(trace, THEIRS), weights, kinds[index], theirs, FLIP)
    return score
