"""Results and scores as text: lines of positions, comments of PGN, SAN. White's view, unless said.

A line is a FEN or EPD (its first four or six fields), then what it is labelled with:

    FEN | 31 | 0.5         score in centipawns, result (bullet and others)
    FEN [0.5] 31           result, then perhaps a score (Ethereal and others)
    FEN c9 "1/2-1/2"; ce 31;   EPD opcodes (Zurichess); `ce` is from the side to move, by EPD
    FEN;1/2-1/2   FEN 0.5   FEN "0-1"   and so on
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from harness.record import MATE_CP

_RESULT: Final = r"1-0|0-1|1/2-1/2|1/2|[01](?:\.\d*)?|0?\.\d+"
_SCORE: Final = r"[-+]?\d{1,6}(?:\.\d+)?"
#: Placement, side, castling, en passant, and the counters if both are there.
_POSITION: Final = re.compile(
    r"\s*((?:[1-8PNBRQKpnbrqk]{1,8}/){7}[1-8PNBRQKpnbrqk]{1,8})\s+([wb])\s+(-|[KQA-Hkqa-h]{1,4})"
    r"\s+(-|[a-h][36])(?:\s+(\d{1,4})\s+(\d{1,4})(?![-/.\d]))?(?=[\s;,|\[]|$)"
)
_FORMS: Final = tuple(
    re.compile(form)
    for form in (
        rf"\s*\|\s*(?P<score>{_SCORE})\s*\|\s*(?P<result>{_RESULT})\s*\|?\s*",
        rf"[\s;,|]*\[(?P<result>{_RESULT})\][\s;,|]*(?P<score>{_SCORE})?[\s;]*",
        rf"[\s;,|]*(?P<quote>\"?)(?P<result>{_RESULT})(?P=quote)"
        rf"(?:[\s;,|]+(?P<score>{_SCORE}))?[\s;]*",
    )
)
_RESULT_OPCODE: Final = re.compile(rf"\bc9\s+\"?({_RESULT})\"?\s*(?:;|$)")
_SCORE_OPCODE: Final = re.compile(rf"\bce\s+({_SCORE})\s*(?:;|$)")

RESULTS: Final = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
_WORDS: Final = {**RESULTS, "1/2": 0.5}


class LabelledPosition(NamedTuple):
    """A line: `result` is white's, 0 to 1; `score_cp` is from the side to move, None if not given.

    `fen` has six fields.
    """

    fen: str
    black_to_move: bool
    result: float
    score_cp: int | None


class NoResultError(ValueError):
    """A position without a result."""


class NoPositionError(ValueError):
    """A line that does not begin with a position."""


def parse_line(text: str, *, movers_view: bool = False) -> LabelledPosition:
    """Read a line. With `movers_view` its numbers are from the side to move, and not white's.

    Raises NoPositionError or NoResultError. (Words such as `1-0` are white's in any case.)
    """
    head = _POSITION.match(text)
    if head is None:
        raise NoPositionError("expected a FEN or EPD position")
    rest = text[head.end() :]
    placement, side, castling, en_passant, halfmoves, fullmoves = head.groups()
    fen = f"{placement} {side} {castling} {en_passant} {halfmoves or 0} {fullmoves or 1}"
    black = side == "b"
    word, score, score_of_mover = _label(rest)
    if word in _WORDS:
        result = _WORDS[word]
    else:
        result = float(word)
        if not 0.0 <= result <= 1.0:
            raise NoResultError(f"result {word}; expected 0 to 1")
        if movers_view and black:
            result = 1.0 - result
    score_cp = None if score is None else round(float(score))
    if score_cp is not None and black and not (score_of_mover or movers_view):
        score_cp = -score_cp
    return LabelledPosition(fen, black, result, score_cp)


def _label(rest: str) -> tuple[str, str | None, bool]:
    """Result, score if there is one, and whether that is the side to move's in any case."""
    opcode = _RESULT_OPCODE.search(rest)
    if opcode is not None:
        score = _SCORE_OPCODE.search(rest)
        return opcode[1], score and score[1], True
    for form in _FORMS:
        match = form.fullmatch(rest)
        if match is not None:
            return match["result"], match["score"], False
    raise NoResultError("expected a result after the position")


_ENGINE_SCORE: Final = re.compile(
    r"\s*(?:([-+]?\d{1,6}(?:\.\d+)?)|([-+]?)(?:M|#)([-+]?)(\d+))/(?!0\b)\d+"
)
_WHITE_VIEW: Final = re.compile(
    r"\bwv=(?:([-+]?\d{1,6}(?:\.\d+)?)|([-+]?)[M#]([-+]?)(\d+))(?=,|\s|$)"
)
_EVAL_TAG: Final = re.compile(r"\[%eval\s+(?:([-+]?\d{1,6}(?:\.\d+)?)|#([-+]?)(\d+))")


def comment_score(comment: str) -> int | None:
    """The mover's score of `+0.31/9 0.2s` or `-M4/12` (cutechess, fastchess, ours), centipawns.

    None with depth 0, which says that no search is behind it.
    """
    return _pawns_or_mate(_ENGINE_SCORE.match(comment))


def white_view_score(comment: str) -> int | None:
    """White's score by the search behind the move, `wv=0.31` or `wv=-M12` (TCEC), centipawns."""
    return _pawns_or_mate(_WHITE_VIEW.search(comment))


def _pawns_or_mate(match: re.Match[str] | None) -> int | None:
    """Groups: pawns, or two places for the sign of a mate and its distance."""
    if match is None:
        return None
    pawns, sign, second_sign, mate = match.groups()
    if pawns is not None:
        return round(100 * float(pawns))
    return _mate_score("-" in (sign, second_sign), mate)


def eval_tag_score(comment: str) -> int | None:
    """White's score after the move of `[%eval 0.31]` or `[%eval #-3]` (Lichess), centipawns."""
    match = _EVAL_TAG.search(comment)
    if match is None:
        return None
    pawns, sign, mate = match.groups()
    return round(100 * float(pawns)) if pawns is not None else _mate_score(sign == "-", mate)


def _mate_score(lost: bool, plies: str) -> int:
    score_cp = MATE_CP - min(int(plies), 999)
    return -score_cp if lost else score_cp


_SAN: Final = re.compile(
    r"(?:([NBRQK])?([a-h])?([1-8])?[-x]?([a-h])([1-8])(?:=?([NBRQnbrq]))?"
    r"|([O0]-[O0](?:-[O0])?))[-+#!?]*"
)
_PIECES: Final = "PNBRQK"
_ANY_PIECE: Final = 7
_SAN_FLAG: Final = 1 << 31


@lru_cache(maxsize=1 << 16)
def wanted_move(san: str) -> int:
    """A move's text as the kernels look for it (see replay/kernel.py). Raises ValueError.

    SAN, and from and to square of any piece as python-chess reads them (`e2e4`, `e7e8q`).
    """
    match = _SAN.fullmatch(san)
    if match is None:
        raise ValueError(f"{san!r} is no move")
    piece, from_file, from_rank, to_file, to_rank, promotion, castling = match.groups()
    if castling is not None:
        return _SAN_FLAG | (1 if len(castling) == 3 else 2) << 20
    any_piece = piece is None and from_file and from_rank
    code = _ANY_PIECE if any_piece else _PIECES.index(piece or "P")
    target = ord(to_file) - ord("a") + 8 * (int(to_rank) - 1)
    file = ord(from_file) - ord("a") + 1 if from_file else 0
    promoted = _PIECES.index(promotion.upper()) if promotion else 0
    return _SAN_FLAG | target | code << 6 | file << 9 | int(from_rank or 0) << 13 | promoted << 17
