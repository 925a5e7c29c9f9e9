"""What engines have started does not outlive the worker that plays them, however that ends."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.jit import source_digest
from harness.chunks import Lost, match_queue
from harness.openings import open_source
from harness.snapshot import create_snapshot
from harness.spec import MatchSpec
from harness.workers import LocalWorkers
from tests.match.engines import scripted, start_book
from tests.match.runs import kill_hard, launch, marked_processes, null_spec, wait_until


@pytest.fixture
def mark(tmp_path: Path) -> str:
    return f"token={tmp_path}"


@pytest.fixture
def spec(tmp_path: Path, mark: str) -> MatchSpec:
    """Its engine forks a child, and one that leaves its session, and hangs over its first move."""
    engine = scripted("fork@uci", "daemon@ucinewgame", "hang@go", "move=1", mark)
    return null_spec(1, new=engine, openings=start_book(tmp_path))


@pytest.fixture
def worker(spec: MatchSpec, mark: str) -> Iterator[LocalWorkers]:
    """A worker that plays a game of it."""
    workers = LocalWorkers(spec.model_dump_json(), create_snapshot(source_digest()), 1)
    try:
        workers.start()
        queue = match_queue(spec.seed, 0, 1, workers=1, book=open_source(spec.openings, 1))
        chunk = queue.next_chunk()
        assert chunk is not None
        workers.submit(chunk)
        wait_until(lambda: len(marked_processes(mark)) == 3)
        yield workers
    finally:
        workers.stop()


def test_of_a_killed_worker(worker: LocalWorkers, mark: str) -> None:
    (victim,) = worker.process_ids
    os.kill(victim, signal.SIGKILL)
    (lost,) = worker.events(20)
    assert isinstance(lost, Lost)
    assert marked_processes(mark) == []


def test_of_a_stopped_worker(worker: LocalWorkers, mark: str) -> None:
    worker.stop()
    assert marked_processes(mark) == []


def test_of_a_killed_coordinator(spec: MatchSpec, mark: str, tmp_path: Path) -> None:
    run = launch(spec, tmp_path / "run")
    wait_until(lambda: len(marked_processes(mark)) == 6)
    kill_hard(run)
    wait_until(lambda: not marked_processes(mark))


def test_others_are_let_live(worker: LocalWorkers, tmp_path: Path) -> None:
    """Processes of the same program, of another worker."""
    other = f"token={tmp_path}-other"
    spec = null_spec(1, new=scripted("hang@go", "move=1", other), openings=start_book(tmp_path))
    run = launch(spec, tmp_path / "run")
    wait_until(lambda: len(marked_processes(other)) == 2)
    worker.stop()
    assert len(marked_processes(other)) == 2
    kill_hard(run)
    wait_until(lambda: not marked_processes(other))
