"""`--log-engine`: what programs were told and said, a file for each game."""

from __future__ import annotations

from pathlib import Path

from engine.jit import source_digest
from harness.exports import Output
from harness.playing import RunOptions
from harness.spec import EngineConfig
from harness.tournament.run import run_tournament
from harness.tournament.spec import TournamentSpec
from tests.match.engines import NODES, OFF, WorkerHere, scripted, start_book
from tests.match.runs import RecordingView


def play(folder: Path, *players: EngineConfig, conversations: bool = True) -> list[Path]:
    spec = TournamentSpec(
        form="match",
        players=players,
        cycles=1,
        limit=NODES,
        openings=start_book(folder),
        adjudication=OFF,
        source_digest=source_digest(),
    )
    output = Output(conversations=conversations)
    options = RunOptions(folder / "run", 1, hire=WorkerHere, output=output)
    run_tournament(spec, options, RecordingView())
    return sorted((folder / "run").glob("conversations/*"))


def test_a_game_s_talk_with_both_programs_is_kept(tmp_path: Path) -> None:
    files = play(tmp_path, scripted(name="one"), scripted("noise@go", name="two"))
    assert [path.name for path in files] == ["pair-0-game-0.log", "pair-0-game-1.log"]
    first, second = (path.read_text() for path in files)
    assert first.startswith("pair 0, game 0: threefold")
    assert first.index("== one, white") < first.index("== two, black")
    assert "> position startpos moves g1f3\n" in first
    assert "< bestmove g8f6" in first
    assert "-- standard error" in first.partition("== two")[2]
    assert "== one, black" in second


def test_nothing_is_kept_unless_it_is_wanted(tmp_path: Path) -> None:
    assert play(tmp_path, scripted(name="one"), scripted(name="two"), conversations=False) == []
