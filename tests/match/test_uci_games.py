"""Games of UCI programs: the scripted engine plays, and all that is said is looked at."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from time import perf_counter_ns

import pytest

from harness.chunks import Glimpse
from harness.config import differences, load_engine_config
from harness.errors import EngineStartError, UsageError
from harness.journal import Journal
from harness.limits import Limit
from harness.match import RunOptions, run_match
from harness.players import make_player
from harness.record import Termination
from harness.result import RunProgress
from harness.spec import EngineConfig, Program
from harness.uci_player import UciPlayer
from harness.uci_process import UciProcess
from tests.match.engines import SCRIPT, STARTPOS, WorkerHere, play_pair, scripted, start_book
from tests.match.runs import RecordingView, null_spec

CLOCK = Limit.parse_tc("60+0.1")


@pytest.mark.parametrize("limit", [Limit(nodes=10), Limit(depth=3), CLOCK])
def test_two_programs_play_to_the_end_of_their_dance(limit: Limit) -> None:
    first, second = play_pair(scripted(), scripted(), limit)
    for record in (first, second):
        assert (record.termination, record.plies, record.result) == (Termination.THREEFOLD, 8, 0)
        columns = record.columns()
        assert set(columns.scores_cp.tolist()) == {12}
        assert set(columns.depths.tolist()) == {5}
        assert set(columns.nodes.tolist()) == {1234}
        assert min(record.search_ns) > 0
    assert first.moves == second.moves


def test_a_second_answer_is_dropped() -> None:
    for record in play_pair(scripted("twice@go"), scripted()):
        assert (record.termination, record.plies) == (Termination.THREEFOLD, 8)


def test_each_game_of_chess960_says_so_in_its_conversation() -> None:
    player = make_player(scripted("option=UCI_Chess960"))
    assert isinstance(player, UciPlayer)
    try:
        for variant in (True, True, False):
            player.new_game(STARTPOS, variant, 1)
            exhibit = player.exhibit()
            assert exhibit is not None
            said = "".join(data for _, _, data in exhibit.talk)
            assert f"UCI_Chess960 value {str(variant).lower()}" in said
        player.new_game(STARTPOS, False, 1)
        exhibit = player.exhibit()
        assert exhibit is not None
        assert "UCI_Chess960" not in "".join(data for _, _, data in exhibit.talk)
    finally:
        player.close()


def config_file(folder: Path, *arguments: str, rest: str = "") -> str:
    path = folder / "engine.cfg"
    words = " ".join(("-IS", str(SCRIPT), *arguments))
    path.write_text(
        f"[engine]\nsource = uci\ncommand = {sys.executable}\narguments = {words}\n{rest}"
    )
    return str(path)


def test_a_config_of_a_program_is_named_as_it_names_itself(tmp_path: Path) -> None:
    rest = "folder = .\n[environment]\nA = b c\n[options]\nhash = 2\n[timeouts]\nquit_ms = 500\n"
    config = load_engine_config(config_file(tmp_path, rest=rest))
    assert config.name == "Scripted 1.0"
    assert config.options == {"hash": "2"}
    program = config.program
    assert program is not None
    assert program.command == sys.executable
    assert program.arguments[-1] == str(SCRIPT)
    assert program.folder == str(tmp_path)
    assert program.environment == {"A": "b c"}
    assert program.timeouts.quit_ms == 500
    assert len(program.sha256) == 64
    assert config.digest() != load_engine_config(config_file(tmp_path)).digest()
    assert differences(config, config.model_copy(update={"options": {}})) == [
        "options.hash: 2 against –"
    ]


@pytest.mark.parametrize(
    ("rest", "sentence"),
    [
        ("[options]\nHsah = 2\n", "options.Hsah = 2: the engine has no such option; did you mean"),
        ("[search]\nnull_move = 1\n", "an engine of source uci has no such section"),
        ("folder = nowhere\n", "no such folder; looked for"),
        ("[timeouts]\nstart_ms = soon\n", "expected an integer from 1 to 86400000 milliseconds"),
        ("[timeouts]\nstart = 1\n", "no such key; did you mean start_ms"),
        ("[options]\nHash =\n  1\n  2\n", "expected one line of printable characters"),
    ],
)
def test_mistakes_are_told_with_their_place(tmp_path: Path, rest: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence) as caught:
        load_engine_config(config_file(tmp_path, rest=rest))
    assert "engine.cfg, line " in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("source = uci\n", "no engine.command; expected the program to be started"),
        ("source = uci\ncommand = no-such-engine-anywhere\n", "no such program in PATH"),
        ("source = uci\ncommand = ./engine.cfg\n", "cannot be executed; expected a program"),
        ("source = uci\ncommand = ./nothing\n", "no such file; looked for"),
        (f"source = uci\ncommand = {sys.executable}\narguments = '\n", "expected words as in a"),
    ],
)
def test_programs_that_are_not_there_are_told(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "engine.cfg"
    path.write_text(f"[engine]\n{text}")
    with pytest.raises(UsageError, match=sentence):
        load_engine_config(str(path))


def test_a_program_that_is_no_engine_is_told_with_what_it_said(tmp_path: Path) -> None:
    sentence = r"has ended \(exit code 3\); expected a UCI engine; it said: assertion failed"
    with pytest.raises(EngineStartError, match=sentence):
        load_engine_config(config_file(tmp_path, "exit@uci"))


def test_a_run_of_a_program_against_our_engine(tmp_path: Path) -> None:
    """In worker processes, with the verdict, and with whoever is at fault."""
    spec = null_spec(
        100,
        new=EngineConfig(name="null", source="null"),
        base=scripted("exit@go", "move=1"),
        openings=start_book(tmp_path),
    )
    view = RecordingView()
    document = run_match(spec, RunOptions(tmp_path / "run", 1), view)
    assert document["decision"] == "invalid"
    assert document["faults"]["crash"] == 4
    assert "white: scripted has ended (exit code 3)" in str(view.messages)


def test_a_run_of_two_programs_ends_with_its_files(tmp_path: Path) -> None:
    spec = null_spec(3, new=scripted(), base=scripted("twice@go"), openings=start_book(tmp_path))
    options = RunOptions(tmp_path / "run", 1, hire=WorkerHere)
    document = run_match(spec, options, RecordingView())
    assert document["terminations"] == {"threefold": 6}
    assert document["mean_depth"] == [5.0, 3.75]  # no depth where the first answer came at once
    assert (tmp_path / "run" / "games.pgn").read_text().count("threefold") == 6


class Watching(RecordingView):
    """Keeps every glimpse, in the order in which they came."""

    def __init__(self) -> None:
        super().__init__(shows_games=True)
        self.seen: list[Glimpse] = []

    def update(self, progress: RunProgress) -> None:
        self.seen += [glimpse for glimpse in progress.running if glimpse not in self.seen]


def test_running_games_are_seen_and_nothing_of_it_stays(tmp_path: Path) -> None:
    spec = null_spec(
        1,
        new=scripted("think=200", name="new"),
        base=scripted("think=200", name="base"),
        openings=start_book(tmp_path),
        limit=Limit.parse_tc("60+0.2"),
    )
    view = Watching()
    run_match(spec, RunOptions(tmp_path / "run", 2), view)
    assert {glimpse.game for glimpse in view.seen} == {0, 1}
    for glimpse in view.seen:
        names = ("base", "new") if glimpse.game else ("new", "base")
        assert (glimpse.white, glimpse.black) == names
        assert 1 <= glimpse.plies < 8
        assert (glimpse.score_cp, glimpse.depth) == (-12 if glimpse.plies % 2 == 0 else 12, 5)
        assert all(left_ms is not None and left_ms <= 60_200 for left_ms in glimpse.left_ms)
    with Journal.read(tmp_path / "run") as journal:
        assert [event.kind for event in journal.events()] == ["started", "finished"]


def test_glimpses_end_with_their_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.glimpses.PERIOD_NS", 0)
    spec = null_spec(1, new=scripted(), base=scripted("illegal@go"), openings=start_book(tmp_path))
    view = RecordingView(shows_games=True)
    run_match(spec, RunOptions(tmp_path / "run", 1, hire=WorkerHere), view)
    assert {progress.running for progress in view.progress} == {()}


def test_a_program_begins_with_its_signals_free() -> None:
    """Workers block some, and ignore an interrupt: what they start is not to inherit that."""
    look = "import signal; print(signal.pthread_sigmask(0, ()), signal.getsignal(signal.SIGINT))"
    program = Program(command=sys.executable, arguments=("-ISc", look))
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = UciProcess(program)
    finally:
        signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    try:
        line = process.read_line(perf_counter_ns() + 20 * 10**9)
    finally:
        process.close(1000)
    assert line.startswith(b"set() <built-in function default_int_handler>")
