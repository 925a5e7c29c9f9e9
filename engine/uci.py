"""The engine as a UCI program: commands in, answers out. Numba is loaded when it is first needed.

The main thread reads commands; a search or a perft runs in another one, whose kernels release the
GIL, so that `stop`, `isready` and `quit` are answered meanwhile. A command that cannot be obeyed is
answered by `info string` and ignored. Each `go` that is obeyed gets exactly one `bestmove`, when it
has to wait for `stop` (`infinite`, `ponder`, no limit) only after that. Options and positions sent
during a search are taken for the next one.
"""

from __future__ import annotations

import io
import select
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TextIO

from .fen import STARTPOS, FenError
from .parameters import search_defaults
from .protocol import (
    DEFAULT_HASH_MB,
    OPTIONS,
    GoCommand,
    UciError,
    draw_board,
    format_score,
    parse_go,
    parse_int,
    parse_position,
    parse_setoption,
    quote,
)

if TYPE_CHECKING:
    from types import ModuleType

    from .shell import Game, Searcher, SearchResult

NAME = "Numbishop 0.1.0"
AUTHOR = "the Numbishop authors"
USAGE = """usage: numbishop [COMMAND]

Without a command: a chess engine that speaks UCI on standard input and output.
With one, a single UCI command is obeyed, for example:
  numbishop bench          the signature of the search and its speed
  numbishop go perft 5     count the legal move sequences of five plies
  numbishop isready        compile everything beforehand"""

_QUIT_WAIT_S = 1.0  # a perft cannot be interrupted inside one root move
_LISTEN_EVERY_S = 0.2


class Root(NamedTuple):
    """The position to search: the game as played, its start and its wire moves."""

    fen: str
    chess960: bool
    moves: tuple[int, ...]
    game: Game


class Job:
    """Work in a thread of its own. `answered` is set just before its last line is printed."""

    def __init__(self, work: Callable[[Job], None], waits: bool, interrupt: Callable[[], None]):
        self.waits = waits
        self.stopped = threading.Event()
        self.answered = threading.Event()
        self._interrupt = interrupt
        self.thread = threading.Thread(target=work, args=(self,), daemon=True)
        self.thread.start()

    def stop(self) -> None:
        self.stopped.set()
        self._interrupt()


