"""The engine as a UCI program: commands in, answers out. Numba is loaded when it is first needed.

One thread reads lines, the main thread obeys them, and a search, perft or bench runs in a third,
whose kernels release the GIL, so that `stop`, `isready` and `quit` are answered meanwhile. A
command that cannot be obeyed is answered by `info string` and ignored. Each `go` that is obeyed
gets exactly one `bestmove`; with `infinite` or no limit at all it comes only after `stop`, with
`ponder` only after that or `ponderhit`, from which on the search goes on by the clock. Options and
positions sent during a search are taken for the next one, and a `go` waits for its end. `stop` ends
those that wait, too: they are answered at once, in their order.
"""

from __future__ import annotations

import io
import select
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TextIO

from .fen import STARTPOS, FenError
from .jobs import Job, Root, Task, start_bench, start_ended, start_perft, start_search
from .parameters import search_defaults
from .protocol import (
    OPTIONS,
    GoCommand,
    Option,
    UciError,
    draw_board,
    draw_evaluation,
    parse_go,
    parse_int,
    parse_position,
    parse_setoption,
    quote,
    shorten,
)

if TYPE_CHECKING:
    from types import ModuleType

    from .shell import Searcher
    from .syzygy import RootTables

NAME = "Numbishop 0.1.0"
AUTHOR = "the Numbishop authors"
USAGE = """usage: numbishop [COMMAND]

Without a command: a chess engine that speaks UCI on standard input and output.
With one, a single UCI command is obeyed, for example:
  numbishop bench [DEPTH]  the signature of the search and its speed
  numbishop go perft 5     count the legal move sequences of five plies
  numbishop eval           the terms of the evaluation
Besides:
  numbishop warm           compile everything beforehand
  numbishop serve [...]    serve UCI over TCP; see numbishop serve --help

  -h, --help               show this text
  --version                show the version"""

_QUIT_WAIT_S = 1.0  # a perft may take longer to notice, and is left then
_SLOW_LOADING_S = 1.0  # from the cache it takes a third of it
_LISTEN_EVERY_S = 0.2
_DEFERRED_EVERY_S = 0.01
_MOST_WAITING = 1000  # lines or commands; a GUI sends a few
_JOB_COMMANDS = frozenset({"go", "bench"})
_IMMEDIATE_COMMANDS = frozenset({"uci", "isready", "stop", "ponderhit"})  # never wait their turn


