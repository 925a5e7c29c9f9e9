"""`harness sprt` from its options to its files, with games of a fraction of a second."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path
from statistics import median

import chess.pgn
import pytest

from engine.jit import source_digest
from harness.errors import EngineStartError
from harness.journal import Journal
from harness.limits import Limit
from harness.node_scaling import round_here
from harness.snapshot import create_snapshot
from harness.spec import EngineConfig, MatchSpec
from tests.match.runs import PATIENCE_S, finished_games, wait_until

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
PROGRAM = (sys.executable, "-m", "harness.cli")

KEYS = {
    "schema",
    "decision",
    "sentence",
    "llr",
    "bounds",
    "elo",
    "elo_ci95",
    "nelo",
    "nelo_ci95",
    "los",
    "ptnml",
    "games_counted",
    "games_played",
    "games_per_min",
    "duplicates",
    "faults",
    "seed",
    "spec_hash",
    "source_digest",
    "run_dir",
    "llr_path",
}


def harness(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments],
        cwd=cwd,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A finished run of an engine against itself: the folder it was started in, what it printed."""
    folder = tmp_path_factory.mktemp("run")
    line = "sprt base.cfg base.cfg --max-games 12 --nodes 100 --seed 3 --json x.json"
    process = harness(*line.split(), cwd=folder)
    assert (process.returncode, process.stderr) == (11, "")
    return folder, process.stdout


def test_a_run_tells_what_it_plays(done):
    _, output = done
    first, second, *_ = output.splitlines()
    path = ROOT / "configs" / "base.cfg"
    assert first == f"NEW is base-1 ({path}), BASE is base-2 ({path})"
    assert second.startswith("warning: both sides are identical")


def test_the_json_has_the_promised_keys(done):
    folder, output = done
    document = json.loads((folder / "x.json").read_text("utf-8"))
    assert set(document) >= KEYS
    assert document["decision"] == "undecided"
    assert document["ptnml"] == [0, 0, 6, 0, 0]
    assert document["games_played"] == 12
    assert document["seed"] == 3
    assert document["sentence"] in output
    assert "NaN" not in json.dumps(document)
    assert document == json.loads((folder / document["run_dir"] / "run.json").read_text("utf-8"))


def test_stats_and_report_read_the_run(done):
    folder, _ = done
    document = json.loads((folder / "x.json").read_text("utf-8"))
    run = document["run_dir"]
    own = harness("stats", run, "--quiet", cwd=folder)
    assert own.stdout == document["sentence"] + "\n"
    other = harness("stats", run, "--quiet", "--elo0", "0", "--elo1", "50", cwd=folder)
    assert "SPRT [0.00, 50.00]" in other.stdout
    (folder / run / "report.html").unlink(missing_ok=True)
    report = harness("report", run, cwd=folder)
    assert (report.returncode, report.stdout) == (0, f"{run}/report.html\n")
    assert document["decision"] in (folder / run / "report.html").read_text("utf-8")


def test_a_finished_run_can_be_resumed_and_says_the_same(done):
    folder, _ = done
    before = json.loads((folder / "x.json").read_text("utf-8"))
    process = harness("sprt", "--resume", before["run_dir"], "--quiet", "--json", "-", cwd=folder)
    assert process.returncode == 11
    warning, sentence = process.stderr.splitlines()
    assert warning.startswith("warning: both sides are identical")
    assert sentence == before["sentence"]
    again = json.loads(process.stdout)
    machine = {"machine", "games_per_min"}
    assert {key: again[key] for key in again if key not in machine} == {
        key: before[key] for key in before if key not in machine
    }


def test_a_resumed_run_tells_what_it_plays_and_from_where(done):
    folder, output = done
    run = json.loads((folder / "x.json").read_text("utf-8"))["run_dir"]
    lines = harness("sprt", "--resume", run, cwd=folder).stdout.splitlines()
    assert lines[0] == output.splitlines()[0]
    assert lines[1] == "resuming after 12 games"


