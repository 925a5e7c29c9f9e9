"""What other engines once got wrong: public bug reports about UCI, each with its whole kind."""

from __future__ import annotations

import io
import itertools
import queue
import threading
import time
from collections.abc import Iterator

import chess
import pytest

from engine.bench import Bench
from engine.uci import Uci
from tests.oracle import KIWIPETE

MATED = "position startpos moves f2f4 e7e6 g2g4 d8h4"
STALEMATED = "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
MATE_IN_ONE = "position fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"


def answers(*lines: str) -> list[str]:
    """The answers of a fresh program that reads all lines at once."""
    out = io.StringIO()
    Uci(out).run(lines)
    return out.getvalue().splitlines()


class Talk:
    """A program in a thread of its own, to be answered step by step."""

    def __init__(self) -> None:
        self._sent: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._out = io.StringIO()
        lines = iter(self._sent.get, None)
        self._thread = threading.Thread(target=Uci(self._out).run, args=(lines,))
        self._thread.start()

    def send(self, *lines: str) -> None:
        for line in lines:
            self._sent.put(line)

    def told(self) -> list[str]:
        return self._out.getvalue().splitlines()

    def wait_for(self, start: str, count: int = 1) -> None:
        end = time.monotonic() + 30
        while sum(line.startswith(start) for line in self.told()) < count:
            assert time.monotonic() < end, f"waited for {start!r} in vain: {self.told()[-5:]}"
            time.sleep(0.002)

    def close(self) -> list[str]:
        self._sent.put(None)
        self._thread.join(30)
        assert not self._thread.is_alive()
        return self.told()


@pytest.fixture
def talk() -> Iterator[Talk]:
    conversation = Talk()
    yield conversation
    conversation.close()


def best_moves(lines: list[str]) -> list[str]:
    return [line.split()[1] for line in lines if line.startswith("bestmove")]


def fen_after(*lines: str) -> str:
    return answers(*lines, "d")[-1].removeprefix("Fen: ")


# Reading positions and words (24, 26, 27, 28, 29).


@pytest.mark.parametrize("fields", range(2, 7))
@pytest.mark.parametrize("side", ["w", "b"])
@pytest.mark.parametrize("placed", ["4k3/8/8/8/8/8/4P3/4K3", "4k2r/8/8/2pP4/8/8/8/R3K3"])
def test_24_a_fen_of_two_to_six_fields(placed, side, fields):
    fen = " ".join([placed, side, "-", "-", "0", "1"][:fields])
    assert fen_after(f"position fen {fen}") == f"{placed} {side} - - 0 1"
    assert len(best_moves(answers(f"position fen {fen}", "go depth 3"))) == 1


@pytest.mark.parametrize("fields", range(2, 7))
def test_24_the_reported_position_gives_check_out_of_turn(fields):
    placed = "rnk2bnr/p3p2p/5p2/1BQP2pP/3PP3/5PB1/PP5P/RN2K1NR"
    fen = " ".join([placed, "w", "-", "-", "0", "1"][:fields])
    lines = answers(f"position fen {fen}", "d")
    assert lines[0] == ("info string position not changed: the side to move could take the king")
    assert lines[-1] == f"Fen: {chess.STARTING_FEN}"


@pytest.mark.parametrize(
    "template",
    [
        "position  fen   {fen} ",
        "\tposition\tfen\t{fen}\r",
        " position fen {fen}\r\n",
        "position fen {fen} moves\t",
        "position\u00a0fen {fen}",
    ],
)
def test_26_any_white_space_separates(template):
    spaced = KIWIPETE.replace(" ", "  \t")
    assert fen_after(template.format(fen=spaced)) == KIWIPETE
    assert answers(" \tisready \r\n") == ["readyok"]


