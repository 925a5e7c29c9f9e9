"""Every weight of the evaluation, each declared once. No numba here.

A term has a middlegame and an endgame weight in centipawns; tables are boards as printed: rank 8
first, from the side that owns the piece.
"""

from __future__ import annotations

from typing import NamedTuple

PIECE_NAMES = ("pawn", "knight", "bishop", "rook", "queen", "king")


class Term(NamedTuple):
    """An evaluation term: a pair (`middlegame`, `endgame`) of weights, or 64 of each as a board."""

    name: str
    middlegame: tuple[int, ...]
    endgame: tuple[int, ...]
    meaning: str

    @property
    def is_board(self) -> bool:
        return len(self.middlegame) == 64


# Hand-set starting tables (rules of thumb, no one's tuned values): a pawn gains by advance and
# centre, a knight by centralisation, a king by shelter first and by centralisation in the endgame.
# fmt: off
_PAWN_MG = (
    0, 0, 0, 0, 0, 0, 0, 0,
    50, 58, 60, 66, 66, 56, 58, 48,
    12, 20, 22, 28, 28, 18, 20, 10,
    2, 10, 16, 26, 28, 18, 10, 0,
    -6, 0, 10, 24, 24, 6, 0, -8,
    -8, -2, 0, 6, 6, -6, 0, -8,
    -8, 2, -6, -16, -16, 8, 8, -6,
    0, 0, 0, 0, 0, 0, 0, 0,
)
_PAWN_EG = (
    0, 0, 0, 0, 0, 0, 0, 0,
    104, 102, 98, 96, 96, 98, 102, 104,
    60, 58, 54, 52, 52, 54, 58, 60,
    26, 24, 20, 18, 18, 20, 24, 26,
    10, 8, 4, 2, 2, 4, 8, 10,
    4, 2, -2, -4, -4, -2, 2, 4,
    8, 6, 2, 0, 0, 2, 6, 8,
    0, 0, 0, 0, 0, 0, 0, 0,
)
_KNIGHT_MG = (
    -54, -43, -32, -21, -21, -32, -43, -54,
    -21, -10, 1, 12, 12, 1, -10, -21,
    4, 15, 26, 37, 37, 26, 15, 4,
    15, 26, 37, 48, 48, 37, 26, 15,
    7, 18, 29, 40, 40, 29, 18, 7,
    -6, 5, 16, 27, 27, 16, 5, -6,
    -21, -10, 1, 12, 12, 1, -10, -21,
    -38, -27, -16, -5, -5, -16, -27, -38,
)
_KNIGHT_EG = (
    -40, -31, -22, -13, -13, -22, -31, -40,
    -25, -16, -7, 2, 2, -7, -16, -25,
    -10, -1, 8, 17, 17, 8, -1, -10,
    3, 12, 21, 30, 30, 21, 12, 3,
    1, 10, 19, 28, 28, 19, 10, 1,
    -12, -3, 6, 15, 15, 6, -3, -12,
    -23, -14, -5, 4, 4, -5, -14, -23,
    -34, -25, -16, -7, -7, -16, -25, -34,
)
_BISHOP_MG = (
    -14, -11, -14, -11, -11, -14, -11, -14,
    1, 4, 7, 4, 4, 7, 4, 1,
    -2, 7, 10, 13, 13, 10, 7, -2,
    1, 4, 13, 16, 16, 13, 4, 1,
    1, 4, 13, 16, 16, 13, 4, 1,
    -2, 7, 10, 13, 13, 10, 7, -2,
    1, 20, 7, 4, 4, 7, 20, 1,
    -12, -9, -12, -9, -9, -12, -9, -12,
)
_BISHOP_EG = (
    -10, -7, -4, -1, -1, -4, -7, -10,
    -7, -4, -1, 2, 2, -1, -4, -7,
    -4, -1, 2, 5, 5, 2, -1, -4,
    -1, 2, 5, 8, 8, 5, 2, -1,
    -1, 2, 5, 8, 8, 5, 2, -1,
    -4, -1, 2, 5, 5, 2, -1, -4,
    -7, -4, -1, 2, 2, -1, -4, -7,
    -10, -7, -4, -1, -1, -4, -7, -10,
)
_ROOK_MG = (
    2, 6, 10, 16, 16, 12, 6, 0,
    14, 18, 22, 28, 28, 24, 18, 12,
    -2, 2, 6, 12, 12, 8, 2, -4,
    -10, -6, -2, 4, 4, 0, -6, -12,
    -14, -10, -6, 0, 0, -4, -10, -16,
    -16, -12, -8, -2, -2, -6, -12, -18,
    -18, -14, -10, -4, -4, -8, -14, -20,
    -8, -4, 0, 6, 6, 2, -4, -10,
)
_ROOK_EG = (
    10, 10, 11, 11, 11, 11, 10, 10,
    14, 14, 15, 15, 15, 15, 14, 14,
    8, 8, 9, 9, 9, 9, 8, 8,
    6, 6, 7, 7, 7, 7, 6, 6,
    -2, -2, -1, -1, -1, -1, -2, -2,
    -2, -2, -1, -1, -1, -1, -2, -2,
    0, 0, 1, 1, 1, 1, 0, 0,
    -2, -2, -1, -1, -1, -1, -2, -2,
)
_QUEEN_MG = (
    -2, 0, 2, 4, 4, 2, 0, -2,
    -7, -5, -3, -1, -1, -3, -5, -7,
    -2, 0, 2, 4, 4, 2, 0, -2,
    -7, -5, -3, -1, -1, -3, -5, -7,
    -7, -5, -3, -1, -1, -3, -5, -7,
    -4, -2, 0, 2, 2, 0, -2, -4,
    -3, -1, 1, 3, 3, 1, -1, -3,
    -4, -2, 0, 2, 2, 0, -2, -4,
)
_QUEEN_EG = (
    -24, -18, -12, -6, -6, -12, -18, -24,
    -12, -6, 0, 6, 6, 0, -6, -12,
    -4, 2, 8, 14, 14, 8, 2, -4,
    2, 8, 14, 20, 20, 14, 8, 2,
    -2, 4, 10, 16, 16, 10, 4, -2,
    -12, -6, 0, 6, 6, 0, -6, -12,
    -22, -16, -10, -4, -4, -10, -16, -22,
    -32, -26, -20, -14, -14, -20, -26, -32,
)
_KING_MG = (
    -49, -43, -57, -71, -66, -69, -44, -50,
    -49, -43, -57, -71, -66, -69, -44, -50,
    -55, -49, -63, -77, -72, -75, -50, -56,
    -55, -49, -63, -77, -72, -75, -50, -56,
    -49, -43, -57, -71, -66, -69, -44, -50,
    -33, -27, -41, -55, -50, -53, -28, -34,
    -5, 1, -13, -27, -22, -25, 0, -6,
    22, 34, 6, -22, -12, -18, 32, 20,
)
_KING_EG = (
    -58, -46, -34, -22, -22, -34, -46, -58,
    -30, -18, -6, 6, 6, -6, -18, -30,
    -12, 0, 12, 24, 24, 12, 0, -12,
    -4, 8, 20, 32, 32, 20, 8, -4,
    -8, 4, 16, 28, 28, 16, 4, -8,
    -22, -10, 2, 14, 14, 2, -10, -22,
    -36, -24, -12, 0, 0, -12, -24, -36,
    -52, -40, -28, -16, -16, -28, -40, -52,
)
# fmt: on

