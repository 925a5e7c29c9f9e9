"""A UCI engine as a player: what it is asked for each move, and what its answer means.

Scores are centipawns from the view of the side that moved, as the engine says them. What the
engine does wrong is a `PlayerFault` and loses the game; a process that is ill is ended, and a new
one plays the next game.
"""

from __future__ import annotations

import signal
import traceback
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING, Final, NamedTuple

from harness.errors import EngineStartError, HarnessError, HarnessFault, MachineFault
from harness.files import file_sha256
from harness.game import PlayerFault
from harness.record import MATE_BOUND_CP, MATE_CP, Exhibit, MoveTimes, Reply, Termination
from harness.uci_moves import MoveTexts
from harness.uci_options import Greeting, greet, setoption
from harness.uci_process import (
    NS_PER_MS,
    EngineFault,
    EngineFlood,
    EngineGone,
    EngineSilent,
    UciProcess,
    longest_delay_ns,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.clock import Clocks
    from harness.config import EngineConfig
    from harness.limits import Limit
    from harness.spec import Program

STARTPOS: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

#: Signals that others send: the kernel short of memory, a user, the end of a session.
_FROM_OUTSIDE: Final = frozenset({signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP})


class UciPlayer:
    """One engine process, started with the first game; `engine.shell.Game` reads its moves."""

    def __init__(self, config: EngineConfig) -> None:
        if config.program is None:
            raise EngineStartError(
                f"{config.name}: source = {config.source!r} has no program; expected engine.command"
            )
        self._name = config.name
        self._program = config.program
        self._options = config.options
        self._timeouts = config.program.timeouts
        self._process: UciProcess | None = None
        self._last_exhibit: Exhibit | None = None
        self._greeting = Greeting("", {})
        self._chess960 = False

    def new_game(self, fen: str, chess960: bool, seed: int) -> None:
        try:
            process = self._process or self._start()
            process.forget()
            self._set_variant(process, fen, chess960)
            process.send("ucinewgame", _after(self._timeouts.ready_ms))
            process.wait_ready(self._timeouts.ready_ms)
            process.watch_threads()
        except Exception as error:  # noqa: BLE001 - told as what it is
            raise self._ending(error) from None
        self._texts = MoveTexts(fen, chess960)
        self._told = 0  # how many moves the position has
        self._untimed_limit: Limit | None = None
        start = "startpos" if fen == STARTPOS else f"fen {fen}"
        self._position = f"position {start} moves"

    def _start(self) -> UciProcess:
        _check_unchanged(self._program, self._name)
        process = self._process = UciProcess(self._program, self._name)
        self._greeting = greet(process, self._timeouts.start_ms)
        for name, value in self._options.items():
            process.send(setoption(name, value, self._greeting), _after(self._timeouts.ready_ms))
        self._chess960 = False
        process.wait_ready(self._timeouts.ready_ms)
        return process

    def _set_variant(self, process: UciProcess, fen: str, chess960: bool) -> None:
        # Said before each game, so that its conversation can be held again with a new process.
        if not (chess960 or self._chess960):
            return
        if "uci_chess960" not in self._greeting.kinds:
            raise EngineStartError(
                f"{self._name} has no option UCI_Chess960; expected an engine that plays Chess960,"
                f" for {fen}"
            )
        value = "true" if chess960 else "false"
        process.send(f"setoption name UCI_Chess960 value {value}", _after(self._timeouts.ready_ms))
        self._chess960 = chess960

    def play(
        self, moves: NDArray[np.uint16], count: int, limit: Limit, clocks: Clocks | None
    ) -> Reply:
        for number in range(self._told, count):
            self._position += f" {self._texts.text(moves, number)}"
        process = self._process
        assert process is not None
        try:
            # In one piece, so that `isready` costs no way to the engine and back.
            question = f"{self._position}\nisready\n{self._go_command(limit, clocks)}"
            answer = self._ask(process, question, clocks)
            text = _move_text(answer.bestmove)
            move = self._texts.move(text, moves, count)
        except Exception as error:  # noqa: BLE001 - told as what it is
            raise self._ending(error) from None
        self._position += f" {text}"
        self._told = count + 1
        score_cp, depth, nodes = read_info(answer.info)
        return Reply(move, score_cp, depth, nodes, answer.times.wall_ns, answer.times)

    def _go_command(self, limit: Limit, clocks: Clocks | None) -> str:
        """The same for each move of a game without clocks."""
        if clocks is not None:
            return go_command(limit, clocks)
        if limit is not self._untimed_limit:
            self._untimed_limit, self._untimed_go = limit, go_command(limit, None)
        return self._untimed_go

    def _ask(self, process: UciProcess, question: str, clocks: Clocks | None) -> _Answer:
        timed = clocks is not None and clocks.allowance_ns is not None
        allowance_ns = self._timeouts.think_ms * NS_PER_MS
        if clocks is not None and clocks.allowance_ns is not None:
            allowance_ns = clocks.allowance_ns
        process.begin()
        before = (process.cpu_ns(), process.delay_ns()) if timed else None
        begun_ns = perf_counter_ns()
        try:
            process.send(question, begun_ns + allowance_ns)
            # What is said before is late, or was said twice.
            process.pass_over(b"readyok", begun_ns + allowance_ns)
            info, bestmove = _listen(process, begun_ns + allowance_ns)
        except EngineSilent as silence:
            info, bestmove = self._stop(process)
            if not timed:
                raise EngineSilent(f"{silence}, until it was stopped") from None
        times = MoveTimes(process.heard_at_ns - begun_ns, 0, 0)
        if before is not None:
            cpu_ns, delays_ns = before
            times = times._replace(
                cpu_ns=process.cpu_ns() - cpu_ns,
                delay_ns=longest_delay_ns(delays_ns, process.delay_ns()),
            )
        return _Answer(info, bestmove, times)

    def _stop(self, process: UciProcess) -> tuple[bytes, bytes]:
        """The late answer. Raises EngineSilent when there is none."""
        deadline_ns = _after(self._timeouts.stop_ms)
        process.send("stop", deadline_ns)
        try:
            return _listen(process, deadline_ns)
        except EngineSilent as silence:
            raise EngineSilent(f"{silence}, nor to stop") from None

    def _ending(self, error: Exception) -> Exception:
        """What the game is to hear of an error, now that an ill process is ended."""
        if isinstance(error, EngineFault):
            process = self._process
            assert process is not None
            status = process.exit_status
            self._last_exhibit = _exhibit(process)
            self.close()
            if status is not None and -status in _FROM_OUTSIDE:
                return MachineFault(str(error))
            return PlayerFault(_TERMINATIONS[type(error)], str(error))
        if isinstance(error, PlayerFault | HarnessError):
            return error
        self.close()
        # A bug of ours, not its loss.
        return HarnessFault("".join(traceback.format_exception(error)))

    def cpu_ns(self) -> int:
        return 0 if self._process is None else self._process.cpu_ns()

    def exhibit(self) -> Exhibit | None:
        """The game's conversation, also of a process that was ended; None before the first."""
        return self._last_exhibit if self._process is None else _exhibit(self._process)

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.close(self._timeouts.quit_ms)


def _exhibit(process: UciProcess) -> Exhibit:
    begun_ns = process.talk[0].at_ns if process.talk else 0
    talk = [
        (round((said.at_ns - begun_ns) / NS_PER_MS, 3), said.direction, said.data.decode("latin-1"))
        for said in process.talk
    ]
    return Exhibit(talk, process.stderr_tail, process.exit_status)


class _Answer(NamedTuple):
    info: bytes
    bestmove: bytes
    times: MoveTimes


_TERMINATIONS: Final = {
    EngineGone: Termination.CRASH,
    EngineSilent: Termination.HANG,
    EngineFlood: Termination.FLOOD,
}


def _check_unchanged(program: Program, name: str) -> None:
    """Refuse a file that was written since the run was specified: it would be another engine."""
    try:
        found = file_sha256(Path(program.command)) if program.sha256 else ""
    except OSError as error:
        raise EngineStartError(f"{name}: {program.command}: {error.strerror}") from None
    if found != program.sha256:
        raise EngineStartError(
            f"{name}: {program.command} has SHA-256 {found[:12]}, expected {program.sha256[:12]}:"
            " the program was changed since the run was specified"
        )


def _after(time_ms: int) -> int:
    return perf_counter_ns() + time_ms * NS_PER_MS


def go_command(limit: Limit, clocks: Clocks | None) -> str:
    """What a limit is in UCI; clocks are there for every timed game, also for an untimed side."""
    words = ["go"]
    if limit.nodes:
        words.append(f"nodes {limit.nodes}")
    if limit.depth:
        words.append(f"depth {limit.depth}")
    if limit.movetime_ms:
        words.append(f"movetime {limit.movetime_ms}")
    if limit.has_clock and clocks is not None:
        # A clock within its margin shows nothing, which some engines take for no limit at all.
        white_ms, black_ms = (max(1, left_ms) for left_ms in clocks.time_left_ms)
        white_increment_ms, black_increment_ms = clocks.increment_ms
        words.append(f"wtime {white_ms} btime {black_ms}")
        words.append(f"winc {white_increment_ms} binc {black_increment_ms}")
        if clocks.moves_to_go:
            words.append(f"movestogo {clocks.moves_to_go}")
    return " ".join(words)


def _move_text(bestmove: bytes) -> str:
    words = bestmove.decode(errors="replace").lower().split()
    return words[1] if len(words) > 1 else ""


def _listen(process: UciProcess, deadline_ns: int) -> tuple[bytes, bytes]:
    """The last line with a score that is no bound and no lesser line's, and the best move's."""
    info = b""
    while True:
        line = process.read_line(deadline_ns)
        if line.startswith(b"bestmove") and line.split(None, 1)[0] == b"bestmove":
            return info, line
        if b" score " in line and b"bound" not in line and _is_first_line(line):
            info = line


def _is_first_line(line: bytes) -> bool:
    return b" multipv " not in line or b" multipv 1 " in line


def read_info(line: bytes) -> tuple[int, int, int]:
    """(score_cp, depth, nodes) of an `info` line; all 0 where it does not tell a score.

    A mate in n moves is that of the game records; other scores stay below theirs. Numbers that
    nobody can mean are cut to what 63 bits hold.
    """
    words = line.split()
    try:
        at = words.index(b"score")
        value = int(words[at + 2])
        depth = max(1, _number_after(b"depth", words))
        nodes = max(0, _number_after(b"nodes", words))
    except (ValueError, IndexError):
        return 0, 0, 0
    if words[at + 1] == b"mate":
        plies = 2 * value - 1 if value > 0 else -2 * value
        score_cp = MATE_CP - min(plies, MATE_CP - MATE_BOUND_CP)
        return (score_cp if value > 0 else -score_cp), depth, nodes
    most = MATE_BOUND_CP - 1
    return max(-most, min(value, most)), depth, nodes


def _number_after(word: bytes, words: list[bytes]) -> int:
    """0 without the word. Raises ValueError, IndexError."""
    return min(int(words[words.index(word) + 1]), _LARGEST) if word in words else 0


_LARGEST: Final = 2**63 - 1
