"""A Dask cluster as the workers of a run: reaching it, and what can be wrong with its workers."""

import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.jit import cache_root, source_digest
from harness import cluster, seats
from harness.chunks import Chunk, Done, Event, Failed, Lost, match_queue
from harness.cluster import Cluster, ClusterWorkers, connect
from harness.errors import EngineStartError, UsageError
from harness.seats import Order, Seats, order_of
from harness.snapshot import create_snapshot, find_snapshot, warm
from harness.spec import MatchSpec
from tests.match.dask_cluster import local_cluster, needs_dask, player_processes, worker_processes
from tests.match.runs import null_spec, wait_until

ROOT = Path(__file__).parents[2]
SPEC = null_spec(10)


@pytest.fixture(scope="module")
def snapshot() -> Path:
    folder = create_snapshot(source_digest())
    warm(folder, lambda name, done, total: None)
    return folder


@pytest.fixture
def order(snapshot: Path) -> Order:
    return order_of(SPEC.model_dump_json(), snapshot)


@pytest.fixture(scope="module")
def dask() -> Iterator[Any]:
    """One Dask worker of two threads."""
    with local_cluster(workers=1, threads=2) as made:
        yield made


@pytest.fixture
def reached(dask: Any) -> Iterator[Cluster]:
    with connect(dask.scheduler_address) as cluster:
        yield cluster


def chunks(count: int, spec: MatchSpec = SPEC) -> list[Chunk]:
    queue = match_queue(spec.seed, 0, count, workers=1)
    return list(iter(queue.next_chunk, None))[:count]


def collect(workers: ClusterWorkers, count: int) -> list[Event]:
    """The next `count` events."""
    events: list[Event] = []
    wait_until(lambda: bool(events.extend(workers.events(0.1))) or len(events) >= count)
    return events


def test_without_the_extra_package_it_is_said_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(UsageError, match=r"pip install 'numbishop\[cluster\]' \(distributed is"),
        connect("tcp://127.0.0.1:8786"),
    ):
        pytest.fail("connected to nothing")


