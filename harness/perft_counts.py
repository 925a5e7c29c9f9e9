"""Who counts the move sequences of a position: our generators, another engine, python-chess.

`first_difference` compares two of them and walks down to the position where their moves differ.
Moves are UCI texts; castling is king takes rook in Chess960 and the king's target otherwise.
"""

from __future__ import annotations

import functools
import re
import shlex
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import chess

from harness.errors import HarnessError, UsageError
from harness.perft_suite import Position
from harness.spec import Program, Timeouts
from harness.uci_options import greet
from harness.uci_process import NS_PER_S, EngineFlood, EngineSilent, UciProcess

if TYPE_CHECKING:
    from pathlib import Path

    from engine.shell import Game, PerftCounter

_DIVIDED: Final = re.compile(r"\s*([a-h][1-8][a-h][1-8][nbrq]?)[\s:=-]+(\d+)\s*")
_TOTAL: Final = re.compile(r"\s*(?:nodes searched|total|nodes|leaves|perft)\b\D*(\d+)", re.I)

#: A perft of depth 1 is answered within this, or not at all.
PROBE_SECONDS: Final = 10.0
#: A deep count is waited for so long.
COUNT_SECONDS: Final = 30 * 24 * 3600.0
#: It may compile itself before it is ready.
TIMEOUTS: Final = Timeouts(start_ms=20_000, ready_ms=300_000)

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
    """One of our generators (`engine.shell.PERFT_WAYS`) in this process, for many threads."""

    def __init__(self, through: str = "generator", hash_mb: int = 0) -> None:
        """Load the compiled code, so that the first count is not slower than the others.

        `hash_mb` is the size of a table of counts for each thread. Raises UsageError if there is
        no such memory.
        """
        self.name = f"numbishop ({through})"
        self._through = through
        self._hash_mb = hash_mb
        self._of_this_thread = threading.local()
        self.counting(STARTPOS)(1)

    def _counter(self) -> PerftCounter:
        from engine.shell import PerftCounter

        counter: PerftCounter | None = getattr(self._of_this_thread, "counter", None)
        if counter is None:
            try:
                counter = PerftCounter(self._through, self._hash_mb)
            except MemoryError:
                raise UsageError(
                    f"no {self._hash_mb} MB of memory for each thread; expected a smaller --hash"
                ) from None
            self._of_this_thread.counter = counter
        return counter

    def counting(self, position: Position) -> Callable[[int], int]:
        """What counts all leaves of a position at a depth: faster than the sum of `divide`.

        To be called in this thread.
        """
        return functools.partial(self._leaves, _played(position, ()))

    def _leaves(self, game: Game, depth: int) -> int:
        try:
            return self._counter().count(game, depth)
        except OverflowError as error:
            raise UsageError(f"{game.fen}: {error}; expected a smaller depth") from None

    def moves(self, position: Position, path: Line = ()) -> list[str]:
        """The moves there; a broken generator may give one twice."""
        game = _played(position, path)
        return [game.format_uci(move) for move in self._counter().moves(game)]

    def below(self, position: Position, path: Line, depth: int) -> int:
        """Leaves below the last move of `path`; one if the rules refuse that move of a generator,
        which can then not be followed.
        """
        from engine.shell import IllegalMoveError

        if depth == 0:
            return 1
        try:
            return self._leaves(_played(position, path), depth)
        except IllegalMoveError:
            return 1

    def divide(self, position: Position, depth: int, path: Line = ()) -> Divided:
        leaves: Counter[str] = Counter()
        for move in self.moves(position, path):
            leaves[move] += self.below(position, (*path, move), depth - 1)
        return dict(leaves)

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
        board.push(chess.Move.from_uci(move))
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
        """Start it. Raises EngineStartError, and UsageError when it has no perft."""
        words = shlex.split(command) if isinstance(command, str) else command
        program, *arguments = words or [""]
        self._engine = UciProcess(
            Program(command=program, arguments=tuple(arguments), folder=str(cwd or ""))
        )
        self.name = self._engine.name
        self._chess960 = False
        try:
            self._greeting = greet(self._engine, TIMEOUTS.start_ms)
            self._engine.wait_ready(TIMEOUTS.ready_ms)
            self._check()
        except HarnessError:
            self.close()
            raise

    def _check(self) -> None:
        try:
            moves = len(self._ask(1, PROBE_SECONDS))
        except (EngineSilent, EngineFlood):
            moves = 0
        if moves != 20:
            raise UsageError(
                f"{self.name} did not answer `go perft 1` by a line `move: leaves` for each move;"
                " expected an engine with perft"
            )

    def divide(self, position: Position, depth: int, path: Line = ()) -> Divided:
        if position.chess960 != self._chess960:
            if "uci_chess960" not in self._greeting.kinds:
                raise UsageError(
                    f"{self.name} has no option UCI_Chess960; expected an engine that plays"
                    f" Chess960, for {position.fen}"
                )
            self._chess960 = position.chess960
            value = "true" if position.chess960 else "false"
            self._engine.send(f"setoption name UCI_Chess960 value {value}")
        played = f" moves {' '.join(path)}" if path else ""
        self._engine.send(f"position fen {position.fen}{played}")
        return self._ask(depth)

    def _ask(self, depth: int, timeout_s: float = COUNT_SECONDS) -> Divided:
        """What it says. Raises EngineSilent after `timeout_s`, and EngineFlood."""
        self._engine.begin()
        self._engine.send(f"go perft {depth}")
        deadline_ns = time.perf_counter_ns() + int(timeout_s * NS_PER_S)
        below: Divided = {}
        while True:
            line = self._engine.read_line(deadline_ns).decode(errors="replace")
            if match := _DIVIDED.fullmatch(line):
                below[match[1]] = below.get(match[1], 0) + int(match[2])
            elif line.startswith("bestmove"):
                break
            elif (total := _TOTAL.match(line)) and (below or total[1] == "0"):
                break  # before the moves it is a heading, such as `perft 5`
        return below

    def close(self) -> None:
        self._engine.close()


