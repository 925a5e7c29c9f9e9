"""The position: rules and key only, an immutable value seen from the side to move.

"Ours" moves up the board whatever its colour: after a move the board is turned (byte swap) to the
other side. No kernel has a colour branch; `side` (0 white, 1 black) is for the shell and for tables
indexed by colour.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .attacks import (
    BETWEEN,
    KING_ATTACKS,
    KNIGHT_ATTACKS,
    bishop_attacks,
    pawn_attacks,
    pawn_attacks_down,
    rook_attacks,
)
from .bitboard import EMPTY, ONE, U8, flip, lsb
from .jit import inlined, kernel
from .move import NO_PIECE

TWO, THREE, FIVE, SIX = np.uint64(2), np.uint64(3), np.uint64(5), np.uint64(6)


class Position(NamedTuple):
    """uint64 sets; queens are in both slider sets. `halfmove` is int64, `side` uint64."""

    pawns: np.uint64
    knights: np.uint64
    diagonals: np.uint64  # bishops and queens
    orthogonals: np.uint64  # rooks and queens
    kings: np.uint64
    ours: np.uint64
    theirs: np.uint64
    en_passant: np.uint64  # the capture square, only if a legal en passant capture exists
    castling: np.uint64  # rooks of both sides that may still castle
    key: np.uint64
    halfmove: int
    side: np.uint64


@kernel
def piece_sets(position):
    """Pawns, knights, bishops, rooks, queens and kings of both sides, by piece."""
    queens = position.diagonals & position.orthogonals
    return (
        position.pawns,
        position.knights,
        position.diagonals ^ queens,
        position.orthogonals ^ queens,
        queens,
        position.kings,
    )


@kernel
def fill_bitboards(position, bitboards, occupancies):
    """The position as twelve piece sets and three occupancies, in white's view.

    bitboards : uint64[12], out: P N B R Q K p n b r q k.
    occupancies : uint64[3], out: white, black, both.
    """
    kinds = piece_sets(position)
    ours, theirs = position.side, position.side ^ ONE
    for piece in range(6):
        index = np.uint64(piece)
        bitboards[ours * SIX + index] = from_white(position, kinds[piece] & position.ours)
        bitboards[theirs * SIX + index] = from_white(position, kinds[piece] & position.theirs)
    occupancies[ours] = from_white(position, position.ours)
    occupancies[theirs] = from_white(position, position.theirs)
    occupancies[2] = occupancies[0] | occupancies[1]


@kernel
def from_white(position, bb):
    """A set of squares of `position` in white's view."""
    return flip(bb) if position.side else bb


@inlined
def king_square(position):
    """Square of our king."""
    return lsb(position.kings & position.ours)


@kernel
def attackers_of(position, square, occupied):
    """Their pieces that attack `square`, with sliders seeing through what `occupied` leaves out."""
    return position.theirs & (
        (pawn_attacks(ONE << square) & position.pawns)
        | (KNIGHT_ATTACKS[square] & position.knights)
        | (KING_ATTACKS[square] & position.kings)
        | (bishop_attacks(square, occupied) & position.diagonals)
        | (rook_attacks(square, occupied) & position.orthogonals)
    )


@kernel
def checkers_of(position):
    """Their pieces that give check to our king."""
    return attackers_of(position, king_square(position), position.ours | position.theirs)


@inlined
def checkers_and_pinned(position):
    """Their pieces that give check to our king, and ours that may not leave the line to it."""
    square = king_square(position)
    checkers = position.theirs & (
        (pawn_attacks(ONE << square) & position.pawns) | (KNIGHT_ATTACKS[square] & position.knights)
    )
    snipers = position.theirs & (
        (bishop_attacks(square, position.theirs) & position.diagonals)
        | (rook_attacks(square, position.theirs) & position.orthogonals)
    )
    pinned = EMPTY
    while snipers:
        shield = BETWEEN[square, lsb(snipers)] & position.ours
        if not shield & (shield - ONE):
            pinned |= shield
            if not shield:
                checkers |= snipers & (~snipers + ONE)
        snipers &= snipers - ONE
    return checkers, pinned


@kernel
def pinned_of(position):
    """Our pieces that may not leave the line to our king."""
    _, pinned = checkers_and_pinned(position)
    return pinned


@inlined
def threats_of(position):
    """Squares they attack, seen with our king off the board: where it may not go."""
    occupied = (position.ours | position.theirs) ^ (position.kings & position.ours)
    threats = pawn_attacks_down(position.pawns & position.theirs)
    threats |= KING_ATTACKS[lsb(position.kings & position.theirs)]
    knights = position.knights & position.theirs
    while knights:
        threats |= KNIGHT_ATTACKS[lsb(knights)]
        knights &= knights - ONE
    sliders = position.diagonals & position.theirs
    while sliders:
        threats |= bishop_attacks(lsb(sliders), occupied)
        sliders &= sliders - ONE
    sliders = position.orthogonals & position.theirs
    while sliders:
        threats |= rook_attacks(lsb(sliders), occupied)
        sliders &= sliders - ONE
    return threats


@inlined
def piece_on(position, square):
    """The piece on `square` (either side's), PAWN .. KING, or NO_PIECE."""
    if not ((position.ours | position.theirs) >> square) & ONE:
        return NO_PIECE
    knight = (position.knights >> square) & ONE
    diagonal = (position.diagonals >> square) & ONE
    orthogonal = (position.orthogonals >> square) & ONE
    king = (position.kings >> square) & ONE
    # pawn 0, knight 1, bishop 2, rook 3, queen 4 (both slider sets), king 5
    return knight + diagonal * TWO + orthogonal * THREE - (diagonal & orthogonal) + king * FIVE


@kernel
def is_en_passant_legal(position, from_bb, square):
    """Whether our pawn on `from_bb` may capture en passant on `square`: our king stays safe."""
    captured = (ONE << square) >> U8
    occupied = (position.ours | position.theirs) ^ from_bb ^ captured ^ (ONE << square)
    return not attackers_of(position, king_square(position), occupied) & ~captured
