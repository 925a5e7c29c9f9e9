"""What a child process of a run does first: play the run's engine, and not outlive the run.

Imports nothing of the engine, so that it can say which engine that will be.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing import connection, parent_process
from pathlib import Path
from typing import Final

from harness.errors import EngineStartError

PR_SET_PDEATHSIG: Final = 1


def use_snapshot(folder: Path) -> None:
    """Import the engine's copy in `folder` from now on. Raises EngineStartError when too late."""
    if str(folder) not in sys.path[:1]:
        sys.path.insert(0, str(folder))
    import engine

    loaded = Path(engine.__path__[0]).parent
    if loaded != folder:
        raise EngineStartError(
            f"a worker has imported the engine from {loaded}, expected the run's copy {folder};"
            " play one engine source in each process"
        )


def die_with_parent() -> None:
    """Linux kills this process when the one that forked it ends, however that ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def die_with_coordinator(last: Callable[[], None] = lambda: None) -> None:
    """End this multiprocessing child as soon as the process that asked for it is gone.

    `last` is called before.

    A fork server's children are the server's, and the server lives as long as any of them does: the
    parent-death signal alone would leave all of them playing on. The pipe to the coordinator tells.
    """
    coordinator = parent_process()
    if coordinator is not None:
        threading.Thread(target=_watch, args=(coordinator.sentinel, last), daemon=True).start()


def _watch(sentinel: int, last: Callable[[], None]) -> None:
    connection.wait([sentinel])
    last()
    os._exit(1)
