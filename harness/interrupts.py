"""Ctrl-C, SIGTERM and a closed terminal as a wish that is granted at the next good moment."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Final, Self

from harness.errors import Interrupted

#: What asks a run to end; a closed terminal (SIGHUP) where there is such a thing.
REQUESTS: Final = frozenset(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class Interrupts:
    """While open, these signals are only noted; `check` raises `Interrupted` after one.

    One that is ignored stays so: `nohup` does that with SIGHUP, a shell with its background jobs.
    A commit is so never cut in two. Signals can be caught in the main thread only; in another one
    this does nothing, and the program around has to stop its runs itself.
    """

    def __init__(self) -> None:
        self.requested = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in REQUESTS:
                if signal.getsignal(number) != signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._note)
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.requested = True

    def check(self) -> None:
        """Raise `Interrupted` when a signal has come."""
        if self.requested:
            raise Interrupted("interrupted")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
