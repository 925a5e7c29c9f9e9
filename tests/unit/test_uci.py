"""The UCI program within this process: what it reads, what it answers, and when."""

import io
import queue
import re
import threading
import time
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import chess
import numpy as np
import pytest

from engine import protocol, shell, uci
from engine.parameters import SEARCH, search_defaults
from engine.protocol import (
    OPTIONS,
    UciError,
    format_score,
    parse_go,
    parse_int,
    parse_position,
    parse_setoption,
)
from engine.shell import Searcher, SearchLimit
from engine.weights import EVALUATION

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
NO_MOVES = np.zeros(1, np.uint16)


def converse(lines: Iterable[str]) -> list[str]:
    """The answers of a fresh program to `lines`."""
    out = io.StringIO()
    uci.Uci(out).run(lines)
    return out.getvalue().splitlines()


def answers(*lines: str) -> list[str]:
    return converse(lines)


def starting(lines: list[str], word: str) -> list[str]:
    return [line for line in lines if line.startswith(word)]


def depths(lines: list[str]) -> list[str]:
    """Of the iterations that were searched to their end."""
    told = (fields(line) for line in starting(lines, "info depth") if " currmove " not in line)
    return [info["depth"] for info in told if not info["bound"]]


def fields(info: str) -> dict[str, str]:
    """`info` as a mapping; `score` keeps its two words, `pv` the whole line."""
    match = re.fullmatch(
        r"info depth (?P<depth>\d+) seldepth (?P<seldepth>\d+) multipv (?P<multipv>\d+)"
        r" score (?P<score>(cp|mate) -?\d+)(?P<bound>( lowerbound| upperbound)?)"
        r" nodes (?P<nodes>\d+) qnodes (?P<qnodes>\d+) nps (?P<nps>\d+)"
        r" hashfull (?P<hashfull>\d+) time (?P<time>\d+) pv (?P<pv>[a-h1-8nbrq ]+)",
        info,
    )
    assert match, info
    return match.groupdict()


# Words.


@pytest.mark.parametrize(
    ("text", "value"), [("0", 0), ("-5", -5), ("+7", 7), ("0032", 32), ("9" * 5000, 10**12)]
)
def test_numbers_of_any_size_are_read(text, value):
    assert parse_int(text, "it") == value


@pytest.mark.parametrize("text", ["", "x", "1.5", "1_000", "٣", "--1", "1e3"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(UciError, match="expected a whole number"):
        parse_int(text, "it")


@pytest.mark.parametrize(
    ("words", "side", "limits"),
    [
        ("depth 5", 0, {"depth": 5}),
        ("nodes 5000 depth 9", 0, {"nodes": 5000, "depth": 9}),
        ("movetime 0", 0, {"movetime_ms": 0}),
        ("nodes -3", 0, {"nodes": -3}),
        ("mate 3", 0, {"mate": 3}),
        ("mate 3 depth 2", 0, {"mate": 3, "depth": 2}),
        (
            "wtime 1000 btime 2000 winc 10 binc 20 movestogo 5",
            1,
            {"time_left_ms": 2000, "increment_ms": 20, "moves_to_go": 5},
        ),
        ("wtime -50 btime 2000", 0, {"time_left_ms": -50, "increment_ms": 0, "moves_to_go": 0}),
        ("wtime 9", 1, {"time_left_ms": 0, "increment_ms": 0, "moves_to_go": 0}),
        ("infinite", 0, {}),
    ],
)
def test_go_becomes_limits(words, side, limits):
    command = parse_go(words.split())
    assert command.limits(side) == limits
    assert SearchLimit(**limits)
    assert command.waits == (limits == {})


@pytest.mark.parametrize(
    "words", ["", "infinite depth 3", "ponder wtime 5 btime 5", "movestogo 3", "searchmoves e2e4"]
)
def test_go_waits_for_stop_when_nothing_else_ends_it_or_it_is_told_to(words):
    assert parse_go(words.split()).waits


def test_go_skips_what_it_does_not_know_and_says_so():
    command = parse_go(["foo", "depth", "3", "searchmoves", "e2e4", "d2d4", "nodes", "7"])
    assert command.numbers == {"depth": 3, "nodes": 7}
    assert command.search_moves == ["e2e4", "d2d4"]
    assert command.notes == ("go: 'foo' is not understood",)


@pytest.mark.parametrize("words", ["depth", "depth x", "nodes depth 3", "foo", "foo 3"])
def test_a_malformed_go_is_refused(words):
    with pytest.raises(UciError):
        parse_go(words.split())


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ("name Hash value 32", "Hash", 32),
        ("NAME hash VALUE 32", "Hash", 32),
        ("name Clear Hash", "Clear Hash", 0),
        ("name clear hash value", "Clear Hash", 0),
        ("name UCI_Chess960 value TRUE", "UCI_Chess960", 1),
        ("name Move Overhead value 100", "Move Overhead", 100),
        ("name lmr_base value 80", "lmr_base", 80),
        ("name Ponder value True", "Ponder", 1),
        ("name null_move value 0", "null_move", 0),
        ("name UCI_Chess960 value 1", "UCI_Chess960", 1),
    ],
)
def test_setoption_is_read(words, name, value):
    assert parse_setoption(words.split()) == (OPTIONS[name.lower()], value)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "Hash value 32",
        "name",
        "name Hash",
        "name Hash value",
        "name Hash value 0",
        "name Hash value x",
        "name Hash value 1 2",
        "name Book File value c:/my books/b.bin",
        "name UCI_Chess960 value 2",
        "name null_move value 2",
        "name null_move value true",
    ],
)
def test_a_malformed_setoption_is_refused(words):
    with pytest.raises(UciError):
        parse_setoption(words.split())


