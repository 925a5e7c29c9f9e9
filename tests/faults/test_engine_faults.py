"""The fault table: whatever a UCI engine does wrong, and wherever, its game ends as it should.

Each case is a run of a pair, with its journal, its statistics and its PGN, in this process. It has
to end (the suite's own timeout is the bound), in the right class, and to leave nothing behind.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from contextlib import suppress
from functools import cache
from pathlib import Path

import chess.pgn
import pytest

from harness.errors import EngineStartError
from harness.journal import Journal
from harness.limits import Limit
from harness.match import RunOptions, run_match
from harness.reproduce import reproduce
from harness.result import Document
from harness.snapshot import create_snapshot
from harness.spec import EngineConfig, MatchSpec
from tests.match.engines import PATIENT, SHORT, WorkerHere, scripted, start_book
from tests.match.runs import RecordingView, marked_processes, null_spec, wait_until

START = ("spawn", "uci", "setoption", "isready", "ucinewgame")
MOVE = ("position", "go")

#: (fault, stages, how its games end)
QUICK = [
    *(("exit", stage, "crash") for stage in (*START, *MOVE)),
    *(("close", stage, "crash") for stage in ("uci", "go")),
    *(("segfault", stage, "crash") for stage in ("spawn", "go")),
    *(("orphan", stage, "crash") for stage in ("isready", "go")),
    *(("hang", stage, "hang") for stage in ("uci", "isready", "go")),
    *(("chatter", stage, "hang") for stage in ("ucinewgame", "go")),
    ("freeze", "go", "hang"),
    ("ignore", "go", "hang"),
    *(("flood", stage, "flood") for stage in ("spawn", "go")),
    *(("torrent", stage, "flood") for stage in ("isready", "go")),
    *((fault, "go", "illegal_move") for fault in ("garbage", "illegal", "none")),
    *(("noise", stage, "threefold") for stage in ("uci", "go")),
    *(("twice", "go", "threefold") for _ in range(1)),
    *(("fork", stage, "threefold") for stage in ("spawn", "go", "quit")),
    ("ignore", "quit", "threefold"),
]
EVERYWHERE = [
    ("close", "crash"),
    ("segfault", "crash"),
    ("orphan", "crash"),
    ("hang", "hang"),
    ("chatter", "hang"),
    ("freeze", "hang"),
    ("flood", "flood"),
    ("torrent", "flood"),
    ("noise", "threefold"),
    ("fork", "threefold"),
]
REST = [
    *((fault, stage, ending) for fault, ending in EVERYWHERE for stage in (*START, *MOVE)),
    *((fault, "quit", "threefold") for fault in ("hang", "freeze", "kill", "flood", "close")),
    ("ignore", "uci", "hang"),
    ("ignore", "isready", "hang"),
]


copy_once = cache(create_snapshot)


@pytest.fixture(autouse=True)
def _only_what_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many small runs: the engine is copied once, and no report, which takes longest, is drawn."""
    monkeypatch.setattr("harness.playing.create_snapshot", copy_once)
    monkeypatch.setattr("harness.exports.write_report_if_possible", lambda *_: None)


def table(cases: list[tuple[str, str, str]]) -> pytest.MarkDecorator:
    ids = [f"{fault}-{stage}" for fault, stage, _ in cases]
    return pytest.mark.parametrize(("fault", "stage", "ending"), cases, ids=ids)


def spec_of(folder: Path, engine: EngineConfig, limit: Limit, pairs: int = 1) -> MatchSpec:
    return null_spec(pairs, new=scripted(), base=engine, limit=limit, openings=start_book(folder))


def play(spec: MatchSpec, folder: Path) -> Document:
    return run_match(spec, RunOptions(folder, 1, hire=WorkerHere), RecordingView())


def open_pipes() -> list[str]:
    """What this process holds of pipes and of other processes."""
    targets = []
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the listing's own
            targets.append(os.readlink(link))
    return sorted(target for target in targets if target.startswith(("pipe:", "anon_inode:")))


def check(fault: str, stage: str, ending: str, folder: Path) -> None:
    short = ending == "hang" or stage == "quit"
    mark = f"token={folder}"
    engine = scripted(
        f"{fault}@{stage}", mark, name="bad", timeouts=SHORT if short else PATIENT, Hash="1"
    )
    spec = spec_of(folder, engine, Limit(nodes=10))
    pipes = open_pipes()
    document = play(spec, folder / "run")
    assert document["terminations"] == {ending: 2}
    assert document["ptnml"] == ([0, 0, 1, 0, 0] if ending == "threefold" else [0, 0, 0, 0, 1])
    check_files(folder / "run", document)
    wait_until(lambda: marked_processes(mark) == [])
    assert open_pipes() == pipes


