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
    Term("isolated_pawn", (-8,), (-12,), "a pawn with none of its own on the neighbouring files"),
    Term("doubled_pawn", (-6,), (-16,), "a pawn with one of its own ahead on its file"),
    Term("backward_pawn", (-8,), (-8,), "a pawn left behind that cannot advance safely"),
    Term(
        "phalanx_pawn",
        (2, 6, 10, 22, 50, 80),
        (0, 4, 8, 24, 60, 90),
        "a pawn beside another, by rank from the second to the seventh",
    ),
    Term(
        "supported_pawn",
        (0, 10, 12, 16, 30, 60),
        (0, 6, 8, 14, 30, 60),
        "a pawn guarded by another, by rank",
    ),
    Term("passed_pawn", (0, 0, 4, 20, 40, 70), (8, 12, 28, 50, 90, 140), "a passed pawn, by rank"),
    Term(
        "free_passed_pawn",
        (0, 0, 2, 6, 15, 30),
        (2, 4, 10, 20, 40, 60),
        "a passed pawn whose next square is free and safe, by rank",
    ),
    Term(
        "passed_own_king",
        (0,),
        (-5,),
        "own king's distance from a passed pawn, for each rank beyond the third",
    ),
    Term(
        "passed_their_king",
        (0,),
        (8,),
        "their king's distance from a passed pawn, for each rank beyond the third",
    ),
    Term(
        "knight_mobility",
        (-32, -16, -9, -4, 0, 4, 7, 10, 13),
        (-32, -16, -9, -4, 0, 4, 7, 10, 13),
        "a knight's mobility, by squares it can go to",
    ),
    Term(
        "bishop_mobility",
        (-36, -20, -13, -8, -4, 0, 3, 7, 9, 12, 15, 17, 20, 22),
        (-40, -22, -15, -9, -4, 0, 4, 7, 11, 14, 17, 19, 22, 25),
        "a bishop's mobility, by squares it can go to",
    ),
    Term(
        "rook_mobility",
        (-24, -14, -10, -7, -4, -2, 0, 2, 4, 6, 7, 9, 10, 12, 13),
        (-44, -26, -19, -13, -8, -4, 0, 4, 7, 10, 13, 16, 18, 21, 23),
        "a rook's mobility, by squares it can go to",
    ),
    Term(
        "queen_mobility",
        (
            -22,
            -15,
            -12,
            -10,
            -8,
            -6,
            -5,
            -4,
            -2,
            -1,
            0,
            1,
            2,
            3,
            4,
            5,
            6,
            7,
            8,
            8,
            9,
            10,
            11,
            11,
            12,
            13,
            14,
            14,
        ),
        (
            -44,
            -30,
            -24,
            -20,
            -16,
            -13,
            -10,
            -7,
            -5,
            -2,
            0,
            2,
            4,
            6,
            8,
            10,
            12,
            13,
            15,
            17,
            18,
            20,
            21,
            23,
            24,
            26,
            27,
            28,
        ),
        "a queen's mobility, by squares it can go to",
    ),
    Term("bishop_pair", (24,), (45,), "bishops on both colours"),
    Term("bishop_pawn", (-3,), (-6,), "each own pawn on the colour of a bishop"),
    Term("rook_open_file", (28,), (8,), "a rook on a file without pawns"),
    Term("rook_half_open_file", (12,), (6,), "a rook on a file without own pawns"),
    Term("knight_outpost", (24,), (16,), "a knight guarded by a pawn where no pawn can attack it"),
    Term("bishop_outpost", (20,), (8,), "a bishop on such a square"),
    Term(
        "threat_by_pawn",
        (0, 50, 45, 60, 55),
        (0, 30, 35, 30, 20),
        "a pawn attacks a piece: pawn (never), knight, bishop, rook, queen",
    ),
    Term(
        "threat_by_minor",
        (4, 16, 20, 36, 36),
        (10, 20, 20, 30, 40),
        "a knight or bishop attacks a poorly guarded pawn, knight, bishop, any rook, any queen",
    ),
    Term(
        "threat_by_rook",
        (2, 18, 18, 6, 40),
        (12, 20, 20, 10, 30),
        "a rook attacks a poorly guarded pawn, knight, bishop, rook, any queen",
    ),
    Term("threat_by_king", (8,), (30,), "the king attacks a poorly guarded man"),
    Term("hanging", (18,), (12,), "an attacked man that nothing guards"),
    Term("push_threat", (12,), (10,), "a pawn attacks a piece after a safe push"),
    Term(
        "king_shield",
        (-14, 10, 6, -2, -4, -6, -6),
        (0, 0, 0, 0, 0, 0, 0),
        "own foremost shield pawn on three files: none, then by rank from the second",
    ),
    Term(
        "king_storm",
        (0, -4, -16, -12, -4, 0, 0),
        (0, 0, 0, 0, 0, 0, 0),
        "their foremost pawn there: none, then by rank, seen from the king's side",
    ),
    Term("king_open_file", (-14,), (0,), "a file near the king without any pawn before it"),
    Term(
        "king_attack",
        (
            0,
            0,
            2,
            4,
            7,
            11,
            16,
            22,
            29,
            36,
            45,
            54,
            65,
            76,
            88,
            101,
            115,
            130,
            146,
            162,
            180,
            198,
            218,
            238,
            259,
            281,
            304,
            328,
            353,
            378,
            405,
            432,
            461,
            490,
            500,
            500,
            500,
            500,
            500,
            500,
        ),
        (
            0,
            1,
            2,
            2,
            3,
            4,
            5,
            6,
            6,
            7,
            8,
            9,
            10,
            10,
            11,
            12,
            13,
            14,
            14,
            15,
            16,
            17,
            18,
            18,
            19,
            20,
            21,
            22,
            22,
            23,
            24,
            25,
            26,
            26,
            27,
            28,
            29,
            30,
            30,
            31,
        ),
        "attack on their king, by attack units",
    ),
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