class SlowProgress:
    """Tells the steps of the engine's loading once it has lasted so long that it must compile."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._line = ""
        self._is_slow = False
        self._timer = threading.Timer(_SLOW_LOADING_S, self._tell)
        self._timer.start()

    def report(self, name: str, done: int, total: int) -> None:
        if done < total:
            self._line = f"info string compiling, first run only: {name} ({done + 1} of {total})"
            if self._is_slow:
                self._say(self._line)

    def close(self) -> None:
        self._timer.cancel()

    def _tell(self) -> None:
        self._is_slow = True
        self._say(self._line)


class Inbox:
    """Lines on their way from the thread that reads to the one that obeys.

    So many wait at most: then the reader does, and in the end whoever writes.
    """

    def __init__(self) -> None:
        self._lines: deque[str | None] = deque()
        self._changed = threading.Condition()
        self._is_closed = False

    def put(self, line: str | None) -> bool:
        """Add a line, or None after the last; False if nobody wants any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or len(self._lines) < _MOST_WAITING)
            self._lines.append(line)
            self._changed.notify_all()
            return not self._is_closed

    def get(self, timeout_s: float | None) -> str | None:
        """The next line. Raises TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._lines, timeout_s):
                raise TimeoutError
            line = self._lines.popleft()
            self._changed.notify_all()
            return line

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()


class Uci:
    """One conversation. `has_listener` tells, after the input's end, whether answers are read."""

    def __init__(
        self,
        out: TextIO,
        has_listener: Callable[[], bool] = lambda: True,
        options: Mapping[str, Option] = OPTIONS,
    ) -> None:
        self._out = out
        self._out_lock = threading.Lock()
        self._has_listener = has_listener
        self._options = options
        self._search = search_defaults()
        self._values = {option.name: option.default for option in OPTIONS.values()}
        self._values |= {option.name: option.default for option in options.values()}
        self._tables: RootTables | None = None
        self._shell: ModuleType | None = None
        self._searcher: Searcher | None = None
        self._configured = (self._search, self._values["Hash"], 1)  # what the searcher knows
        self._is_new_game = True
        self._searched: tuple[str, bool] | None = None  # the start it knows
        self._root: Root | None = None
        self._job: Job | None = None
        self._pondered: GoCommand | None = None  # what the running search is to become
        self._deferred: deque[tuple[list[str], bool]] = deque()  # the words, whether to end at once
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._uci,
            "isready": self._isready,
            "ucinewgame": self._ucinewgame,
            "setoption": self._setoption,
            "position": self._position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._ponderhit,
            "bench": self._bench,
            "d": self._display,
            "eval": self._evaluate,
        }

    def say(self, text: str) -> None:
        """Print lines, whole, whichever thread says them."""
        with self._out_lock:
            self._out.write(text + "\n")
            self._out.flush()

    def run(self, lines: Iterable[str]) -> None:
        """Obey `lines` until `quit` or their end; then let what ends by itself finish."""
        inbox = Inbox()
        threading.Thread(target=_read, args=(lines, inbox), daemon=True).start()
        try:
            while (line := self._next_line(inbox)) is not None:
                words = line.split()
                if words[:1] == ["quit"]:
                    self._end_job(_QUIT_WAIT_S)
                    return
                self._take(words)
            self.finish()
        finally:
            inbox.close()

    def _next_line(self, inbox: Inbox) -> str | None:
        """The next line, None at the end; deferred commands are obeyed in the meantime."""
        while True:
            self._take_deferred()
            try:
                return inbox.get(_DEFERRED_EVERY_S if self._deferred else None)
            except TimeoutError:
                continue

    def _take(self, words: list[str]) -> None:
        """Obey a command, after the running job's end if it is, or comes after, another job."""
        command = words[0] if words else ""
        is_job = command in _JOB_COMMANDS
        if (self._deferred or (is_job and self._is_busy())) and (
            command not in _IMMEDIATE_COMMANDS
        ):
            if len(self._deferred) >= _MOST_WAITING:
                self.say("info string too many commands wait for the search: this one is ignored")
                return
            self._deferred.append((words, False))
            if is_job:
                self.say(f"info string {command} waits for the end of the running search")
        else:
            self._obey_or_tell(words)

    def _take_deferred(self) -> None:
        while self._deferred and not self._is_busy():
            words, is_stopped = self._deferred.popleft()
            self._obey_or_tell(words)
            if is_stopped:
                self._end_job(None)

    def _obey_or_tell(self, words: list[str]) -> None:
        try:
            self.obey(words)
        except UciError as refusal:
            self.say(f"info string {shorten(str(refusal))}")
        except Exception as bug:  # noqa: BLE001  told in full, but it must not lose a game
            traceback.print_exc()
            self.say(f"info string internal error, please report: {bug!r}")

    def obey(self, words: list[str]) -> None:
        """One command. Raises UciError if it cannot be obeyed."""
        if not words:
            return
        command = self._commands.get(words[0])
        if command is None:
            raise UciError(f"unknown command {quote(words[0])}")
        command(words[1:])

    def finish(self) -> None:
        """Wait for what runs, unless it waits for a `stop` that cannot come or nobody listens."""
        while self._job:
            if self._job.waits:
                self._end_job(None)
            if self._job.join(_LISTEN_EVERY_S):
                if not self._deferred:
                    return
                self._take_deferred()
            elif not self._has_listener():
                self._end_job(_QUIT_WAIT_S)
                return

    # Commands.

    def _uci(self, words: list[str]) -> None:
        options = "\n".join(option.line for option in self._options.values())
        self.say(f"id name {NAME}\nid author {AUTHOR}\n{options}\nuciok")

    def _isready(self, words: list[str]) -> None:
        if not self._is_busy():
            self._ready_searcher()
        self.say("readyok")

    def _ucinewgame(self, words: list[str]) -> None:
        self._is_new_game = True

    def _setoption(self, words: list[str]) -> None:
        option, value = parse_setoption(words, self._options)
        if option.parameter:
            self._search = self._search | {option.parameter: value}
        elif option.kind == "button":  # Clear Hash
            self._is_new_game = True
        elif option.name == "SyzygyPath":
            self._tables = self._open_tables(value)
        else:
            self._values[option.name] = value

    def _position(self, words: list[str]) -> None:
        fen, texts = parse_position(words)
        self._root = self._make_root(fen, texts)
        for note in self._root.game.notes:
            self.say(f"info string {note}")

    def _go(self, words: list[str]) -> None:
        command = parse_go(words)
        self._join_job()
        for note in command.notes:
            self.say(f"info string {note}")
        if "perft" in command.numbers:
            self._job = self._start_perft(command.numbers["perft"])
        else:
            self._job = self._start_search(command)

    def _stop(self, words: list[str]) -> None:
        self._deferred = deque((deferred, True) for deferred, _ in self._deferred)
        self._end_job(None)

    def _ponderhit(self, words: list[str]) -> None:
        """The pondered search goes on under its limits; without any, its move is due now."""
        if self._deferred:
            self._deferred = deque(
                ([word for word in deferred if word != "ponder"], is_stopped)
                for deferred, is_stopped in self._deferred
            )
        if self._pondered is None or self._job is None or not self._job.is_busy:
            raise UciError("ponderhit: no pondering goes on")
        if self._pondered.numbers:
            self._searcher.ponderhit()
            self._job.allow_answer()
        else:
            self._end_job(None)

    def _bench(self, words: list[str]) -> None:
        from .bench import DEFAULT_DEPTH, MAX_DEPTH, Bench

        depth = parse_int(words[0], "bench depth") if words else DEFAULT_DEPTH
        if not 1 <= depth <= MAX_DEPTH:
            raise UciError(f"bench depth is {depth}; expected 1 to {MAX_DEPTH}")
        self._join_job()
        self._engine()
        self._job = start_bench(self.say, Bench(depth, self._search))

    def _display(self, words: list[str]) -> None:
        self.say(draw_board(self._current_root().game.fen))

    def _evaluate(self, words: list[str]) -> None:
        root = self._current_root()
        from .eval_table import evaluation_table

        parameters = self._engine().build_parameters(self._search)
        self.say(draw_evaluation(evaluation_table(root.game, parameters)))

    # The engine behind them.

    def _engine(self) -> ModuleType:
        """The shell over the kernels, loaded and if need be compiled now."""
        if self._shell is None:
            from . import shell

            progress = SlowProgress(self.say)
            try:
                shell.warm_up(progress.report)
            finally:
                progress.close()
            self._shell = shell
        return self._shell

    def _make_root(self, fen: str, texts: list[str]) -> Root:
        shell = self._engine()
        chess960 = bool(self._values["UCI_Chess960"])
        try:
            game = shell.Game(fen, chess960)
            moves = tuple(game.push_uci(text) for text in texts)
        except (FenError, shell.IllegalMoveError) as error:
            raise UciError(f"position not changed: {error}") from None
        return Root(fen, chess960, moves, game)

    def _current_root(self) -> Root:
        if self._root is None:
            self._root = self._make_root(STARTPOS, [])
        return self._root

    def _ready_searcher(self) -> Searcher:
        """The searcher, with the options as they stand; after a change it begins anew."""
        if self._searcher is None:
            self._searcher = self._engine().Searcher(hash_mb=self._configured[1])
        search, hash_mb, threads = self._configured
        if search != self._search:
            self._searcher.configure(self._search)
            self._is_new_game = True
        if hash_mb != self._values["Hash"]:
            self._resize(self._searcher, hash_mb)
            self._is_new_game = True
        if threads != self._values["Threads"]:
            self._searcher.set_threads(self._values["Threads"])
        self._configured = (self._search, self._values["Hash"], self._values["Threads"])
        return self._searcher

    def _resize(self, searcher: Searcher, held_mb: int) -> None:
        wanted_mb = self._values["Hash"]
        try:
            searcher.resize(wanted_mb)
        except MemoryError:
            self.say(f"info string no memory for Hash {wanted_mb}; it is {held_mb} instead")
            self._values["Hash"] = held_mb

    def _place(self, searcher: Searcher, root: Root) -> None:
        """Tell the searcher of another game or start; the moves it finds out by itself."""
        if self._is_new_game:
            searcher.new_game(root.fen, root.chess960)
        elif self._searched != root[:2]:
            searcher.set_position(root.fen, root.chess960)
        self._is_new_game = False
        self._searched = root[:2]

    def _is_busy(self) -> bool:
        return self._job is not None and self._job.is_busy

    def _join_job(self) -> None:
        """Let a job that is no longer busy say its last line."""
        if self._job:
            self._job.join()

    def _end_job(self, timeout_s: float | None) -> None:
        if self._job:
            self._job.stop()
            self._job.join(timeout_s)

    def _start_search(self, command: GoCommand) -> Job:
        root, searcher = self._current_root(), self._ready_searcher()
        self._pondered = command if command.ponder else None
        among = self._known_best(root, self._root_moves(root, command.search_moves))
        if not among:
            return start_ended(self.say, root, command.waits)
        self._place(searcher, root)
        limit = self._engine().SearchLimit(**command.limits(root.game.side_to_move))
        lines = self._values["MultiPV"]
        task = Task(root, limit, among, lines, command.ponder, command.waits)
        return start_search(self.say, searcher, task)

    def _root_moves(self, root: Root, texts: list[str] | None) -> list[int]:
        """The moves to choose from: all legal ones, or those of them that are named."""
        legal = root.game.legal_moves()
        if texts is None:
            return legal
        wanted = set()
        for text in texts:
            try:
                wanted.add(root.game.parse_uci(text))
            except self._engine().IllegalMoveError as error:
                self.say(f"info string searchmoves: {shorten(str(error))}")
        return [move for move in legal if move in wanted]

    def _open_tables(self, path: str) -> RootTables | None:
        """The endgame tables of these folders, none if the path is empty."""
        if not path:
            return None
        from .syzygy import RootTables

        tables = RootTables(path)
        self.say(f"info string endgame tables of up to {tables.most_men} men")
        return tables

    def _known_best(self, root: Root, among: list[int]) -> list[int]:
        """Those of the moves that the endgame tables leave."""
        if self._tables is None:
            return among
        try:
            return self._tables.choose(root, among)
        except UciError as error:
            self.say(f"info string {shorten(str(error))}")
            return among

    def _start_perft(self, depth: int) -> Job:
        most = self._engine().MAX_PERFT_DEPTH
        if not 1 <= depth <= most:
            raise UciError(f"perft depth is {depth}; expected 1 to {most}")
        return start_perft(self.say, self._current_root().game, depth)


