"""`harness perft`: counts of move sequences, by suites or against another generator."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

import click
from rich.console import Console

from harness import options
from harness.errors import UsageError
from harness.parallel import in_parallel
from harness.perft_against import Target, compare
from harness.perft_check import (
    check_suites,
    check_through_backends,
    divider_for,
    tasks_of,
    tell_speed,
    threads_for,
)
from harness.perft_counts import STARTPOS, Divided, OurDivider
from harness.perft_progress import progress_bar
from harness.perft_suite import Position, parse_position

#: Of --through: each slider back-end in turn.
THROUGH_BACKENDS: Final = "back-ends"
#: Options that mean nothing without a suite, or beside others.
_OF_SUITES: Final = ("max_nodes", "budget", "junit_path")
_OF_ONE_POSITION: Final = ("fen", "divide")
_OF_COUNTS: Final = ("divide", "junit_path", "concurrency", "hash_mb")


def run_perft(context: click.Context) -> bool:
    """Whether every count was right."""
    values = context.params
    _refuse_useless(context)
    options.check_output_file(values["json_path"])
    options.check_output_file(values["junit_path"])
    console = _console(values)
    if values["through"] == THROUGH_BACKENDS:
        return check_through_backends(values, console)
    if values["against"] is not None:
        return compare(_targets(values), values, console)
    if not values["suites"]:
        return _count_one(values, console)
    return check_suites(values, console)


def _refuse_useless(context: click.Context) -> None:
    """An option that would have no effect is a mistake."""
    values = context.params
    if values["suites"]:
        _refuse(context, _OF_ONE_POSITION, "with a --suite; expected one or the other")
    elif values["through"] == THROUGH_BACKENDS:
        raise UsageError(f"--through {THROUGH_BACKENDS} needs a --suite")
    else:
        _refuse(context, _OF_SUITES, "without a --suite; expected one")
    if values["against"] is not None:
        _refuse(context, _OF_COUNTS, "with --against; expected it alone")
    if values["through"] == THROUGH_BACKENDS:
        _refuse(context, ("against", "hash_mb"), f"with --through {THROUGH_BACKENDS}")
    if values["through"] != "generator":
        reason = f"with --through {values['through']}; expected the generator, which has a table"
        _refuse(context, ("hash_mb",), reason)


def _refuse(context: click.Context, names: Iterable[str], reason: str) -> None:
    given = options.given_names(context)
    for parameter in context.command.params:
        if parameter.name in given and parameter.name in names:
            raise UsageError(f"{parameter.opts[0]} cannot be given {reason}")


def _console(values: Mapping[str, Any]) -> Console:
    """Where people read: not where the JSON goes."""
    to_stderr = values["json_path"] == options.STANDARD_OUTPUT
    return Console(
        stderr=to_stderr, quiet=values["quiet"], highlight=False, soft_wrap=True, markup=False
    )


def _targets(values: Mapping[str, Any]) -> list[Target]:
    """What is to be compared."""
    if values["suites"]:
        return [Target(task.source, task.position, task.depth) for task in tasks_of(values)[0]]
    return [Target("--fen", _position(values), _depth(values))]


def _count_one(values: Mapping[str, Any], console: Console) -> bool:
    """The count of --fen at --depth, with --divide by first move."""
    position, depth = _position(values), _depth(values)
    ours = divider_for(values)
    started_ns = time.perf_counter_ns()
    below = _divided(ours, position, depth, values, console)
    time_ns = time.perf_counter_ns() - started_ns
    leaves = sum(below.values())
    if values["divide"]:
        for move in sorted(below):
            console.print(f"{move}: {below[move]}")
    sentence = f"perft {depth} of {position.fen}: {leaves:,} ({tell_speed(leaves, time_ns)})"
    click.echo(sentence, err=values["json_path"] == options.STANDARD_OUTPUT)
    document: dict[str, Any] = {
        "schema": 1,
        "fen": position.fen,
        "chess960": position.chess960,
        "through": values["through"],
        "depth": depth,
        "leaves": leaves,
        "time_ns": time_ns,
        "sentence": sentence,
    }
    if values["divide"]:
        document["divide"] = below
    options.write_result(values["json_path"], document)
    return True


def _divided(
    ours: OurDivider,
    position: Position,
    depth: int,
    values: Mapping[str, Any],
    console: Console,
) -> Divided:
    """`ours.divide`, with first moves in parallel."""
    moves = ours.moves(position)

    def below(move: str) -> int:
        return ours.below(position, (move,), depth - 1)

    leaves: Counter[str] = Counter()
    with progress_bar(console, "first moves", len(moves)) as advance:
        for index, count in in_parallel(below, moves, threads_for(values)):
            leaves[moves[index]] += count
            advance(1)
    return dict(leaves)


def _position(values: Mapping[str, Any]) -> Position:
    try:
        return parse_position(values["fen"]) if values["fen"] else STARTPOS
    except ValueError as error:
        raise UsageError(f"--fen {values['fen']!r}: {error}; expected a position") from None


def _depth(values: Mapping[str, Any]) -> int:
    depth: int | None = values["depth"]
    if depth is None:
        raise UsageError("--depth is missing; expected it, or a --suite")
    return depth
