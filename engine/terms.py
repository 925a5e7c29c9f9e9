"""Evaluation terms. Each is written once and feeds a sink: a sum for the search, a trace to tune.

A term calls `feed(trace, weights, index, count)` for each of its weights. With `trace` None (a type
of its own to the compiler, so the branch is pruned) that is `weights[index] * count`; with an array
the count is also recorded in `trace[index]`. Hence `trace @ weights` is the evaluation, exactly.

Weights are pairs packed in one int64: `middlegame + (endgame << 32)`; sums and integer multiples
of packed pairs are packed pairs. Counts are ours minus theirs; squares are seen from the owner.
"""

from __future__ import annotations

import numpy as np

from .bitboard import FLIP, ONE, lsb
from .jit import kernel
from .move import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from .weights import EVALUATION


def _offsets() -> dict[str, int]:
    offsets, offset = {}, 0
    for term in EVALUATION:
        offsets[term.name] = offset
        offset += len(term.middlegame)
    return offsets


OFFSETS = _offsets()
WEIGHT_COUNT = sum(len(term.middlegame) for term in EVALUATION)

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
TEMPO_INDEX = np.int64(OFFSETS["tempo"])

MAX_PHASE = np.int64(24)
PHASE = np.array([0, 1, 1, 2, 4, 0, 0], np.int64)  # by piece; the start position has 24

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
def taper(packed, phase):
    """Centipawns between middlegame (phase 24 or more) and endgame (0), rounded down."""
    share = min(phase, MAX_PHASE)
    return (middlegame(packed) * share + endgame(packed) * (MAX_PHASE - share)) // MAX_PHASE


@kernel
def feed(trace, weights, index, count):
    """`count` times a weight; recorded when there is a trace."""
    if trace is not None:
        trace[index] += count
    return weights[index] * count


@kernel
def _feed_piece(trace, weights, piece, square, count):
    score = feed(trace, weights, SQUARES_INDEX[piece] + np.int64(square), count)
    if piece != KING:
        score += feed(trace, weights, VALUE_INDEX[piece], count)
    return score


@kernel
def _feed_pieces(trace, weights, piece, pieces, turn, count):
    score = np.int64(0)
    while pieces:
        score += _feed_piece(trace, weights, piece, lsb(pieces) ^ turn, count)
        pieces &= pieces - ONE
    return score


@kernel
def placement(position, weights, trace):
    """Material and piece-square tables, from nothing; the accumulator keeps this sum running."""
    queens = position.diagonals & position.orthogonals
    sets = (
        position.pawns,
        position.knights,
        position.diagonals ^ queens,
        position.orthogonals ^ queens,
        queens,
        position.kings,
    )
    kinds = (PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING)
    score = np.int64(0)
    for index in range(6):
        ours = sets[index] & position.ours
        theirs = sets[index] & position.theirs
        score += _feed_pieces(trace, weights, kinds[index], ours, np.uint64(0), np.int64(1))
        score += _feed_pieces(trace, weights, kinds[index], theirs, FLIP, np.int64(-1))
    return score


@kernel
def tempo(weights, trace):
    """The bonus of the side to move."""
    return feed(trace, weights, TEMPO_INDEX, np.int64(1))


@kernel
def positional(position, weights, trace):
    """Every term that is not kept running in the accumulator."""
    return tempo(weights, trace)