def check_files(run_dir: Path, document: Document) -> None:
    """The journal, the PGN and the statistics tell the same games."""
    with Journal.read(run_dir) as journal:
        records = list(journal.games())
    with (run_dir / "games.pgn").open() as file:
        games = [*iter(lambda: chess.pgn.read_game(file), None)]
    assert len(records) == len(games) == document["games_played"]
    assert Counter(record.termination.value for record in records) == document["terminations"]
    for record, game in zip(records, games, strict=True):
        result = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}[record.result]
        assert game.headers["Result"] == result
        assert game.end().board().ply() == record.plies
        assert not game.errors


@table(QUICK)
def test_an_engines_fault_ends_its_game_and_nothing_else(
    fault: str, stage: str, ending: str, tmp_path: Path
) -> None:
    check(fault, stage, ending, tmp_path)


@pytest.mark.nightly
@table(REST)
def test_every_fault_at_every_stage(fault: str, stage: str, ending: str, tmp_path: Path) -> None:
    check(fault, stage, ending, tmp_path)


@pytest.mark.parametrize("fault", ["exit", "hang", "flood"])
def test_a_fault_when_it_is_stopped(fault: str, tmp_path: Path) -> None:
    """It ignored `go`, and then this happens."""
    ending = {"exit": "crash"}.get(fault, fault)
    timeouts = SHORT.model_copy(update={"stop_ms": 5_000 if fault == "flood" else 200})
    engine = scripted("ignore@go", f"{fault}@stop", timeouts=timeouts)
    document = play(spec_of(tmp_path, engine, Limit(nodes=10)), tmp_path / "run")
    assert document["terminations"] == {ending: 2}


def test_a_late_answer_loses_on_time_and_the_engine_plays_on(tmp_path: Path) -> None:
    engine = scripted("late@go", timeouts=SHORT.model_copy(update={"stop_ms": 20_000}))
    document = play(spec_of(tmp_path, engine, Limit(movetime_ms=100)), tmp_path / "run")
    assert document["terminations"] == {"time_forfeit": 2}
    assert len(list((tmp_path / "run" / "faults").iterdir())) == 2


def test_a_pipe_that_is_full_does_not_block(tmp_path: Path) -> None:
    """It hears no more, and is told more than a pipe holds."""
    engine = scripted("hang@setoption", timeouts=SHORT, Hash="1", Book="x" * 300_000)
    document = play(spec_of(tmp_path, engine, Limit(nodes=10)), tmp_path / "run")
    assert document["terminations"] == {"hang": 2}


def test_a_process_killed_from_outside_makes_its_pair_void_and_ends_the_run_in_the_end(
    tmp_path: Path,
) -> None:
    """The kernel does that when memory runs out; it is played again, but not for ever."""
    engine = scripted("kill@go", name="victim")
    with pytest.raises(EngineStartError, match=r"pair 0 was void 3 times .* machine .*SIGKILL"):
        play(spec_of(tmp_path, engine, Limit(nodes=10)), tmp_path / "run")
    with Journal.read(tmp_path / "run") as journal:
        assert list(journal.games()) == []
        kinds = Counter(event.kind for event in journal.events())
    assert kinds == {"started": 1, "void": 3, "interrupted": 1}


def test_a_broken_engine_makes_the_run_invalid_and_is_named(tmp_path: Path) -> None:
    engine = scripted("exit@go", name="broken")
    document = play(spec_of(tmp_path, engine, Limit(nodes=10), pairs=50), tmp_path / "run")
    assert document["decision"] == "invalid"
    assert "4 of 4 games ended by an engine's fault: broken crash 4" in document["sentence"]


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("exit@go", "again: bad has ended (exit code 3); it said: assertion failed: script"),
        ("illegal@go", "again: bestmove e2e5"),
        ("ignore@go", "again: bad has not answered for"),
    ],
)
def test_a_fault_leaves_a_bundle_that_repeats_it(
    fault: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = scripted(fault, name="bad", timeouts=SHORT, Hash="1")
    play(spec_of(tmp_path, engine, Limit(nodes=10)), tmp_path / "run")
    bundle = tmp_path / "run" / "faults" / "pair-0-game-0.json"
    document = json.loads(bundle.read_text())
    assert document["players"][0]["config"]["name"] == "scripted"
    assert [text for _, direction, text in document["players"][1]["talk"] if direction == ">"]
    assert document["moves"] == ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3"]
    assert reproduce(bundle)
    assert told in capsys.readouterr().out


def test_a_fault_that_does_not_come_again_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = scripted("exit@go", name="bad")
    play(spec_of(tmp_path, engine, Limit(nodes=10)), tmp_path / "run")
    bundle = tmp_path / "run" / "faults" / "pair-0-game-0.json"
    bundle.write_text(bundle.read_text().replace("exit@go", "late@go"))
    assert not reproduce(bundle)
    assert "it came to the end of the game without a fault" in capsys.readouterr().out
