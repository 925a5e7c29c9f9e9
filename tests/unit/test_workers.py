"""Worker processes one by one: results, deaths, errors, the end; no run around them."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import ExitStack
from dataclasses import replace
from multiprocessing import forkserver
from pathlib import Path

import pytest

from engine.jit import source_digest
from harness.chunks import Chunk, Done, Event, Failed, Lost, match_queue
from harness.errors import EngineStartError
from harness.game import Termination
from harness.openings import Opening
from harness.snapshot import create_snapshot, warm
from harness.spec import EngineConfig, MatchSpec
from harness.workers import LocalWorkers
from tests.match.engines import STARTPOS, scripted
from tests.match.runs import is_running, null_spec, wait_until

Start = Callable[..., LocalWorkers]


@pytest.fixture(scope="module")
def snapshot() -> Path:
    folder = create_snapshot(source_digest())
    warm(folder, lambda name, done, total: None)
    return folder


@pytest.fixture
def start(snapshot: Path) -> Iterator[Start]:
    """Starts workers, and stops them after the test."""
    with ExitStack() as stack:

        def started(
            spec: MatchSpec,
            count: int = 1,
            method: str | None = None,
            cores: Sequence[Set[int]] = (),
        ) -> LocalWorkers:
            workers = LocalWorkers(spec.model_dump_json(), snapshot, count, method, cores)
            stack.callback(workers.stop)
            workers.start()
            return workers

        yield started


def chunks(count: int, spec: MatchSpec) -> list[Chunk]:
    queue = match_queue(spec.seed, 0, count, workers=1)
    return list(iter(queue.next_chunk, None))[:count]


def collect(workers: LocalWorkers, count: int) -> list[Event]:
    """The next `count` events, and what came with the last of them."""
    events: list[Event] = []
    wait_until(lambda: bool(events.extend(workers.events(0.1))) or len(events) >= count)
    return events


def test_chunks_come_back_in_the_order_in_which_one_worker_got_them(start: Start) -> None:
    spec = null_spec(10)
    workers = start(spec)
    assert workers.capacity == 2
    given = chunks(2, spec)
    for chunk in given:
        workers.submit(chunk)
    assert workers.capacity == 0
    done = collect(workers, 2)
    assert [event.number for event in done if isinstance(event, Done)] == [1, 2]
    assert workers.capacity == 2
    for chunk, event in zip(given, done, strict=True):
        assert isinstance(event, Done)
        assert [(r.pair, r.game) for r in event.records] == [(g.pair, g.game) for g in chunk.games]
        assert event.wall_ns > 0


def test_work_is_shared_out_evenly(start: Start) -> None:
    spec = null_spec(10)
    workers = start(spec, 2)
    for chunk in chunks(4, spec):
        workers.submit(chunk)
    assert workers.capacity == 0
    assert len(collect(workers, 4)) == 4


def test_killed_worker_loses_one_chunk_and_its_successor_plays_the_next(start: Start) -> None:
    spec = null_spec(10)
    workers = start(spec)
    (victim,) = workers.process_ids
    os.kill(victim, signal.SIGSTOP)  # so that it surely has both chunks in hand when it dies
    first, second = chunks(2, spec)
    workers.submit(first)
    workers.submit(second)
    os.kill(victim, signal.SIGKILL)
    lost, done = collect(workers, 2)
    assert lost == Lost(first, victim, "killed by SIGKILL")
    assert isinstance(done, Done)
    assert done.number == second.number
    assert workers.process_ids != [victim]


def test_idle_worker_that_dies_is_replaced(start: Start) -> None:
    spec = null_spec(10)
    workers = start(spec)
    (victim,) = workers.process_ids
    os.kill(victim, signal.SIGKILL)
    assert collect(workers, 1) == [Lost(None, victim, "killed by SIGKILL")]
    workers.submit(chunks(1, spec)[0])
    assert isinstance(collect(workers, 1)[0], Done)


def test_a_worker_its_engines_and_its_successor_stay_on_their_cores(start: Start) -> None:
    core = max(os.sched_getaffinity(0))
    spec = null_spec(10, new=scripted(), base=scripted())
    workers = start(spec, cores=[{core}])
    (chunk,) = chunks(1, spec)
    chunk = replace(chunk, openings=(Opening(STARTPOS, (), ""),) * len(chunk.games))
    for _ in range(2):
        workers.submit(chunk)
        assert isinstance(collect(workers, 1)[0], Done)
        (worker,) = workers.process_ids
        engines = Path(f"/proc/{worker}/task/{worker}/children").read_text().split()
        assert len(engines) == 2
        for process in (worker, *map(int, engines)):
            assert os.sched_getaffinity(process) == {core}
        os.kill(worker, signal.SIGKILL)
        assert isinstance(collect(workers, 1)[0], Lost)


def test_results_sent_before_a_death_count(start: Start) -> None:
    spec = null_spec(10)
    workers = start(spec)
    (victim,) = workers.process_ids
    workers.submit(chunks(1, spec)[0])
    pipe = workers._slots[0].pipe
    wait_until(pipe.poll)
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: not is_running(victim))
    done, lost = collect(workers, 2)
    assert isinstance(done, Done)
    assert lost == Lost(None, victim, "killed by SIGKILL")


def test_many_random_deaths_lose_nothing(start: Start) -> None:
    """What broke the pools of the standard library and of pebble."""
    spec = null_spec(200)
    workers = start(spec, 2)
    queue = match_queue(spec.seed, 0, 200, workers=2)
    played: list[tuple[int, int]] = []
    killed: list[int] = []
    while len(played) < 400:
        while workers.capacity and (chunk := queue.next_chunk()):
            workers.submit(chunk)
        alive = [process for process in workers.process_ids if process not in killed]
        if len(played) > 12 * len(killed) and len(killed) < 25 and alive:
            killed.append(alive[len(killed) % len(alive)])
            os.kill(killed[-1], signal.SIGKILL)
        for event in workers.events(5):
            if isinstance(event, Done):
                played += [(record.pair, record.game) for record in event.records]
            elif isinstance(event, Lost) and event.chunk:
                queue.give_back(event.chunk.games)
    assert sorted(played) == [(pair, game) for pair in range(200) for game in (0, 1)]
    assert len(killed) == 25


def test_death_of_the_fork_server_is_survived(start: Start) -> None:
    spec = null_spec(10)
    workers = start(spec)
    (orphan,) = workers.process_ids
    os.kill(forkserver._forkserver._forkserver_pid, signal.SIGKILL)
    (lost,) = collect(workers, 1)
    assert isinstance(lost, Lost)
    assert lost.worker == orphan
    workers.submit(chunks(1, spec)[0])
    assert isinstance(collect(workers, 1)[0], Done)
    wait_until(lambda: not is_running(orphan))


def test_error_for_the_user_comes_back_as_itself(start: Start) -> None:
    unknown = EngineConfig(name="new", source="uci")
    failed, *_ = collect(start(null_spec(1, new=unknown)), 1)
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, EngineStartError)
    assert "has no program" in str(failed.error)


def test_bug_comes_back_with_its_traceback(start: Start) -> None:
    spec = null_spec(1)
    workers = start(spec)
    (chunk,) = chunks(1, spec)[:1]
    workers.submit(Chunk(1, chunk.games, ("no opening",), (None,)))  # type: ignore[arg-type]
    failed, *_ = collect(workers, 1)
    assert isinstance(failed, Failed)
    assert failed.error is None
    assert "AttributeError" in failed.traceback
    assert "worker.py" in failed.traceback


def test_stop_ends_all_processes(start: Start) -> None:
    workers = start(null_spec(1), 2)
    processes = workers.process_ids
    workers.stop()
    wait_until(lambda: not any(map(is_running, processes)))
    assert workers.process_ids == []


def test_spawned_workers_play_the_same_games(start: Start) -> None:
    spec = null_spec(2)
    records = []
    for method in ("forkserver", "spawn"):
        workers = start(spec, 1, method)
        workers.submit(chunks(1, spec)[0])
        (done,) = collect(workers, 1)
        assert isinstance(done, Done), done
        records.append([(record.moves, record.result) for record in done.records])
    assert records[0] == records[1]


def test_worker_refuses_another_engine_than_the_run_s(start: Start, tmp_path: Path) -> None:
    """The fork server of this process has loaded one engine: it cannot serve another."""
    start(null_spec(1))
    (tmp_path / "engine").mkdir()
    workers = LocalWorkers(null_spec(1).model_dump_json(), tmp_path, 1)
    try:
        workers.start()
        failed, *_ = collect(workers, 1)
        assert isinstance(failed, Failed)
        assert isinstance(failed.error, EngineStartError)
        assert f"expected the run's copy {tmp_path}" in str(failed.error)
    finally:
        workers.stop()


def test_one_worker_plays_games_of_several_pairings(start: Start) -> None:
    """Each game by the two that come with it, as if they alone were the run's."""
    spec = null_spec(2)
    (chunk, *_) = chunks(1, spec)
    clumsy = EngineConfig(name="clumsy", source="null", options={"Fault": "illegal@1"})
    workers = start(spec)
    records = []
    for number, sides in enumerate(((spec.new, clumsy), (clumsy, spec.new), None)):
        workers.submit(replace(chunk, number=number, sides=(sides,)))
        (done,) = collect(workers, 1)
        assert isinstance(done, Done), done
        records += done.records
    lost, won, played = records
    assert (lost.termination, lost.result) == (Termination.ILLEGAL_MOVE, 1)
    assert (won.termination, won.result) == (Termination.ILLEGAL_MOVE, -1)
    assert played.termination is not Termination.ILLEGAL_MOVE
