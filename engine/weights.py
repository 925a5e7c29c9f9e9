"""Every weight of the evaluation, each declared once. No numba here.

A term has a middlegame and an endgame weight in centipawns, or a list of them by rank or by count,
or a board of them as printed: rank 8 first, from the side that owns the piece.
"""

from __future__ import annotations

from typing import NamedTuple

PIECE_NAMES = ("pawn", "knight", "bishop", "rook", "queen", "king")


class Term(NamedTuple):
    """An evaluation term: weights for the middlegame and as many for the endgame."""

    name: str
    middlegame: tuple[int, ...]
    endgame: tuple[int, ...]
    meaning: str

    @property
    def is_scalar(self) -> bool:
        return len(self.middlegame) == 1

    @property
    def is_board(self) -> bool:
        return len(self.middlegame) == 64


# Fitted to games of the engine against itself (docs/strength.md says how, and what they gained over
# configs/handset.cfg, from which they started).
# fmt: off
_PAWN_MG = (
    0, 0, 0, 0, 0, 0, 0, 0,
    51, 68, 56, 70, 64, 61, 49, 16,
    28, -8, 27, 25, 20, 20, 18, 11,
    -8, 10, 4, 16, 16, 9, -7, -28,
    -17, -5, 6, 11, 14, 9, -14, -25,
    -18, -12, -7, -6, -1, -5, 14, -14,
    -10, 4, -2, -2, -4, 15, 17, -8,
    0, 0, 0, 0, 0, 0, 0, 0,
)
_PAWN_EG = (
    0, 0, 0, 0, 0, 0, 0, 0,
    80, 74, 74, 70, 75, 87, 79, 77,
    18, 41, 17, 2, 28, 25, 19, 8,
    9, 16, -3, -25, -7, -9, -10, 11,
    2, 13, -8, -19, -14, -4, -1, 7,
    -8, 1, 4, -16, -5, -6, -10, 0,
    -1, 2, 9, 10, -9, 12, 3, -1,
    0, 0, 0, 0, 0, 0, 0, 0,
)
_KNIGHT_MG = (
    -74, -49, -38, -25, -24, -40, -50, -64,
    -24, -13, -11, 6, 14, 8, -31, -13,
    1, 27, 8, 24, 32, 40, -3, 0,
    25, 0, 13, 48, 28, 46, 24, 24,
    -15, 2, 10, 7, 18, 25, 24, -13,
    -34, -3, -13, 15, -3, -1, -7, -9,
    -27, -32, -15, -17, -5, 8, -12, -19,
    -41, -15, -50, -28, -4, -19, -8, -43,
)
_KNIGHT_EG = (
    -52, -34, -22, -9, -11, -34, -32, -73,
    3, -5, -16, -13, -8, -10, -35, -28,
    -6, 4, 12, 8, 5, -7, -2, -32,
    7, 6, 14, 16, 13, 2, -6, 2,
    -9, 1, 11, 29, 23, 8, -9, 5,
    -28, 8, 1, 10, 11, 6, -3, -31,
    -35, -30, -27, 11, -8, -20, -22, -45,
    -35, -44, -8, -25, -37, -39, -37, -41,
)
_BISHOP_MG = (
    -31, -20, -22, -24, -25, -28, -31, -28,
    -20, -27, -14, -6, -1, 4, -7, -28,
    -17, -33, -18, 23, -15, 4, -18, -16,
    -11, 5, 0, 16, 24, -2, 4, -22,
    -10, -2, 16, 16, 12, 14, 3, 31,
    -3, 34, 4, 2, 2, 10, 21, -9,
    -5, 3, -10, -10, -4, 5, 13, -40,
    -28, -22, -7, -41, -16, -16, -11, 16,
)
_BISHOP_EG = (
    3, 10, -6, -9, 14, -8, -3, -14,
    -12, 3, -4, 18, 8, 12, -19, 3,
    -14, 3, 12, 6, 14, -11, 21, 17,
    -10, 11, -1, 10, -3, 15, -1, -13,
    -3, -5, 14, 3, 14, 20, -1, -12,
    -20, -1, -5, 4, 0, 15, -20, 0,
    -3, -24, -14, 5, 14, -1, -12, -4,
    -16, 10, -8, 24, -3, 2, -13, -14,
)
_ROOK_MG = (
    0, -4, 2, 2, 4, -3, 7, 3,
    3, -1, 8, 31, 26, 31, 10, 13,
    7, 8, 3, 30, 19, 15, 15, -5,
    -17, -11, 4, 22, -4, 17, 11, -5,
    -15, -15, -29, -3, 19, -7, 4, 5,
    -7, -7, -16, -20, -11, 3, -16, -19,
    -3, -1, -1, -5, -16, 4, 5, -45,
    -9, -3, -9, -2, 3, 8, 7, 0,
)
_ROOK_EG = (
    22, 24, 22, 15, 14, 17, 21, 28,
    18, 15, 12, 13, 10, 12, 16, 5,
    18, 11, 8, 9, 6, 6, 7, 0,
    23, 10, 15, 8, 12, 0, 22, -1,
    2, 9, -1, 1, 7, 14, 0, -9,
    13, -10, 0, 1, -13, -19, -5, 6,
    -13, -12, -3, -15, -4, -15, -29, -4,
    -3, -8, 3, -3, -10, -2, -4, -11,
)
_QUEEN_MG = (
    -4, -3, -4, 24, 0, 18, 2, 24,
    -31, -22, 5, 13, 15, 5, 9, 1,
    -13, -5, 7, 2, 12, 8, -3, 11,
    0, 4, -7, -18, -1, 6, 3, 3,
    -2, -5, -4, -7, -12, -11, 5, 7,
    -18, 3, 7, -5, -5, 6, 21, 27,
    -19, -26, 3, 5, -1, 5, 0, 12,
    -15, -9, -2, -1, -3, -15, 21, 3,
)
_QUEEN_EG = (
    -8, 1, 0, 16, 7, 7, -8, -7,
    6, 18, 17, 25, 23, 17, 11, 0,
    16, 15, 35, 29, 25, 25, 18, 22,
    12, 25, 30, 43, 44, 25, 31, 38,
    -5, 25, 27, 14, 28, 45, 32, 19,
    4, 8, -7, 0, 6, 22, -16, -8,
    -15, -19, -11, -23, -14, -23, -9, -20,
    -19, -20, -30, -23, -5, -29, -27, -19,
)
_KING_MG = (
    -31, -21, -36, -50, -48, -46, -21, -35,
    -27, -15, -33, -47, -48, -49, -21, -33,
    -31, -24, -38, -66, -61, -58, -32, -34,
    -37, -27, -38, -68, -59, -60, -31, -45,
    -34, -18, -37, -58, -50, -48, -21, -38,
    -11, 10, -6, -24, -47, -36, -15, -4,
    48, 22, 14, -18, -31, -16, -1, 26,
    21, 55, 32, -23, 18, -20, 39, 17,
)
_KING_EG = (
    -45, -34, -19, 3, -4, -4, -26, -66,
    -4, 23, 34, 39, 29, 13, 16, -20,
    15, 28, 47, 36, 50, 34, 37, 11,
    14, 36, 41, 52, 55, 49, 40, 10,
    15, 19, 22, 62, 61, 36, 29, 2,
    -4, 6, 26, 30, 41, 28, 17, -3,
    -21, -6, 9, 17, 17, 13, 7, -29,
    -36, -36, -25, -14, -21, -8, -26, -58,
)
_BISHOP_MOBILITY_MG = (
    -27, -29, -14, -10, -4, 8, 12, 13, 8, 9,
    13, -2, 11, -4,
)
_BISHOP_MOBILITY_EG = (
    -64, -40, -18, -14, -5, 5, 2, 11, 12, 16,
    14, 19, 29, 32,
)
_ROOK_MOBILITY_MG = (
    -104, -33, -16, -12, -5, -5, -8, -1, -1, 6,
    10, 18, 25, 32, 10,
)
_ROOK_MOBILITY_EG = (
    -107, -60, -41, -30, -19, -11, 0, 4, 11, 12,
    13, 18, 14, 17, 18,
)
_QUEEN_MOBILITY_MG = (
    -25, -3, -16, -9, -7, -11, -6, -7, -4, 1,
    6, 2, 0, 5, 8, 6, 14, 6, -1, 8,
    18, 12, 13, 14, 8, 9, 12, 9,
)
_QUEEN_MOBILITY_EG = (
    -56, -46, -50, -36, -45, -17, -26, -3, -12, -16,
    -11, 2, 21, 21, 16, 24, 18, 18, 25, 23,
    20, 5, 11, 7, 7, 7, 16, 11,
)
_KING_ATTACK_MG = (
    -16, -30, -30, -20, -6, -17, -13, -8, -3, 1,
    24, -1, 27, 44, 50, 66, 79, 98, 118, 142,
    159, 178, 209, 229, 248, 271, 286, 311, 333, 358,
    380, 407, 436, 467, 475, 475, 475, 474, 476, 475,
)
_KING_ATTACK_EG = (
    -11, 3, 7, -2, 5, -3, 0, 7, -1, 10,
    1, 20, 10, 7, 12, 10, 11, 3, 15, 6,
    15, 11, 16, 10, 20, 25, 21, 24, 23, 25,
    19, 24, 23, 26, 25, 26, 27, 27, 28, 28,
)
# fmt: on

