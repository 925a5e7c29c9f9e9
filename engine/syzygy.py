"""Syzygy endgame tables at the root: which moves keep the best result. Read by python-chess.

The tables know neither castling nor more men than their names say; there the search chooses by
itself, as everywhere below the root.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import chess
import chess.syzygy

from .protocol import UciError, quote

if TYPE_CHECKING:
    from .jobs import Root

#: What python-chess raises when it reads a file that is not what its name says.
_UNREADABLE = (OSError, ValueError, IndexError, AssertionError, struct.error)

_WIN = 1_000  # the rank of a win at once; each ply until progress costs one
_NEXT_MOVE_PLIES = {2: 1, 1: 101, 0: 0, -1: -101, -2: -1}  # after progress, by win/draw/loss
_COARSE_RANKS = {2: 2 * _WIN, 1: _WIN, 0: 0, -1: -_WIN, -2: -2 * _WIN}


class RootTables:
    """The tables of some folders. Raises UciError if there are none."""

    def __init__(self, path: str) -> None:
        self._tables = chess.syzygy.Tablebase()
        for folder in path.split(os.pathsep):
            try:
                self._tables.add_directory(folder)
            except OSError as error:
                raise UciError(f"SyzygyPath: {quote(folder)}: {error.strerror}") from None
        if not self._tables.wdl:
            raise UciError(f"SyzygyPath: there is no table in {quote(path)}")
        self.most_men = max(len(name.replace("v", "")) for name in self._tables.wdl)

    def choose(self, root: Root, moves: Sequence[int]) -> list[int]:
        """Those of the wire moves that keep the best result, and when it is a win make progress.

        All of them where the tables do not know. Raises UciError if a table cannot be read.
        """
        if root.game.man_count > self.most_men:
            return list(moves)
        board = chess.Board(root.game.fen, chess960=root.chess960)
        if board.castling_rights:
            return list(moves)
        try:
            return self._best(board, moves)
        except _UNREADABLE as error:
            raise UciError(f"a tablebase cannot be read: {error}") from None

    def _best(self, board: chess.Board, moves: Sequence[int]) -> list[int]:
        for rank in (self._rank_by_progress, self._rank_by_result):
            try:
                ranks = [_after(board, move, rank) for move in moves]
            except KeyError:  # a table that is needed is not there
                continue
            return [move for move, value in zip(moves, ranks, strict=True) if value == max(ranks)]
        return list(moves)

    def _rank_by_progress(self, board: chess.Board) -> int:
        """The mover's rank of a move just made: by plies until the next capture or pawn move."""
        if board.is_checkmate():
            return _WIN
        if board.halfmove_clock == 0:
            plies = _NEXT_MOVE_PLIES[-self._tables.probe_wdl(board)]
        else:
            plies = -self._tables.probe_dtz(board)
            plies += (plies > 0) - (plies < 0)
        if plies == 0:
            return 0
        return _WIN - plies if plies > 0 else -_WIN - plies

    def _rank_by_result(self, board: chess.Board) -> int:
        """The same where only the win/draw/loss tables are there."""
        return _COARSE_RANKS[-self._tables.probe_wdl(board)]


def _after(board: chess.Board, move: int, rank: Callable[[chess.Board], int]) -> int:
    """What `rank` says of the position after a wire move."""
    promotion = move >> 12 & 7
    board.push(chess.Move(move & 63, move >> 6 & 63, promotion + 1 if promotion else None))
    try:
        return rank(board)
    finally:
        board.pop()
