"""Endgame knowledge: how a bare king is beaten, and how much of an endgame advantage will count.

Bare kings are terms like all others. The scale multiplies the endgame half of the evaluation, and
is 100 % but for endings that are hard or impossible to win. It declares nothing drawn: the search
goes on below such a position as below any other.
"""

from __future__ import annotations

import numpy as np

from .army import army_of, piece_points, turn_army
from .bitboard import EMPTY, FILE_A, FILE_H, RANK_8, lsb, popcount
from .geometry import KING_DISTANCE, LIGHT_SQUARES
from .jit import inlined, kernel
from .kpk import LONE_KING, PAWN_SIDE, is_won_kpk
from .terms import OFFSETS, endgame, feed

WON_KPK = np.int64(OFFSETS["won_kpk"])
LONE_KING_EDGE = np.int64(OFFSETS["lone_king_edge"])
LONE_KING_CLOSE = np.int64(OFFSETS["lone_king_close"])
LONE_KING_CORNER = np.int64(OFFSETS["lone_king_corner"])

FULL_SCALE_PCT = np.int64(100)
NO_SCALE_PCT = np.int64(0)
MINOR_POINTS = np.int64(3)
ROOK_POINTS = np.int64(5)
RANK_SHIFT = np.uint64(3)

_FILES, _RANKS = np.arange(64) % 8, np.arange(64) // 8
#: int64[64]: 0 in the middle of the board to 6 in a corner.
EDGE = (np.abs(2 * _FILES - 7) // 2 + np.abs(2 * _RANKS - 7) // 2).astype(np.int64)
#: int64[2, 64]: 7 in the dark corners (first row) or the light ones, less towards the others.
CORNER = np.stack([np.abs(_FILES + _RANKS - 7), np.abs(_FILES - _RANKS)]).astype(np.int64)


@inlined
def _can_mate(army):
    """Whether these men can force mate against a bare king; without pawns."""
    if army.rooks | army.queens:
        return True
    if army.bishops & LIGHT_SQUARES and army.bishops & ~LIGHT_SQUARES:
        return True
    return army.bishops != EMPTY and army.knights != EMPTY


@inlined
def _is_bishop_and_knight(army):
    return (
        army.men == army.king | army.bishops | army.knights
        and popcount(army.bishops) == 1
        and popcount(army.knights) == 1
    )


@kernel
def lone_king_terms(mine, theirs, to_move, weights, trace):
    """Against a bare king: a won pawn ending; else their king to the edge and mine beside it.

    With bishop and knight the edge is a corner of the bishop's colour.
    """
    if theirs.men != theirs.king:
        return np.int64(0)
    my_king, their_king = lsb(mine.king), lsb(theirs.king)
    if mine.men == mine.king | mine.pawns and popcount(mine.pawns) == 1:
        won = np.int64(is_won_kpk(my_king, lsb(mine.pawns), their_king, to_move))
        return feed(trace, weights, WON_KPK, won)
    if not _can_mate(mine):
        return np.int64(0)
    near = np.int64(7) - KING_DISTANCE[my_king, their_king]
    score = feed(trace, weights, LONE_KING_CLOSE, near)
    if _is_bishop_and_knight(mine):
        light = np.uint64(1) if mine.bishops & LIGHT_SQUARES else np.uint64(0)
        return score + feed(trace, weights, LONE_KING_CORNER, CORNER[light, their_king])
    return score + feed(trace, weights, LONE_KING_EDGE, EDGE[their_king])


@inlined
def _is_drawn_kpk(strong, weak, to_move):
    return (
        weak.men == weak.king
        and popcount(strong.pawns) == 1
        and not is_won_kpk(lsb(strong.king), lsb(strong.pawns), lsb(weak.king), to_move)
    )


@inlined
def _is_wrong_rook_pawn(strong, weak):
    """Rook pawns of one file, at most bishops that do not command its last square, which the
    defending king holds."""
    corner = RANK_8
    if strong.pawns & ~FILE_A == EMPTY:
        corner &= FILE_A
    elif strong.pawns & ~FILE_H == EMPTY:
        corner &= FILE_H
    else:
        return False
    colour = LIGHT_SQUARES if corner & LIGHT_SQUARES else ~LIGHT_SQUARES
    return strong.bishops & colour == EMPTY and KING_DISTANCE[lsb(weak.king), lsb(corner)] <= 1


@inlined
def _pawnless_scale_pct(strong, weak, parameters):
    """Without pawns, to win takes more than a minor piece, and more than two knights."""
    points = piece_points(strong)
    if points - piece_points(weak) > MINOR_POINTS:
        lone_knights = strong.men == strong.king | strong.knights and popcount(strong.knights) == 2
        return NO_SCALE_PCT if lone_knights and weak.men == weak.king else FULL_SCALE_PCT
    return NO_SCALE_PCT if points < ROOK_POINTS else parameters.pawnless_scale_pct


@inlined
def _has_opposite_bishops(strong, weak):
    bishops = strong.bishops | weak.bishops
    light = bishops & LIGHT_SQUARES
    return (
        popcount(strong.bishops) == 1
        and popcount(weak.bishops) == 1
        and light != EMPTY
        and light != bishops
    )


@kernel
def _scale_of(strong, weak, to_move, parameters):
    """The scale in percent where `strong` is ahead, both seen from its end of the board."""
    if strong.pawns == EMPTY:
        return _pawnless_scale_pct(strong, weak, parameters)
    others = strong.knights | strong.rooks | strong.queens
    if others == EMPTY:
        if strong.bishops == EMPTY and _is_drawn_kpk(strong, weak, to_move):
            return NO_SCALE_PCT
        if _is_wrong_rook_pawn(strong, weak):
            return NO_SCALE_PCT
    if _has_opposite_bishops(strong, weak):
        if others | weak.knights | weak.rooks | weak.queens:
            return parameters.opposite_bishops_scale_pct
        return parameters.bare_opposite_bishops_scale_pct
    return FULL_SCALE_PCT


@kernel
def endgame_scale_pct(position, packed, parameters):
    """How much of the endgame half of `packed` counts, in percent."""
    if not parameters.endgame_scales:
        return FULL_SCALE_PCT
    us, them = army_of(position, position.ours), army_of(position, position.theirs)
    if endgame(packed) > 0:
        return _scale_of(us, them, PAWN_SIDE, parameters)
    return _scale_of(turn_army(them), turn_army(us), LONE_KING, parameters)
