"""Pawn structure and passed pawns. Each term is the sum of one side's pawns, seen from its end."""

from __future__ import annotations

import numpy as np

from .attacks import pawn_attacks, pawn_attacks_down
from .bitboard import ONE, U8, lsb, popcount
from .geometry import KING_DISTANCE, beside, fill_down, fill_up
from .jit import inlined, kernel
from .terms import OFFSETS, feed

ISOLATED_PAWN = np.int64(OFFSETS["isolated_pawn"])
DOUBLED_PAWN = np.int64(OFFSETS["doubled_pawn"])
BACKWARD_PAWN = np.int64(OFFSETS["backward_pawn"])
PHALANX_PAWN = np.int64(OFFSETS["phalanx_pawn"])
SUPPORTED_PAWN = np.int64(OFFSETS["supported_pawn"])
PASSED_PAWN = np.int64(OFFSETS["passed_pawn"])
FREE_PASSED_PAWN = np.int64(OFFSETS["free_passed_pawn"])
PASSED_OWN_KING = np.int64(OFFSETS["passed_own_king"])
PASSED_THEIR_KING = np.int64(OFFSETS["passed_their_king"])

RANK_SHIFT = np.uint64(3)
THIRD_RANK = np.int64(1)  # counted from a pawn's first rank, as the tables by rank are
FAR = np.int64(5)  # a king farther away than this is no worse


@kernel
def _pawn_rank(square):
    """0 on the second rank to 5 on the seventh: the index of a table by rank."""
    return np.int64(square >> RANK_SHIFT) - np.int64(1)


@inlined
def _feed_by_rank(trace, weights, index, pawns):
    score = np.int64(0)
    while pawns:
        score += feed(trace, weights, index + _pawn_rank(lsb(pawns)), np.int64(1))
        pawns &= pawns - ONE
    return score


@kernel
def isolated_pawns(pawns):
    """Those without a pawn of their own on a neighbouring file."""
    return pawns & ~beside(fill_up(pawns) | fill_down(pawns))


@kernel
def doubled_pawns(pawns):
    """Those with a pawn of their own ahead on their file."""
    return pawns & fill_down(pawns >> U8)


@kernel
def backward_pawns(pawns, their_pawns):
    """Those left behind by their neighbours, whose next square a pawn of theirs attacks."""
    has_neighbours = beside(fill_up(pawns) | fill_down(pawns))
    helped = beside(fill_up(pawns))
    stopped = pawn_attacks_down(their_pawns) >> U8
    return pawns & has_neighbours & ~helped & stopped


@kernel
def passed_pawns(pawns, their_pawns):
    """The foremost on their file that no pawn of theirs can stop or take on its way."""
    fronted = fill_down(their_pawns >> U8)
    return pawns & ~(fronted | beside(fronted) | fill_down(pawns >> U8))


@inlined
def pawn_structure(mine, theirs, weights, trace):
    """Isolated, doubled and backward pawns; pawns side by side and supported ones, by rank."""
    pawns = mine.pawns
    isolated = popcount(isolated_pawns(pawns))
    doubled = popcount(doubled_pawns(pawns))
    backward = popcount(backward_pawns(pawns, theirs.pawns))
    return (
        feed(trace, weights, ISOLATED_PAWN, isolated)
        + feed(trace, weights, DOUBLED_PAWN, doubled)
        + feed(trace, weights, BACKWARD_PAWN, backward)
        + _feed_by_rank(trace, weights, PHALANX_PAWN, pawns & beside(pawns))
        + _feed_by_rank(trace, weights, SUPPORTED_PAWN, pawns & pawn_attacks(pawns))
    )


@inlined
def passed_pawn_terms(mine, theirs, their_attacks, weights, trace):
    """Passed pawns by rank, more if the next square is free; the kings' distances from it count
    for each rank beyond the third."""
    blocked = mine.men | theirs.men | their_attacks.once
    my_king, their_king = lsb(mine.king), lsb(theirs.king)
    score = np.int64(0)
    passed = passed_pawns(mine.pawns, theirs.pawns)
    while passed:
        square = lsb(passed)
        stop = square + U8
        rank = _pawn_rank(square)
        score += feed(trace, weights, PASSED_PAWN + rank, np.int64(1))
        if not (ONE << stop) & blocked:
            score += feed(trace, weights, FREE_PASSED_PAWN + rank, np.int64(1))
        if rank > THIRD_RANK:
            ranks = rank - THIRD_RANK
            near = min(FAR, KING_DISTANCE[my_king, stop])
            far = min(FAR, KING_DISTANCE[their_king, stop])
            score += feed(trace, weights, PASSED_OWN_KING, near * ranks)
            score += feed(trace, weights, PASSED_THEIR_KING, far * ranks)
        passed &= passed - ONE
    return score
