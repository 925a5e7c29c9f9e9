"""The moves of one game as UCI texts, and what a program answers as a wire move.

A text tells its move by itself, but for castling: standard chess spells it by the king's target,
a wire move by the rook. So the position is followed only as far as it has a say; whether a move is
legal is the referee's to say.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import chess

from harness.game import PlayerFault
from harness.pgn import chess_move
from harness.record import Termination

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.shell import Game

#: What may be castling in standard chess, spelt by the king's target and by the rook.
_BY_TARGET: Final[frozenset[str]] = frozenset({"e1g1", "e1c1", "e8g8", "e8c8"})
_BY_ROOK: Final[frozenset[str]] = frozenset({"e1h1", "e1a1", "e8h8", "e8a8"})


class MoveTexts:
    """Asked about moves in the order in which they are played. `moves` are all that were so far."""

    def __init__(self, fen: str, chess960: bool) -> None:
        from engine.shell import Game

        self._game = Game(fen, chess960)
        self._pushed = 0
        # Chess960 spells castling as a wire move does.
        self._by_rook = frozenset() if chess960 else _BY_ROOK
        self._by_target = frozenset() if chess960 else _BY_TARGET

    def text(self, moves: NDArray[np.uint16], number: int) -> str:
        """Move `number`, counted from 0."""
        move = int(moves[number])
        text = _plain_text(move)
        if text in self._by_rook:
            return self._position(moves, number).format_uci(move)
        return text

    def move(self, text: str, moves: NDArray[np.uint16], count: int) -> int:
        """The move that `text` means after `count` moves, for the referee to judge.

        Raises PlayerFault where it can mean none.
        """
        move = _plain_move(text)
        if move is None or text in self._by_target:
            return self._looked_up(text, moves, count)
        return move

    def _looked_up(self, text: str, moves: NDArray[np.uint16], count: int) -> int:
        from engine.shell import IllegalMoveError

        try:
            return self._position(moves, count).parse_uci(text)
        except IllegalMoveError as error:
            raise PlayerFault(Termination.ILLEGAL_MOVE, str(error)) from None

    def _position(self, moves: NDArray[np.uint16], count: int) -> Game:
        for move in moves[self._pushed : count].tolist():
            self._game.push(move)
        self._pushed = count
        return self._game


@lru_cache(maxsize=8192)  # there are not many more moves
def _plain_text(move: int) -> str:
    return chess_move(move).uci()


@lru_cache(maxsize=8192)
def _plain_move(text: str) -> int | None:
    """None where the text is not that of two squares, perhaps with a promotion."""
    if not _SQUARES_AND_PROMOTION.fullmatch(text):
        return None
    promotion = 1 + "nbrq".index(text[4]) if text[4:] else 0
    return chess.parse_square(text[:2]) | chess.parse_square(text[2:4]) << 6 | promotion << 12


_SQUARES_AND_PROMOTION: Final = re.compile("([a-h][1-8]){2}[nbrq]?")
