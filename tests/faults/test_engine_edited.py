"""Editing `engine/` while a run goes on changes nothing in that run."""

import os
import shutil
import signal
from pathlib import Path

import pytest

from engine.jit import PACKAGE
from tests.match.runs import (
    PATIENCE_S,
    comparable,
    kill_hard,
    kill_if_running,
    launch,
    null_spec,
    play,
    session_members,
    wait_until_stopped,
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

    process = launch(SPEC, run_dir, 20, 160, **tree)
    wait_until_stopped(process)
    spoil(engine)
    victims = workers_of(process.pid)
    assert len(victims) == 2
    for worker in victims:
        kill_if_running(worker)
    os.kill(process.pid, signal.SIGCONT)
    wait_until_stopped(process)
    assert not set(victims) & set(workers_of(process.pid))
    kill_hard(process)

    shutil.rmtree(engine)
    shutil.copytree(PACKAGE, engine, ignore=shutil.ignore_patterns("__pycache__"))
    (engine / "parameters.py").write_text(
        (engine / "parameters.py").read_text() + "\nEDITED = True\n"
    )
    resumed = launch(SPEC, run_dir, resume=True, **tree)
    output, errors = resumed.communicate(timeout=PATIENCE_S)
    assert resumed.returncode == 11, output + errors
    assert comparable(run_dir) == comparable(tmp_path / "undisturbed")


def workers_of(session: int) -> list[int]:
    """The worker processes of a run: children of its fork server, which is no Python of ours."""
    members = session_members(session)
    servers = members.keys() - {session}
    return [process_id for process_id, state in members.items() if state.parent in servers]
