"""What the commands that play runs share: going on with a run, its workers, view and remarks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from harness import options
from harness.cores import asked_threads, cores_per_game, dealt, most_threads, usable_cores
from harness.errors import UsageError

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


def games_at_a_time(spec: RunSpec, values: Mapping[str, Any]) -> int:
    """How many games are played here at a time: as --concurrency says, else as the cores allow.

    Raises UsageError for games with clocks that would take each other's time.
    """
    need, cores = cores_per_game(spec), len(usable_cores())
    games: int = values["concurrency"] or max(1, cores // need)
    if spec.is_timed and games * need > cores and not values["force_concurrency"]:
        raise UsageError(f"{_crowd(spec, games)}; expected no more, or --force-concurrency")
    return games


def crowding(spec: RunSpec, concurrency: int, cluster: str | None) -> Iterator[str]:
    """A word on threads that nobody asked for, and on games that take each other's time."""
    for one in spec.engines:
        if one.default_threads > 1 and asked_threads(one) is None:
            yield f"{one.name} searches with {one.default_threads} threads, as is its default"
    need, cores = cores_per_game(spec), len(usable_cores())
    if spec.is_timed and cluster is None and concurrency * need > cores:
        yield f"{WARNING}{_crowd(spec, concurrency)}"


def _crowd(spec: RunSpec, games: int) -> str:
    need, cores = cores_per_game(spec), len(usable_cores())
    owner = most_threads(spec).name
    of_threads = "" if need == 1 else f" with {need} threads each (those of {owner})"
    return (
        f"games with clocks, {games} at a time{of_threads}, need {games * need} cores, and there"
        f" are {cores}"
    )


@contextmanager
def workforce(values: Mapping[str, Any], spec: RunSpec) -> Iterator[tuple[int, Hire]]:
    """How many games are played at a time, and where. Raises UsageError."""
    if values["cluster"] is None:
        from harness.playing import hire_here

        games = games_at_a_time(spec, values)
        cores = dealt(usable_cores(), games, cores_per_game(spec)) if values["affinity"] else ()
        yield games, partial(hire_here, cores=cores)
        return
    from harness.cluster import connect

    with connect(values["cluster"]) as cluster:
        yield cluster.slots, cluster.hire
