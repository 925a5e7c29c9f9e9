"""`numbishop` as its users meet it: a process at the other end of two pipes."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import chess
import chess.engine
import pytest

from engine.protocol import OPTIONS

NUMBISHOP = str(Path(sys.executable).with_name("numbishop"))


class Process:
    """A running engine, its input and output as lines."""

    def __init__(self) -> None:
        self.popen = subprocess.Popen(
            [NUMBISHOP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def send(self, *lines: str) -> None:
        """All lines in one write."""
        self.popen.stdin.write("\n".join(lines) + "\n")
        self.popen.stdin.flush()

    def read_until(self, start: str) -> list[str]:
        lines = []
        for line in self.popen.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith(start):
                return lines
        raise AssertionError(f"the output ended without {start!r}: {lines}")

    def close(self) -> int:
        """End the input, read the rest, give the exit code."""
        self.popen.communicate(timeout=30)
        return self.popen.returncode


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compile beforehand, so that no test waits for that."""
    subprocess.run([NUMBISHOP, "isready"], check=True, capture_output=True, timeout=300)


@pytest.fixture(scope="module")
def shared() -> Process:
    """One process for all tests that leave it idle."""
    process = Process()
    yield process
    process.send("quit")
    assert process.close() == 0


def run(text: str | bytes, *arguments: str) -> subprocess.CompletedProcess[str]:
    data = text.encode() if isinstance(text, str) else text
    done = subprocess.run(
        [NUMBISHOP, *arguments], input=data, capture_output=True, timeout=120, check=False
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def test_uciok_comes_at_once_and_without_numba():
    def seconds() -> float:
        """Of the processor: the clock on the wall also counts whatever else is running."""
        before = os.times()
        assert run("uci\nquit\n").stdout.endswith("uciok\n")
        after = os.times()
        return sum(after[2:4]) - sum(before[2:4])

    assert min(seconds() for _ in range(5)) < 0.3
    code = (
        "import sys, engine.uci;"
        "engine.uci.Uci(sys.stdout).run(['uci', 'setoption name Hash value 4', 'stop', 'x']);"
        "assert not {'numba', 'numpy', 'llvmlite'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_a_module_and_a_script_are_the_same_program():
    by_module = subprocess.run(
        [sys.executable, "-m", "engine"], input="uci\n", capture_output=True, text=True, check=True
    )
    assert by_module.stdout == run("uci\n").stdout


def test_python_chess_plays_a_game_with_a_clock():
    """Both sides by one engine: no illegal move, no illegal line, no loss on time."""
    with chess.engine.SimpleEngine.popen_uci(NUMBISHOP) as engine:
        assert set(engine.options) == {option.name for option in OPTIONS.values()}
        engine.configure({"Hash": 4, "lmr_base": 70})
        engine.ping()  # the clock starts when the engine is ready
        board, clock, increment = chess.Board(), [2.0, 2.0], 0.01
        while not board.is_game_over(claim_draw=True) and board.ply() < 60:
            limit = chess.engine.Limit(
                white_clock=clock[chess.WHITE],
                black_clock=clock[chess.BLACK],
                white_inc=increment,
                black_inc=increment,
            )
            started = time.perf_counter()
            played = engine.play(board, limit, info=chess.engine.INFO_ALL)
            clock[board.turn] -= time.perf_counter() - started
            assert clock[board.turn] > 0
            clock[board.turn] += increment
            line = board.copy()
            for move in played.info["pv"]:
                assert line.is_legal(move)
                line.push(move)
            assert played.info["pv"][0] == played.move
            board.push(played.move)
    assert board.ply() > 20


def test_python_chess_plays_chess960():
    with chess.engine.SimpleEngine.popen_uci(NUMBISHOP) as engine:
        for number in (0, 359, 959):
            board = chess.Board.from_chess960_pos(number)
            while not board.is_game_over(claim_draw=True) and board.ply() < 30:
                board.push(engine.play(board, chess.engine.Limit(nodes=500), game=number).move)


def test_python_chess_analyses_until_it_stops(shared):
    with (
        chess.engine.SimpleEngine.popen_uci(NUMBISHOP) as engine,
        engine.analysis(chess.Board("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")) as analysis,
    ):
        time.sleep(0.3)
        assert analysis.info["score"].white() == chess.engine.Mate(1)


def test_commands_are_answered_during_a_search(shared):
    shared.send("position startpos", "go infinite")
    shared.read_until("info depth 4")
    started = time.perf_counter()
    shared.send("isready")
    shared.read_until("readyok")
    shared.send("stop")
    lines = shared.read_until("bestmove")
    assert time.perf_counter() - started < 1.0
    assert chess.Board().parse_uci(lines[-1].split()[1])


def test_go_and_stop_in_one_packet(shared):
    shared.send(*["go infinite", "stop"] * 10, "isready")
    lines = shared.read_until("readyok")
    assert sum(line.startswith("bestmove") for line in lines) == 10


def test_the_next_go_may_follow_the_best_move_at_once(shared):
    for _ in range(200):
        shared.send("go nodes 50")
        assert not [
            line for line in shared.read_until("bestmove") if line.startswith("info string")
        ]


def test_quit_ends_a_search_at_once():
    for go in ("go depth 100", "go perft 30"):
        process = Process()
        process.send("isready")
        process.read_until("readyok")
        started = time.perf_counter()
        process.send(go, "quit")
        assert process.close() == 0
        assert time.perf_counter() - started < 5.0


def test_the_end_of_input_lets_a_limited_search_finish():
    done = run("position startpos\ngo depth 6")
    lines = done.stdout.splitlines()
    told = [line.split()[2] for line in lines if "bound" not in line and "info depth" in line]
    assert told == list("123456")
    assert lines[-1].startswith("bestmove")
    assert (done.returncode, done.stderr) == (0, "")


def test_it_ends_when_nobody_reads_its_answers():
    process = Process()
    process.send("go depth 100")
    process.read_until("info depth 5")
    process.popen.stdout.close()
    process.popen.stdin.close()
    assert process.popen.wait(timeout=10) in {0, -signal.SIGPIPE}


def test_an_interrupt_leaves_no_traceback():
    process = subprocess.Popen(
        [NUMBISHOP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdin.write(b"uci\n")
    process.stdin.flush()
    while process.stdout.readline() != b"uciok\n":
        pass
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=10)
    assert (process.returncode, errors) == (-signal.SIGINT, b"")


COMMANDS = ("uci", "isready", "ucinewgame", "setoption", "position", "go", "stop", "d", "ponderhit")
WORDS = (
    *("name", "value", "Hash", "Clear", "UCI_Chess960", "true", "false", "Move", "Overhead"),
    *("16", "0", "-1", "1", "2", "3", "99999999999999999999", "abc", "\x00", "\x1b[0m", "☃", ""),
    *("startpos", "fen", "moves", "e2e4", "e7e5", "a1a1", "zzzz", "w", "-", "KQkq", "lmr_base"),
    *("nodes", "depth", "movetime", "wtime", "btime", "winc", "binc", "movestogo", "mate"),
    *("searchmoves", "perft", "ponder", "8/8/8/8/8/8/8/8", "r3k2r/8/8/8/8/8/8/R3K2R"),
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
)


def random_lines(source: random.Random, count: int) -> list[str]:
    return [
        " ".join([source.choice(COMMANDS), *source.choices(WORDS, k=source.randrange(8))])
        for _ in range(count)
    ]


def test_hundreds_of_malformed_lines_do_not_end_it():
    source = random.Random(20261130)
    lines = random_lines(source, 400)
    noise = bytes(source.choices([byte for byte in range(256) if byte != 10], k=500))
    end = ["stop", "setoption name UCI_Chess960 value false", "position startpos", "go depth 2"]
    done = run("\n".join([*lines, ""]).encode() + noise + "\n".join(["", *end]).encode())
    assert done.returncode == 0
    assert done.stderr == ""
    assert "internal error" not in done.stdout
    assert chess.Board().parse_uci(done.stdout.splitlines()[-1].split()[1])


@pytest.mark.parametrize(
    ("arguments", "last_line"),
    [
        (["go", "perft", "3"], "Nodes searched: 8902"),
        (["go", "depth", "1"], "bestmove "),
        (["isready"], "readyok"),
        (["uci"], "uciok"),
        (["--help"], "  --version  "),
        (["--version"], "Numbishop "),
    ],
)
def test_a_command_on_the_command_line(arguments, last_line):
    done = run("", *arguments)
    assert done.stdout.splitlines()[-1].startswith(last_line)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_wrong_command_on_the_command_line_is_a_usage_error():
    done = run("", "benhc")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "numbishop: unknown command 'benhc'\n"


@pytest.mark.nightly
def test_a_cold_isready_tells_its_progress(tmp_path):
    done = subprocess.run(
        [NUMBISHOP],
        input="isready\n",
        env=os.environ | {"NUMBISHOP_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert lines[-1] == "readyok"
    assert any("compiling, first run only: search" in line for line in lines)
