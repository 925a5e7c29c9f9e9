"""Runs on a Dask cluster: the same games and statistics as on one machine, whatever happens."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.cluster import Cluster, connect
from harness.errors import EngineStartError
from harness.journal import Journal
from harness.match import RunOptions, run_match
from harness.result import Document
from harness.spec import MatchSpec
from tests.match.dask_cluster import (
    local_cluster,
    needs_dask,
    player_processes,
    players_of,
    playing_workers,
    worker_processes,
)
from tests.match.runs import RecordingView, comparable, finished_games, null_spec, play, wait_until
from tests.match.test_run_builtin import builtin_spec

pytestmark = needs_dask

ROOT = Path(__file__).parents[2]

PAIRS = 150
SPEC = null_spec(PAIRS)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, list[bytes]]:
    """The run by one worker on this machine."""
    run_dir = tmp_path_factory.mktemp("undisturbed") / "run"
    play(SPEC, run_dir, concurrency=1)
    return comparable(run_dir)


@pytest.fixture
def dask() -> Iterator[Any]:
    with local_cluster() as cluster:
        yield cluster


def play_on(
    cluster: Cluster,
    spec: MatchSpec,
    run_dir: Path,
    meanwhile: Callable[[int], None] = lambda finished: None,
    **options: Any,
) -> Document:
    """Play a run; `meanwhile` is called with the number of finished games, now and then."""

    def hire(*arguments: Any) -> Any:
        workers = cluster.hire(*arguments)
        events = workers.events

        def watched(timeout_s: float) -> Any:
            meanwhile(finished_games(run_dir))
            return events(timeout_s)

        workers.events = watched  # type: ignore[method-assign]
        return workers

    return run_match(
        spec, RunOptions(run_dir, cluster.slots, hire=hire, **options), RecordingView()
    )


def losses(run_dir: Path) -> list[Any]:
    with Journal.read(run_dir) as journal:
        return [event.detail for event in journal.events() if event.kind == "worker_lost"]


def test_cluster_plays_the_same_games(dask: Any, tmp_path: Path, undisturbed: Any) -> None:
    with connect(dask.scheduler_address) as cluster:
        assert cluster.slots == 2
        document = play_on(cluster, SPEC, tmp_path / "run")
        wait_until(lambda: not player_processes(dask))
    assert document["machine"]["concurrency"] == 2
    assert losses(tmp_path / "run") == []
    assert comparable(tmp_path / "run") == undisturbed


def test_killed_workers_and_players_change_nothing_and_are_recorded(
    dask: Any, tmp_path: Path, undisturbed: Any
) -> None:
    """A Dask worker is killed, which its nanny replaces, and later a process that plays."""
    victims = [playing_workers, player_processes]
    killed: list[int] = []
    orphans: list[Any] = []

    def kill(finished: int) -> None:
        if victims and finished >= 60 * (len(killed) + 1) and (found := victims[0](dask)):
            del victims[0]
            process = found[0]
            killed.append(process.pid)
            orphans.extend(players_of(process))
            process.kill()

    with connect(dask.scheduler_address) as cluster:
        document = play_on(cluster, SPEC, tmp_path / "run", kill)
    assert orphans
    wait_until(lambda: not any(orphan.is_running() for orphan in orphans))
    recorded = {loss["reason"]: loss for loss in losses(tmp_path / "run")}
    assert recorded.keys() == {"left the cluster", "killed by SIGKILL"}
    assert recorded["left the cluster"]["worker"].startswith("tcp://127.0.0.1:")
    player = recorded["killed by SIGKILL"]
    assert player["worker"].endswith(f", process {killed[1]}")
    assert player["games"]
    assert document["faults"]["worker_lost"] == 2
    assert comparable(tmp_path / "run") == undisturbed


def test_lost_scheduler_ends_the_run_which_can_be_resumed_anywhere(
    dask: Any, tmp_path: Path, undisturbed: Any
) -> None:
    def close(finished: int) -> None:
        if finished >= 60:
            dask.close()

    with (
        connect(dask.scheduler_address) as cluster,
        pytest.raises(EngineStartError, match="is gone or has dropped this run; finished"),
    ):
        play_on(cluster, SPEC, tmp_path / "run", close)
    assert 60 <= finished_games(tmp_path / "run") < 2 * PAIRS
    play(SPEC, tmp_path / "run", resume=True)
    assert comparable(tmp_path / "run") == undisturbed


def test_players_end_when_the_coordinator_is_killed(dask: Any, tmp_path: Path) -> None:
    """Even in the middle of a move that takes many minutes."""
    command = [sys.executable, "-m", "harness.cli", "sprt", "base.cfg", "base.cfg"]
    options = ["--nodes", "1000000000", "--cluster", dask.scheduler_address]
    process = subprocess.Popen(
        [*command, *options], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    wait_until(lambda: len(player_processes(dask)) == 2)
    players = player_processes(dask)
    process.kill()
    process.wait()
    wait_until(lambda: not any(player.is_running() for player in players))


@pytest.mark.nightly
def test_builtin_run_is_the_same_on_a_cluster(dask: Any, tmp_path: Path) -> None:
    spec = builtin_spec(pairs=40, nodes=1000)
    play(spec, tmp_path / "local", concurrency=2)
    killed: list[Any] = []

    def kill(finished: int) -> None:
        if finished >= 20 and not killed:
            killed.append(worker_processes(dask)[0])
            killed[0].kill()

    with connect(dask.scheduler_address) as cluster:
        play_on(cluster, spec, tmp_path / "cluster", kill)
    assert losses(tmp_path / "cluster")
    assert comparable(tmp_path / "cluster") == comparable(tmp_path / "local")