@pytest.mark.parametrize("moves", ["c2c3", "c2c3 d5e4 f3e4", ""])
def test_27_fen_and_moves_are_both_applied(moves):
    fen = "rnbqkbnr/ppp2ppp/8/3pp3/4P3/5P2/PPPP2PP/RNBQKBNR w KQkq - 0 3"
    board = chess.Board(fen)
    for move in moves.split():
        board.push_uci(move)
    assert fen_after(f"position fen {fen} moves {moves}") == board.fen(en_passant="legal")


@pytest.mark.parametrize("name", ["Clear Hash", "clear hash", "CLEAR   HASH", "Clear\tHash"])
def test_28_names_with_spaces(name):
    assert answers(f"setoption name {name}", "isready") == ["readyok"]


def test_28_values_with_spaces():
    lines = answers("setoption name Book File value c:/my books/b.bin", "isready")
    assert lines == ["info string there is no option 'Book File'", "readyok"]
    lines = answers("setoption name SyzygyPath value /no such/folder at all", "isready")
    assert lines[0].startswith("info string SyzygyPath: '/no such/folder at all': ")
    assert answers("setoption name Move Overhead value 77", "isready") == ["readyok"]


@pytest.mark.parametrize("piece", "nbrq")
def test_29_promotions_in_either_case_are_read_and_lower_ones_written(piece):
    fen = "1B6/p5p1/N4p2/1P6/2p1k3/8/P2R1p2/7K b - - 1 40"
    upper, lower = (
        fen_after(f"position fen {fen} moves f2f1{letter}") for letter in (piece.upper(), piece)
    )
    assert upper == lower
    lines = answers(f"position fen {fen}", f"go depth 3 searchmoves f2f1{piece.upper()}")
    assert best_moves(lines) == [f"f2f1{piece}"]


# Roots without a move and limits that leave no time (30, 31, 32).


@pytest.mark.parametrize(("position", "score"), [(MATED, "mate 0"), (STALEMATED, "cp 0")])
@pytest.mark.parametrize(
    "go", ["go", "go infinite", "go ponder", "go depth 5", "go movetime 10", "go mate 1"]
)
def test_30_mated_or_stalemated(position, score, go):
    lines = answers(position, go, "stop", "isready")
    assert lines == [f"info depth 0 score {score}", "bestmove (none)", "readyok"]


def test_30_the_answer_to_infinite_waits_for_stop(talk):
    talk.send(MATED, "go infinite", "isready")
    talk.wait_for("readyok")
    time.sleep(0.1)
    assert not best_moves(talk.told())
    used_s = time.process_time()
    time.sleep(0.2)
    assert time.process_time() - used_s < 0.15  # it does not spin
    talk.send("stop")
    talk.wait_for("bestmove (none)")


@pytest.mark.parametrize(
    "go",
    [
        *("nodes 1", "nodes 0", "movetime 1", "movetime 0", "depth 0", "movetime -7", "mate 0"),
        *("wtime 1 btime 1", "wtime 0 btime 0", "wtime -5 btime -5", "btime 100", "movestogo 1"),
        "wtime 0 btime 0 winc 0 binc 0 movestogo 1",
    ],
)
@pytest.mark.parametrize("position", ["position startpos", f"position fen {KIWIPETE}"])
def test_31_32_out_of_time_before_it_began(go, position):
    lines = answers(position, f"go {go}", "stop")
    board = chess.Board(KIWIPETE) if "fen" in position else chess.Board()
    (best,) = best_moves(lines)
    assert board.parse_uci(best)
    assert [line for line in lines if line.startswith("info depth")]


# What ends a search, and what goes on meanwhile (36, 37, 39, 40, 67).


@pytest.mark.parametrize("position", [MATE_IN_ONE, "position fen 7k/8/8/8/8/8/8/K7 w - - 0 1"])
@pytest.mark.parametrize("go", ["go infinite", "go ponder wtime 10 btime 10", "go ponder depth 1"])
def test_36_infinite_and_ponder_never_end_by_themselves(talk, position, go):
    """Mate found, or every depth searched, long before."""
    talk.send(position, go)
    talk.wait_for("info depth")
    time.sleep(0.3)
    assert not best_moves(talk.told())
    talk.send("stop")
    talk.wait_for("bestmove")


