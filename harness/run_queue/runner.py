"""Plays the runs of a queue, one at a time: each a process of `harness`, resumed where it stood.

What a run has played is in its own journal, so stopping one costs the games of a moment: a run that
is paused, overtaken, given another number of workers, or cut off with the machine is interrupted,
and goes on later with `--resume`. Each item has a folder of its own, in which its run's is found.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from harness.interrupts import Interrupts
from harness.journal import FILE_NAME
from harness.run_queue.store import OPEN, Item, State, Store

#: How often the queue is looked at.
LOOK_S: Final = 0.3

#: Exit codes of a run that has come to its end, whatever that is.
_ENDS: Final = frozenset({0, 10, 11, 12})
_INTERRUPTED: Final = 130

#: The child must not outlive a runner that is killed: its run could not be resumed.
_PROGRAM: Final = (
    "from harness.child import die_with_parent; die_with_parent();"
    " from harness.cli import main; main()"
)


def item_folder(store: Store, item: Item) -> Path:
    """Where the run's folder is made, and what it says."""
    return store.path.resolve().parent / f"queued-{item.id}"


def run_folder_of(folder: Path) -> Path | None:
    """The run that was begun in an item's folder; None when there is none yet."""
    found = sorted(folder.glob(f"*/{FILE_NAME}"))
    return found[0].parent if found else None


def command_of(item: Item, folder: Path) -> list[str]:
    """The arguments that begin a run, or go on with it."""
    workers = [] if item.concurrency is None else ["--concurrency", str(item.concurrency)]
    begun = run_folder_of(folder)
    if begun is not None:
        return [item.arguments[0], "--resume", str(begun), "--quiet", *workers]
    return [*item.arguments, "--out", str(folder), "--quiet", *workers]


class Runner:
    """The process that plays a queue."""

    def __init__(
        self,
        store: Store,
        tell: Callable[[str], None],
        program: Sequence[str] = (sys.executable, "-c", _PROGRAM),
    ) -> None:
        self._store = store
        self._tell = tell
        self._program = program
        self._item: Item | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def play(self, interrupts: Interrupts) -> None:
        """Play until nothing waits. Raises Interrupted, after the run has stopped."""
        for item in self._store.items():
            if item.state == "running":  # a runner was killed
                self._store.set_state(item.id, "waiting")
        try:
            while self._step():
                interrupts.check()
                time.sleep(LOOK_S)
        finally:
            self._stop()

    def _step(self) -> bool:
        """Do what the queue says now; whether there is more to do."""
        self._take_end()
        wanted = next((item for item in self._store.items() if item.state in OPEN), None)
        if self._item is not None and not _is_same(self._item, wanted):
            self._stop()
        if wanted is None:
            return False
        if self._item is None:
            self._start(wanted)
        return True

    def _start(self, item: Item) -> None:
        folder = item_folder(self._store, item)
        folder.mkdir(parents=True, exist_ok=True)
        arguments = command_of(item, folder)
        self._tell(f"run {item.id}: harness {' '.join(arguments)}")
        with (folder / "output.txt").open("ab") as output:
            # A session of its own: Ctrl-C is for the runner, which passes it on.
            self._process = subprocess.Popen(
                [*self._program, *arguments],
                cwd=item.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": _path_of_harness()},
            )
        self._item = item
        self._store.set_state(item.id, "running")

    def _take_end(self) -> None:
        """Note the end of the run, if it has ended by itself."""
        if self._process is not None and self._process.poll() is not None:
            assert self._item is not None
            self._note(self._item, self._process.returncode)

    def _note(self, item: Item, code: int) -> None:
        self._item = self._process = None
        if code == _INTERRUPTED or code < 0:
            now = [one for one in self._store.items() if one.id == item.id]
            if now and now[0].state == "running":
                self._store.set_state(item.id, "waiting")
            self._tell(f"run {item.id}: stopped, to be gone on with")
            return
        state: State = "done" if code in _ENDS else "failed"
        self._store.set_state(item.id, state, code)
        said = item_folder(self._store, item) / "output.txt"
        last = said.read_text("utf-8", errors="replace").strip().rpartition("\n")[2]
        self._tell(f"run {item.id}: {state}, exit code {code}: {last}")

    def _stop(self) -> None:
        """Interrupt the run and wait until it has saved what it has."""
        if self._process is None:
            return
        assert self._item is not None
        self._process.send_signal(signal.SIGINT)
        self._note(self._item, self._process.wait())


def _is_same(playing: Item, wanted: Item | None) -> bool:
    return (
        wanted is not None and wanted.id == playing.id and wanted.concurrency == playing.concurrency
    )


def _path_of_harness() -> str:
    """The child runs this very harness from whatever folder."""
    own = str(Path(__file__).resolve().parents[2])
    return os.pathsep.join(filter(None, (own, os.environ.get("PYTHONPATH", ""))))
