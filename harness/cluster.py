"""Workers on other machines: the threads of a Dask cluster, each with a process of its own.

The coordinator chooses the Dask worker of each chunk and keeps count of what each has in hand, as
`harness.workers` does on one machine; so when one leaves the cluster it is known which games are
to be played again, and Dask's own retries (on any worker, unseen) are never needed.

`harness.seats` is the part that runs on the Dask workers.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeAlias

from harness import __version__
from harness.chunks import QUEUE_DEPTH, Chunk, Event, Lost, joined
from harness.errors import EngineStartError, UsageError
from harness.seats import Order, Seats, order_of

# Dask is optional, and hardly typed.
Client: TypeAlias = Any
Future: TypeAlias = Any

INSTALL: Final = (
    "--cluster needs the extra package of the cluster: pip install 'numbishop[cluster]'"
)

#: How long the scheduler may take to answer; how long a cluster may be without any worker, when we
#: come to it and while it plays.
ANSWER_SECONDS: Final = 10.0
WORKER_SECONDS: Final = 10.0
LONELY_SECONDS: Final = 60.0

#: How often we look which workers there are.
LOOK_SECONDS: Final = 1.0


@contextmanager
def connect(address: str) -> Iterator[Cluster]:
    """A cluster that has workers. Raises UsageError without Dask, EngineStartError otherwise."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError as missing:
        raise UsageError(f"{INSTALL} ({missing.name} is missing)") from missing
    for name in ("distributed", "distributed.client"):
        # Whatever happens there is told as an event of the run; a log would break the live view.
        logging.getLogger(name).setLevel(logging.CRITICAL)
    _check_scheduler(address, distributed.rpc)
    with distributed.Client(address, timeout=ANSWER_SECONDS, set_as_default=False) as client:
        try:
            client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except TimeoutError:
            raise EngineStartError(
                f"--cluster {address}: no workers; expected some, as of `dask worker {address}`"
            ) from None
        yield Cluster(client, address)


def _check_scheduler(address: str, rpc: Any) -> None:
    """A scheduler has to answer in time (`Client` would wait for ever for a silent port)."""

    async def identity() -> Any:
        async with rpc(address, timeout=ANSWER_SECONDS) as remote:
            return await remote.identity()

    try:
        kind = asyncio.run(asyncio.wait_for(identity(), ANSWER_SECONDS))["type"]
    except Exception as error:  # who knows what answers there, and how
        reason = str(error) or "no answer in time"
        raise EngineStartError(
            f"--cluster {address}: {reason}; expected the address of a Dask scheduler"
        ) from error
    if kind != "Scheduler":
        raise EngineStartError(
            f"--cluster {address} is a {kind}; expected the address of a Dask scheduler"
        )


class Cluster:
    """A connection to a scheduler, with the Dask workers as they were last seen."""

    def __init__(self, client: Client, address: str) -> None:
        self.client = client
        self._address = address

    @property
    def slots(self) -> int:
        """How many games it plays at a time now."""
        return sum(self.threads().values())

    def threads(self) -> dict[str, int]:
        """Threads of each Dask worker. Raises EngineStartError when the scheduler is gone."""
        if self.client.status != "running":
            raise self.scheduler_gone()
        try:
            threads: dict[str, int] = self.client.sync(
                self.client.scheduler.ncores, callback_timeout=ANSWER_SECONDS
            )
        except (OSError, TimeoutError) as error:
            raise self.scheduler_gone() from error
        return threads

    def scheduler_gone(self) -> EngineStartError:
        return EngineStartError(
            f"the Dask scheduler at {self._address} is gone or has dropped this run; finished"
            " games are kept"
        )

    def hire(self, spec_json: str, snapshot: Path, count: int) -> ClusterWorkers:
        """The workers of a run: all there are, `count` of them or not."""
        return ClusterWorkers(self, order_of(spec_json, snapshot))


@dataclass(slots=True)
class _Hand:
    """A Dask worker: how many games it plays at a time, and the chunks it was given."""

    threads: int
    chunks: dict[int, tuple[Chunk, Future]] = field(default_factory=dict)


