"""Whatever a worker's programs have started, found and killed when the worker cannot do it.

A worker that dies takes its programs with it (see `harness.uci_process`), but not what these have
forked. So each worker has a mark in its environment, which all that it starts inherits, in whatever
process group or session that puts itself; it escapes only with an environment of its own.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

VARIABLE: Final = "NUMBISHOP_WORKER"

#: How long is waited for processes to die of SIGKILL, and between two looks at them.
_DEATH_S: Final = 1.0
_PAUSE_S: Final = 0.002


def kill_descendants(marks: Collection[str]) -> None:
    """Kill all that was started under one of these marks, until there is none, or 1 s has passed.

    (One that is being killed may have forked just before.) Linux only: elsewhere nothing is found.
    """
    wanted = frozenset(f"{VARIABLE}={mark}".encode() for mark in marks)
    end_s = time.monotonic() + _DEATH_S
    while _kill_each(wanted) and time.monotonic() < end_s:
        time.sleep(_PAUSE_S)


def _kill_each(wanted: frozenset[bytes]) -> bool:
    """Whether there was any."""
    found = False
    for process_id in _process_ids():
        with suppress(OSError):  # it has ended, or is not ours to look at
            found |= _kill_if_marked(process_id, wanted)
    return found


def _process_ids() -> Iterator[int]:
    if sys.platform == "linux":
        yield from (int(name) for name in os.listdir("/proc") if name.isdecimal())


def _kill_if_marked(process_id: int, wanted: frozenset[bytes]) -> bool:
    descriptor = os.pidfd_open(process_id)  # its number may soon be another's
    try:
        variables = Path(f"/proc/{process_id}/environ").read_bytes().split(b"\0")
        if wanted.isdisjoint(variables):
            return False
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    finally:
        os.close(descriptor)
    return True
