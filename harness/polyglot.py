"""Opening books in Polyglot's format: the lines of a given length, the likeliest first.

A file is a sorted array of big-endian entries: key of the position (uint64), move (uint16), weight
(uint16), learning (uint32, unused). A move is to | from << 6 | promotion << 12, castling as king
takes own rook; a position's moves are meant to be played with shares in proportion to their
weights, never those of weight 0. Keys are python-chess's `zobrist_hash`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import chess
import numpy as np
from chess.polyglot import zobrist_hash
from numpy.typing import NDArray

_ENTRY: Final = np.dtype([("key", ">u8"), ("move", ">u2"), ("weight", ">u2"), ("learn", ">u4")])

#: Length of a line when nobody says it.
DEFAULT_PLIES: Final = 8

#: No more lines of one length are followed, the likeliest ones: that many openings are enough for
#: a match, and take some seconds to find.
MAX_LINES: Final = 20_000


@dataclass(frozen=True, slots=True)
class Line:
    """Moves from the start position, where they lead, and how often a player of the book goes so.

    Castling is king takes own rook, as on a board of Chess960. Of several ways to one position, the
    one that was found first; shares are added.
    """

    moves: tuple[chess.Move, ...]
    board: chess.Board
    share: float


def is_polyglot(data: bytes) -> bool:
    """Whether this can be a book: sorted entries, the start position among them."""
    if not data or len(data) % _ENTRY.itemsize:
        return False
    keys = np.frombuffer(data, _ENTRY)["key"]
    return bool(np.all(keys[:-1] <= keys[1:]) and zobrist_hash(chess.Board()) in keys)


def book_lines(data: bytes, plies: int, is_over: Callable[[chess.Board], bool]) -> list[Line]:
    """The lines of `plies` moves, and shorter ones where the book ends; the likeliest first.

    Every position comes once. Lines into a game that `is_over` are left out.
    """
    entries = np.frombuffer(data, _ENTRY)
    ended: list[Line] = []
    lines = [Line((), chess.Board(chess960=True), 1.0)]
    for _ in range(plies):
        longer: dict[str, Line] = {}
        for line in lines:
            following = [child for child in _followed(entries, line) if not is_over(child.board)]
            if not following:
                ended.append(line)
            for child in following:
                place = child.board.epd()
                first = longer.get(place, child)
                share = child.share if first is child else first.share + child.share
                longer[place] = Line(first.moves, first.board, share)
        lines = _likeliest(list(longer.values()))
    return _likeliest([*ended, *lines])


def _followed(entries: NDArray[np.void], line: Line) -> Iterator[Line]:
    """The line with each of the book's moves more."""
    key = zobrist_hash(line.board)
    first, last = (np.searchsorted(entries["key"], key, side) for side in ("left", "right"))
    weighed = [
        (move, int(entry["weight"]))
        for entry in entries[first:last]
        if entry["weight"] and (move := _legal_move(line.board, int(entry["move"]))) is not None
    ]
    total = sum(weight for _, weight in weighed)
    for move, weight in weighed:
        board = line.board.copy(stack=False)
        board.push(move)
        yield Line((*line.moves, move), board, line.share * weight / total)


def _legal_move(board: chess.Board, packed: int) -> chess.Move | None:
    """The move of an entry; None for one that the rules do not allow (another position's)."""
    promotion = packed >> 12 & 7
    move = chess.Move(packed >> 6 & 63, packed & 63, promotion + 1 if promotion else None)
    return move if board.is_legal(move) else None


def _likeliest(lines: list[Line]) -> list[Line]:
    lines.sort(key=lambda line: (-line.share, line.board.epd()))
    return lines[:MAX_LINES]
