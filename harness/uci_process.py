"""A UCI program at the other end of three pipes: started, heard with deadlines, and surely ended.

Every wait has one absolute deadline (nanoseconds of the monotonic performance counter), however
much is said meanwhile; a line has a longest length, and what is said to one request a largest
volume. Nothing here blocks: pipes are read and written when the system says they are ready, by the
calling thread, so that a game has no thread to be scheduled late.

The program leads a process group of its own, which is killed as a whole, and Linux kills it when
the thread that started it ends.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import shlex
import signal
import subprocess
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from time import perf_counter_ns
from typing import TYPE_CHECKING, Final, NamedTuple

from harness.child import PR_SET_PDEATHSIG
from harness.errors import EngineStartError, MachineFault

if TYPE_CHECKING:
    from harness.spec import Program

NS_PER_MS: Final = 1_000_000
NS_PER_S: Final = 1_000_000_000

#: Bounds of what is listened to: judgements. A line of 1,000 moves has 5,000 bytes.
MAX_LINE_BYTES: Final = 1 << 18
BURST_BYTES: Final = 1 << 20
BYTES_PER_S: Final = 1 << 20

#: What is kept of the standard error, and of the talk since the last `forget`, for a report.
STDERR_BYTES: Final = 16 << 10
TALK_BYTES: Final = 1 << 20

_READ_BYTES: Final = 1 << 16
_MAX_POLL_MS: Final = 3_600_000  # beyond some weeks `poll` refuses to wait
#: How long a program may take to die of a signal that cannot be ignored, or to end after it has
#: closed its output: for the report, its exit status is worth that much time.
_DEATH_NS: Final = 250 * NS_PER_MS


class EngineFault(EngineStartError):
    """A program did what a UCI engine must not do."""


class EngineGone(EngineFault):
    """It has ended, or closed its output."""


class EngineSilent(EngineFault):
    """It runs and has not given the answer that was due."""


class EngineFlood(EngineFault):
    """It says more than anybody can listen to."""


class Said(NamedTuple):
    """A piece of the talk: when, by whom (`>` to the program, `<` from it), and the bytes."""

    at_ns: int
    direction: str
    data: bytes


class UciProcess:
    """A running program. Lines are bytes without their end; deadlines are `perf_counter_ns`."""

    def __init__(self, program: Program, name: str = "") -> None:
        """Start it; nothing is said yet. Raises EngineStartError, MachineFault.

        `name` is for errors; without one they quote the command.
        """
        self.name = name or shlex.join((program.command, *program.arguments))
        self._popen = _launch(program, self.name)
        pipes = (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        self._pipes = [pipe for pipe in pipes if pipe is not None]
        self._stdin, self._stdout, self._stderr = (pipe.fileno() for pipe in self._pipes)
        for descriptor in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(descriptor, False)
        self._end = os.pidfd_open(self._popen.pid)
        self._poll = select.poll()
        # The end is watched as well: a child that stays may keep the pipes open.
        self._watched = {self._stdout, self._stderr, self._end}
        for descriptor in self._watched:
            self._poll.register(descriptor, select.POLLIN)
        self._only_output = [(self._stdout, select.POLLIN)]  # how nearly every wait ends
        self._delays = ThreadDelays(self._popen.pid)
        # The kernel's name of a process's clock, as clock_getcpuclockid(3) makes it.
        self._cpu_clock = ~self._popen.pid << 3 | 2
        self._lines: deque[bytes] = deque()
        self._rest = b""
        self._ended = False  # nothing more will come
        self.heard_at_ns = 0  # when the latest piece of the talk came or went
        self._errors = b""
        self.forget()
        self.begin()

    @property
    def process_id(self) -> int:
        return self._popen.pid

    def cpu_ns(self) -> int:
        """The processor time of all its threads, also of those that have ended."""
        try:
            return time.clock_gettime_ns(self._cpu_clock)
        except OSError:  # it has ended, and its clock with it
            return 0

    def watch_threads(self) -> None:
        """Note which threads there are: those whose waits `delay_ns` knows."""
        self._delays.close()
        self._delays = ThreadDelays(self._popen.pid)

    def delay_ns(self) -> dict[int, int]:
        """How long each of its threads has waited for a processor so far, and the caller."""
        return self._delays.read()

    def begin(self) -> None:
        """A new request: what is said from now on is counted anew."""
        self._heard_bytes = 0
        self._begun_ns = perf_counter_ns()

    def send(self, text: str, deadline_ns: int | None = None) -> None:
        """Say a line, or several with line ends between them. Raises EngineFault.

        Without a deadline it has as long as a start takes to make room in its pipe.
        """
        data = f"{text}\n".encode()
        self._keep(">", data)
        while data:
            try:
                data = data[os.write(self._stdin, data) :]
            except BlockingIOError:
                self._wait_for_room(deadline_ns)
            except OSError as error:
                raise self._gone() from error

    def _wait_for_room(self, deadline_ns: int | None) -> None:
        """It does not read; perhaps since nobody reads what it writes."""
        if deadline_ns is None:
            deadline_ns = perf_counter_ns() + 10 * NS_PER_S
        left_ns = deadline_ns - perf_counter_ns()
        if left_ns <= 0:
            raise EngineSilent(f"{self.name} does not read its input")
        self._poll.register(self._stdin, select.POLLOUT)
        try:
            self._take_what_is_ready(left_ns)
        finally:
            self._poll.unregister(self._stdin)

    def read_line(self, deadline_ns: int) -> bytes:
        """The next line it says. Raises EngineFault."""
        lines = self._lines
        while not lines:
            if self._ended:
                raise self._gone()
            left_ns = deadline_ns - perf_counter_ns()
            if left_ns <= 0:
                raise self._silent()
            self._take_what_is_ready(left_ns)
        return lines.popleft()

    def lines_until(self, start: bytes, deadline_ns: int) -> Iterator[bytes]:
        """Lines up to one that begins with the word `start`, which is the last of them."""
        while True:
            line = self.read_line(deadline_ns)
            yield line
            if line.startswith(start) and line.split(None, 1)[0] == start:
                return

    def pass_over(self, start: bytes, deadline_ns: int) -> None:
        """Read the lines up to one that begins with the word `start`. Raises EngineFault."""
        while self.read_line(deadline_ns).split(None, 1)[:1] != [start]:
            pass

    def wait_ready(self, timeout_ms: int) -> None:
        """Return when all that was said has been heeded; what it says meanwhile is dropped."""
        deadline_ns = perf_counter_ns() + timeout_ms * NS_PER_MS
        self.begin()
        self.send("isready", deadline_ns)
        self.pass_over(b"readyok", deadline_ns)

    def _take_what_is_ready(self, wait_ns: int) -> None:
        """Read once what can be read, after waiting for it."""
        # Rounded up, for `poll` with 0 ms would spin through the last millisecond of a wait.
        ready = self._poll.poll(min(-(-wait_ns // NS_PER_MS), _MAX_POLL_MS))
        if ready == self._only_output:
            self._take_output()
            return
        ended = False
        for descriptor, _ in ready:
            if descriptor == self._stdout:
                self._take_output()
            elif descriptor == self._stderr:
                self._take_errors()
            elif descriptor == self._end:
                ended = True
        if ended and not self._ended:
            self._take_the_last()

    def _take_output(self) -> bool:
        """Whether there was any."""
        data = _read(self._stdout)
        if data is None:
            return False
        if not data:
            self._watch_no_more(self._stdout)
            self._finish_output()
            return False
        self._keep("<", data)
        self._count(len(data))
        whole, end, rest = data.rpartition(b"\n")
        if end:
            self._lines.extend(map(bytes.strip, (self._rest + whole).split(b"\n")))
            self._rest = rest
        else:
            self._rest += rest
        if len(self._rest) > MAX_LINE_BYTES:
            raise EngineFlood(f"{self.name} says a line of more than {MAX_LINE_BYTES} bytes")
        return True

    def _take_errors(self) -> bool:
        data = _read(self._stderr)
        if data:
            self._errors = (self._errors + data)[-STDERR_BYTES:]
        elif data is not None:
            self._watch_no_more(self._stderr)
        return bool(data)

    def _watch_no_more(self, descriptor: int) -> None:
        if descriptor in self._watched:
            self._watched.remove(descriptor)
            self._poll.unregister(descriptor)

    def _take_the_last(self) -> None:
        """The process is no more: nothing is waited for any longer, not even the pipes' ends."""
        self._watch_no_more(self._end)
        while not self._ended and self._take_output():
            pass
        if not self._ended:
            self._watch_no_more(self._stdout)
            self._finish_output()

    def _finish_output(self) -> None:
        self._ended = True
        if self._rest:  # a last line without an end
            self._lines.append(self._rest.strip())
            self._rest = b""

    def _count(self, size: int) -> None:
        self._heard_bytes += size
        if self._heard_bytes <= BURST_BYTES:
            return
        elapsed_ns = perf_counter_ns() - self._begun_ns
        if self._heard_bytes > BURST_BYTES + BYTES_PER_S * elapsed_ns // NS_PER_S:
            raise EngineFlood(
                f"{self.name} has said {self._heard_bytes} bytes in {elapsed_ns / NS_PER_MS:.0f} ms"
            )

    def _silent(self) -> EngineSilent:
        waited_s = (perf_counter_ns() - self._begun_ns) / NS_PER_S
        return EngineSilent(f"{self.name} has not answered for {waited_s:.3g} s")

    def _gone(self) -> EngineGone:
        """Says how it ended; the rest of its standard error is here then."""
        self.has_ended(perf_counter_ns() + _DEATH_NS)
        status = self.exit_status
        while self._take_errors():
            pass
        if status is None:
            return EngineGone(f"{self.name} has closed its output or input and still runs")
        return EngineGone(f"{self.name} has ended ({describe_status(status)})")

    def has_ended(self, deadline_ns: int) -> bool:
        """Wait for its end, whatever it says meanwhile."""
        end = select.poll()
        end.register(self._end, select.POLLIN)
        return bool(end.poll(max(0, deadline_ns - perf_counter_ns()) / NS_PER_MS))

    @property
    def exit_status(self) -> int | None:
        """As `subprocess` has it: negative for a signal, None while it runs.

        Its zombie stays until `close`, and keeps the group's number: no other group can be meant.
        """
        if self._popen.returncode is not None:
            return self._popen.returncode
        ended = os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    @property
    def stderr_tail(self) -> str:
        """The last that it said on its standard error."""
        return self._errors.decode(errors="replace")

    def _keep(self, direction: str, data: bytes) -> None:
        self.heard_at_ns = perf_counter_ns()
        self._talk.append((self.heard_at_ns, direction, data))
        self._talk_bytes += len(data)
        while self._talk_bytes > TALK_BYTES and len(self._talk) > 1:
            self._talk_bytes -= len(self._talk.popleft()[2])

    def forget(self) -> None:
        """Begin a new talk, to be remembered from here."""
        self._talk: deque[tuple[int, str, bytes]] = deque()
        self._talk_bytes = 0

    @property
    def talk(self) -> list[Said]:
        """What was said since the last `forget`, as far as TALK_BYTES reach back."""
        return [Said(*piece) for piece in self._talk]

    def close(self, quit_ms: int = 0) -> bool:
        """End it and all of its group; whether it went by itself, `quit_ms` after being asked."""
        went = bool(quit_ms) and self._quit(quit_ms)
        kill_group(self._popen.pid)
        self._popen.wait()
        for pipe in self._pipes:
            pipe.close()
        os.close(self._end)
        self._delays.close()
        return went

    def _quit(self, quit_ms: int) -> bool:
        deadline_ns = perf_counter_ns() + quit_ms * NS_PER_MS
        try:
            self.send("quit", deadline_ns)
        except EngineFault:
            return False
        return self.has_ended(deadline_ns)


