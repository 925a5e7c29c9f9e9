"""One specification, one result: whoever plays the games, and whatever happens to them."""

import os
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from harness import chunks, playing
from harness.journal import Journal
from harness.match import read_run
from harness.workers import LocalWorkers
from tests.match.runs import (
    PATIENCE_S,
    SMALL_CHUNK_GAMES,
    comparable,
    finished_games,
    kill_hard,
    kill_if_running,
    launch,
    null_spec,
    play,
    session_members,
    wait_until,
    wait_until_stopped,
)

PAIRS = 150
SPEC = null_spec(PAIRS)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, list[bytes]]:
    """The run by one worker, without any event."""
    run_dir = tmp_path_factory.mktemp("undisturbed") / "run"
    document = play(SPEC, run_dir, concurrency=1)
    assert document["decision"] == "undecided"
    assert document["games_counted"] == document["games_played"] == 2 * PAIRS
    assert len(document["llr_path"]) == len(document["pairs"]) == PAIRS
    return comparable(run_dir)


@pytest.mark.parametrize("concurrency", [2, 4])
def test_number_of_workers_changes_nothing(
    tmp_path: Path, undisturbed: Any, concurrency: int
) -> None:
    play(SPEC, tmp_path / "run", concurrency)
    assert comparable(tmp_path / "run") == undisturbed


def test_killed_workers_change_nothing_and_are_recorded(
    tmp_path: Path, undisturbed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    kills: list[int] = []

    class Murderous(LocalWorkers):
        def events(self, timeout_s: float) -> Any:
            alive = [process for process in self.process_ids if process not in kills]
            due = len(kills) < 3 and finished_games(tmp_path / "run") >= 40 * (len(kills) + 1)
            if due and alive:  # the dead are listed until their death is noticed
                kills.append(alive[len(kills) % len(alive)])
                kill_if_running(kills[-1])
            return super().events(timeout_s)

    monkeypatch.setattr(playing, "LocalWorkers", Murderous)
    monkeypatch.setattr(chunks, "MAX_GAMES", SMALL_CHUNK_GAMES)
    document = play(SPEC, tmp_path / "run")
    assert len(kills) == 3
    assert document["faults"]["worker_lost"] == 3
    with Journal.read(tmp_path / "run") as journal:
        lost = [event.detail for event in journal.events() if event.kind == "worker_lost"]
    assert sorted(event["worker"] for event in lost) == sorted(kills)
    assert {event["reason"] for event in lost} == {"killed by SIGKILL"}
    assert comparable(tmp_path / "run") == undisturbed


def test_kill_9_leaves_nobody_behind_and_a_resumed_run_ends_as_the_undisturbed_one(
    tmp_path: Path, undisturbed: Any
) -> None:
    run_dir = tmp_path / "run"
    process = launch(SPEC, run_dir, 60)
    wait_until_stopped(process)
    assert len(session_members(process.pid)) >= 4  # coordinator, fork server, two workers
    kill_hard(process)
    wait_until(lambda: not session_members(process.pid))
    kept = finished_games(run_dir)
    assert 60 <= kept < 2 * PAIRS
    document = play(SPEC, run_dir, concurrency=1, resume=True)
    assert document["machine"]["games"] == 2 * PAIRS - kept, "only what was missing is played"
    assert comparable(run_dir) == undisturbed


def test_resuming_a_finished_run_plays_nothing(tmp_path: Path) -> None:
    spec = null_spec(5)
    first = play(spec, tmp_path / "run")
    before = comparable(tmp_path / "run")
    again = play(spec, tmp_path / "run", resume=True)
    assert again["machine"]["games"] == first["machine"]["games"] == 10
    assert comparable(tmp_path / "run") == before


def test_damaged_games_and_events_are_dropped_and_played_again(tmp_path: Path) -> None:
    spec = null_spec(5)
    play(spec, tmp_path / "run")
    before = comparable(tmp_path / "run")
    with sqlite3.connect(tmp_path / "run" / "run.sqlite") as connection:
        connection.execute("UPDATE games SET wall_ns = wall_ns + 1 WHERE pair = 3")
        connection.execute("UPDATE events SET detail = '{' WHERE kind = 'finished'")
    connection.close()
    told: list[str] = []
    assert read_run(tmp_path / "run", told.append)["games_played"] == 6
    assert len(told) == 3
    assert all(" is not what was written; it is left out" in sentence for sentence in told)
    again = play(spec, tmp_path / "run", resume=True)
    assert again["machine"]["games"] == 2
    assert comparable(tmp_path / "run") == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_interrupted_run_says_how_to_go_on_and_can(tmp_path: Path, number: int) -> None:
    run_dir = tmp_path / "run"
    spec = null_spec(400)
    process = launch(spec, run_dir, 20)
    wait_until_stopped(process)
    os.killpg(process.pid, number)  # as a terminal does: to the workers too
    os.kill(process.pid, signal.SIGCONT)
    output, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, errors
    assert f" sprt --resume {run_dir}" in output
    assert errors == "error: interrupted\n"
    wait_until(lambda: not session_members(process.pid))
    with Journal.read(run_dir) as journal:
        kinds = [event.kind for event in journal.events()]
    assert kinds == ["started", "interrupted"]
    kept = finished_games(run_dir)
    assert 20 <= kept < 800
    shorter = launch(spec, run_dir, kept + 1, resume=True)
    wait_until_stopped(shorter)
    os.kill(shorter.pid, signal.SIGINT)
    os.kill(shorter.pid, signal.SIGCONT)
    shorter.communicate(timeout=PATIENCE_S)
    assert shorter.returncode == 130
