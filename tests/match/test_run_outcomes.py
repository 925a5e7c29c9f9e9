"""Verdicts of whole runs: H1, H0, undecided, invalid; duplicates; what is written and shown."""

import json
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

from harness.errors import Interrupted, UsageError
from harness.invocation import resume_command
from harness.limits import Limit
from harness.match import RunOptions, run_match
from harness.openings import BookOpenings
from harness.result import MACHINE_KEYS
from harness.spec import (
    AdjudicationConfig,
    EngineConfig,
    MatchSpec,
    OpeningSpec,
    SprtSpec,
)
from tests.match.runs import RecordingView, null_spec, play

ISSUE_KEYS = frozenset(
    "schema decision sentence llr bounds elo elo_ci95 nelo nelo_ci95 los ptnml games_counted"  # noqa: SIM905
    " games_played games_per_min duplicates faults seed spec_hash source_digest run_dir"
    " llr_path".split()
)

CRASHING = EngineConfig(name="crashing", source="null", options={"Fault": "crash@1"})
SOUND = EngineConfig(name="sound", source="null")


def test_run_stops_at_its_verdict_and_does_not_count_what_was_played_beyond(
    tmp_path: Path,
) -> None:
    """Null players are equal: a test of [-50, 50] with bounds of +-1 ends soon, either way."""
    spec = null_spec(500, sprt=SprtSpec(elo0=-50, elo1=50, alpha=0.27, beta=0.27))
    view = RecordingView()
    document = run_match(spec, RunOptions(tmp_path / "run", 2), view)
    low, high = document["bounds"]
    *before, last = document["llr_path"]
    assert document["decision"] == ("H1" if last >= high else "H0")
    assert all(low < value < high for value in before)
    assert document["games_played"] < 1000
    assert document["games_counted"] == 2 * len(document["llr_path"])
    with (tmp_path / "run" / "games.pgn").open() as file:
        rounds = [game.headers["Round"] for game in iter(lambda: chess.pgn.read_game(file), None)]
    pairs = document["games_played"] // 2
    assert rounds == [f"{pair}.{game}" for pair in range(pairs) for game in (0, 1)]
    machine = document["machine"]
    assert machine["games"] == document["games_played"] + machine["games_beyond"]
    assert view.documents == [document]


def test_document_has_all_keys_and_run_json_holds_it(tmp_path: Path) -> None:
    document = play(null_spec(4), tmp_path / "run")
    assert set(document) >= ISSUE_KEYS
    assert set(document) >= set(MACHINE_KEYS)
    assert json.loads((tmp_path / "run" / "run.json").read_text()) == document
    assert document["decision"] == "undecided"
    assert document["mean_depth"] == [1.0, 1.0]
    assert sum(document["terminations"].values()) == 8
    assert document["machine"]["python"]
    events = [
        json.loads(line) for line in (tmp_path / "run" / "events.jsonl").read_text().splitlines()
    ]
    assert [event["kind"] for event in events] == ["started", "finished"]


def test_progress_is_shown_and_ends_with_all_pairs(tmp_path: Path) -> None:
    view = RecordingView()
    run_match(null_spec(60), RunOptions(tmp_path / "run", 2), view)
    assert [heading.run_dir for heading in view.headings] == [str(tmp_path / "run")]
    assert view.progress, "nothing was shown"
    for progress in view.progress:
        assert sum(progress.ptnml) == progress.pairs_done <= progress.pairs_played <= 60
        assert progress.bounds.lower < progress.llr < progress.bounds.upper


def test_crashes_make_a_run_invalid(tmp_path: Path) -> None:
    view = RecordingView()
    spec = null_spec(100, new=CRASHING, base=SOUND)
    document = run_match(spec, RunOptions(tmp_path / "run", 1), view)
    assert document["decision"] == "invalid"
    assert view.messages[0].startswith("pair 0, game 0: crash, white: RuntimeError: crashed as")
    assert document["games_played"] == 4
    assert document["faults"]["crash"] == 4
    assert (
        "invalid (4 of 4 games ended by an engine's fault: crashing crash 4)"
        in (document["sentence"])
    )


@pytest.mark.parametrize("fault", ["illegal", "hang"])
def test_other_faults_do_too(tmp_path: Path, fault: str) -> None:
    engine = EngineConfig(name="x", source="null", options={"Fault": f"{fault}@1"})
    document = play(null_spec(100, new=SOUND, base=engine), tmp_path / "run")
    assert document["decision"] == "invalid"
    assert document["ptnml"] == [0, 0, 0, 0, 2], "each fault is a lost game all the same"


def builtin_spec(pairs: int, **changes: Any) -> MatchSpec:
    engine = EngineConfig(name="base")
    values = {
        "new": engine,
        "base": engine,
        "limit": Limit(nodes=400),
        "adjudication": AdjudicationConfig(max_plies=40),
    }
    return null_spec(pairs, **(values | changes))


def test_engine_against_itself_scores_exactly_half_in_every_pair(tmp_path: Path) -> None:
    document = play(builtin_spec(12), tmp_path / "run")
    assert document["ptnml"] == [0, 0, 12, 0, 0]
    assert document["pairs"] == "2" * 12
    assert document["elo"] == document["llr"] == 0.0
    first, second = document["mean_depth"]
    assert first == second > 1
    assert all(nps > 0 for nps in document["machine"]["nps"])


def test_repeated_pairs_are_reported_and_not_counted(tmp_path: Path) -> None:
    """A book of one opening: every pair is the first one again."""
    book = tmp_path / "book.epd"
    book.write_text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n")
    sha256 = BookOpenings(book, "sequential", 1).sha256
    openings = OpeningSpec(kind="book", path=str(book), sha256=sha256, order="sequential")
    spec = builtin_spec(4, openings=openings)
    document = play(spec, tmp_path / "run")
    assert document["duplicates"] == 3
    assert document["games_played"] == 8
    assert document["games_counted"] == 2
    assert document["ptnml"] == [0, 0, 1, 0, 0]
    assert len(document["llr_path"]) == 1
    assert document["decision"] == "undecided"


def test_run_interrupted_while_its_files_are_written_keeps_its_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise Interrupted("interrupted")

    view = RecordingView()
    with monkeypatch.context() as patch:
        patch.setattr("harness.conduct.export_run", interrupt)
        with pytest.raises(Interrupted):
            run_match(null_spec(2), RunOptions(tmp_path / "run", 1), view)
    assert [document["decision"] for document in view.documents] == ["undecided"]
    assert view.messages[-1].endswith(f"files written: {resume_command(tmp_path / 'run')}")
    document = play(null_spec(2), tmp_path / "run", resume=True)
    assert document["machine"]["games"] == 4, "no game is counted for two sittings"
    assert (tmp_path / "run" / "games.pgn").exists()


def test_missing_report_packages_cost_the_report_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(document: Any, path: Path) -> None:
        raise UsageError("report.html needs the extra packages of the report")

    monkeypatch.setattr("harness.report.writing.write_report", refuse)
    view = RecordingView()
    run_match(null_spec(2), RunOptions(tmp_path / "run", 1), view)
    assert "report.html needs the extra packages of the report" in view.messages
    assert not (tmp_path / "run" / "report.html").exists()
    assert (tmp_path / "run" / "run.json").exists()