EVALUATION: tuple[Term, ...] = (
    Term("pawn_value", (69,), (113,), "value of a pawn"),
    Term("knight_value", (346,), (371,), "value of a knight"),
    Term("bishop_value", (349,), (410,), "value of a bishop"),
    Term("rook_value", (472,), (666,), "value of a rook"),
    Term("queen_value", (1097,), (1147,), "value of a queen"),
    Term("pawn_squares", _PAWN_MG, _PAWN_EG, "a pawn's bonus by square"),
    Term("knight_squares", _KNIGHT_MG, _KNIGHT_EG, "a knight's bonus by square"),
    Term("bishop_squares", _BISHOP_MG, _BISHOP_EG, "a bishop's bonus by square"),
    Term("rook_squares", _ROOK_MG, _ROOK_EG, "a rook's bonus by square"),
    Term("queen_squares", _QUEEN_MG, _QUEEN_EG, "a queen's bonus by square"),
    Term("king_squares", _KING_MG, _KING_EG, "the king's bonus by square"),
    Term("tempo", (15,), (11,), "bonus of the side to move"),
    Term("isolated_pawn", (-4,), (-9,), "a pawn with none of its own on the neighbouring files"),
    Term("doubled_pawn", (-2,), (-15,), "a pawn with one of its own ahead on its file"),
    Term("backward_pawn", (0,), (-19,), "a pawn left behind that cannot advance safely"),
    Term(
        "phalanx_pawn",
        (4, 8, 11, 26, 64, 80),
        (-4, 1, 13, 38, 68, 99),
        "a pawn beside another, by rank from the second to the seventh",
    ),
    Term(
        "supported_pawn",
        (0, 18, 16, 19, 40, 62),
        (0, 10, 6, 17, 31, 23),
        "a pawn guarded by another, by rank",
    ),
    Term("passed_pawn", (4, 1, -1, 11, 45, 72), (22, 27, 37, 68, 92, 90), "a passed pawn, by rank"),
    Term(
        "free_passed_pawn",
        (11, 0, -9, -5, 25, 46),
        (1, -3, 19, 32, 71, 108),
        "a passed pawn whose next square is free and safe, by rank",
    ),
    Term(
        "passed_own_king",
        (2,),
        (-9,),
        "own king's distance from a passed pawn, for each rank beyond the third",
    ),
    Term(
        "passed_their_king",
        (-4,),
        (14,),
        "their king's distance from a passed pawn, for each rank beyond the third",
    ),
    Term(
        "knight_mobility",
        (-44, -26, -20, -10, -5, 3, 8, 14, 36),
        (-59, -47, -19, 2, 3, 5, 8, 2, -9),
        "a knight's mobility, by squares it can go to",
    ),
    Term(
        "bishop_mobility",
        _BISHOP_MOBILITY_MG,
        _BISHOP_MOBILITY_EG,
        "a bishop's mobility, by squares it can go to",
    ),
    Term(
        "rook_mobility",
        _ROOK_MOBILITY_MG,
        _ROOK_MOBILITY_EG,
        "a rook's mobility, by squares it can go to",
    ),
    Term(
        "queen_mobility",
        _QUEEN_MOBILITY_MG,
        _QUEEN_MOBILITY_EG,
        "a queen's mobility, by squares it can go to",
    ),
    Term("bishop_pair", (26,), (62,), "bishops on both colours"),
    Term("bishop_pawn", (-2,), (-8,), "each own pawn on the colour of a bishop"),
    Term("rook_open_file", (32,), (-8,), "a rook on a file without pawns"),
    Term("rook_half_open_file", (10,), (-5,), "a rook on a file without own pawns"),
    Term("knight_outpost", (31,), (13,), "a knight guarded by a pawn where no pawn can attack it"),
    Term("bishop_outpost", (31,), (3,), "a bishop on such a square"),
    Term(
        "threat_by_pawn",
        (0, 55, 48, 59, 47),
        (0, 28, 53, 32, 12),
        "a pawn attacks a piece: pawn (never), knight, bishop, rook, queen",
    ),
    Term(
        "threat_by_minor",
        (0, 18, 29, 47, 35),
        (18, 32, 15, 20, 44),
        "a knight or bishop attacks a poorly guarded pawn, knight, bishop, any rook, any queen",
    ),
    Term(
        "threat_by_rook",
        (-1, 35, 38, 6, 58),
        (23, 22, 29, 24, 33),
        "a rook attacks a poorly guarded pawn, knight, bishop, rook, any queen",
    ),
    Term("threat_by_king", (19,), (33,), "the king attacks a poorly guarded man"),
    Term("hanging", (12,), (15,), "an attacked man that nothing guards"),
    Term("push_threat", (16,), (10,), "a pawn attacks a piece after a safe push"),
    Term(
        "king_shield",
        (-14, 13, 10, -1, -13, -8, 6),
        (10, -6, -2, -7, -2, 10, 2),
        "own foremost shield pawn on three files: none, then by rank from the second",
    ),
    Term(
        "king_storm",
        (-4, 7, -25, -12, 0, 9, 5),
        (5, -2, -2, -2, -2, -2, -1),
        "their foremost pawn there: none, then by rank, seen from the king's side",
    ),
    Term("king_open_file", (-10,), (-16,), "a file near the king without any pawn before it"),
    Term("king_attack", _KING_ATTACK_MG, _KING_ATTACK_EG, "attack on their king, by attack units"),
    Term("won_kpk", (0,), (400,), "king and pawn against king, won"),
    Term(
        "lone_king_edge",
        (0,),
        (14,),
        "a bare king's distance from the centre, against mating material",
    ),
    Term("lone_king_close", (0,), (10,), "closeness of the kings there"),
    Term(
        "lone_king_corner",
        (0,),
        (40,),
        "with bishop and knight: towards a corner of the bishop's colour",
    ),
)

WEIGHT_LIMIT_CP = 20_000


def weight_defaults() -> dict[str, tuple[tuple[int, ...], tuple[int, ...]]]:
    """Every term's name and its default (middlegame, endgame) weights."""
    return {term.name: (term.middlegame, term.endgame) for term in EVALUATION}
