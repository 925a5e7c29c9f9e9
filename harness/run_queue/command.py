"""The commands of `harness queue`."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from harness.errors import UsageError
from harness.run_queue.store import Item, Store

#: Commands whose runs can be resumed.
PLAYED: Final = ("sprt", "match", "gauntlet", "roundrobin", "datagen")

#: What the queue itself decides, or what cannot be taken up again.
_REFUSED: Final = ("--out", "--resume", "--then", "--json", "--events", "--concurrency")


def add(store: Store, arguments: Sequence[str], concurrency: int | None, *, first: bool) -> str:
    """Queue a command."""
    check_arguments(arguments)
    number = store.add(tuple(arguments), Path.cwd(), first=first)
    if concurrency is not None:
        store.set_concurrency(number, concurrency)
    return f"run {number}: harness {shlex.join(arguments)}"


def check_arguments(arguments: Sequence[str]) -> None:
    """Refuse what cannot be queued. Raises UsageError; mistakes of options are click's."""
    from harness.cli import main

    name, *rest = arguments
    if name not in PLAYED:
        raise UsageError(f"COMMAND = {name}: expected one of {', '.join(PLAYED)}")
    for word in rest:
        option = word.partition("=")[0]
        if option in _REFUSED:
            raise UsageError(
                f"{option} cannot be given to a queued run; the queue gives each run a folder, and"
                " its number of games at a time (harness queue add --concurrency N -- ...)"
            )
    main.commands[name].make_context(name, list(rest))  # an option that there is not, and the like


def listing(items: Sequence[Item]) -> Iterator[str]:
    """A line for each run."""
    if not items:
        yield "the queue is empty"
    for item in items:
        code = "" if item.exit_code is None else f" ({item.exit_code})"
        workers = "" if item.concurrency is None else f"  [{item.concurrency} at a time]"
        yield f"{item.id:>4}  {item.state + code:<12} {shlex.join(item.arguments)}{workers}"


def document(items: Sequence[Item], store: Store) -> dict[str, Any]:
    """For --json."""
    from harness.run_queue.runner import item_folder, run_folder_of

    return {
        "runs": [
            {
                "id": item.id,
                "state": item.state,
                "arguments": list(item.arguments),
                "folder": str(item.folder),
                "concurrency": item.concurrency,
                "exit_code": item.exit_code,
                "run_dir": _text(run_folder_of(item_folder(store, item))),
            }
            for item in items
        ]
    }


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def start(store: Store) -> None:
    """Play the queue until nothing waits. Raises Interrupted, UsageError."""
    from harness.interrupts import Interrupts
    from harness.run_queue.runner import Runner

    with _alone(store), Interrupts() as interrupts:
        Runner(store, click.echo).play(interrupts)
    click.echo("nothing waits in the queue")


@contextmanager
def _alone(store: Store) -> Iterator[None]:
    """One process plays a queue."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with store.path.with_suffix(".lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise UsageError(
                f"{store.path} is being played by process {lock.read().strip()}; expected a queue"
                " that nobody plays"
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield
