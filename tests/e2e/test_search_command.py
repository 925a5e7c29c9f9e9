"""`harness tune search` from a space to its files: killed in the middle, and with a program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli import main
from harness.config import load_engine_config
from tests.e2e.test_commands import harness
from tests.match.runs import finished_games, kill_hard, wait_until

GREEDY = Path(__file__).parents[1] / "match" / "greedy_engine.py"
SPACE = "[search]\nfutility_base_cp = 10 to 400 step 10\naspiration_window_cp = 5 to 500 log\n"
WORDS = ["--games", "160", "--trial-pairs", "4", "--nodes", "200", "--no-test", "--quiet"]


def command(out: Path, workers: int) -> list[str]:
    places = ["space.cfg", "--out", str(out), "--concurrency", str(workers)]
    return ["tune", "search", *places, *WORDS]


@pytest.mark.nightly
def test_the_same_command_goes_on_with_a_killed_study(tmp_path: Path) -> None:
    (tmp_path / "space.cfg").write_text(SPACE)
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    done = harness(*command(whole, 2), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("space against base: claimed ")
    process = subprocess.Popen(
        [sys.executable, "-m", "harness.cli", *command(cut, 1)],
        cwd=tmp_path,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wait_until(lambda: finished_games(cut / "search-space") >= 50)
    kill_hard(process)
    again = harness(*command(cut, 1), cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert again.stdout == done.stdout
    document, undisturbed = (
        json.loads((folder / "search-space" / "search.json").read_text()) for folder in (cut, whole)
    )
    del document["folder"], undisturbed["folder"]
    assert document == undisturbed
    folder = cut / "search-space"
    assert "aspiration_window_cp = " in (folder / "space.cfg").read_text()
    assert "claimed" in (folder / "report.html").read_text()


def test_options_of_a_program_are_tuned_and_trials_that_crash_it_fail(tmp_path: Path) -> None:
    (tmp_path / "greedy.cfg").write_text(
        f"[engine]\nsource = uci\ncommand = {sys.executable}\narguments = {GREEDY} 75\n"
    )
    (tmp_path / "space.cfg").write_text("[options]\nGreed = 0 to 100 step 5\n")
    words = [str(tmp_path / "space.cfg"), str(tmp_path / "greedy.cfg"), "--out", str(tmp_path)]
    rules = ["--games", "100", "--trial-pairs", "4", "--nodes", "1", "--no-test"]
    done = CliRunner().invoke(main, ["tune", "search", *words, *rules])
    assert done.exit_code == 0, done.output
    found = load_engine_config(str(tmp_path / "search-space" / "space.cfg"))
    assert 20 < int(found.options["Greed"]) <= 75
    report = tmp_path / "search-space" / "report.html"
    trials = json.loads(report.with_name("search.json").read_text())["trials"]
    reasons = {one["reason"] for one in trials if one["values"]["Greed"] > 75}
    assert reasons
    assert all(reason.startswith("crash: ") for reason in reasons)
    assert not any(one["reason"] for one in trials if one["values"]["Greed"] <= 75)
    assert "Greed" in report.read_text()
    report.unlink()
    again = CliRunner().invoke(main, ["report", str(report.parent)])
    assert (again.exit_code, again.output) == (0, f"{report}\n")
    assert "Greed" in report.read_text()