class ThreadDelays:
    """The run queue waits of the threads of a process, and of the calling thread.

    The kernel counts them in `schedstat` (proc(5): processor time, wait, number of time slices, in
    ns). Files are kept open, since reading one takes a microsecond and opening it ten. Where there
    are none, nothing waits.
    """

    def __init__(self, process_id: int) -> None:
        self._files: dict[int, int] = {}
        names: list[str] = []
        with suppress(OSError):
            self._files[0] = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
            names = os.listdir(f"/proc/{process_id}/task")
        for name in names:
            with suppress(OSError):  # one that ended just now
                path = f"/proc/{process_id}/task/{name}/schedstat"
                self._files[int(name)] = os.open(path, os.O_RDONLY)

    def read(self) -> dict[int, int]:
        """ns by thread, 0 for the caller; a thread that has ended is left out."""
        waits = {}
        for thread, descriptor in self._files.items():
            with suppress(OSError):
                words = os.pread(descriptor, 80, 0).split()
                waits[thread] = int(words[1])
        return waits

    def close(self) -> None:
        for descriptor in self._files.values():
            os.close(descriptor)
        self._files.clear()


def longest_delay_ns(before: Mapping[int, int], after: Mapping[int, int]) -> int:
    """How long the caller and the thread that waited longest were kept from going on."""
    waits = {thread: after[thread] - before.get(thread, 0) for thread in after}
    caller_ns = waits.pop(0, 0)
    return caller_ns + max(waits.values(), default=0)


def _launch(program: Program, name: str) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            (program.command, *program.arguments),
            cwd=program.folder or None,
            env={**os.environ, **program.environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            process_group=0,
            # System calls only, looked up before: nothing that another thread could hold.
            preexec_fn=_begin_program,  # noqa: PLW1509
        )
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in _SHORT_OF:
            raise MachineFault(f"{name} could not be started: {reason}") from error
        raise EngineStartError(
            f"{name!r} cannot be started: {reason}; expected a UCI engine"
        ) from error


#: What a machine says when it has too little of something.
_SHORT_OF: Final = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE})

_prctl = getattr(ctypes.CDLL(None), "prctl", None)


def _begin_program() -> None:
    """In the new process: signals as a program expects them, a worker's block some."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if _prctl is not None:  # on Linux
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _read(descriptor: int) -> bytes | None:
    """What is there, b"" at the end; None while there is nothing."""
    try:
        return os.read(descriptor, _READ_BYTES)
    except BlockingIOError:
        return None


def kill_group(leader: int) -> None:
    """Kill a process group; it may have ended."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        return


def describe_status(status: int) -> str:
    """An exit status in words: `exit code 3`, `killed by SIGSEGV`."""
    if status >= 0:
        return f"exit code {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