def _read(lines: Iterable[str], inbox: Inbox) -> None:
    """Pass lines on, and None after the last; none is read after `quit`."""
    try:
        for line in lines:
            if not inbox.put(line) or line.split()[:1] == ["quit"]:
                return
    finally:
        inbox.put(None)


def _has_reader(out: TextIO) -> bool:
    """Whether the other end of a pipe is still open."""
    poll = select.poll()
    poll.register(out, 0)  # an error is reported unasked
    return not poll.poll(0)


def warm() -> None:
    """Compile or load the whole engine, telling each step."""
    from .shell import warm_up

    def tell(name: str, done: int, total: int) -> None:
        if done < total:
            print(f"numbishop: compiling {name} ({done + 1} of {total})", flush=True)
        else:
            print("numbishop: everything is compiled", flush=True)

    warm_up(tell)


def main(arguments: list[str] | None = None) -> int:
    """The console script `numbishop`. Returns the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["help"] or (words[:1] != ["serve"] and {"-h", "--help"} & set(words)):
        print(USAGE)
        return 0
    if words == ["--version"]:
        print(NAME)
        return 0
    if words[:1] == ["serve"]:
        from .server import main as serve

        return serve(words[1:])
    for name in (signal.SIGINT, signal.SIGPIPE):  # end like any filter, without a traceback
        signal.signal(name, signal.SIG_DFL)
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)
    if words == ["warm"]:
        warm()
        return 0
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
