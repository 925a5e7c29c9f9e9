"""Editing `engine/` while a run goes on changes nothing in that run."""

import os
import shutil
import signal
from pathlib import Path

import pytest

from engine.jit import PACKAGE
from tests.match.runs import (
    comparable,
    finished_games,
    kill_hard,
    launch,
    null_spec,
    play,
    session_members,
    wait_until,
)

SPEC = null_spec(120)


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    """A working tree's engine of our own, to be edited; its digest is the real one's."""
    copy = tmp_path / "tree" / "engine"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def spoil(engine: Path) -> None:
    """Edit every module so that nothing that imports it can go on."""
    for module in engine.glob("*.py"):
        module.write_text(f"raise RuntimeError('{module.name} was edited')\n")


def test_workers_started_later_and_a_resumed_run_play_the_engine_of_the_start(
    tmp_path: Path, engine: Path
) -> None:
    play(SPEC, tmp_path / "undisturbed")
    tree = {"env": os.environ | {"PYTHONPATH": str(engine.parent)}, "cwd": engine.parent}
    run_dir = tmp_path / "run"

    process = launch(SPEC, run_dir, **tree)
    wait_until(lambda: finished_games(run_dir) >= 20)
    spoil(engine)
    for worker in workers_of(process.pid):
        os.kill(worker, signal.SIGKILL)
    before = finished_games(run_dir)
    wait_until(lambda: finished_games(run_dir) >= before + 20 or process.poll() is not None)
    assert process.poll() is None, process.communicate()
    kill_hard(process)

    shutil.rmtree(engine)
    shutil.copytree(PACKAGE, engine, ignore=shutil.ignore_patterns("__pycache__"))
    (engine / "parameters.py").write_text(
        (engine / "parameters.py").read_text() + "\nEDITED = True\n"
    )
    resumed = launch(SPEC, run_dir, resume=True, **tree)
    output, errors = resumed.communicate(timeout=120)
    assert resumed.returncode == 11, output + errors
    assert comparable(run_dir) == comparable(tmp_path / "undisturbed")


def workers_of(session: int) -> list[int]:
    """The worker processes of a run: children of its fork server, which is no Python of ours."""
    members = session_members(session)
    parents = {
        pid: int((Path("/proc") / str(pid) / "stat").read_text().rpartition(") ")[2].split()[1])
        for pid in members
    }
    servers = set(members) - {session}
    return [pid for pid in members if parents[pid] in servers]
