"""The examined program: asked, heard, judged by python-chess, started anew when it is lost.

Waits are bounded by the examination's own deadline too, so that it ends in time whatever happens.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter_ns
from typing import TYPE_CHECKING, Final, NamedTuple

import chess

from harness.uci_options import Greeting, read_greeting, setoption
from harness.uci_process import NS_PER_MS, EngineFault, EngineSilent, Said, UciProcess

if TYPE_CHECKING:
    from harness.spec import Program

#: How long the whole examination may take, a start until the program is ready, and any other
#: answer that is due at once.
TOTAL_MS: Final = 55_000
START_MS: Final = 20_000
ANSWER_MS: Final = 5_000


class Objection(Exception):
    """What a step finds wrong; the message says what was expected."""


class Answer(NamedTuple):
    """What came between `go` and `bestmove`, and how long it took."""

    move: chess.Move
    infos: tuple[str, ...]
    time_ms: float


class Examiner:
    """A conversation with the program; each step begins a new page of it."""

    def __init__(self, program: Program, options: dict[str, str]) -> None:
        self._program = program
        self._options = options
        self._process: UciProcess | None = None
        self._end_ns = perf_counter_ns() + TOTAL_MS * NS_PER_MS
        self.greeting = Greeting("", {})
        self.greeting_lines: tuple[str, ...] = ()

    @property
    def out_of_time(self) -> bool:
        return perf_counter_ns() >= self._end_ns

    @property
    def process(self) -> UciProcess:
        """The program, started and not yet greeted where there is none. Raises EngineStartError."""
        if self._process is None:
            self._process = UciProcess(self._program)
        return self._process

    def begin(self) -> None:
        """A new page: the program has been greeted, has its options, and is idle."""
        if self._process is not None:
            self._process.forget()
        else:
            self._greet()
            self.configure()
            self.ready(START_MS)
        self.say("ucinewgame")
        self.ready()

    def configure(self) -> None:
        """Set the options that it is to be examined with."""
        for name, value in self._options.items():
            self.say(setoption(name, value, self.greeting))

    def talk(self) -> list[Said]:
        """What was said since the page began."""
        return self._process.talk if self._process is not None else []

    @property
    def has_ended(self) -> bool:
        return self._process is not None and self._process.exit_status is not None

    def lose(self) -> None:
        """Give the program up; the next page begins with a new one."""
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def say(self, text: str) -> None:
        """Say a line. Raises EngineFault."""
        self.process.begin()
        self.process.send(text, self._deadline_ns(ANSWER_MS))

    def hear(self, start: str, timeout_ms: int = ANSWER_MS) -> list[str]:
        """Lines up to the one that begins with the word `start`. Raises EngineFault."""
        deadline_ns = self._deadline_ns(timeout_ms)
        with _named(start):
            return [
                line.decode(errors="replace")
                for line in self.process.lines_until(start.encode(), deadline_ns)
            ]

    def hears_nothing_of(self, start: str, timeout_ms: int) -> None:
        """Raises Objection when the word comes within that time."""
        try:
            self.hear(start, timeout_ms)
        except EngineSilent:
            return
        raise Objection(f"expected no {start} yet")

    def _greet(self) -> None:
        """`uci`, and what it says of itself."""
        self.say("uci")
        self.greeting_lines = tuple(self.hear("uciok", START_MS))
        self.greeting = read_greeting(self.greeting_lines)

    def ready(self, timeout_ms: int = ANSWER_MS) -> None:
        """`isready` and `readyok`; what is said meanwhile is passed over."""
        self.say("isready")
        self.hear("readyok", timeout_ms)

    def think(self, position: str, go: str, timeout_ms: int = ANSWER_MS) -> Answer:
        """A search; `position` is `startpos ...` or `fen ...`. Raises Objection for its move."""
        self.say(f"position {position}")
        begun_ns = perf_counter_ns()
        self.say(f"go {go}")
        return self.answer(board_of(position), begun_ns, timeout_ms)

    def answer(self, board: chess.Board, begun_ns: int, timeout_ms: int = ANSWER_MS) -> Answer:
        """The end of a search that was asked for at `begun_ns`."""
        *infos, last = self.hear("bestmove", timeout_ms)
        time_ms = (self.process.heard_at_ns - begun_ns) / NS_PER_MS
        return Answer(read_move(board, last), tuple(infos), time_ms)

    def _deadline_ns(self, timeout_ms: int) -> int:
        return min(self._end_ns, perf_counter_ns() + timeout_ms * NS_PER_MS)


@contextmanager
def _named(start: str) -> Iterator[None]:
    try:
        yield
    except EngineSilent:
        raise EngineSilent(f"no {start} in time") from None
    except EngineFault as fault:
        raise type(fault)(f"no {start}: {fault}") from None


def board_of(position: str, chess960: bool = False) -> chess.Board:
    """The board after the words of a `position` command."""
    start, _, moves = position.partition(" moves ")
    fen = chess.STARTING_FEN if start == "startpos" else start.removeprefix("fen ")
    board = chess.Board(fen, chess960=chess960)
    for move in moves.split():
        board.push_uci(move)
    return board


def read_move(board: chess.Board, line: str) -> chess.Move:
    """The move of a `bestmove` line. Raises Objection."""
    words = line.split()
    text = words[1] if len(words) > 1 else ""
    try:
        move = chess.Move.from_uci(text)
    except ValueError:
        raise Objection(f"{line!r}: expected bestmove and a move such as e2e4") from None
    if not board.is_legal(move):
        raise Objection(f"{line!r}: this move is not legal in {board.fen()}")
    return move
