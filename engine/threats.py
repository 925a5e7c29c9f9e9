"""Threats: what my men attack of theirs, if it is worth more or poorly guarded."""

from __future__ import annotations

import numpy as np

from .attacks import pawn_attacks
from .bitboard import RANK_3, U8, popcount
from .jit import inlined
from .terms import OFFSETS, feed

THREAT_BY_PAWN = np.int64(OFFSETS["threat_by_pawn"])
THREAT_BY_MINOR = np.int64(OFFSETS["threat_by_minor"])
THREAT_BY_ROOK = np.int64(OFFSETS["threat_by_rook"])
THREAT_BY_KING = np.int64(OFFSETS["threat_by_king"])
HANGING = np.int64(OFFSETS["hanging"])
PUSH_THREAT = np.int64(OFFSETS["push_threat"])


@inlined
def _feed_victims(trace, weights, index, theirs, attacked):
    """A table by victim: pawn, knight, bishop, rook, queen."""
    return (
        feed(trace, weights, index, popcount(theirs.pawns & attacked))
        + feed(trace, weights, index + np.int64(1), popcount(theirs.knights & attacked))
        + feed(trace, weights, index + np.int64(2), popcount(theirs.bishops & attacked))
        + feed(trace, weights, index + np.int64(3), popcount(theirs.rooks & attacked))
        + feed(trace, weights, index + np.int64(4), popcount(theirs.queens & attacked))
    )


@inlined
def threats(mine, theirs, my_attacks, their_attacks, weights, trace):
    """Attacks on what is worth more than the attacker, and on what is not well guarded."""
    guarded = their_attacks.pawns | (their_attacks.twice & ~my_attacks.twice)
    weak = (theirs.men ^ theirs.king) & my_attacks.once & ~guarded
    by_minor = (my_attacks.knights | my_attacks.bishops) & (weak | theirs.rooks | theirs.queens)
    by_rook = my_attacks.rooks & (weak | theirs.queens)
    return (
        _feed_victims(trace, weights, THREAT_BY_PAWN, theirs, my_attacks.pawns & ~theirs.pawns)
        + _feed_victims(trace, weights, THREAT_BY_MINOR, theirs, by_minor)
        + _feed_victims(trace, weights, THREAT_BY_ROOK, theirs, by_rook)
        + feed(trace, weights, THREAT_BY_KING, popcount(my_attacks.king & weak))
        + feed(trace, weights, HANGING, popcount(weak & ~their_attacks.once))
    )


@inlined
def push_threats(mine, theirs, my_attacks, their_attacks, weights, trace):
    """Their pieces that a pawn of mine would attack after a safe push."""
    empty = ~(mine.men | theirs.men)
    pushes = (mine.pawns << U8) & empty
    pushes |= ((pushes & RANK_3) << U8) & empty
    pushes &= ~their_attacks.pawns & (my_attacks.once | ~their_attacks.once)
    targets = theirs.men & ~(theirs.pawns | theirs.king | my_attacks.pawns)
    return feed(trace, weights, PUSH_THREAT, popcount(pawn_attacks(pushes) & targets))
