"""The engine of another revision of this repository, taken from git once and kept in the cache."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from harness.errors import UsageError

if TYPE_CHECKING:
    from harness.spec import EngineConfig

#: What a config's `source` begins with where its engine is another revision's.
PREFIX: Final = "builtin@"

_PROGRAM: Final = Path(__file__).resolve().parents[1]


def git(*arguments: str, folder: Path = _PROGRAM) -> bytes:
    """What git says. Raises UsageError with its reason when it refuses."""
    command = ("git", "-C", str(folder), *arguments)
    try:
        return subprocess.run(command, capture_output=True, check=True).stdout
    except OSError as error:
        raise UsageError(f"git: {error.strerror}; expected it to be installed") from None
    except subprocess.CalledProcessError as error:
        reason = " ".join(error.stderr.decode(errors="replace").split())
        raise UsageError(f"{' '.join(command)}: {reason}") from None


def commit_of(revision: str, folder: Path = _PROGRAM) -> str:
    """The full hash of a revision. Raises UsageError when there is none."""
    try:
        found = git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", folder=folder)
    except UsageError:
        raise UsageError(f"{revision}: no such revision; expected one that git knows") from None
    return found.decode().strip()


def _unpack(packed: tarfile.TarFile, folder: Path) -> None:
    """The files of a `git archive`; `extractall` has no filter before Python 3.11.4."""
    for member in packed:
        content = packed.extractfile(member)
        if content is not None:
            path = folder / member.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.read())


def engine_of(revision: str, folder: Path = _PROGRAM) -> Path:
    """A folder that holds the package `engine` of a revision."""
    commit = commit_of(revision, folder)

    from engine.jit import cache_root

    place = cache_root() / "revisions" / commit
    if not place.is_dir():
        archive = git("archive", commit, "engine", folder=folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=place.parent))
        try:
            with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
                _unpack(packed, unfinished)
            os.rename(unfinished, place)
        except OSError:
            if not place.is_dir():  # else another process was faster
                raise
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return place


class RevisionEngine(NamedTuple):
    """The engine of a commit (40 hex digits); `digest` is "" where it is the working tree's."""

    commit: str
    digest: str


def find_engine(revision: str) -> RevisionEngine:
    """The engine of a revision of this repository, copied to where runs play it from.

    Raises UsageError where git knows no such revision or it has no engine.
    """
    commit = commit_of(revision)  # before anything heavy is imported: it may be misspelt

    from harness.snapshot import PACKAGE_NAME, create_snapshot, package_digest

    package = engine_of(commit) / PACKAGE_NAME
    digest = package_digest(package)
    if digest == package_digest(working_tree() / PACKAGE_NAME):
        return RevisionEngine(commit, "")
    create_snapshot(digest, package)
    return RevisionEngine(commit, digest)


def copies_of(players: Iterable[EngineConfig]) -> tuple[Path, ...]:
    """The folders of all other engines that these players need: found, or copied from git again."""
    from harness.snapshot import PACKAGE_NAME, create_snapshot, find_snapshot

    commits = {one.source_digest: one.source.removeprefix(PREFIX) for one in players}
    return tuple(
        find_snapshot(digest) or create_snapshot(digest, engine_of(commit) / PACKAGE_NAME)
        for digest, commit in commits.items()
        if digest
    )


def command_of_engine() -> list[str]:
    """Starts, in a folder that holds a package `engine`, that engine as a UCI program."""
    return [sys.executable, "-m", "engine"]


def working_tree() -> Path:
    """The folder that holds the engine that this process plays."""
    import engine

    return Path(engine.__path__[0]).parent
