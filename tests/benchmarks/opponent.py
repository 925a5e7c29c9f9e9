"""Another engine, measured beside ours in the same minutes: only such ratios mean anything here.

Times are CPU times, so that others on the machine do not count.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from statistics import median
from types import TracebackType
from typing import Any


def find_program(name: str) -> str | None:
    """The program's path; Debian keeps games outside the usual search path."""
    return shutil.which(name, path=os.pathsep.join([os.environ["PATH"], "/usr/games"]))


class Opponent:
    """A UCI program that is asked one thing after the other."""

    def __init__(self, program: str) -> None:
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        clock = ctypes.c_int()
        libc = ctypes.CDLL(None)
        if libc.clock_getcpuclockid(self._process.pid, ctypes.byref(clock)):
            raise OSError(f"no CPU clock of process {self._process.pid}")
        self._clock = clock.value
        self.ask("uci", "uciok")

    def __enter__(self) -> Opponent:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate("quit\n")

    def ask(self, command: str, answer: str) -> tuple[str, float]:
        """The line that begins with `answer`, and the CPU seconds it took."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        begun = time.clock_gettime(self._clock)
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith(answer):
                return line.strip(), time.clock_gettime(self._clock) - begun
        raise EOFError(f"the opponent ended before it answered {command!r} with {answer!r}")


def compare(
    benchmark: Any, ours: Callable[[], float], theirs: Callable[[], float] | None, rounds: int
) -> float | None:
    """How many times as fast as `theirs` ours is: the median over rounds of theirs, then ours.

    Each returns the CPU seconds that the same amount of work takes it.
    """
    our_seconds: list[float] = []
    their_seconds: list[float] = []
    benchmark.pedantic(
        lambda: our_seconds.append(ours()),
        setup=(lambda: their_seconds.append(theirs())) if theirs else None,
        rounds=rounds,
        warmup_rounds=0,
    )
    benchmark.extra_info["ours_cpu_s"] = min(our_seconds)
    if theirs is None:
        return None
    ratio = median(their / our for our, their in zip(our_seconds, their_seconds, strict=True))
    benchmark.extra_info["ratio"] = round(ratio, 2)
    benchmark.extra_info["theirs_cpu_s"] = min(their_seconds)
    return ratio