def test_every_search_parameter_is_an_option_with_its_bounds():
    by_parameter = {option.parameter: option for option in OPTIONS.values() if option.parameter}
    assert list(by_parameter) == [parameter.name for parameter in SEARCH]
    for parameter in SEARCH:
        option = by_parameter[parameter.name]
        assert option.line == (
            f"option name {option.name} type spin"
            f" default {parameter.default} min {parameter.low} max {parameter.high}"
        )


def test_the_overhead_has_the_name_that_every_gui_knows_and_no_other():
    assert OPTIONS["move overhead"].parameter == "move_overhead_ms"
    assert "move_overhead_ms" not in OPTIONS


def test_position_is_read():
    assert parse_position(["startpos", "moves", "e2e4"]) == (protocol.STARTPOS, ["e2e4"])
    assert parse_position(["startpos", "moves"]) == (protocol.STARTPOS, [])
    assert parse_position(["fen", "8/8/8/8", "w", "moves", "a1a2", "b1b2"]) == (
        "8/8/8/8 w",
        ["a1a2", "b1b2"],
    )


@pytest.mark.parametrize("words", ["", "moves e2e4", "startpos e2e4", "nonsense"])
def test_a_malformed_position_is_refused(words):
    with pytest.raises(UciError):
        parse_position(words.split())


@pytest.mark.parametrize(
    ("score_cp", "text"),
    [
        (-12, "cp -12"),
        (47_999, "cp 47999"),
        (48_999, "mate 1"),
        (48_998, "mate 1"),
        (48_997, "mate 2"),
        (-48_998, "mate -1"),
        (-48_996, "mate -2"),
        (-49_000, "mate 0"),
    ],
)
def test_scores_are_centipawns_or_moves_to_mate(score_cp, text):
    assert format_score(score_cp, int(shell.MATE), int(shell.MATE_BOUND)) == text


# The conversation.


def test_uci_lists_name_and_options():
    lines = answers("uci")
    pyproject = Path(__file__).parents[2] / "pyproject.toml"
    version = tomllib.loads(pyproject.read_text("utf-8"))["project"]["version"]
    assert lines[:2] == [f"id name Numbishop {version}", "id author the Numbishop authors"]
    assert lines[2:-1] == [option.line for option in OPTIONS.values()]
    assert lines[-1] == "uciok"


@pytest.mark.parametrize("fen", [protocol.STARTPOS, KIWIPETE, "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1"])
@pytest.mark.parametrize("nodes", [1, 300, 7000])
def test_go_nodes_is_exactly_the_searcher_s(fen, nodes):
    searcher = Searcher()
    searcher.new_game(fen)
    expected = searcher.go(NO_MOVES, 0, SearchLimit(nodes=nodes))
    lines = answers(f"position fen {fen}", f"go nodes {nodes}")
    last = fields(starting(lines, "info")[-1])
    assert lines[-1].split()[:2] == ["bestmove", shell.Game(fen).format_uci(expected.move)]
    assert int(last["nodes"]) == expected.nodes
    assert int(last["seldepth"]) == expected.seldepth
    assert last["score"] == format_score(expected.score_cp, shell.MATE, shell.MATE_BOUND)


def test_a_game_by_uci_is_the_searcher_s_game():
    """With tables carried from move to move, and castling spelt as UCI does."""
    searcher, game = Searcher(), shell.Game(KIWIPETE)
    searcher.new_game(KIWIPETE)
    moves = np.zeros(24, np.uint16)
    texts: list[str] = []
    commands: list[str] = ["ucinewgame"]
    expected = []
    for count in range(len(moves)):
        commands += [f"position fen {KIWIPETE} moves {' '.join(texts)}", "go nodes 1500"]
        result = searcher.go(moves, count, SearchLimit(nodes=1500))
        moves[count] = result.move
        texts.append(game.format_uci(result.move))
        expected.append((texts[-1], str(result.nodes)))
        if game.push(result.move) != shell.Status.ONGOING:
            break
    out = io.StringIO()
    program = uci.Uci(out)
    program.run(join_each_search(commands, out))
    lines = out.getvalue().splitlines()
    found = [
        (line.split()[1], fields(lines[index - 1])["nodes"])
        for index, line in enumerate(lines)
        if line.startswith("bestmove")
    ]
    assert found == expected
    assert len(found) > 10


def join_each_search(commands: list[str], out: io.StringIO) -> Iterator[str]:
    """As a GUI does: after each `go` wait for its `bestmove`."""
    searches = 0
    for command in commands:
        yield command
        if command.startswith("go"):
            searches += 1
            wait_for(lambda wanted=searches: out.getvalue().count("bestmove") == wanted)


def wait_for(condition, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.002)


def test_each_iteration_tells_its_own_score_and_only_a_failed_or_cut_one_a_bound():
    searcher = Searcher()
    searcher.new_game(KIWIPETE)
    scores: dict[int, int] = {}
    for line in searcher.deepen(NO_MOVES, 0, SearchLimit(nodes=60_000)):
        if line.result.bound == shell.EXACT:
            scores.setdefault(line.result.depth, line.result.score_cp)
    seen = set()
    for nodes in range(2000, 50_000, 4000):
        lines = answers(f"position fen {KIWIPETE}", f"go nodes {nodes}")
        depth = 0  # of the last iteration that was told in full
        for info in map(fields, starting(lines, "info")):
            seen.add(info["bound"])
            score_cp = int(info["score"].removeprefix("cp "))
            if info["bound"] == "":
                assert score_cp == scores[int(info["depth"])]
            elif info["bound"] == " upperbound":
                assert score_cp < scores[depth]
            depth = int(info["depth"]) - (info["bound"] != "")
            assert depth in scores
    assert seen == {"", " lowerbound", " upperbound"}


def test_the_line_is_legal_and_begins_with_the_best_move():
    for fen in (protocol.STARTPOS, KIWIPETE, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"):
        lines = answers(f"position fen {fen}", "go depth 7")
        for info in starting(lines, "info"):
            board = chess.Board(fen)
            for text in fields(info)["pv"].split():
                board.push(board.parse_uci(text))
        expected = fields(lines[-2])["pv"].split()[:2]
        assert lines[-1] == f"bestmove {' ponder '.join(expected)}"


@pytest.mark.parametrize(
    "go",
    [
        "movetime 0",
        "movetime -1",
        "wtime 0 btime 0",
        "wtime -20 btime 5",
        "wtime 1 btime 1 winc 1 binc 1",
        "btime 50",
        "nodes 0",
        "nodes 1",
        "depth 0",
        "movetime 1",
        "mate 0",
        "wtime 900 btime 900 movestogo 1 nodes 50",
        "searchmoves e2e4 depth 1",
    ],
)
def test_the_least_limit_still_gives_a_line_and_a_legal_move(go):
    lines = answers(f"go {go}")
    assert starting(lines, "info depth")
    assert chess.Board().parse_uci(lines[-1].split()[1])
    assert len(starting(lines, "bestmove")) == 1


def test_movetime_is_kept():
    def used_ms() -> int:
        return int(fields(starting(answers("go movetime 100"), "info")[-1])["time"])

    assert 50 < min(used_ms() for _ in range(3)) <= 100


@pytest.mark.parametrize(
    ("position", "score"),
    [
        ("startpos moves f2f4 e7e6 g2g4 d8h4", "mate 0"),
        ("fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0"),
    ],
)
@pytest.mark.parametrize("go", ["go", "go depth 3", "go infinite"])
def test_a_finished_game_has_no_move(position, score, go):
    lines = answers(f"position {position}", go, "stop", "isready")
    assert lines == [f"info depth 0 score {score}", "bestmove (none)", "readyok"]


def best_moves(lines: list[str]) -> list[str]:
    return [line.split()[1] for line in starting(lines, "bestmove")]


@pytest.mark.parametrize("named", [["a2a3"], ["h2h3", "a2a4"], ["b1c3", "b1c3", "g2g4"]])
def test_searchmoves_are_the_only_ones_searched(named):
    lines = answers(f"go depth 6 searchmoves {' '.join(named)}")
    for info in starting(lines, "info depth"):
        assert fields(info)["pv"].split()[0] in named
    assert best_moves(lines)[0] in named
    assert best_moves(answers(f"go nodes 1 searchmoves {' '.join(named)}"))[0] in named


def test_searchmoves_that_are_all_legal_change_nothing():
    legal = " ".join(move.uci() for move in chess.Board(KIWIPETE).legal_moves)
    position = f"position fen {KIWIPETE}"
    assert last_nodes(position, go=f"go depth 6 searchmoves {legal}") == last_nodes(position)


def test_searchmoves_do_not_outlive_their_search():
    lines = converse(["go depth 5 searchmoves a2a3", "stop", "ucinewgame", "go depth 5"])
    assert best_moves(lines)[0] == "a2a3"
    assert lines[-2:] == answers("go depth 5")[-2:] or best_moves(lines)[1] != "a2a3"


@pytest.mark.parametrize("named", ["", "e2e5", "zzzz e7e5"])
@pytest.mark.parametrize("go", ["go depth 3", "go infinite", "go"])
def test_without_a_legal_move_among_searchmoves_there_is_none(named, go):
    lines = answers(f"{go} searchmoves {named}", "stop", "isready")
    assert len(starting(lines, "info string searchmoves")) == len(named.split())
    assert [line for line in lines if not line.startswith("info string")] == [
        "info depth 0 score cp 0",
        "bestmove (none)",
        "readyok",
    ]


def test_illegal_searchmoves_are_told_and_passed_over():
    lines = answers("go depth 2 searchmoves e2e5 g1f3")
    assert lines[0].startswith("info string searchmoves: move 'e2e5' is not legal")
    assert best_moves(lines) == ["g1f3"]


def lines_by_depth(lines: list[str]) -> dict[int, list[dict[str, str]]]:
    found: dict[int, list[dict[str, str]]] = {}
    for info in map(fields, starting(lines, "info depth")):
        if not info["bound"]:
            found.setdefault(int(info["depth"]), []).append(info)
    return found


@pytest.mark.parametrize("count", [2, 3, 500])
def test_several_lines_are_ranked_and_differ(count):
    fen = "8/8/8/8/8/2k5/1p6/1K6 b - - 0 1" if count == 500 else KIWIPETE
    board = chess.Board(fen)
    wanted = min(count, board.legal_moves.count())
    count = min(count, protocol.MAX_LINES)
    lines = answers(f"setoption name MultiPV value {count}", f"position fen {fen}", "go depth 5")
    by_depth = lines_by_depth(lines)
    assert list(by_depth) == [1, 2, 3, 4, 5]
    for told in by_depth.values():
        assert [info["multipv"] for info in told] == [str(rank + 1) for rank in range(wanted)]
        assert len({info["pv"].split()[0] for info in told}) == wanted
        scores = [score_of(info) for info in told]
        assert scores == sorted(scores, reverse=True)
        for info in told:
            line = board.copy()
            for text in info["pv"].split():
                line.push(line.parse_uci(text))
    assert best_moves(lines) == [by_depth[5][0]["pv"].split()[0]]


def score_of(info: dict[str, str]) -> int:
    kind, number = info["score"].split()
    if kind == "cp":
        return int(number)
    return 10**6 - int(number) if int(number) > 0 else -(10**6) - int(number)


def test_each_line_has_the_score_of_its_own_move():
    fen = "6k1/5ppp/8/8/8/8/5PPP/3RR1K1 w - - 0 1"  # two mates in one, and much else
    lines = answers("setoption name MultiPV value 4", f"position fen {fen}", "go depth 4")
    *_, told = lines_by_depth(lines).values()
    assert {info["pv"] for info in told[:2]} == {"d1d8", "e1e8"}
    assert [info["score"] for info in told[:2]] == ["mate 1", "mate 1"]
    assert all(score_of(info) < score_of(told[0]) for info in told[2:])


def test_several_lines_that_are_cut_keep_the_last_ranking():
    for nodes in (1, 50, 700, 5000):
        lines = answers("setoption name MultiPV value 5", f"go nodes {nodes}")
        last = {info["multipv"]: info for info in map(fields, starting(lines, "info depth"))}
        assert best_moves(lines) == [last["1"]["pv"].split()[0]]
        assert len({info["pv"].split()[0] for info in last.values()}) == len(last)


#: The first is Morphy's, whose quiet key gives up a rook.
MATES = {"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1": (2, "a1a6"), MATE_IN_ONE: (1, "d1d8")}


@pytest.mark.parametrize("fen", MATES)
@pytest.mark.parametrize("more", [0, 30])
def test_go_mate_ends_when_such_a_mate_is_found(fen, more):
    """At the first depth that can show it: nothing is pruned, nothing older is believed."""
    mate, key = MATES[fen]
    lines = answers(f"position fen {fen}", "go depth 4", f"go mate {mate + more}")
    assert fields(starting(lines, "info depth")[-1])["score"] == f"mate {mate}"
    assert int(depths(lines)[-1]) <= 2 * mate - 1
    assert best_moves(lines)[1] == key


@pytest.mark.parametrize(("mate", "depth"), [(1, "1"), (2, "3"), (3, "5"), (0, "1"), (-4, "1")])
def test_go_mate_searches_no_deeper_than_the_mate(mate, depth):
    assert depths(answers(f"go mate {mate}"))[-1] == depth


class Conversation:
    """A program in a thread of its own, to be talked with step by step."""

    def __init__(self) -> None:
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._out = io.StringIO()
        self._thread = threading.Thread(
            target=uci.Uci(self._out).run, args=(iter(self._lines.get, None),)
        )
        self._thread.start()

    def send(self, *lines: str) -> None:
        for line in lines:
            self._lines.put(line)

    @property
    def answers(self) -> list[str]:
        return self._out.getvalue().splitlines()

    def wait_for(self, start: str, count: int = 1) -> None:
        wait_for(lambda: len(starting(self.answers, start)) >= count)

    def close(self) -> list[str]:
        self._lines.put(None)
        self._thread.join(20)
        assert not self._thread.is_alive()
        return self.answers


def test_ponderhit_lets_the_clock_run_and_the_search_go_on():
    talk = Conversation()
    talk.send("go ponder wtime 3000 btime 3000")
    talk.wait_for("info depth 5")
    time.sleep(0.2)
    talk.send("isready")
    talk.wait_for("readyok")
    assert not best_moves(talk.answers)
    before = len(starting(talk.answers, "info depth"))
    talk.send("ponderhit")
    talk.wait_for("bestmove")
    assert len(starting(talk.close(), "info depth")) >= before
    assert len(best_moves(talk.answers)) == 1


def test_the_clock_begins_at_ponderhit():
    """However long was pondered, the hard bound lies ahead; and it is that of the clock."""
    searcher = Searcher()
    searcher.new_game()
    steps = searcher.deepen(NO_MOVES, 0, SearchLimit(time_left_ms=10_000), ponder=True)
    for line in steps:
        if line.result.depth >= 4:
            break
    assert not searcher.is_finished
    assert int(searcher.record.deadline_ns) > time.perf_counter_ns() + 10**15
    searcher.ponderhit()
    now_ns = time.perf_counter_ns()
    left_ns = int(searcher.record.deadline_ns) - now_ns
    assert 0 < left_ns < 10_000 * 10**6
    assert 0 < int(searcher.record.soft_ns) < left_ns
    assert now_ns - int(searcher.record.clock_started_ns) < 10**9


def test_a_pondered_search_that_is_over_waits_for_ponderhit():
    talk = Conversation()
    talk.send(f"position fen {MATE_IN_ONE}", "go ponder wtime 9000 btime 9000")
    talk.wait_for("info depth")
    time.sleep(0.1)
    assert not best_moves(talk.answers)
    talk.send("ponderhit")
    talk.wait_for("bestmove")
    assert best_moves(talk.close()) == ["d1d8"]


def test_a_pondered_search_without_limits_ends_at_ponderhit():
    assert len(best_moves(answers("go ponder", "ponderhit", "isready"))) == 1


@pytest.mark.parametrize("before", [[], ["go depth 1"], ["go infinite"]])
def test_a_ponderhit_that_hits_nothing_is_told(before):
    lines = answers(*before, "ponderhit", "stop")
    assert "info string ponderhit: no pondering goes on" in lines
    assert len(best_moves(lines)) == len(before)


def test_ponderhit_reaches_a_search_that_waits_its_turn():
    talk = Conversation()
    talk.send("go infinite", "go ponder movetime 50", "ponderhit", "isready")
    talk.wait_for("readyok")
    talk.send("stop")
    talk.wait_for("bestmove", 2)
    assert len(best_moves(talk.close())) == 2


def test_a_long_search_tells_the_move_it_is_at(monkeypatch):
    monkeypatch.setattr("engine.jobs._CURRENT_MOVE_EVERY_S", 0.02)
    talk = Conversation()
    talk.send("go infinite")
    talk.wait_for("info depth 9")
    talk.wait_for("info depth", 15)
    wait_for(lambda: any("currmove" in line for line in talk.answers))
    talk.send("stop")
    lines = talk.close()
    told = [line.split() for line in lines if "currmove" in line]
    for _, _, depth, _, move, _, number in told:
        assert 1 <= int(depth) < 128
        assert chess.Move.from_uci(move) in chess.Board().legal_moves
        assert 1 <= int(number) <= 20
    assert lines[-1].startswith("bestmove")


def test_a_short_search_tells_no_current_move():
    assert not any("currmove" in line for line in answers("go depth 5"))


@pytest.mark.parametrize("fen", [MATE_IN_ONE, "8/8/8/8/8/5k2/7q/5K2 w - - 0 1"])
def test_infinite_ends_only_by_stop(fen):
    """A mate is found, or the depth exhausted, long before."""
    out = io.StringIO()
    program = uci.Uci(out)

    def lines() -> Iterator[str]:
        yield f"position fen {fen}"
        yield "go infinite"
        wait_for(lambda: "info depth" in out.getvalue())
        time.sleep(0.2)
        assert "bestmove" not in out.getvalue()
        yield "isready"
        wait_for(lambda: out.getvalue().endswith("readyok\n"))
        yield "stop"
        wait_for(lambda: "bestmove" in out.getvalue())
        yield "stop"

    program.run(lines())
    assert out.getvalue().count("bestmove") == 1


def test_go_and_stop_in_one_packet():
    lines = answers("stop", *["go infinite", "stop"] * 20, "stop", "go depth 2")
    assert len(starting(lines, "bestmove")) == 21
    assert not starting(lines, "info string")


def test_a_second_go_waits_for_the_end_of_the_first():
    """In order, with what stands between them; exactly one best move for each."""
    lines = answers(
        "go infinite",
        "isready",
        "go depth 2",
        "position startpos moves e2e4",
        "go nodes 30",
        "go perft 1",
    )
    assert lines.index("readyok") < min(
        index for index, line in enumerate(lines) if line.startswith("bestmove")
    )
    first, second, third = (line.split()[1] for line in starting(lines, "bestmove"))
    board = chess.Board()
    assert board.parse_uci(first)
    assert board.parse_uci(second)
    board.push_uci("e2e4")
    assert board.parse_uci(third)
    assert lines[-1] == "Nodes searched: 20"
    assert len(starting(lines, "info string go waits")) == 3


def test_stop_ends_the_running_search_and_those_that_wait():
    """With a listener and further commands: nothing may need another `stop`."""
    out = io.StringIO()

    def lines() -> Iterator[str]:
        yield from ["go infinite", "go infinite", "position startpos moves e2e4", "go depth 60"]
        yield "stop"
        wait_for(lambda: out.getvalue().count("bestmove") == 3)
        yield from ["go depth 1", "quit"]

    uci.Uci(out).run(lines())
    third = out.getvalue().split("bestmove ")[3].split()[0]
    board = chess.Board()
    board.push_uci("e2e4")
    assert board.parse_uci(third)


def test_a_go_after_stop_is_searched_to_its_end():
    lines = answers("go infinite", "go infinite", "stop", "go depth 3")
    assert len(starting(lines, "bestmove")) == 3
    assert fields(starting(lines, "info depth")[-1])["depth"] == "3"


@pytest.mark.parametrize("nodes", [1, 2, 333, 3_001])
def test_the_last_line_has_the_nodes_of_a_search_that_was_cut(nodes):
    line = starting(answers(f"go nodes {nodes}"), "info depth")[-1]
    assert fields(line)["nodes"] == str(nodes)


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"], ["bench", "--help"]])
def test_help_is_shown_wherever_it_is_asked_for(words, capsys):
    assert uci.main(words) == 0
    assert capsys.readouterr().out == uci.USAGE + "\n"


def test_the_version_is_shown(capsys):
    assert uci.main(["--version"]) == 0
    assert capsys.readouterr().out == f"{uci.NAME}\n"


def test_searches_sent_all_at_once_are_all_answered():
    lines = answers(*["go depth 4"] * 10, "bench 1", "go depth 1")
    assert len(starting(lines, "bestmove")) == 11
    assert len(starting(lines, "Nodes searched")) == 1
    assert lines[-1].startswith("bestmove")


def test_what_is_set_during_a_search_is_for_the_next_one():
    lines = answers(
        "go infinite",
        "setoption name Hash value 1",
        "setoption name Clear Hash",
        "ucinewgame",
        "position startpos moves e2e4",
        "stop",
        "go depth 1",
    )
    first, second = (line.split()[1] for line in starting(lines, "bestmove"))
    assert chess.Board().parse_uci(first)
    board = chess.Board()
    board.push_uci("e2e4")
    assert board.parse_uci(second)


def test_the_end_of_input_stops_what_waits_and_lets_the_rest_finish():
    assert len(starting(answers("go infinite"), "bestmove")) == 1
    finished = answers(f"position fen {KIWIPETE}", "go depth 6")
    assert depths(finished) == list("123456")


def test_without_a_listener_the_end_of_input_stops_the_search():
    out = io.StringIO()
    uci.Uci(out, has_listener=lambda: False).run(["go depth 100"])
    assert out.getvalue().splitlines()[-1].startswith("bestmove")


def test_another_line_of_the_same_length_is_noticed():
    """The searcher catches up with a longer game by itself; a different one it must be told."""
    lines = answers(
        "position startpos moves e2e4 e7e5 g1f3",
        "go depth 3",
        "stop",
        "position startpos moves f2f3 e7e5 g2g4",
        "go depth 3",
        "stop",
        "position startpos moves f2f3",
        "go depth 1",
    )
    best = starting(lines, "bestmove")
    assert best[1].split()[1] == "d8h4"
    board = chess.Board()
    board.push_uci("f2f3")
    assert board.parse_uci(best[2].split()[1])


def test_ucinewgame_and_clear_hash_forget():
    nodes = []
    for forget in ("ucinewgame", "setoption name Clear Hash", "isready"):
        out = io.StringIO()
        uci.Uci(out).run(join_each_search(["go depth 7", forget, "go depth 7"], out))
        lines = out.getvalue().splitlines()
        best = [index for index, line in enumerate(lines) if line.startswith("bestmove")]
        nodes.append([fields(lines[index - 1])["nodes"] for index in best])
    assert nodes[0][0] == nodes[0][1] == nodes[1][1]
    assert nodes[2][1] != nodes[2][0]


def last_nodes(*lines: str, go: str = "go depth 6") -> int:
    return int(fields(starting(answers(*lines, go), "info depth")[-1])["nodes"])


def test_an_option_changes_the_search():
    default = last_nodes()
    assert last_nodes("setoption name null_move value 0") != default
    assert last_nodes("setoption name NULL_MOVE value 0", "setoption name null_move value 1") == (
        default
    )
    assert last_nodes("setoption name null_move value 7") == default


def test_a_search_parameter_by_uci_is_the_same_as_by_configuration():
    searcher = Searcher(search_defaults() | {"lmr_base": 20})
    searcher.new_game()
    expected = searcher.go(NO_MOVES, 0, SearchLimit(depth=6))
    assert last_nodes("setoption name lmr_base value 20") == expected.nodes


def test_memory_that_cannot_be_had_leaves_the_old_table(monkeypatch):
    resize = Searcher.resize

    def resize_little(searcher: Searcher, hash_mb: int) -> None:
        if hash_mb > 64:
            raise MemoryError
        resize(searcher, hash_mb)

    monkeypatch.setattr(Searcher, "resize", resize_little)
    monkeypatch.setitem(OPTIONS, "hash", OPTIONS["hash"]._replace(high=10**6))
    out = io.StringIO()
    program = uci.Uci(out)
    program.run(["setoption name Hash value 8", "isready", "setoption name Hash value 1000"])
    assert program._searcher._table.nbytes == pytest.approx(8 << 20, abs=64)
    program.run(["isready", "go depth 2"])
    assert program._searcher._table.nbytes == pytest.approx(8 << 20, abs=64)
    lines = out.getvalue().splitlines()
    assert lines.count("info string no memory for Hash 1000; it is 8 instead") == 1
    assert lines[-1].startswith("bestmove")


def test_memory_follows_hash_both_ways():
    program = uci.Uci(io.StringIO())
    for hash_mb in (64, 2, 32):
        program.run([f"setoption name Hash value {hash_mb}", "isready"])
        assert program._searcher._table.nbytes == pytest.approx(hash_mb << 20, abs=64)


MALFORMED = [
    "nonsense",
    "\x00\x01 \x1b[31m",
    "position",
    "position fen",
    "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
    "position startpos moves e2e5",
    "position startpos moves e2e4 e2e4",
    "position startpos moves zz",
    "position startpos moves e7e8q☃",
    "position startpos e2e4",
    f"position fen {'x' * 100_000}",
    f"{'y' * 100_000}",
    "go depth",
    "go depth x",
    "go perft 0",
    "go perft x",
    "go perft 999",
    "setoption",
    "setoption name",
    "setoption name Hash value",
    "setoption name Hash value -1",
    "setoption name nothing value 1",
    "bench x",
    "bench 0",
    "bench 1000",
]


@pytest.mark.parametrize("line", MALFORMED, ids=lambda line: line[:30])
def test_a_malformed_command_is_answered_and_ignored(line):
    lines = answers("position startpos moves d2d4", line, "d", "isready")
    assert lines[0].startswith("info string ")
    assert len(lines[0]) < 300
    assert "internal" not in lines[0]
    expected = chess.Board()
    expected.push_uci("d2d4")
    assert lines[-2] == f"Fen: {expected.fen(en_passant='legal')}"
    assert lines[-1] == "readyok"


def test_empty_lines_are_nothing():
    assert answers("", "   ", "\t\r\n", "isready") == ["readyok"]


def test_any_white_space_separates():
    lines = answers(
        " \tposition  fen\t rnbqkbnr/ppp2ppp/8/3pp3/4P3/5P2/PPPP2PP/RNBQKBNR  w KQkq - 0 3 "
        " moves \t c2c3 \r\n",
        "d\r\n",
    )
    assert lines[-1] == "Fen: rnbqkbnr/ppp2ppp/8/3pp3/4P3/2P2P2/PP1P2PP/RNBQKBNR b KQkq - 0 3"


@pytest.mark.parametrize("count", range(2, 7))
def test_a_fen_may_end_after_its_second_field(count):
    fields_of_fen = ["4k3/8/8/8/8/8/4P3/4K3", "w", "-", "-", "0", "1"]
    lines = answers(f"position fen {' '.join(fields_of_fen[:count])}", "d")
    assert lines[-1] == f"Fen: {' '.join(fields_of_fen)}"


def test_what_is_dropped_from_a_fen_is_said():
    lines = answers("position fen 4k3/8/8/8/8/8/4P3/4K3 w KQkq e3 0 1", "d")
    assert len(starting(lines, "info string castling right")) == 4
    assert len(starting(lines, "info string en passant")) == 1


@pytest.mark.parametrize("castling", ["e1g1", "e1h1", "E1G1"])
def test_castling_is_read_in_either_form(castling):
    lines = answers(f"position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves {castling}", "d")
    assert lines[-1] == "Fen: r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"


def test_chess960_castling_is_king_takes_rook():
    fen = "8/8/8/8/8/8/6kp/1RK4R w KQ - 0 1"
    chess960 = "setoption name UCI_Chess960 value true"
    lines = answers(chess960, f"position fen {fen} moves c1b1", "d", f"position fen {fen}")
    assert lines[-1] == "Fen: 8/8/8/8/8/8/6kp/2KR3R b - - 1 1"
    lines = answers(chess960, f"position fen {fen}", "go perft 1")
    board = chess.Board(fen, chess960=True)
    moves = {move.uci() for move in board.legal_moves}
    assert "c1b1" in moves
    assert {line.split(":")[0] for line in lines if line.endswith(": 1")} == moves


@pytest.mark.parametrize("spelling", ["f2f1q", "f2f1Q"])
def test_promotions_are_read_in_either_case_and_written_in_lower(spelling):
    fen = "1B6/p5p1/N4p2/1P6/2p1k3/8/P2R1p2/7K b - - 1 40"
    lines = answers(f"position fen {fen} moves {spelling}", "d")
    assert lines[-1] == "Fen: 1B6/p5p1/N4p2/1P6/2p1k3/8/P2R4/5q1K w - - 0 41"
    assert "f2f1q: 1" in answers(f"position fen {fen}", "go perft 1")


@pytest.mark.parametrize("fen", [KIWIPETE, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"])
def test_perft_divides_as_python_chess_does(fen):
    expected = {}
    board = chess.Board(fen)
    for move in board.legal_moves:
        board.push(move)
        expected[move.uci()] = board.legal_moves.count()
        board.pop()
    lines = answers(f"position fen {fen}", "go perft 2")
    found = dict(line.split(": ") for line in lines if re.match("[a-h][1-8]", line))
    assert {move: int(count) for move, count in found.items()} == expected
    assert lines[-1] == f"Nodes searched: {sum(expected.values())}"


def test_perft_goes_deeper_than_a_portion(monkeypatch):
    monkeypatch.setattr("engine.jobs._PERFT_PORTION_LEAVES", 1)
    assert answers("go perft 3")[-1] == "Nodes searched: 8902"


def test_a_long_perft_is_stopped():
    lines = answers(f"position fen {KIWIPETE}", "go perft 20", "isready", "stop", "go perft 1")
    assert lines.index("readyok") < lines.index("info string perft stopped")
    assert lines[-1] == "Nodes searched: 48"


def test_a_perft_of_many_moves_is_stopped_soon():
    """Each portion is a fraction of a second, however many moves a position has."""
    fen = "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1"
    lines = answers(f"position fen {fen}", "go perft 6", "stop", "isready")
    assert sorted(lines) == ["info string perft stopped", "readyok"]


def test_d_shows_the_board():
    lines = answers("d")
    assert lines[0] == "8  r n b q k b n r"
    assert lines[4] == "4  . . . . . . . ."
    assert lines[-1] == f"Fen: {protocol.STARTPOS}"


def test_eval_shows_the_terms_and_their_sum():
    fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
    lines = answers(f"position fen {fen}", "eval")
    rows = {line.split()[0]: line.split()[1:] for line in lines[2:] if line.count(".") == 5}
    assert {term.name for term in EVALUATION} == rows.keys()
    assert rows["bishop_value"][:2] == rows["bishop_value"][2:4]
    total = sum(float(row[-1]) for row in rows.values())
    assert lines[-1].startswith("Evaluation: ")
    assert float(lines[-1].split()[1]) == pytest.approx(total, abs=0.1)


def test_eval_looks_from_white_whoever_moves():
    """Without tempo, which is the mover's, a position and its null move are worth the same."""
    placed = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1"
    told = [answers(f"position fen {placed} {side} - - 0 1", "eval") for side in "wb"]
    white, black = ([line for line in lines if "tempo" not in line][:-1] for lines in told)
    assert white == black


def test_the_inbox_holds_so_many_lines_and_no_more(monkeypatch):
    monkeypatch.setattr(uci, "_MOST_WAITING", 3)
    inbox, put = uci.Inbox(), []

    def fill() -> None:
        for number in range(10):
            if not inbox.put(str(number)):
                return
            put.append(number)

    thread = threading.Thread(target=fill)
    thread.start()
    wait_for(lambda: len(put) == 3)
    time.sleep(0.05)
    assert len(put) == 3
    assert inbox.get(1) == "0"
    wait_for(lambda: len(put) == 4)
    inbox.close()
    thread.join(5)
    assert not thread.is_alive()


def test_an_inbox_without_a_line_times_out():
    with pytest.raises(TimeoutError):
        uci.Inbox().get(0.01)


def test_too_many_commands_that_wait_are_refused(monkeypatch):
    monkeypatch.setattr(uci, "_MOST_WAITING", 5)
    lines = answers("go infinite", *["go depth 1"] * 20, "stop")
    assert len(starting(lines, "info string too many commands wait")) == 15
    assert len(starting(lines, "bestmove")) == 6


def test_warm_tells_each_step(capsys, monkeypatch):
    monkeypatch.setattr(uci.signal, "signal", lambda *_: None)  # this process keeps its own
    assert uci.main(["warm"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "numbishop: compiling rules (1 of 4)"
    assert lines[-1] == "numbishop: everything is compiled"


def test_a_slow_loading_is_told_step_by_step(monkeypatch):
    monkeypatch.setattr(uci, "_SLOW_LOADING_S", 0.05)
    said: list[str] = []
    progress = uci.SlowProgress(said.append)
    progress.report("rules", 0, 2)
    wait_for(lambda: said)
    progress.report("search", 1, 2)
    progress.report("done", 2, 2)
    progress.close()
    assert said == [
        "info string compiling, first run only: rules (1 of 2)",
        "info string compiling, first run only: search (2 of 2)",
    ]


def test_a_quick_loading_is_not_told():
    said: list[str] = []
    progress = uci.SlowProgress(said.append)
    progress.report("rules", 0, 1)
    progress.close()
    assert said == []
    wait_for(lambda: not any(isinstance(t, threading.Timer) for t in threading.enumerate()))


def test_a_bug_is_told_and_does_not_end_the_program(monkeypatch, capsys):
    def fail(fen: str) -> str:
        raise RuntimeError("broken")

    monkeypatch.setattr(uci, "draw_board", fail)
    lines = answers("d", "isready")
    assert lines == [
        "info string internal error, please report: RuntimeError('broken')",
        "readyok",
    ]
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_bug_in_the_search_still_gives_a_move(monkeypatch):
    def fail(*_: object) -> str:
        raise RuntimeError("broken")

    monkeypatch.setattr("engine.jobs.format_info", fail)
    lines = answers("go depth 3", "isready")
    assert len(starting(lines, "bestmove")) == 1
