"""What the commands that play runs share: going on with a run, its workers, view and remarks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from harness import options

if TYPE_CHECKING:
    from harness.match import Hire
    from harness.spec import RunSpec
    from harness.view import View, Wording

    _Kind = TypeVar("_Kind", bound=RunSpec)

#: What a remark begins with that is told to those too who want to hear nothing.
WARNING: Final = "warning: "


def begun_run(folder: Path, kind: type[_Kind]) -> tuple[_Kind, list[str]]:
    """The run of --resume, and what is to be said of it before it goes on. Raises UsageError."""
    from harness.journal import Journal

    with Journal.read(folder) as journal:
        spec = journal.spec_of(kind)
        games = sum(1 for _ in journal.games())
        damage = [
            f"{WARNING}{told}; it is dropped, a game played again" for told in journal.damage()
        ]
    return spec, [*damage, f"resuming after {games} games"]


def tell(remarks: Iterable[str], view: View, quiet: bool) -> None:
    """Say what is to be said of a run before its first game."""
    for remark in remarks:
        if quiet and remark.startswith(WARNING):
            click.echo(remark, err=True)
        else:
            view.message(remark)


def view_of(values: Mapping[str, Any], wording: Wording | None = None) -> View:
    """The view that fits the output; on standard error where standard output is for the JSON."""
    from harness.view import make_view

    to_stderr = values["json_path"] == options.STANDARD_OUTPUT
    return make_view(quiet=values["quiet"], to_stderr=to_stderr, wording=wording)


def repeats_itself(spec: RunSpec) -> bool:
    """Whether an opening gives the same games whenever it is played."""
    return not spec.is_timed and all(one.source.startswith("builtin") for one in spec.engines)


def crowding(spec: RunSpec, concurrency: int, cluster: str | None) -> Iterator[str]:
    """A word on games that take each other's time."""
    cores = len(os.sched_getaffinity(0))
    if spec.is_timed and cluster is None and concurrency > cores:
        yield (
            f"{WARNING}{concurrency} games at a time on {cores} cores take each other's time;"
            " expected fewer games, or --nodes"
        )


@contextmanager
def workforce(values: Mapping[str, Any]) -> Iterator[tuple[int, Hire]]:
    """How many games are played at a time, and where."""
    if values["cluster"] is None:
        from harness.match import hire_here

        yield values["concurrency"] or len(os.sched_getaffinity(0)), hire_here
        return
    from harness.cluster import connect

    with connect(values["cluster"]) as cluster:
        yield cluster.slots, cluster.hire
