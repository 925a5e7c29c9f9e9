"""King safety: the pawns before my king, and my attack on theirs.

The attack is counted in units and the weight looked up by their number: as non-linear in the units
as it likes to be, linear in the weights.
"""

from __future__ import annotations

import numpy as np

from .attacks import KING_ATTACKS, KNIGHT_ATTACKS, bishop_attacks, rook_attacks
from .bitboard import ONE, U6, U7, lsb, popcount
from .geometry import file_of, fill_up
from .jit import inlined
from .terms import LENGTHS, OFFSETS, feed

KING_SHIELD = np.int64(OFFSETS["king_shield"])
KING_STORM = np.int64(OFFSETS["king_storm"])
KING_OPEN_FILE = np.int64(OFFSETS["king_open_file"])
KING_ATTACK = np.int64(OFFSETS["king_attack"])
MOST_UNITS = np.int64(LENGTHS["king_attack"] - 1)

# Our own choice of proportions; the scale of a unit is the table's matter.
WEAK_SQUARE_UNITS = np.int64(2)
KNIGHT_CHECK_UNITS = np.int64(4)
BISHOP_CHECK_UNITS = np.int64(3)
ROOK_CHECK_UNITS = np.int64(5)
QUEEN_CHECK_UNITS = np.int64(4)
NO_QUEEN_UNITS = np.int64(6)

RANK_SHIFT = np.uint64(3)
TWO_FILES = np.uint64(2)


@inlined
def king_shelter(mine, theirs, weights, trace):
    """My foremost shield and their foremost storm pawn on each of three files, by rank, 0 if none.

    The files are the king's and its neighbours, or the three next to the edge. Pawns behind the
    king do not count.
    """
    king = lsb(mine.king)
    ahead = fill_up(np.uint64(0xFF) << (king & ~U7))
    first_file = min(max(king & U7, ONE), U6) - ONE
    score = np.int64(0)
    for file in range(first_file, first_file + TWO_FILES + ONE):
        squares = file_of(np.uint64(file)) & ahead
        shield, storm = squares & mine.pawns, squares & theirs.pawns
        shield_rank = np.int64(lsb(shield) >> RANK_SHIFT) if shield else np.int64(0)
        storm_rank = np.int64(lsb(storm) >> RANK_SHIFT) if storm else np.int64(0)
        score += feed(trace, weights, KING_SHIELD + shield_rank, np.int64(1))
        score += feed(trace, weights, KING_STORM + storm_rank, np.int64(1))
        if not shield | storm:
            score += feed(trace, weights, KING_OPEN_FILE, np.int64(1))
    return score


@inlined
def _safe_check_units(mine, king, occupied, my_attacks, safe):
    """Units of the checks that my pieces can give on safe squares, by kind of piece."""
    diagonal, straight = bishop_attacks(king, occupied), rook_attacks(king, occupied)
    units = np.int64(0)
    if KNIGHT_ATTACKS[king] & my_attacks.knights & safe:
        units += KNIGHT_CHECK_UNITS
    if diagonal & my_attacks.bishops & safe:
        units += BISHOP_CHECK_UNITS
    if straight & my_attacks.rooks & safe:
        units += ROOK_CHECK_UNITS
    if (diagonal | straight) & my_attacks.queens & safe:
        units += QUEEN_CHECK_UNITS
    return units


@inlined
def king_attack(mine, theirs, my_attacks, their_attacks, units, weights, trace):
    """My attack on their king: `units` by the pieces near it, weak squares there, safe checks."""
    king = lsb(theirs.king)
    badly_guarded = ~their_attacks.once | their_attacks.king | their_attacks.queens
    weak = my_attacks.once & ~their_attacks.twice & badly_guarded
    safe = ~mine.men & (~their_attacks.once | (weak & my_attacks.twice))
    units += WEAK_SQUARE_UNITS * popcount(KING_ATTACKS[king] & weak)
    units += _safe_check_units(mine, king, mine.men | theirs.men, my_attacks, safe)
    if not mine.queens:
        units -= NO_QUEEN_UNITS
    index = KING_ATTACK + min(max(units, np.int64(0)), MOST_UNITS)
    return feed(trace, weights, index, np.int64(1))
