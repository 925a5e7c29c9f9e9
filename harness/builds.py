"""Engines of any language built from a git revision, once, and kept in the cache.

A build stands in `<user cache>/numbishop/builds/<key>/`, a whole checkout, where `key` is made of
the commit, the command that builds and the path of the binary. Programs are built where they stay,
since a build may write its own path into them; a mark beside the folder says that it is complete,
so one that was cut off is begun anew.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import click

from harness.errors import EngineStartError, UsageError
from harness.revisions import commit_of, git

#: How engines tell the nodes of their bench: Stockfish's way, and that of most others.
_BENCH: Final = re.compile(r"nodes searched\s*:?\s*(\d+)|(\d+)\s+nodes", re.I)


#: A bench takes seconds, on a busy machine a minute.
BENCH_SECONDS: Final = 300.0


class Recipe(NamedTuple):
    """How a binary is made: a path or URL, a revision of it, a shell command, and what it makes."""

    repository: str
    revision: str
    build: str
    binary: str


class Built(NamedTuple):
    """A program and the full hash of the commit that it was built from."""

    program: Path
    commit: str


def build(recipe: Recipe) -> Built:
    """The binary of a recipe, built now unless it was before.

    Raises UsageError where git knows no such revision, EngineStartError where the build fails.
    """
    source = _local(recipe.repository)
    commit = commit_of(recipe.revision, source)
    key = hashlib.sha256("\0".join((commit, recipe.build, recipe.binary)).encode()).hexdigest()[:32]
    place = _cache("builds") / key
    done = place.with_suffix(".done")
    program = place / recipe.binary
    with _alone(place.with_suffix(".lock")):
        if not (done.exists() and program.is_file()):
            done.unlink(missing_ok=True)
            _check_out(source, commit, place)
            _make(recipe, commit, place)
            done.touch()
    return Built(program, commit)


def _local(repository: str) -> Path:
    """A folder with the repository: itself, or a copy of what stands at a URL, brought up to date.

    A copy that cannot be brought up to date serves as it is, which is told.
    """
    if Path(repository).is_dir():
        return Path(repository)
    copy = _cache("repositories") / hashlib.sha256(repository.encode()).hexdigest()[:32]
    with _alone(copy.with_suffix(".lock")):
        if not copy.is_dir():
            unfinished = copy.with_suffix(".unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            git("clone", "--quiet", "--mirror", repository, str(unfinished), folder=copy.parent)
            unfinished.rename(copy)
        else:
            try:
                git("fetch", "--quiet", "--prune", folder=copy)
            except UsageError as error:
                click.echo(f"warning: {error}; the copy of before is used", err=True)
    return copy


def _cache(name: str) -> Path:
    from engine.jit import cache_root  # which loads numba: a mistake is to be told before

    return cache_root() / name


def _check_out(source: Path, commit: str, place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    git("clone", "--quiet", "--no-checkout", str(source.resolve()), str(place), folder=place.parent)
    git("checkout", "--quiet", "--detach", commit, folder=place)


def _make(recipe: Recipe, commit: str, place: Path) -> None:
    click.echo(f"building {commit[:12]} of {recipe.repository}, once: {recipe.build}", err=True)
    log = place.with_suffix(".log")
    with log.open("wb") as file:
        made = subprocess.run(
            recipe.build,
            shell=True,
            cwd=place,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if made.returncode:
        last = log.read_text("utf-8", errors="replace").strip().rpartition("\n")[2]
        raise EngineStartError(
            f"`{recipe.build}` at {commit[:12]} of {recipe.repository} failed with exit code"
            f" {made.returncode}: {last}; its output is in {log}"
        )
    if not os.access(place / recipe.binary, os.X_OK):
        raise EngineStartError(
            f"`{recipe.build}` at {commit[:12]} of {recipe.repository} has made no program"
            f" {recipe.binary}; expected engine.binary to name it, from the repository's folder"
        )


def check_bench(built: Built, expected: int) -> None:
    """Refuse a program whose `bench` has not the expected count of nodes."""
    try:
        said = subprocess.run(
            (built.program, "bench"),
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=BENCH_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise EngineStartError(
            f"{built.program} bench: no end after {BENCH_SECONDS:g} s; expected its count of nodes"
        ) from None
    except OSError as error:
        raise EngineStartError(f"{built.program} bench: {error.strerror}") from None
    text = (said.stdout + b"\n" + said.stderr).decode(errors="replace")
    counts = [int(match[1] or match[2]) for match in _BENCH.finditer(text)]
    found = str(counts[-1]) if counts else "no count of nodes"
    if found != str(expected):
        raise EngineStartError(
            f"{built.program} bench: {found}, expected {expected}, which engine.bench says"
        )


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """One process of this machine builds or copies; others that want the same, wait for it."""
    import fcntl

    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