class Difference(NamedTuple):
    """Where the moves of two generators differ: a position, the way to it, and the moves."""

    root: Position
    path: Line
    position: Position
    missing: tuple[str, ...]  # moves that only the other one has
    too_many: tuple[str, ...]  # moves that only we have


class Step(NamedTuple):
    """A comparison to be made."""

    position: Position
    plies: int


def steps(tasks: Sequence[tuple[Position, int]]) -> list[Step]:
    """Every depth up to that of each task, the shallow ones of all positions first.

    A difference is then found where it is cheapest to find, and by the shortest way.
    """
    deepest = max(depth for _, depth in tasks)
    return [
        Step(position, plies)
        for plies in range(1, deepest + 1)
        for position, depth in tasks
        if plies <= depth
    ]


def first_difference(ours: Divider, theirs: Divider, steps: Iterable[Step]) -> Difference | None:
    """The first difference of two generators.

    Counts that differ by chance in nothing but their parts are not found: totals decide the way.
    """
    for position, plies in steps:
        found = _walk_down(ours, theirs, position, plies)
        if found is not None:
            return found
    return None


def _walk_down(ours: Divider, theirs: Divider, root: Position, plies: int) -> Difference | None:
    path: Line = ()
    for remaining in range(plies, 0, -1):
        we = ours.divide(root, remaining, path)
        they = theirs.divide(root, remaining, path)
        missing, too_many = _only_in(they, we), _only_in(we, they)
        differing = [move for move in we if we[move] != they.get(move)]
        if not differing and not missing:
            return None
        if missing or too_many or remaining == 1:
            reached = Position(board_after(root, path).fen(en_passant="fen"), root.chess960)
            return Difference(root, path, reached, missing, too_many or _twice(missing, differing))
        path = (*path, differing[0])
    return None


def _twice(missing: Line, differing: list[str]) -> Line:
    """Moves of the last ply whose counts differ, unless others are missing: given twice."""
    return () if missing else tuple(differing)


def _only_in(these: Divided, those: Divided) -> tuple[str, ...]:
    return tuple(sorted(these.keys() - those.keys()))
