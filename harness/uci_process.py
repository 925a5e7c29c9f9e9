"""Another program at the other end of two pipes, which speaks UCI or something near to it."""

from __future__ import annotations

import queue
import shlex
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from harness.errors import EngineStartError

#: How long a program may take to say `uciok`, and `readyok`: it may compile itself before.
GREETING_SECONDS: Final = 20.0
READY_SECONDS: Final = 300.0


class SilentEngineError(EngineStartError):
    """It runs, and says nothing."""


class UciProcess:
    """A running engine; what it says comes as lines, each waited for as long as is wanted."""

    def __init__(
        self,
        command: str | list[str],
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start the program and greet it. Raises EngineStartError when it does not answer."""
        words = shlex.split(command) if isinstance(command, str) else command
        self.name = shlex.join(words)
        try:
            self._process = subprocess.Popen(
                words,
                cwd=cwd,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                errors="replace",
                bufsize=1,
            )
        except (OSError, IndexError) as error:
            reason = getattr(error, "strerror", None) or "no command"
            raise EngineStartError(
                f"{self.name!r} cannot be started: {reason}; expected a UCI engine"
            ) from error
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.send("uci")
        try:
            self.greeting = self.read_until("uciok", GREETING_SECONDS)  # name and options
            self.wait_ready()
        except EngineStartError:
            self.close()
            raise

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def send(self, line: str) -> None:
        """Say a line. Raises EngineStartError when nobody hears it."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._gone() from error

    def lines(self, timeout_s: float | None = None) -> Iterator[str]:
        """What it says, line by line; each within `timeout_s` (None: whenever it comes)."""
        while True:
            try:
                line = self._lines.get(timeout=timeout_s)
            except queue.Empty:
                raise SilentEngineError(
                    f"{self.name} has not answered for {timeout_s:g} s; expected a UCI engine"
                ) from None
            if line is None:
                raise self._gone()
            yield line

    def read_until(self, start: str, timeout_s: float | None = None) -> list[str]:
        """The lines up to one that begins with `start`, which is the last of them."""
        said = []
        for line in self.lines(timeout_s):
            said.append(line)
            if line.startswith(start):
                break
        return said

    def wait_ready(self) -> None:
        """Return when all that was said has been heeded."""
        self.send("isready")
        self.read_until("readyok", READY_SECONDS)

    def _gone(self) -> EngineStartError:
        return EngineStartError(
            f"{self.name} has ended (exit code {self._process.wait()}); expected a UCI engine"
        )

    def close(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()
