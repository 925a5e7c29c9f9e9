"""What a Dask worker does for a run: it seats the run's processes and passes chunks to them.

A process of its own for each chunk that is played at a time (see `harness.worker`), because
`engine` has to be the run's copy there, and a Dask worker may serve several runs at once.
"""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing import Pipe
from pathlib import Path
from threading import Lock
from typing import Final
from uuid import uuid4

from harness.chunks import Chunk, Done, Event, Failed, Lost
from harness.descendants import kill_descendants
from harness.errors import EngineStartError, HarnessError
from harness.revisions import copies_of
from harness.snapshot import (
    PACKAGE_NAME,
    find_snapshot,
    package_digest,
    read_sources,
    warm,
    write_snapshot,
)
from harness.spec import parse_spec
from harness.workers import cause_of_death

_HARNESS: Final = Path(__file__).resolve().parent

#: How often a Dask worker looks whether the games that it plays are still wanted.
_POLL_SECONDS: Final = 0.2


class _Unwanted(Exception):
    """The coordinator has cancelled the chunk, or is gone."""


@dataclass(frozen=True, slots=True)
class Order:
    """All that a machine needs to know of a run to play its games, and the same games."""

    spec_json: str
    source_digest: str
    sources: Mapping[str, bytes]
    others: Mapping[str, Mapping[str, bytes]]  # by source digest
    harness_digest: str


def order_of(spec_json: str, snapshot: Path) -> Order:
    """The order to play with the engine's copy in `snapshot`, others, and with this harness."""
    others = copies_of(parse_spec(spec_json).engines)
    return Order(
        spec_json,
        snapshot.name,
        read_sources(snapshot / PACKAGE_NAME),
        {other.name: read_sources(other / PACKAGE_NAME) for other in others},
        package_digest(_HARNESS),
    )


class Seats:
    """The processes of one run on one Dask worker.

    A value that Dask keeps: every Dask worker that plays gets one, and drops it, with all of its
    processes, when the coordinator releases it or is gone.
    """

    def __init__(self, order: Order) -> None:
        self._order = order
        self._lock = Lock()
        self._snapshot: Path | None = None
        self._free: list[_Seat] = []

    def __reduce__(self) -> tuple[type[Seats], tuple[Order]]:
        return Seats, (self._order,)

    def play(self, chunk: Chunk) -> Event:
        """Have a chunk played, within a Dask task."""
        from distributed import get_worker

        worker = get_worker()
        task = worker.state.tasks[worker.get_current_task()]

        def check_wanted() -> None:
            if task.state == "cancelled":
                raise _Unwanted

        try:
            with self._lock:
                seat = self._free.pop() if self._free else self._start(check_wanted)
            event = seat.play(chunk, worker.address, check_wanted)
        except _Unwanted:
            return Lost(chunk, worker.address, "cancelled")
        except HarnessError as error:
            told = EngineStartError(f"Dask worker {worker.address}: {error}")
            return Failed(told, traceback.format_exc())
        except Exception:  # noqa: BLE001 - sent to the coordinator, which raises it
            return Failed(None, traceback.format_exc())
        if isinstance(event, Done):
            self._free.append(seat)
        return event

    def _start(self, check_wanted: Callable[[], None]) -> _Seat:
        """A new process; the first one comes after the engine was installed and compiled."""
        order = self._order
        if self._snapshot is None:
            here = package_digest(_HARNESS)
            if here != order.harness_digest:
                raise EngineStartError(
                    f"{_HARNESS} has source digest {here[:12]}, expected"
                    f" {order.harness_digest[:12]}: the same numbishop on every machine"
                )
            self._snapshot = _installed(order.source_digest, order.sources, check_wanted)
            for digest, sources in order.others.items():
                _installed(digest, sources, check_wanted, beside=True)
        return _Seat(order.spec_json, self._snapshot)


def _installed(
    digest: str,
    sources: Mapping[str, bytes],
    check_wanted: Callable[[], None],
    *,
    beside: bool = False,
) -> Path:
    """The copy of an engine on this machine, compiled."""
    snapshot = find_snapshot(digest) or write_snapshot(digest, sources)
    warm(snapshot, lambda name, done, total: None, check_wanted, beside=beside)
    return snapshot


class _Seat:
    """A process of `harness.worker` and the pipe to it; it ends when nobody holds its seat."""

    def __init__(self, spec_json: str, snapshot: Path) -> None:
        self._pipe, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "harness.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )
        mark = uuid4().hex
        self._end = weakref.finalize(self, _end, self._process, mark)
        self._pipe.send((spec_json, str(snapshot), mark))

    def play(self, chunk: Chunk, address: str, check_wanted: Callable[[], None]) -> Event:
        """What became of a chunk; `check_wanted` raises to give it up."""
        try:
            self._pipe.send(chunk)
            while not self._pipe.poll(_POLL_SECONDS):
                check_wanted()
            event: Event = self._pipe.recv()
        except (EOFError, OSError):
            reason = cause_of_death(self._process.wait())
            self._end()
            return Lost(chunk, f"{address}, process {self._process.pid}", reason)
        return event


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    process.kill()
    process.wait()
    kill_descendants([mark])
