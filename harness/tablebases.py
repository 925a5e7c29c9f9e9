"""Ends a game whose result Syzygy tables know.

They are asked after a capture or a pawn move, when the fifty moves count from 0: what they say then
is what the game is worth. A win that the fifty moves would prevent ("cursed") is a draw.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import chess
import chess.syzygy

from harness.errors import UsageError

if TYPE_CHECKING:
    from engine.shell import Game
    from harness.spec import AdjudicationConfig


class Tablebases:
    """The tables of some folders."""

    def __init__(self, folders: str) -> None:
        """Open them. Raises UsageError where there are none."""
        self._tables = chess.syzygy.Tablebase()
        for folder in folders.split(os.pathsep):
            try:
                self._tables.add_directory(folder)
            except OSError as error:
                raise UsageError(
                    f"--syzygy {folder}: {error.strerror}; expected a folder of tables"
                ) from None
        if not self._tables.wdl:
            raise UsageError(f"--syzygy {folders}: no tables there; expected files named *.rtbw")
        self._most_men = max(len(name.replace("v", "")) for name in self._tables.wdl)

    def result(self, game: Game) -> int | None:
        """White's result (1, 0, -1) right after a capture or a pawn move; None where unknown."""
        if not game.last_move_irreversible or game.man_count > self._most_men:
            return None
        board = chess.Board(game.fen, chess960=True)
        if board.castling_rights:
            return None
        wdl = self._tables.get_wdl(board)
        if wdl is None:
            return None
        mover = (wdl == 2) - (wdl == -2)
        return mover if board.turn else -mover

    def close(self) -> None:
        """Let go of the files."""
        self._tables.close()


def open_tablebases(config: AdjudicationConfig) -> Tablebases | None:
    """The tables that a run's games are judged by; None when there are none."""
    return Tablebases(config.syzygy) if config.enabled and config.syzygy else None