def test_nodes_are_scaled_from_the_first_game_on_and_after_a_resume(tmp_path):
    line = "sprt new.cfg base.cfg --scale-nodes-by 0.25 --nodes 400 --max-games 2 --json a.json"
    told = "new has 0.25 times the nodes of base, 100 against 400"
    process = harness(*line.split(), cwd=tmp_path)
    assert told in process.stdout
    document = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert document["limit"] == "400 nodes a move; new: 100 nodes a move"
    assert document["machine"]["nps_ratio_meant"] == 0.25
    with Journal.read(Path(tmp_path, document["run_dir"])) as journal:
        white_first = min(journal.games(), key=lambda game: game.game)
    nodes = memoryview(white_first.nodes).cast("I").tolist()  # NEW is white
    assert median(nodes[::2]) < 150 < 350 < median(nodes[1::2])
    assert told in harness("sprt", "--resume", document["run_dir"], cwd=tmp_path).stdout


def test_a_round_of_speeds_is_measured_by_the_run_s_own_engine(tmp_path):
    spec = MatchSpec(
        new=EngineConfig(name="new"),
        base=EngineConfig(name="base", source="uci"),
        limit=Limit(nodes=50),
        source_digest=source_digest(),
    )
    snapshot = create_snapshot(spec.source_digest)
    with pytest.raises(EngineStartError, match="measured: base: source = 'uci' has no program"):
        round_here(spec, snapshot)
    own = spec.model_copy(update={"base": EngineConfig(name="base")})
    assert math.isfinite(round_here(own, snapshot))


def test_a_run_from_a_long_pgn_says_how_much_of_it_was_checked(tmp_path):
    (tmp_path / "b.pgn").write_text('[Event "a"]\n\n1. e4 *\n\n' * 601)
    soon = "--nodes 1 --elo0 -500 --elo1 500 --alpha 0.49 --beta 0.49"
    line = f"sprt base.cfg base.cfg --openings b.pgn {soon}"
    output = harness(*line.split(), cwd=tmp_path).stdout
    assert "b.pgn: the openings of the first 500 pairs can be played; a later one" in output


def test_a_run_from_a_book(tmp_path):
    book = tmp_path / "b.epd"
    book.write_text(
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1\n"
        "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 1\n"
    )
    line = "sprt base.cfg base.cfg --max-games 8 --nodes 100 --openings b.epd --order sequential"
    warning = (
        "warning: b.epd has openings for 2 pairs; repeated at fixed nodes or depth they give the"
        " same games, which do not count, so the run ends after 4 games instead of 8\n"
    )
    process = harness(*line.split(), "--start", "2", "--out", "runs", cwd=tmp_path)
    assert (process.returncode, process.stderr) == (11, "")
    assert warning in process.stdout
    (run,) = (tmp_path / "runs").iterdir()
    document = json.loads((run / "run.json").read_text("utf-8"))
    assert document["duplicates"] == 0
    assert document["max_games"] == document["games_played"] == 4
    assert document["games_counted"] == 4
    with (run / "games.pgn").open(encoding="utf-8") as file:
        game = chess.pgn.read_game(file)
    assert game is not None
    assert game.board().fen().split()[0] == "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_how_to_go_on(number, tmp_path):
    line = ["sprt", "base.cfg", "base.cfg", "--nodes", "2000", "--max-games", "40000"]
    process = subprocess.Popen(
        [*PROGRAM, *line],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: any(map(finished_games, tmp_path.glob("reports/*"))))
    process.send_signal(number)
    output, errors = process.communicate(timeout=PATIENCE_S)
    (run,) = (tmp_path / "reports").iterdir()
    assert (process.returncode, errors) == (130, "")
    assert "interrupted; to go on: " in output
    assert output.rstrip().endswith(f" sprt --resume reports/{run.name}")
