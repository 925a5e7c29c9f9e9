"""`harness queue` as click sees it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness import options
from harness.options import example

if TYPE_CHECKING:
    from harness.run_queue.store import Store


def _with_store(command: Callable[..., None]) -> Callable[..., int]:
    """Give a command the opened queue instead of its path."""

    @click.pass_obj
    @wraps(command)
    def opened(path: Path, /, **values: Any) -> int:
        from harness.run_queue.store import Store

        with Store(path) as store:
            command(store, **values)
        return 0

    return opened


_ID = click.argument("number", type=click.IntRange(1), metavar="ID")


@click.group(
    short_help="Runs that are played one after the other.",
    epilog=example(
        "harness queue add sprt new.cfg base.cfg --gain",
        "harness queue add --first sprt quick.cfg base.cfg --early",
        "harness queue start",
    ),
)
@click.option(
    "--file",
    "path",
    type=click.Path(path_type=Path),
    default="reports/queue.sqlite",
    show_default=True,
    metavar="FILE",
    help="Where the queue is kept; the runs' folders are made beside it.",
)
@click.pass_context
def queue(context: click.Context, path: Path) -> None:
    """Play runs one after the other, the first in the list first.

    The list may be changed while it is played: a run that is overtaken, paused or given another
    number of workers is interrupted, and goes on where it was when its turn comes. So it does
    after a crash or a reboot, by `harness queue start`.
    """
    context.obj = path


@queue.command(
    short_help="Add a run.",
    epilog=example("harness queue add sprt new.cfg base.cfg"),
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option("--first", is_flag=True, help="Before all others, the one that is played included.")
@options.concurrency_option("Games at a time (default: one for each core).")
@click.argument("arguments", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND...")
@click.pass_obj
def add(path: Path, first: bool, concurrency: int | None, arguments: tuple[str, ...]) -> int:
    """Add a run: COMMAND is that of a test, a tournament or a production of games."""
    from harness.run_queue import command
    from harness.run_queue.store import Store

    command.check_arguments(arguments)
    with Store(path, make=True) as store:
        click.echo(command.add(store, arguments, concurrency, first=first))
    return 0


@queue.command(name="list", short_help="Show the runs.", epilog=example("harness queue list"))
@options.json_option
@_with_store
def show(store: Store, json_path: Path | None) -> None:
    """Show the runs in their order, with what has become of those that have ended."""
    from harness.run_queue import command

    items = store.items()
    for line in command.listing(items):
        click.echo(line, err=json_path == options.STANDARD_OUTPUT)
    options.write_result(json_path, command.document(items, store))


@queue.command(short_help="Play until nothing waits.", epilog=example("harness queue start"))
@_with_store
def start(store: Store) -> None:
    """Play the runs until none waits; Ctrl-C stops, and the next start goes on."""
    from harness.run_queue import command

    command.start(store)


@queue.command(short_help="Play a run no further.", epilog=example("harness queue pause 3"))
@_ID
@_with_store
def pause(store: Store, number: int) -> None:
    """Play run ID no further for now; the next one is played."""
    store.pause(number)


@queue.command(short_help="Go on with a paused run.", epilog=example("harness queue resume 3"))
@_ID
@_with_store
def resume(store: Store, number: int) -> None:
    """Let run ID, paused or failed, be played again when its turn comes."""
    store.resume(number)


@queue.command(short_help="Change the order.", epilog=example("harness queue move 3 1"))
@_ID
@click.argument("position", type=click.IntRange(1), metavar="PLACE")
@_with_store
def move(store: Store, number: int, position: int) -> None:
    """Make run ID the PLACE-th of those that have not ended; 1 is the one that is played."""
    store.move(number, position)


@queue.command(short_help="Change games at a time.", epilog=example("harness queue workers 3 8"))
@_ID
@click.argument("count", type=click.IntRange(1, options.MAX_CONCURRENCY), metavar="N")
@_with_store
def workers(store: Store, number: int, count: int) -> None:
    """Play run ID with N games at a time from now on, also when it is being played."""
    store.set_concurrency(number, count)


@queue.command(short_help="Forget a run.", epilog=example("harness queue remove 3"))
@_ID
@_with_store
def remove(store: Store, number: int) -> None:
    """Take run ID from the queue; one that is played is stopped. Its folder stays."""
    store.remove(number)