def test_36_a_stop_belongs_to_its_own_search(talk):
    talk.send("go infinite")
    talk.wait_for("info depth")
    talk.send("stop", "position startpos moves e2e4", "go infinite")
    talk.wait_for("bestmove")
    talk.send("isready")
    talk.wait_for("readyok")
    time.sleep(0.1)
    assert len(best_moves(talk.told())) == 1
    talk.send("stop")
    talk.wait_for("bestmove", 2)


@pytest.mark.parametrize("repeats", [1, 2, 30])
def test_37_go_and_stop_in_one_packet(repeats):
    lines = answers(*["go infinite", "stop"] * repeats)
    assert len(best_moves(lines)) == repeats


def test_37_stop_when_idle_is_nothing():
    assert answers("stop", "stop", "isready", "stop") == ["readyok"]


def test_37_isready_is_answered_during_a_search(talk):
    talk.send("go infinite")
    talk.wait_for("info depth 3")
    for count in range(1, 4):
        talk.send("isready")
        talk.wait_for("readyok", count)
    assert not best_moves(talk.told())
    talk.send("stop")


def test_39_a_position_during_a_search_is_for_the_next(talk):
    talk.send("go infinite")
    talk.wait_for("info depth 4")
    talk.send("position startpos moves e2e4", "isready")
    talk.wait_for("readyok")
    talk.send("stop")
    talk.wait_for("bestmove")
    assert chess.Board().parse_uci(best_moves(talk.told())[0])
    talk.send("go depth 1")
    talk.wait_for("bestmove", 2)
    board = chess.Board()
    board.push_uci("e2e4")
    assert board.parse_uci(best_moves(talk.told())[1])


@pytest.mark.parametrize("sizes", [(128, 32), (1, 64, 1), (16, 16)])
def test_40_the_hash_is_resized_both_ways_also_during_a_search(talk, sizes):
    for hash_mb in sizes:
        talk.send(f"setoption name Hash value {hash_mb}", "go depth 3")
    talk.wait_for("bestmove", len(sizes))
    talk.send("go infinite")
    talk.wait_for("info depth", 3 * len(sizes) + 1)
    for hash_mb in sizes:
        talk.send(f"setoption name Hash value {hash_mb}")
    talk.send("stop", "go depth 3", "isready")
    talk.wait_for("bestmove", len(sizes) + 2)


def test_62_the_second_bench_is_the_first():
    benches = [Bench(5), Bench(5)]
    reports = [list(bench.run()) for bench in benches]
    again = list(benches[0].run())
    assert reports[0] == reports[1] == again
    assert benches[0].nodes == 2 * benches[1].nodes


@pytest.mark.parametrize("go", ["go nodes 8000", "go depth 7"])
def test_62_a_new_game_forgets_everything(go):
    searches = answers(
        *itertools.chain.from_iterable(
            ("ucinewgame", position, go)
            for position in ("position startpos", f"position fen {KIWIPETE}", "position startpos")
        )
    )
    ends = [index for index, line in enumerate(searches) if line.startswith("bestmove")]
    parts = [searches[start + 1 : end + 1] for start, end in itertools.pairwise([-1, *ends])]
    first, _, last = (
        [line.split(" nps ")[0] for line in part if not line.startswith("info string")]
        for part in parts
    )
    assert first == last


def test_67_one_answer_for_each_go(talk):
    """However near the end of a search the `stop` comes."""
    for count, pause_s in enumerate([0, 0.001, 0.003, 0.005, 0.01] * 4, 1):
        talk.send("go movetime 35")
        time.sleep(pause_s)
        talk.send("stop", "isready")
        talk.wait_for("readyok", count)
        talk.wait_for("bestmove", count)
        assert len(best_moves(talk.told())) == count
