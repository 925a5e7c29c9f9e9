"""A queue that is killed with its runs, and started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.result import MACHINE_KEYS
from tests.e2e.test_commands import ENVIRONMENT, harness, refused
from tests.match.runs import PATIENCE_S, finished_games, wait_until

RUNS = [
    f"sprt null.cfg null.cfg --nodes 100 --plies 4 --max-games {games} --seed 3"
    for games in (60, 160, 40)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "null.cfg").write_text("[engine]\nsource = null\n")
    return tmp_path


def queued(folder: Path) -> list[dict[str, Any]]:
    done = harness("queue", "list", "--json", "-", cwd=folder)
    runs: list[dict[str, Any]] = json.loads(done.stdout)["runs"]
    return runs


def equal_part(run_dir: str) -> dict[str, Any]:
    document = json.loads((Path(run_dir) / "run.json").read_text())
    return {key: value for key, value in document.items() if key not in MACHINE_KEYS}


def test_the_list_from_the_command_line(folder: Path) -> None:
    line = "queue add --concurrency 1 sprt null.cfg null.cfg --early"
    done = harness(*line.split(), cwd=folder)
    assert (done.returncode, done.stdout) == (0, "run 1: harness sprt null.cfg null.cfg --early\n")
    assert queued(folder)[0]["concurrency"] == 1
    assert refused("queue", "pause", "9", cwd=folder).startswith("ID = 9: no such run in reports/")
    told = refused("queue", "add", "sprt", "--nonsense", cwd=folder)
    assert told.startswith("No such option '--nonsense'.")


@pytest.mark.nightly
@pytest.mark.timeout(1800)  # the start of nine programs
def test_a_queue_killed_in_the_middle_ends_as_if_undisturbed(folder: Path) -> None:
    for line in RUNS:
        assert harness("queue", "add", *line.split(), cwd=folder).returncode == 0
    process = subprocess.Popen(
        [sys.executable, "-m", "harness.cli", "queue", "start"],
        cwd=folder,
        env=ENVIRONMENT,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
    )
    second = folder / "reports" / "queued-2"
    wait_until(lambda: any(finished_games(run) > 20 for run in second.glob("*")))
    os.kill(process.pid, signal.SIGKILL)
    process.wait(PATIENCE_S)
    assert [run["state"] for run in queued(folder)] == ["running", "waiting", "done"]
    done = harness("queue", "start", cwd=folder)
    assert done.returncode == 0, done.stderr
    runs = sorted(queued(folder), key=lambda run: run["id"])
    assert [(run["state"], run["exit_code"]) for run in runs] == [("done", 11)] * 3
    for run, line in zip(runs, RUNS, strict=True):
        alone = harness(*line.split(), "--json", "alone.json", "--quiet", cwd=folder)
        assert alone.returncode == 11, alone.stderr
        own = json.loads((folder / "alone.json").read_text())["run_dir"]
        assert equal_part(str(folder / own)) == equal_part(run["run_dir"])