class Uci:
    """One conversation. `has_listener` tells, after the input's end, whether answers are read."""

    def __init__(self, out: TextIO, has_listener: Callable[[], bool] = lambda: True) -> None:
        self._out = out
        self._out_lock = threading.Lock()
        self._has_listener = has_listener
        self._search = search_defaults()
        self._hash_mb = DEFAULT_HASH_MB
        self._chess960 = False
        self._shell: ModuleType | None = None
        self._searcher: Searcher | None = None
        self._configuration: tuple[dict[str, int], int] | None = None  # what it was made from
        self._is_new_game = True
        self._searched: Root | None = None
        self._root: Root | None = None
        self._job: Job | None = None
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._uci,
            "isready": self._isready,
            "ucinewgame": self._ucinewgame,
            "setoption": self._setoption,
            "position": self._position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._stop,
            "bench": self._bench,
            "d": self._display,
        }

    def say(self, text: str) -> None:
        """Print lines, whole, whichever thread says them."""
        with self._out_lock:
            self._out.write(text + "\n")
            self._out.flush()

    def run(self, lines: Iterable[str]) -> None:
        """Obey `lines` until `quit` or their end; then let a search that ends by itself finish."""
        for line in lines:
            words = line.split()
            if words and words[0] == "quit":
                self._end_job(_QUIT_WAIT_S)
                return
            try:
                self.obey(words)
            except UciError as refusal:
                self.say(f"info string {refusal}")
            except Exception as bug:  # noqa: BLE001  told in full, but it must not lose a game
                traceback.print_exc()
                self.say(f"info string internal error, please report: {bug!r}")
        self.finish()

    def obey(self, words: list[str]) -> None:
        """One command. Raises UciError if it cannot be obeyed."""
        if not words:
            return
        command = self._commands.get(words[0])
        if command is None:
            raise UciError(f"unknown command {quote(words[0])}")
        command(words[1:])

    def finish(self) -> None:
        """Wait for the search, unless it waits for a `stop` that cannot come or nobody listens."""
        job = self._job
        while job and job.thread.is_alive():
            if job.waits or not self._has_listener():
                self._end_job(_QUIT_WAIT_S)
                return
            job.thread.join(_LISTEN_EVERY_S)

    # Commands.

    def _uci(self, words: list[str]) -> None:
        options = "\n".join(option.line for option in OPTIONS.values())
        self.say(f"id name {NAME}\nid author {AUTHOR}\n{options}\nuciok")

    def _isready(self, words: list[str]) -> None:
        if not self._is_busy():
            self._ready_searcher()
        self.say("readyok")

    def _ucinewgame(self, words: list[str]) -> None:
        self._is_new_game = True

    def _setoption(self, words: list[str]) -> None:
        option, value = parse_setoption(words)
        if option.parameter:
            self._search = self._search | {option.parameter: value}
        elif option.name == "Hash":
            self._hash_mb = value
        elif option.name == "UCI_Chess960":
            self._chess960 = bool(value)
        else:  # Clear Hash
            self._is_new_game = True

    def _position(self, words: list[str]) -> None:
        fen, texts = parse_position(words)
        self._root = self._make_root(fen, texts)
        for note in self._root.game.notes:
            self.say(f"info string {note}")

    def _go(self, words: list[str]) -> None:
        command = parse_go(words)
        self._require_idle()
        for note in command.notes:
            self.say(f"info string {note}")
        if "perft" in command.numbers:
            self._start_perft(command.numbers["perft"])
        else:
            self._start_search(command)

    def _stop(self, words: list[str]) -> None:
        self._end_job(None)

    def _bench(self, words: list[str]) -> None:
        from .bench import DEFAULT_DEPTH, MAX_DEPTH, run_bench

        depth = parse_int(words[0], "bench depth") if words else DEFAULT_DEPTH
        if not 1 <= depth <= MAX_DEPTH:
            raise UciError(f"bench depth is {depth}; expected 1 to {MAX_DEPTH}")
        self._require_idle()
        self._engine()
        run_bench(depth, self._search, self.say)

    def _display(self, words: list[str]) -> None:
        self.say(draw_board(self._current_root().game.fen))

    # The engine behind them.

    def _engine(self) -> ModuleType:
        """The shell over the kernels, loaded and if need be compiled now."""
        if self._shell is None:
            from . import shell

            shell.warm_up(self._report_warm_up)
            self._shell = shell
        return self._shell

    def _report_warm_up(self, name: str, done: int, total: int) -> None:
        if done < total:
            self.say(f"info string loading {name} ({done + 1} of {total}), compiled if not cached")

    def _make_root(self, fen: str, texts: list[str]) -> Root:
        shell = self._engine()
        try:
            game = shell.Game(fen, self._chess960)
            moves = tuple(game.push_uci(text) for text in texts)
        except (FenError, shell.IllegalMoveError) as error:
            raise UciError(f"position not changed: {error}") from None
        return Root(fen, self._chess960, moves, game)

    def _current_root(self) -> Root:
        if self._root is None:
            self._root = self._make_root(STARTPOS, [])
        return self._root

    def _ready_searcher(self) -> Searcher:
        """The searcher for the options as they stand; changed ones make it anew."""
        wanted = (self._search, self._hash_mb)
        if self._searcher is None or self._configuration != wanted:
            self._searcher = self._make_searcher()
            self._configuration = (self._search, self._hash_mb)
            self._is_new_game = True
        return self._searcher

    def _make_searcher(self) -> Searcher:
        make = self._engine().Searcher
        try:
            return make(self._search, hash_mb=self._hash_mb)
        except MemoryError:
            held = self._configuration[1] if self._configuration else DEFAULT_HASH_MB
            self.say(f"info string no memory for Hash {self._hash_mb}; it is {held} instead")
            self._hash_mb = held
            return make(self._search, hash_mb=held)

    def _place(self, searcher: Searcher, root: Root) -> None:
        """Tell the searcher what it cannot find out from the moves: another game or line."""
        last = self._searched
        if self._is_new_game or last is None:
            searcher.new_game(root.fen, root.chess960)
        elif last[:2] != root[:2] or root.moves[: len(last.moves)] != last.moves:
            searcher.set_position(root.fen, root.chess960)
        self._is_new_game = False
        self._searched = root

    # Searches and other jobs.

    def _is_busy(self) -> bool:
        return self._job is not None and not self._job.answered.is_set()

    def _require_idle(self) -> None:
        if self._is_busy():
            raise UciError("a search is running; send stop first")
        if self._job:
            self._job.thread.join()

    def _end_job(self, timeout_s: float | None) -> None:
        if self._job:
            self._job.stop()
            self._job.thread.join(timeout_s)

    def _start_search(self, command: GoCommand) -> None:
        import numpy as np

        shell, root, searcher = self._engine(), self._current_root(), self._ready_searcher()
        if not root.game.legal_moves():
            self._job = Job(lambda job: self._answer_ended(job, root), command.waits, lambda: None)
            return
        self._place(searcher, root)
        limit = shell.SearchLimit(**command.limits(root.game.side_to_move))
        moves = np.array([*root.moves, 0], np.uint16)
        results = searcher.deepen(moves, len(root.moves), limit)
        self._job = Job(
            lambda job: self._answer(job, root, searcher, results), command.waits, searcher.stop
        )

    def _answer_ended(self, job: Job, root: Root) -> None:
        """Mated or stalemated: there is no move."""
        mated = root.game.status == self._engine().Status.CHECKMATE
        self.say(f"info depth 0 score {'mate' if mated else 'cp'} 0")
        self._say_best_move(job, "(none)")

    def _answer(
        self, job: Job, root: Root, searcher: Searcher, results: Iterator[SearchResult]
    ) -> None:
        move = root.game.legal_moves()[0]  # for the case that the search fails by a bug
        try:
            last = None
            for result in results:
                move = result.move
                self.say(self._format_info(root, searcher, result, last))
                last = result
        finally:
            self._say_best_move(job, root.game.format_uci(move))

    def _say_best_move(self, job: Job, text: str) -> None:
        if job.waits:
            job.stopped.wait()
        job.answered.set()
        self.say(f"bestmove {text}")

    def _format_info(
        self, root: Root, searcher: Searcher, result: SearchResult, last: SearchResult | None
    ) -> str:
        """The line after an iteration.

        One that was cut off leaves `depth` as it was. If it had found a better move or score by
        then, that is a lower bound of the next depth's value.
        """
        shell = self._engine()
        cut_off = last is not None and result.depth == last.depth
        improved = cut_off and result[:2] != last[:2]
        score = format_score(result.score_cp, shell.MATE, shell.MATE_BOUND)
        line = shell.Game(root.game.fen, root.chess960)
        texts = []
        for move in searcher.principal_variation():
            texts.append(line.format_uci(move))
            line.push(move)
        return (
            f"info depth {result.depth + improved} seldepth {result.seldepth}"
            f" score {score}{' lowerbound' if improved else ''}"
            f" nodes {result.nodes} nps {result.nodes * 10**9 // max(1, result.time_ns)}"
            f" hashfull {searcher.hashfull_permille()} time {result.time_ns // 10**6}"
            f" pv {' '.join(texts)}"
        )

    def _start_perft(self, depth: int) -> None:
        most = self._engine().MAX_PERFT_DEPTH
        if not 1 <= depth <= most:
            raise UciError(f"perft depth is {depth}; expected 1 to {most}")
        game = self._current_root().game
        self._job = Job(lambda job: self._perft(job, game, depth), False, lambda: None)

    def _perft(self, job: Job, game: Game, depth: int) -> None:
        total = 0
        for move, count in game.divide(depth):
            self.say(f"{game.format_uci(move)}: {count}")
            total += count
            if job.stopped.is_set():
                job.answered.set()
                self.say("info string perft stopped")
                return
        job.answered.set()
        self.say(f"\nNodes searched: {total}")


def _has_reader(out: TextIO) -> bool:
    """Whether the other end of a pipe is still open."""
    poll = select.poll()
    poll.register(out, 0)  # an error is reported unasked
    return not poll.poll(0)


def main(arguments: list[str] | None = None) -> int:
    """The console script `numbishop`. Returns the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    if words and words[0] in {"-h", "--help", "help"}:
        print(USAGE)
        return 0
    for name in (signal.SIGINT, signal.SIGPIPE):  # end like any filter, without a traceback
        signal.signal(name, signal.SIG_DFL)
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)
    program = Uci(sys.stdout, lambda: _has_reader(sys.stdout))
    if not words:
        program.run(sys.stdin)
        return 0
    try:
        program.obey(words)
    except UciError as refusal:
        print(f"numbishop: {refusal}", file=sys.stderr)
        return 2
    program.finish()
    return 0
