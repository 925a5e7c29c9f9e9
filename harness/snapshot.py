"""The copy of the engine that a run plays, and its compilation before the first game.

A run copies `engine/*.py` to `<user cache>/numbishop/src/<source digest>/engine/` and its workers
import that copy and no other (the folder stands first on their `sys.path`), so the user may go on
editing: a worker started later, or a run resumed tomorrow, still plays the same engine. The copy
keeps the name `engine`, so that commands, tests and workers share one compile cache.
"""

from __future__ import annotations

import importlib
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
import tokenize
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from engine import jit
from harness.engines import add_package, sources_root
from harness.errors import EngineStartError, UsageError

PACKAGE_NAME: Final = "engine"

#: The other package with compiled code.
_STATISTICS: Final = Path(__file__).resolve().parent / "likelihood"

Report = Callable[[str, int, int], None]

_POLL_SECONDS: Final = 0.1


def package_digest(package: Path) -> str:
    """The source digest of a package as it is on disk now (`jit.source_digest` remembers).

    Raises UsageError when its modules are no Python text.
    """
    try:
        return jit.source_digest.__wrapped__(package)
    except (SyntaxError, ValueError, tokenize.TokenError) as error:
        raise UsageError(f"{package}: {error}; expected modules of Python") from error


def create_snapshot(digest: str, package: Path = jit.PACKAGE, root: Path | None = None) -> Path:
    """The folder that holds `package` with source digest `digest`: found, or copied now.

    Raises UsageError when the package's sources have another digest, so no engine is played that
    the run's specification does not name.
    """
    return find_snapshot(digest, root) or write_snapshot(digest, read_sources(package), root)


def read_sources(package: Path) -> dict[str, bytes]:
    """The modules of a package, by file name."""
    return {path.name: path.read_bytes() for path in package.glob("*.py")}


def write_snapshot(digest: str, sources: Mapping[str, bytes], root: Path | None = None) -> Path:
    """A new copy made of `sources`. Raises UsageError when they have another digest."""
    root = sources_root() if root is None else root
    try:
        root.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=root))
    except OSError as error:
        raise UsageError(
            f"{root}: {error.strerror or error}; expected a folder for the engine's copy that"
            " can be written"
        ) from error
    try:
        copy = unfinished / PACKAGE_NAME
        copy.mkdir()
        for name, content in sources.items():
            (copy / name).write_bytes(content)
        copied = package_digest(copy)
        if copied != digest:
            raise UsageError(
                f"the engine's source digest is {copied[:12]}, expected {digest[:12]};"
                " the engine was edited since the run was specified"
            )
        _move_into_place(unfinished, root / digest)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return root / digest


def find_snapshot(digest: str, root: Path | None = None) -> Path | None:
    """The folder of an existing copy, its sources checked; None when there is none or it is bad."""
    folder = (sources_root() if root is None else root) / digest
    package = folder / PACKAGE_NAME
    try:
        return folder if package.is_dir() and package_digest(package) == digest else None
    except UsageError:  # cut off or overwritten: no Python text any more
        return None


def _move_into_place(unfinished: Path, folder: Path) -> None:
    """One rename makes the copy appear; another process may have been faster."""
    if folder.exists() and find_snapshot(folder.name, folder.parent) is None:
        # Damaged: moved aside in one step, so that no reader ever sees half a folder.
        os.replace(folder, unfinished / "damaged")
    try:
        os.rename(unfinished, folder)
    except OSError:
        if find_snapshot(folder.name, folder.parent) is None:
            raise
    shutil.rmtree(folder / "damaged", ignore_errors=True)


def snapshot_of_run(digest: str, package: Path = jit.PACKAGE) -> Path:
    """The copy that a run to be resumed was played with, or a new one of the same sources.

    Raises UsageError when the copy is gone and the working tree holds another engine.
    """
    found = find_snapshot(digest)
    if found is not None:
        return found
    present = package_digest(package)
    if present != digest:
        raise UsageError(
            f"the run was played by engine source {digest[:12]}, whose copy is gone from"
            f" {sources_root()}, and {package} is {present[:12]}; check out the run's engine again"
        )
    return create_snapshot(digest, package)


@contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """Variables for child processes; this process has its own back afterwards."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def writable_cache(run_dir: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Where the user's cache folder cannot be written, this run has one in its own folder."""
    root = jit.cache_root()
    try:
        sources_root().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=sources_root()):
            pass
    except OSError as error:
        own = run_dir / "cache"
        tell(f"{root}: {error.strerror or error}; this run keeps its compiled engine in {own}")
        with environment({"NUMBISHOP_CACHE_DIR": str(own.resolve())}):
            yield
    else:
        yield


@contextmanager
def first_on_path(folder: Path) -> Iterator[None]:
    """Child processes inherit this `sys.path`: whatever they import as `engine` is the copy."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def is_warm(folder: Path, *, beside: bool = False) -> bool:
    """Whether everything that a run needs was compiled before on this machine.

    `beside`: as another engine beside the run's own (see `harness.engines`).
    """
    return _marker(folder, beside=beside).exists()


def mark_warm(folder: Path, *, beside: bool = False) -> None:
    """Note that everything was compiled; a cache that cannot be written has no such note."""
    marker = _marker(folder, beside=beside)
    if marker.parent.is_dir() and os.access(marker.parent, os.W_OK):
        marker.touch()


def _marker(folder: Path, *, beside: bool) -> Path:
    package = folder / PACKAGE_NAME
    if beside:
        name = add_package(folder)
        its_jit = importlib.import_module(f"{name}.jit")  # which knows what its code depends on
        return Path(its_jit.cache_folder(package, name)) / "warm"
    return jit.cache_folder(package, PACKAGE_NAME) / f"warm-{jit.build_digest(_STATISTICS)[:16]}"


def warm(
    folder: Path,
    report: Report,
    poll: Callable[[], None] = lambda: None,
    *,
    beside: bool = False,
) -> None:
    """Compile the copy in `folder` into the cache, unless that was done before.

    In a process of its own, which imports the copy and not the working tree, once, before the first
    worker starts: workers then only load. `report(name, done, total)` before each step and at the
    end; `poll` is called all the while and may raise to give up; `beside` as in `is_warm`. Raises
    EngineStartError.
    """
    if is_warm(folder, beside=beside):
        return
    with _compiling_alone(folder, poll):
        if not is_warm(folder, beside=beside):
            _compile(folder, report, poll, beside)


def _compile(folder: Path, report: Report, poll: Callable[[], None], beside: bool) -> None:
    command = [sys.executable, "-m", "harness.warming", str(folder), *["beside"] * beside]
    # A session of its own: Ctrl-C is the parent's to handle.
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:
        try:
            for line in _lines(process, poll):
                name, done, total = line.split("\t")
                report(name, int(done), int(total))
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise EngineStartError(
            f"the engine could not be compiled: exit code {process.returncode} of"
            f" {' '.join(command)}"
        )


@contextmanager
def _compiling_alone(folder: Path, poll: Callable[[], None]) -> Iterator[None]:
    """One process of this machine compiles a copy; others that want to, wait until it has."""
    if sys.platform == "win32" or not os.access(folder, os.W_OK):
        yield
        return
    import fcntl

    with (folder / "compiling.lock").open("a") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                poll()
                time.sleep(_POLL_SECONDS)
        yield


def _lines(process: subprocess.Popen[bytes], poll: Callable[[], None]) -> Iterator[str]:
    assert process.stdout is not None
    descriptor = process.stdout.fileno()
    rest = b""
    while True:
        poll()
        if not select.select([descriptor], [], [], _POLL_SECONDS)[0]:
            continue
        data = os.read(descriptor, 65536)
        if not data:
            return
        *lines, rest = (rest + data).split(b"\n")
        yield from (line.decode() for line in lines)