class ClusterWorkers:
    """The Dask workers of a cluster for one run; keeps the promises of `harness.chunks.Workers`.

    They may come and go while it is played.
    """

    def __init__(self, cluster: Cluster, order: Order) -> None:
        self._cluster = cluster
        self._order = order
        self._seats: Future = None
        self._hands: dict[str, _Hand] = {}
        self._settled: SimpleQueue[tuple[str, int]] = SimpleQueue()
        self._next_look_s = 0.0
        self._last_seen_s = time.monotonic()

    def start(self) -> None:
        """Send the order to the cluster; a Dask worker begins with its first chunk."""
        self._seats = self._cluster.client.submit(Seats, self._order, pure=False)
        self._hands = {
            address: _Hand(threads) for address, threads in self._cluster.threads().items()
        }

    @property
    def capacity(self) -> int:
        """How many chunks are missing from the hands of the Dask workers."""
        return sum(
            max(0, QUEUE_DEPTH * hand.threads - len(hand.chunks)) for hand in self._hands.values()
        )

    def submit(self, chunk: Chunk) -> None:
        """Give a chunk to the Dask worker that has the least to do; its games are not watched."""
        chunk = replace(chunk, watched=False)  # a task of Dask has one result, and no more
        address, hand = min(
            self._hands.items(), key=lambda item: len(item[1].chunks) / item[1].threads
        )
        future = self._cluster.client.submit(
            Seats.play, self._seats, chunk, workers=[address], pure=False
        )
        hand.chunks[chunk.number] = (chunk, future)
        future.add_done_callback(lambda _: self._settled.put((address, chunk.number)))

    def events(self, timeout_s: float) -> list[Event]:
        """Results of chunks and losses of Dask workers; waits `timeout_s` at most for the first.

        Raises EngineStartError when the cluster is gone.
        """
        events: list[Event] = list(self._look())
        for _ in range(max(1, self._settled.qsize())):
            try:
                address, number = self._settled.get(timeout=0.0 if events else timeout_s)
            except Empty:
                break
            event = self._receive(address, number)
            if event is not None:
                events.append(event)
        return events

    def _receive(self, address: str, number: int) -> Event | None:
        """The result of a chunk; None when its Dask worker, and the result with it, is gone."""
        hand = self._hands.get(address)
        if hand is None or number not in hand.chunks:
            return None
        _, future = hand.chunks[number]
        if future.status in {"error", "cancelled"}:
            raise self._failure(address, future)
        try:
            event: Event = future.result(ANSWER_SECONDS)
        except (OSError, TimeoutError):
            self._settled.put((address, number))  # to be asked again, unless it is found missing
            return None
        del hand.chunks[number]
        return event

    def _failure(self, address: str, future: Future) -> EngineStartError:
        """Why Dask could not do what was asked: `Seats` itself answers with events."""
        for broken in (self._seats, future):
            if broken.status == "error":
                error = broken.exception(ANSWER_SECONDS)
                reason = " ".join(f"{type(error).__name__}: {error}".split())
                return EngineStartError(
                    f"Dask worker {address}: {reason}; expected numbishop {__version__}, installed"
                    " for the scheduler and for every worker"
                )
        return self._cluster.scheduler_gone()

    def _look(self) -> Iterator[Lost]:
        """Meet the Dask workers that have come, give up those that have gone."""
        now_s = time.monotonic()
        if now_s < self._next_look_s:
            return
        self._next_look_s = now_s + LOOK_SECONDS
        threads = self._cluster.threads()
        for address in self._hands.keys() - threads.keys():
            yield self._give_up(address, self._hands.pop(address))
        for address in threads.keys() - self._hands.keys():
            self._hands[address] = _Hand(threads[address])
        if self._hands:
            self._last_seen_s = now_s
        elif now_s > self._last_seen_s + LONELY_SECONDS:
            raise EngineStartError(
                f"the cluster has had no worker for {LONELY_SECONDS:.0f} s; finished games are kept"
            )

    def _give_up(self, address: str, hand: _Hand) -> Lost:
        """All chunks of a Dask worker are lost with it, as one."""
        chunks = [chunk for chunk, _ in hand.chunks.values()]
        self._cluster.client.cancel([future for _, future in hand.chunks.values()])
        return Lost(joined(chunks) if chunks else None, address, "left the cluster")

    def stop(self) -> None:
        """Cancel all chunks: the Dask workers end the processes that play them."""
        futures = [future for hand in self._hands.values() for _, future in hand.chunks.values()]
        if self._cluster.client.status == "running":
            self._cluster.client.cancel([*futures, self._seats] if self._seats else futures)
        self._hands.clear()
        self._seats = None
