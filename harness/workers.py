"""Workers on this machine: supervised processes, each with a pipe of its own.

A pool with shared queues does not survive what ours has to: `concurrent.futures` breaks with its
first killed worker, and pebble's pool, whose workers take tasks and send results under locks they
share, broke within ten kills at random moments (a worker killed between two tasks ends it with
"All workers expired"; one killed inside a lock stops it for a minute). Here a worker shares nothing
with its siblings: when it dies, its pipe says which chunks it had, and only those are played again.

Workers are forked from a fork server that has loaded the engine (see worker_preload.py), or spawned
where there is none.
"""

from __future__ import annotations

import atexit
import multiprocessing
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence, Set
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing import connection, forkserver, resource_tracker
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from uuid import uuid4

from harness.chunks import QUEUE_DEPTH, Chunk, Done, Event, Failed, Glimpse, Lost
from harness.descendants import kill_descendants
from harness.errors import EngineStartError
from harness.interrupts import REQUESTS
from harness.snapshot import environment, first_on_path
from harness.worker import serve

#: Named here too: importing worker_preload would load the engine into this process.
SNAPSHOT_VARIABLE = "NUMBISHOP_SNAPSHOT"

_START_ATTEMPTS = 3
_START_PAUSE_S = 0.2


@dataclass(slots=True)
class _Slot:
    """One place for a worker: the process that fills it now, and the chunks it has in hand.

    `mark` is that of `harness.descendants`; an empty set of cores is all of them.
    """

    process: BaseProcess
    pipe: connection.Connection
    mark: str
    cores: Set[int]
    in_hand: deque[Chunk] = field(default_factory=deque)


class LocalWorkers:
    """`count` worker processes for one run; keeps the promises of `harness.chunks.Workers`."""

    def __init__(
        self,
        spec_json: str,
        snapshot: Path,
        count: int,
        method: str | None = None,
        cores: Sequence[Set[int]] = (),
    ) -> None:
        """Begin to load the engine; `start` waits for that.

        `method`: of starting processes; `cores`: of each worker, those that it may use.
        """
        if method is None:
            known = multiprocessing.get_all_start_methods()
            method = "forkserver" if "forkserver" in known else "spawn"
        self._context: Any = multiprocessing.get_context(method)
        self._arguments = (spec_json, str(snapshot))
        self._cleanup = ExitStack()
        self._cleanup.enter_context(first_on_path(snapshot))
        # Whatever happens: multiprocessing, at its own exit, would wait for workers for ever.
        atexit.register(self.stop)
        self._cleanup.callback(atexit.unregister, self.stop)
        self._cores = tuple(cores) or (frozenset(),) * count
        self._slots: list[_Slot] = []
        if method == "forkserver":
            # First, since its launch would unblock the signals that `_child_settings` blocks.
            resource_tracker.ensure_running()
            with self._child_settings():
                self._context.set_forkserver_preload(["harness.worker_preload"])
                forkserver.ensure_running()

    def start(self) -> None:
        """Start the processes. Raises EngineStartError when they cannot be."""
        for cores in self._cores:
            self._slots.append(self._start(cores))

    def _start(self, cores: Set[int]) -> _Slot:
        ours, theirs = self._context.Pipe()
        mark = uuid4().hex
        process: BaseProcess = self._context.Process(
            target=serve,
            args=(theirs, *self._arguments, mark, cores),
            name="numbishop-worker",
            daemon=True,
        )
        try:
            with self._child_settings():
                _start_patiently(process)
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        return _Slot(process, ours, mark, cores)

    @contextmanager
    def _child_settings(self) -> Iterator[None]:
        values = {"OPENBLAS_NUM_THREADS": "1", SNAPSHOT_VARIABLE: self._arguments[1]}
        with environment(values), _interrupts_blocked():
            yield

    @property
    def process_ids(self) -> list[int]:
        """The worker processes as they are now."""
        return [slot.process.pid for slot in self._slots if slot.process.pid is not None]

    @property
    def capacity(self) -> int:
        """How many chunks are missing from the hands of the workers."""
        return sum(max(0, QUEUE_DEPTH - len(slot.in_hand)) for slot in self._slots)

    def submit(self, chunk: Chunk) -> None:
        """Give a chunk to the worker that has the least to do."""
        _hand(min(self._slots, key=lambda slot: len(slot.in_hand)), chunk)

    def events(self, timeout_s: float) -> list[Event]:
        """Results of chunks and losses of workers; waits `timeout_s` at most for the first."""
        owners: dict[Any, _Slot] = {}
        for slot in self._slots:
            owners[slot.pipe] = owners[slot.process.sentinel] = slot
        ready = connection.wait(list(owners), timeout_s)
        slots = {id(owners[item]): owners[item] for item in ready}
        return [event for slot in slots.values() for event in self._receive(slot)]

    def _receive(self, slot: _Slot) -> Iterator[Event]:
        """Everything a worker has sent, also one that died since; then its death."""
        alive = True
        try:
            while slot.pipe.poll():
                event: Done | Failed | Glimpse = slot.pipe.recv()
                if isinstance(event, Done):
                    slot.in_hand.popleft()
                yield event
        except (EOFError, OSError):
            alive = False  # the pipe ends, perhaps within a message
        if not alive or not slot.process.is_alive():
            yield self._replace(slot)

    def _replace(self, slot: _Slot) -> Lost:
        """Bury a dead worker and put a new one in its place, with the chunks that still waited."""
        slot.process.join()
        kill_descendants([slot.mark])
        lost = Lost(
            chunk=slot.in_hand.popleft() if slot.in_hand else None,
            worker=slot.process.pid or 0,
            reason=cause_of_death(slot.process.exitcode),
        )
        slot.process.close()
        slot.pipe.close()
        self._slots.remove(slot)
        successor = self._start(slot.cores)
        self._slots.append(successor)
        for chunk in slot.in_hand:
            _hand(successor, chunk)
        return lost

    def stop(self) -> None:
        """Kill all workers and what they have started: the games they are playing are dropped."""
        for slot in self._slots:
            slot.process.kill()
        for slot in self._slots:
            slot.process.join()
            slot.process.close()
            slot.pipe.close()
        if self._slots:
            kill_descendants([slot.mark for slot in self._slots])
        self._slots.clear()
        self._cleanup.close()


def _start_patiently(process: BaseProcess) -> None:
    """Start a process; the fork server, should it have died, is launched anew by the next try."""
    for attempt in range(1, _START_ATTEMPTS + 1):
        try:
            process.start()
        except (OSError, EOFError) as error:
            if attempt == _START_ATTEMPTS:
                raise EngineStartError(f"no worker process could be started: {error!r}") from error
            time.sleep(_START_PAUSE_S)
        else:
            return


def _hand(slot: _Slot, chunk: Chunk) -> None:
    slot.in_hand.append(chunk)
    try:
        slot.pipe.send(chunk)
    except OSError:
        # The worker has died. Its chunks stay in its hand until `events` buries it.
        return


def cause_of_death(exit_code: int | None) -> str:
    """What ended a process, in words."""
    if exit_code is None or exit_code >= 0:
        return f"exit code {exit_code}"
    return f"killed by {signal.Signals(-exit_code).name}"


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Children, the fork server too, are born with these blocked: there is no unguarded moment.

    A terminal or a service manager signals all processes of a run; the coordinator alone answers.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, REQUESTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