EVALUATION: tuple[Term, ...] = (
    Term("pawn_value", (92,), (112,), "value of a pawn"),
    Term("knight_value", (330,), (310,), "value of a knight"),
    Term("bishop_value", (345,), (330,), "value of a bishop"),
    Term("rook_value", (480,), (540,), "value of a rook"),
    Term("queen_value", (990,), (980,), "value of a queen"),
    Term("pawn_squares", _PAWN_MG, _PAWN_EG, "a pawn's bonus by square"),
    Term("knight_squares", _KNIGHT_MG, _KNIGHT_EG, "a knight's bonus by square"),
    Term("bishop_squares", _BISHOP_MG, _BISHOP_EG, "a bishop's bonus by square"),
    Term("rook_squares", _ROOK_MG, _ROOK_EG, "a rook's bonus by square"),
    Term("queen_squares", _QUEEN_MG, _QUEEN_EG, "a queen's bonus by square"),
    Term("king_squares", _KING_MG, _KING_EG, "the king's bonus by square"),
    Term("tempo", (10,), (6,), "bonus of the side to move"),
)

WEIGHT_LIMIT_CP = 20_000


def weight_defaults() -> dict[str, tuple[tuple[int, ...], tuple[int, ...]]]:
    """Every term's name and its default (middlegame, endgame) weights."""
    return {term.name: (term.middlegame, term.endgame) for term in EVALUATION}
