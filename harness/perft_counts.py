"""Who counts the move sequences of a position: our generators, another engine, python-chess.

`find_difference` compares two of them and walks down to the position where their moves differ.
Moves are UCI texts; castling is king takes rook in Chess960 and the king's target otherwise.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import chess

from harness.errors import HarnessError, UsageError
from harness.perft_suite import Position
from harness.uci_process import SilentEngineError, UciProcess

if TYPE_CHECKING:
    from pathlib import Path

    from engine.shell import Game

_DIVIDED: Final = re.compile(r"\s*([a-h][1-8][a-h][1-8][nbrq]?)\s*:\s*(\d+)\s*")
_TOTAL: Final = re.compile(r"\s*(nodes searched|total|nodes|leaves|perft)\b.*?(\d+)\s*$", re.I)

#: A perft of depth 1 is answered within this, or not at all.
PROBE_SECONDS: Final = 10.0

Divided = dict[str, int]
Line = tuple[str, ...]

STARTPOS: Final = Position(chess.STARTING_FEN)


class Divider(Protocol):
    """Someone who counts the sequences below each move of a position."""

    name: str

    def divide(self, position: Position, depth: int, path: Line = ()) -> Divided:
        """Leaves by first move, `depth` >= 1, after the moves of `path`.

        The path is played and not made a FEN of: what a generator has got wrong in its own board
        (a castling right without a rook) a FEN would put right.
        """

    def close(self) -> None:
        """Let go of what was started."""


class OurDivider:
    """One of our generators (`engine.shell.PERFT_WAYS`) in this process."""

    def __init__(self, through: str = "generator") -> None:
        """Load the compiled code, so that the first count is not slower than the others."""
        self.name = f"numbishop ({through})"
        self._through = through
        self.count(STARTPOS, 1)

    def count(self, position: Position, depth: int) -> int:
        """All leaves: faster than the sum of `divide`."""
        return _played(position, ()).perft(depth, self._through)

    def divide(self, position: Position, depth: int, path: Line = ()) -> Divided:
        game = _played(position, path)
        below: Counter[str] = Counter()  # a broken generator may give a move twice
        for move in game.legal_moves():
            child = _played(position, path)
            child.push(move)
            below[game.format_uci(move)] += child.perft(depth - 1, self._through)
        return dict(below)

    def close(self) -> None:
        """Nothing is held."""


def _played(position: Position, path: Line) -> Game:
    from engine.shell import Game

    try:
        game = Game(*position)
    except ValueError as error:
        raise UsageError(f"{position.fen}: {error}; expected a position to play from") from None
    for move in path:
        game.push_uci(move)
    return game


class PythonChessDivider:
    """python-chess: slow, and independent of everything here."""

    name = "python-chess"

    def divide(self, position: Position, depth: int, path: Line = ()) -> Divided:
        board = board_after(position, path)
        return {board.uci(move): _leaves_below(board, move, depth) for move in board.legal_moves}

    def close(self) -> None:
        """Nothing is held."""


def board_after(position: Position, path: Line) -> chess.Board:
    """The board of python-chess after some moves."""
    board = chess.Board(position.fen, chess960=position.chess960)
    for move in path:
        board.push_uci(move)
    return board


def _leaves_below(board: chess.Board, move: chess.Move, depth: int) -> int:
    if depth == 1:
        return 1
    board.push(move)
    leaves = (
        board.legal_moves.count()
        if depth == 2
        else sum(_leaves_below(board, reply, depth - 1) for reply in board.legal_moves)
    )
    board.pop()
    return leaves


class UciDivider:
    """Any UCI engine that answers `go perft N` by a line `move: leaves` for each move."""

    def __init__(self, command: str | list[str], cwd: Path | None = None) -> None:
        """Start it. Raises UsageError when it has no perft."""
        self._engine = UciProcess(command, cwd)
        self.name = self._engine.name
        self._chess960 = False
        try:
            self._check()
        except HarnessError:
            self.close()
            raise

    def _check(self) -> None:
        try:
            moves = len(self._ask(1, PROBE_SECONDS))
        except SilentEngineError:
            moves = 0
        if moves != 20:
            raise UsageError(
                f"{self.name} did not answer `go perft 1` by a line `move: leaves` for each move;"
                " expected an engine with perft"
            )

    def divide(self, position: Position, depth: int, path: Line = ()) -> Divided:
        if position.chess960 != self._chess960:
            self._chess960 = position.chess960
            value = "true" if position.chess960 else "false"
            self._engine.send(f"setoption name UCI_Chess960 value {value}")
        played = f" moves {' '.join(path)}" if path else ""
        self._engine.send(f"position fen {position.fen}{played}")
        return self._ask(depth, None)

    def _ask(self, depth: int, timeout_s: float | None) -> Divided:
        self._engine.send(f"go perft {depth}")
        below: Divided = {}
        for line in self._engine.lines(timeout_s):
            if match := _DIVIDED.fullmatch(line):
                below[match[1]] = below.get(match[1], 0) + int(match[2])
            elif line.startswith("bestmove") or _TOTAL.match(line):
                break
        return below

    def close(self) -> None:
        self._engine.close()


class Difference(NamedTuple):
    """Where the moves of two generators differ: a position, the way to it, and the moves."""

    position: Position
    path: Line
    missing: tuple[str, ...]  # moves that only the other one has
    too_many: tuple[str, ...]  # moves that only we have


def find_difference(
    ours: Divider, theirs: Divider, position: Position, depth: int
) -> Difference | None:
    """A difference within `depth` plies, by the shortest way to it; None if there is none.

    Counts that differ by chance in nothing but their parts are not found: totals decide the way.
    """
    for plies in range(1, depth + 1):
        found = _walk_down(ours, theirs, position, plies)
        if found is not None:
            return found
    return None


def _walk_down(ours: Divider, theirs: Divider, position: Position, plies: int) -> Difference | None:
    path: Line = ()
    for remaining in range(plies, 0, -1):
        we = ours.divide(position, remaining, path)
        they = theirs.divide(position, remaining, path)
        missing, too_many = _only_in(they, we), _only_in(we, they)
        differing = [move for move in we if we[move] != they.get(move)]
        if not differing and not missing:
            return None
        if missing or too_many or remaining == 1:
            reached = Position(board_after(position, path).fen(en_passant="fen"), position.chess960)
            return Difference(reached, path, missing, too_many or _twice(missing, differing))
        path = (*path, differing[0])
    return None


def _twice(missing: Line, differing: list[str]) -> Line:
    """Moves of the last ply whose counts differ, unless others are missing: given twice."""
    return () if missing else tuple(differing)


def _only_in(these: Divided, those: Divided) -> tuple[str, ...]:
    return tuple(sorted(these.keys() - those.keys()))


def first_difference(
    ours: Divider, theirs: Divider, tasks: Iterable[tuple[Position, int]]
) -> Difference | None:
    """The first difference of two generators among many positions."""
    for position, depth in tasks:
        difference = find_difference(ours, theirs, position, depth)
        if difference is not None:
            return difference
    return None
