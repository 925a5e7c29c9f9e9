"""Pieces: how far they reach, the bishop pair, rooks on open files, outposts.

`survey` walks over one side's pieces once; what it finds on the way (the attack sets, the attack
units on their king) is what threats and king safety are made of.
"""

from __future__ import annotations

import numpy as np

from .army import Attacks
from .attacks import (
    KING_ATTACKS,
    KNIGHT_ATTACKS,
    bishop_attacks,
    pawn_attacks,
    pawn_attacks_down,
    rook_attacks,
)
from .bitboard import EMPTY, ONE, lsb, popcount
from .geometry import LIGHT_SQUARES, beside, fill_down, fill_up
from .jit import inlined, kernel
from .move import BISHOP, KNIGHT, QUEEN, ROOK
from .terms import OFFSETS, feed

MOBILITY = np.array(
    [0, *(OFFSETS[f"{name}_mobility"] for name in ("knight", "bishop", "rook", "queen"))], np.int64
)
BISHOP_PAIR = np.int64(OFFSETS["bishop_pair"])
BISHOP_PAWN = np.int64(OFFSETS["bishop_pawn"])
ROOK_OPEN_FILE = np.int64(OFFSETS["rook_open_file"])
ROOK_HALF_OPEN_FILE = np.int64(OFFSETS["rook_half_open_file"])
KNIGHT_OUTPOST = np.int64(OFFSETS["knight_outpost"])
BISHOP_OUTPOST = np.int64(OFFSETS["bishop_outpost"])

#: What a piece that attacks the squares around the king adds to the units of its attack, by piece
#: (chessprogramming.org, King Safety); each square attacked adds one more.
ATTACK_UNITS = np.array([0, 2, 2, 3, 5], np.int64)

OUTPOST_RANKS = np.uint64(0xFFFFFF << 24)  # the fourth to the sixth


@inlined
def _reach(piece, square, occupied):
    """Squares attacked by a piece; `piece` is a constant where this is called."""
    if piece == KNIGHT:
        return KNIGHT_ATTACKS[square]
    reach = EMPTY
    if piece != ROOK:
        reach |= bishop_attacks(square, occupied)
    if piece != BISHOP:
        reach |= rook_attacks(square, occupied)
    return reach


@inlined
def _survey_kind(piece, pieces, occupied, area, zone, weights, trace):
    """(score, squares attacked, squares attacked twice, attack units) of the pieces of a kind."""
    score, units = np.int64(0), np.int64(0)
    once, twice = EMPTY, EMPTY
    while pieces:
        reach = _reach(piece, lsb(pieces), occupied)
        score += feed(trace, weights, MOBILITY[piece] + popcount(reach & area), np.int64(1))
        around_king = popcount(reach & zone)
        if around_king:
            units += ATTACK_UNITS[piece] + around_king
        twice |= once & reach
        once |= reach
        pieces &= pieces - ONE
    return score, once, twice, units


@kernel
def survey(mine, theirs, weights, trace):
    """Mobility of my pieces: (score, my attacks, attack units on their king).

    A square counts if neither a pawn of mine nor my king stands there and no pawn of theirs attacks
    it. Sliders see through my own pieces that move alike: a battery attacks with both.
    """
    occupied = mine.men | theirs.men
    area = ~(mine.pawns | mine.king | pawn_attacks_down(theirs.pawns))
    zone = KING_ATTACKS[lsb(theirs.king)]
    behind_bishop = occupied ^ mine.queens
    behind_rook = behind_bishop ^ mine.rooks
    by_knights, knights, knights_twice, knight_units = _survey_kind(
        KNIGHT, mine.knights, occupied, area, zone, weights, trace
    )
    by_bishops, bishops, bishops_twice, bishop_units = _survey_kind(
        BISHOP, mine.bishops, behind_bishop, area, zone, weights, trace
    )
    by_rooks, rooks, rooks_twice, rook_units = _survey_kind(
        ROOK, mine.rooks, behind_rook, area, zone, weights, trace
    )
    by_queens, queens, queens_twice, queen_units = _survey_kind(
        QUEEN, mine.queens, occupied, area, zone, weights, trace
    )
    pawns = pawn_attacks(mine.pawns)
    king = KING_ATTACKS[lsb(mine.king)]
    once = pawns | king
    twice = (pawns & king) | knights_twice | bishops_twice | rooks_twice | queens_twice
    for attacked in (knights, bishops, rooks, queens):
        twice |= once & attacked
        once |= attacked
    attacks = Attacks(pawns, knights, bishops, rooks, queens, king, once, twice)
    score = by_knights + by_bishops + by_rooks + by_queens
    return score, attacks, knight_units + bishop_units + rook_units + queen_units


@inlined
def bishop_terms(mine, weights, trace):
    """Bishops on squares of both colours; my pawns on the colour of each bishop."""
    light = popcount(mine.bishops & LIGHT_SQUARES)
    dark = popcount(mine.bishops & ~LIGHT_SQUARES)
    pair = np.int64(1) if light and dark else np.int64(0)
    hindering = light * popcount(mine.pawns & LIGHT_SQUARES)
    hindering += dark * popcount(mine.pawns & ~LIGHT_SQUARES)
    return feed(trace, weights, BISHOP_PAIR, pair) + feed(trace, weights, BISHOP_PAWN, hindering)


@inlined
def rook_files(mine, theirs, weights, trace):
    """Rooks on files without a pawn, and on files without one of mine."""
    free = mine.rooks & ~(fill_up(mine.pawns) | fill_down(mine.pawns))
    open_files = free & ~(fill_up(theirs.pawns) | fill_down(theirs.pawns))
    return feed(trace, weights, ROOK_OPEN_FILE, popcount(open_files)) + feed(
        trace, weights, ROOK_HALF_OPEN_FILE, popcount(free ^ open_files)
    )


@inlined
def outposts(mine, theirs, weights, trace):
    """Minor pieces guarded by a pawn where no pawn of theirs can ever attack them."""
    attackable = beside(fill_down(theirs.pawns >> np.uint64(8)))
    squares = OUTPOST_RANKS & pawn_attacks(mine.pawns) & ~attackable
    return feed(trace, weights, KNIGHT_OUTPOST, popcount(mine.knights & squares)) + feed(
        trace, weights, BISHOP_OUTPOST, popcount(mine.bishops & squares)
    )