@needs_dask
class TestReaching:
    def refusal(self, address: str) -> str:
        with pytest.raises(EngineStartError) as error, connect(address):
            pytest.fail("connected")
        assert "\n" not in str(error.value)
        return str(error.value)

    @pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense", "", "ftp://127.0.0.1", "x:y"])
    def test_nobody_there(self, address: str) -> None:
        told = self.refusal(address)
        assert told.startswith(f"--cluster {address}: ")
        assert told.endswith("; expected the address of a Dask scheduler")

    def test_silent_port(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cluster, "ANSWER_SECONDS", 1.0)
        with socket.create_server(("127.0.0.1", 0)) as server:
            assert "no answer in time" in self.refusal(f"127.0.0.1:{server.getsockname()[1]}")

    def test_worker_is_no_scheduler(self, dask: Any) -> None:
        (nanny,) = dask.workers.values()
        assert f"--cluster {nanny.worker_address} is a Worker" in self.refusal(nanny.worker_address)

    def test_scheduler_without_workers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cluster, "WORKER_SECONDS", 0.5)
        with local_cluster(workers=0) as empty:
            assert "no workers; expected some" in self.refusal(empty.scheduler_address)

    def test_command_ends_with_a_sentence_and_writes_nothing(self, tmp_path: Path) -> None:
        line = "sprt base.cfg base.cfg --cluster tcp://127.0.0.1:1"
        process = subprocess.run(
            [sys.executable, "-m", "harness.cli", *line.split()],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert process.returncode == 4
        assert process.stderr.startswith("error: --cluster tcp://127.0.0.1:1: ")
        assert process.stderr.count("\n") == 1
        assert list(tmp_path.iterdir()) == []


@needs_dask
class TestWorkers:
    @pytest.fixture
    def workers(self, reached: Cluster, order: Order) -> Iterator[ClusterWorkers]:
        made = ClusterWorkers(reached, order)
        made.start()
        yield made
        made.stop()

    def test_each_thread_plays_a_chunk_with_another_in_hand(
        self, dask: Any, workers: ClusterWorkers
    ) -> None:
        assert workers.capacity == 4
        given = chunks(4)
        for chunk in given:
            workers.submit(chunk)
        assert workers.capacity == 0
        done = {event.number: event for event in collect(workers, 4) if isinstance(event, Done)}
        assert sorted(done) == [chunk.number for chunk in given]
        for chunk in given:
            played = [(record.pair, record.game) for record in done[chunk.number].records]
            assert played == [(game.pair, game.game) for game in chunk.games]
        assert workers.capacity == 4
        wait_until(lambda: len(player_processes(dask)) == 2)  # those of an earlier run are going

    def test_worker_that_leaves_loses_all_it_has_in_hand_and_another_may_come(
        self, dask: Any, workers: ClusterWorkers
    ) -> None:
        given = chunks(3)
        (process,) = worker_processes(dask)
        process.suspend()
        for chunk in given:
            workers.submit(chunk)
        process.kill()
        lost = collect(workers, 1)[0]
        assert isinstance(lost, Lost)
        assert lost.chunk is not None
        assert lost.chunk.games == tuple(game for chunk in given for game in chunk.games)
        wait_until(lambda: workers.events(0.1) == [] and workers.capacity == 4)
        workers.submit(given[0])
        assert isinstance(collect(workers, 1)[0], Done)

    def test_processes_end_with_the_run(self, dask: Any, workers: ClusterWorkers) -> None:
        workers.submit(chunks(1)[0])
        collect(workers, 1)
        wait_until(lambda: len(player_processes(dask)) == 1)
        workers.stop()
        wait_until(lambda: not player_processes(dask))

    def test_cluster_that_stays_empty_is_given_up(
        self, workers: ClusterWorkers, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cluster, "LONELY_SECONDS", 0.5)
        monkeypatch.setattr(Cluster, "threads", lambda self: {})
        with pytest.raises(EngineStartError, match="has had no worker"):
            collect(workers, 2)


@needs_dask
class TestOrders:
    def failure(self, reached: Cluster, order: Order) -> Exception:
        """The error by which a Dask worker refuses an order."""
        workers = ClusterWorkers(reached, order)
        workers.start()
        workers.submit(chunks(1)[0])
        try:
            (failed,) = collect(workers, 1)
        finally:
            workers.stop()
        assert isinstance(failed, Failed)
        assert failed.error is not None
        return failed.error

    def test_machine_with_another_harness_is_refused(self, reached: Cluster, order: Order) -> None:
        error = self.failure(reached, replace(order, harness_digest="0" * 64))
        assert isinstance(error, EngineStartError)
        assert str(error).startswith("Dask worker tcp://")
        assert "expected 000000000000: the same numbishop on every machine" in str(error)

    def test_sources_of_another_engine_are_refused(self, reached: Cluster, order: Order) -> None:
        error = self.failure(reached, replace(order, source_digest="0" * 64))
        assert isinstance(error, EngineStartError)
        assert "the engine's source digest is" in str(error)

    def test_order_that_cannot_be_read_there_is_told(self, reached: Cluster) -> None:
        with pytest.raises(EngineStartError, match=r"Error: .*; expected numbishop"):
            self.failure(reached, Unreadable())  # type: ignore[arg-type]

    def test_machine_that_never_saw_the_engine_gets_its_sources(
        self, order: Order, tmp_path: Path
    ) -> None:
        """Its compiled code is lent to it: compiling takes too long here."""
        (tmp_path / "jit").symlink_to(cache_root() / "jit")
        with (
            local_cluster(workers=1, env={"NUMBISHOP_CACHE_DIR": str(tmp_path)}) as dask,
            connect(dask.scheduler_address) as cluster,
        ):
            workers = ClusterWorkers(cluster, order)
            workers.start()
            workers.submit(chunks(1)[0])
            (done,) = collect(workers, 1)
            workers.stop()
        assert isinstance(done, Done)
        assert find_snapshot(order.source_digest, tmp_path / "src") is not None

    def test_seats_travel_without_their_processes(self, order: Order) -> None:
        made = Seats(order)
        made._free.append(object())  # type: ignore[arg-type]
        copy = pickle.loads(pickle.dumps(made))
        assert copy._order == order
        assert copy._free == []


class Unreadable:
    """Stands for anything that the other side cannot load."""

    def __reduce__(self) -> Any:
        return __import__, ("no_such_module",)


def test_snapshot_s_folder_names_the_engine_of_an_order(snapshot: Path, order: Order) -> None:
    assert order.source_digest == source_digest() == snapshot.name
    assert order.harness_digest == seats.package_digest(Path(seats.__file__).parent)
    assert "search.py" in order.sources
