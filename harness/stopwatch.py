"""A process that times the kernels of one engine, whichever revision's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple

from harness.errors import EngineStartError

_ROOT: Final = Path(__file__).resolve().parents[1]


class Time(NamedTuple):
    """Nanoseconds of processor time for one call; `nodes` of the search, for others 0."""

    ns: float
    nodes: int = 0


class Stopwatch:
    """Times the engine in `folder` (harness/kernels/child.py), the search by the bench at `depth`.

    It starts at once; `wait_ready` returns when everything is compiled. Each call may raise
    EngineStartError: the engine is too old or broken.
    """

    def __init__(self, folder: Path, depth: int) -> None:
        self._folder = folder
        self.missing: dict[str, str] = {}
        self.names: tuple[str, ...] = ()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "harness.kernels.child", str(folder), str(depth)],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_ready(self) -> None:
        """Learn what it can time (`names`) and what it cannot, and why (`missing`)."""
        told: dict[str, str | None] = self._read()
        self.names = tuple(name for name, reason in told.items() if reason is None)
        self.missing = {name: reason for name, reason in told.items() if reason is not None}

    def time(self, name: str) -> Time:
        """Time one of `names` once."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{name}\n")
        self._process.stdin.flush()
        return Time(**self._read())

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            _, said = self._process.communicate()
            reason = said.strip().rpartition("\n")[2] or f"exit code {self._process.returncode}"
            raise EngineStartError(f"the engine in {self._folder} cannot be timed: {reason}")
        return json.loads(line)

    def close(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.communicate()
