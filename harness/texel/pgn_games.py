"""Games of a PGN as the extraction wants them: start, moves, scores, result, or what is wrong.

python-chess reads the text (tags, comments, variations, results); moves are only translated here
and found among the legal ones when the compiled replay meets them, which takes a tenth of the time.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import chess
import chess.pgn

from harness.texel.labels import (
    RESULTS,
    comment_score,
    eval_tag_score,
    wanted_move,
    white_view_score,
)

#: Values of the tag Termination (the standard's and the tournament programs') where the result
#: says nothing about the positions.
_FAULTS: Final = frozenset(
    {
        "abandoned",
        "death",
        "emergency",
        "illegal move",
        "rules infraction",
        "stalled connection",
        "time forfeit",
    }
)


class PgnGame(NamedTuple):
    """A game as it was read. `result` is white's; None with a `flaw`, which says why.

    `scores_cp` has the side to move's score of the position before move i, where one is known.
    `book_plies` is None where the comments do not say which moves were the book's.
    """

    line: int  # within the text, from 0
    fen: str
    moves: list[int]
    scores_cp: dict[int, int]
    book_plies: int | None
    result: float | None
    flaw: str = ""
    detail: str = ""


# The flaws: each is a row of the census.
UNREADABLE: Final = "unreadable"
VARIANT: Final = "other variants"
FAULT: Final = "ended by a fault"
NO_RESULT: Final = "without result"
CONTRADICTING: Final = "contradicting results"


def read_games(text: str) -> Iterator[PgnGame]:
    """The games of a text, one after the other; a bad one does not end it."""
    handle = io.StringIO(text)
    line = place = 0
    while (game := chess.pgn.read_game(handle, Visitor=_Reader)) is not None:
        yield game._replace(line=line)
        here = handle.tell()
        line += text.count("\n", place, here)
        place = here


class _Reader(chess.pgn.BaseVisitor[PgnGame]):
    """Takes from a game what the extraction wants, without playing its moves."""

    def __init__(self) -> None:
        self._tags = chess.pgn.Headers({})
        self._fen = chess.STARTING_FEN
        self._first_mover = chess.WHITE
        self._moves: list[int] = []
        self._scores_cp: dict[int, int] = {}
        self._book_plies: int | None = None
        self._end = "*"
        self._flaw = self._detail = ""

    def begin_headers(self) -> chess.pgn.Headers:
        return self._tags

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        self._tags[tagname] = tagvalue

    def end_headers(self) -> Any:
        if self._tags.get("Termination", "").lower() in _FAULTS:
            self._note(FAULT, self._tags["Termination"])
            return chess.pgn.SKIP
        return None

    def visit_board(self, board: chess.Board) -> None:
        if board.move_stack:
            return
        if type(board) is not chess.Board:
            self._note(VARIANT, self._tags.get("Variant", ""))
        if board.fen() != self._fen:
            self._fen, self._first_mover = board.fen(), board.turn
        # No move is ever played on the board; only so does python-chess know that variations may
        # begin, which it then passes over.
        board.move_stack.append(chess.Move.null())

    def begin_variation(self) -> Any:
        return chess.pgn.SKIP

    def begin_parse_san(self, board: chess.Board, san: str) -> Any:
        del board
        try:
            self._moves.append(wanted_move(san))
        except ValueError as error:
            self._note(UNREADABLE, str(error))
        return chess.pgn.SKIP

    def visit_comment(self, comment: str) -> None:
        played = len(self._moves)
        if comment.strip() == "book":
            self._book_plies = played
            return
        score_cp = comment_score(comment)
        if score_cp is not None:
            self._scores_cp.setdefault(played - 1, score_cp)
            return
        # Of the position before the last move, by those who made it; or of the one after it.
        for place, white_cp in (
            (played - 1, white_view_score(comment)),
            (played, eval_tag_score(comment)),
        ):
            if white_cp is not None:
                white_to_move = self._first_mover ^ bool(place & 1)
                self._scores_cp.setdefault(place, white_cp if white_to_move else -white_cp)

    def visit_result(self, result: str) -> None:
        self._end = result

    def handle_error(self, error: Exception) -> None:
        unknown_variant = "variant" in str(error)
        self._note(VARIANT if unknown_variant else UNREADABLE, str(error))

    def _note(self, flaw: str, detail: str) -> None:
        if not self._flaw:
            self._flaw, self._detail = flaw, detail

    def result(self) -> PgnGame:
        said = [text for text in (self._tags.get("Result", "*"), self._end) if text in RESULTS]
        if not said:
            self._note(NO_RESULT, "")
        elif said[0] != said[-1]:
            self._note(CONTRADICTING, f"{said[0]} in the tag, {said[-1]} after the moves")
        result = None if self._flaw else RESULTS[said[0]]
        return PgnGame(
            0,
            self._fen,
            self._moves,
            self._scores_cp,
            self._book_plies,
            result,
            self._flaw,
            self._detail,
        )
