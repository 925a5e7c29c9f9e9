"""The ways to count legal move sequences, each with the records that it writes to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from .board import BOARD_DTYPE
from .configuration import build_parameters
from .game import Game, wire_of
from .move import MAX_MOVES
from .perft import perft, perft_hashed, perft_picker, pick_moves
from .perft_table import BUCKET_BYTES, ENTRY_BYTES, MOST_LEAVES, PERFT_TABLE_DTYPE, TOO_MANY
from .pseudo_legal import fill_oracle_moves, perft_oracle
from .state import SEARCHER_DTYPE, new_record


class _Way(Protocol):
    def count(self, game: np.recarray, depth: int) -> int:
        """Leaves of the position in a GAME_DTYPE record at `depth` >= 1."""

    def moves(self, game: Game) -> list[int]:
        """The wire moves of a position."""


class _Generator:
    """The search's own; the last ply is counted by the length of the list."""

    def count(self, game: np.recarray, depth: int) -> int:
        return perft(game, depth)

    def moves(self, game: Game) -> list[int]:
        return game.legal_moves()


class _Table(_Generator):
    """The generator, with a table."""

    def __init__(self, hash_mb: int) -> None:
        buckets_log2 = max(1, ((hash_mb << 20) // BUCKET_BYTES).bit_length() - 1)
        words = np.zeros((BUCKET_BYTES << buckets_log2) // 8 + 8, np.uint64)
        self._lines = words[-words.ctypes.data % ENTRY_BYTES // 8 :]
        self._record = new_record(PERFT_TABLE_DTYPE)
        self._record.address = self._lines.ctypes.data
        self._record.shift = 64 - buckets_log2

    def count(self, game: np.recarray, depth: int) -> int:
        return perft_hashed(game, self._record, depth)


class _Picker:
    """The search's staged picker; each leaf is made."""

    def __init__(self) -> None:
        self._records = new_record(SEARCHER_DTYPE), build_parameters()

    def count(self, game: np.recarray, depth: int) -> int:
        return perft_picker(game, *self._records, depth)

    def moves(self, game: Game) -> list[int]:
        picked = np.zeros(MAX_MOVES, np.uint64)
        count = pick_moves(game.record, *self._records, picked)
        return [wire_of(move, game.side_to_move) for move in picked[:count].tolist()]


class _Oracle:
    """The generator of pseudo_legal.py; each leaf is made."""

    def __init__(self) -> None:
        self._board = new_record(BOARD_DTYPE)

    def count(self, game: np.recarray, depth: int) -> int:
        return perft_oracle(game, self._board, depth)

    def moves(self, game: Game) -> list[int]:
        board = self._board
        fill_oracle_moves(game.record, board)
        white = 0  # its squares are absolute
        return [wire_of(move, white) for move in board.moves[: board.move_count].tolist()]


_WAYS: dict[str, Callable[[], _Way]] = {
    "generator": _Generator,
    "picker": _Picker,
    "oracle": _Oracle,
}
PERFT_WAYS = tuple(_WAYS)


class PerftCounter:
    """Counts through one of PERFT_WAYS; it writes to memory of its own: one for each thread.

    With `hash_mb` the generator counts a position once and remembers it in a table of so many MiB;
    the count is exact all the same. Raises MemoryError if there is no such memory.
    """

    def __init__(self, through: str = "generator", hash_mb: int = 0) -> None:
        if hash_mb and through != "generator":
            raise ValueError(f"no table with the {through}; expected the generator")
        self._way = _Table(hash_mb) if hash_mb else _WAYS[through]()

    def count(self, game: Game, depth: int) -> int:
        """Legal move sequences of `depth` plies, 0 to MAX_PERFT_DEPTH.

        Raises OverflowError where a table has let a count grow beyond MOST_LEAVES.
        """
        if depth == 0:
            return 1
        leaves = int(self._way.count(game.record, depth))
        if leaves == TOO_MANY:
            raise OverflowError(f"more than {MOST_LEAVES:,} leaves at depth {depth}")
        return leaves

    def moves(self, game: Game) -> list[int]:
        """The wire moves that this way finds in a position, legal or not if it is wrong."""
        return self._way.moves(game)
