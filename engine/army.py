"""One side's men and what they attack, as the evaluation looks at them.

A term is written for `mine` against `theirs`, both seen from my end of the board; for the other
side it is called again with both armies turned. No term knows a colour.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .bitboard import flip, popcount
from .jit import inlined, kernel


class Army(NamedTuple):
    """Sets of one side's men by kind, and of them all."""

    pawns: np.uint64
    knights: np.uint64
    bishops: np.uint64
    rooks: np.uint64
    queens: np.uint64
    king: np.uint64
    men: np.uint64


class Attacks(NamedTuple):
    """Squares attacked by each kind of men, by any, and by two or more."""

    pawns: np.uint64
    knights: np.uint64
    bishops: np.uint64
    rooks: np.uint64
    queens: np.uint64
    king: np.uint64
    once: np.uint64
    twice: np.uint64


@inlined
def army_of(position, men):
    """The army of the side that owns `men`, seen from the side to move."""
    queens = position.diagonals & position.orthogonals
    return Army(
        position.pawns & men,
        position.knights & men,
        (position.diagonals ^ queens) & men,
        (position.orthogonals ^ queens) & men,
        queens & men,
        position.kings & men,
        men,
    )


@inlined
def turn_army(army):
    """The army seen from the other end of the board."""
    return Army(
        flip(army.pawns),
        flip(army.knights),
        flip(army.bishops),
        flip(army.rooks),
        flip(army.queens),
        flip(army.king),
        flip(army.men),
    )


@inlined
def turn_attacks(attacks):
    """The attacks seen from the other end of the board."""
    return Attacks(
        flip(attacks.pawns),
        flip(attacks.knights),
        flip(attacks.bishops),
        flip(attacks.rooks),
        flip(attacks.queens),
        flip(attacks.king),
        flip(attacks.once),
        flip(attacks.twice),
    )


@kernel
def piece_points(army):
    """Pieces, without pawns, in pawns of old: knight and bishop 3, rook 5, queen 9."""
    minors = popcount(army.knights | army.bishops)
    return (
        np.int64(3) * minors
        + np.int64(5) * popcount(army.rooks)
        + np.int64(9) * popcount(army.queens)
    )
