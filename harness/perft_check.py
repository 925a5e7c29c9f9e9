"""`harness perft --suite`: positions whose counts are known, counted again."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness import options
from harness.backends import document_with, usable_backends
from harness.errors import UsageError
from harness.files import write_whole
from harness.junit import Check, junit_xml
from harness.parallel import in_parallel
from harness.perft_counts import OurDivider
from harness.perft_progress import progress_bar
from harness.perft_suite import Case, Position, Task, read_suite

_LIMITS: Final = {"max_nodes": "--max-nodes", "depth": "--depth"}
#: Of no more than so many wrong counts the divide is told; files have all the counts.
SHOWN_DIVIDES: Final = 5


@dataclass(frozen=True, slots=True)
class Count:
    """What one task came to."""

    source: str
    fen: str
    chess960: bool
    depth: int
    expected: int
    counted: int
    time_ns: int

    @property
    def right(self) -> bool:
        return self.counted == self.expected

    @property
    def told(self) -> str:
        """What was counted where; if it is wrong, what was expected."""
        expected = "" if self.right else f"expected {self.expected}, "
        return f"{self.source}: perft {self.depth} of {self.fen}: {expected}got {self.counted}"


def threads_for(values: Mapping[str, Any]) -> int:
    """How many count at a time."""
    return values["concurrency"] or len(os.sched_getaffinity(0))


def divider_for(values: Mapping[str, Any]) -> OurDivider:
    """Whoever counts, with a table for each thread that shares in --hash."""
    hash_mb = values["hash_mb"]
    return OurDivider(values["through"], max(1, hash_mb // threads_for(values)) if hash_mb else 0)


def tell_speed(leaves: int, time_ns: int) -> str:
    """Time and speed, for people."""
    return f"{time_ns / 1e9:.2f} s, {leaves * 1e3 / max(1, time_ns):,.1f} M leaves/s"


def tasks_of(values: Mapping[str, Any]) -> tuple[list[Task], int]:
    """What is to be counted, and how many positions have nothing that is small enough."""
    cases: list[Case] = [case for path in values["suites"] for case in read_suite(path)]
    within = [case.within(values["max_nodes"], values["depth"]) for case in cases]
    tasks = [task for task in within if task is not None]
    if not tasks:
        limits = [f"{word} {values[name]}" for name, word in _LIMITS.items() if values[name]]
        raise UsageError(
            f"{' and '.join(limits)}: no position of the suites has a count so small; expected more"
        )
    return tasks, len(within) - len(tasks)


def check_suites(values: Mapping[str, Any], console: Console) -> bool:
    """Whether every position has the deepest count that --max-nodes allows."""
    tasks, skipped = tasks_of(values)
    through, ours = values["through"], divider_for(values)
    started_ns = time.perf_counter_ns()
    counts = _counts(ours, tasks, values, console)
    time_ns = time.perf_counter_ns() - started_ns
    wrong = [count for count in counts if not count.right]
    divided = {count: _tell_wrong(ours, count) for count in wrong[:SHOWN_DIVIDES]}
    for text in divided.values():
        console.print(Text(text))
    console.print(_summary(counts, through))
    unmade = len(tasks) - len(counts)
    leaves = sum(count.counted for count in counts)
    sentence = (
        f"{len(counts) - len(wrong)} of {len(counts)} positions right through the {through}:"
        f" {leaves:,} leaves in {tell_speed(leaves, time_ns)}" + _tell_left_out(skipped, unmade)
    )
    click.echo(sentence, err=values["json_path"] == options.STANDARD_OUTPUT)
    checks = [_check(count, divided.get(count, count.told)) for count in counts]
    _write_junit(values["junit_path"], f"perft.{through}", checks)
    document = {
        "schema": 1,
        "through": through,
        "positions": len(counts),
        "wrong": len(wrong),
        "skipped": skipped,
        "not_reached": unmade,
        "leaves": leaves,
        "time_ns": time_ns,
        "sentence": sentence,
        "counts": [asdict(count) for count in counts],
    }
    options.write_result(values["json_path"], document)
    return not wrong


def _tell_left_out(skipped: int, unmade: int) -> str:
    notes = [f"; {skipped} have no count within --max-nodes"] * bool(skipped)
    notes += [f"; {unmade} were not reached within --budget"] * bool(unmade)
    return "".join(notes)


def _counts(
    ours: OurDivider, tasks: Sequence[Task], values: Mapping[str, Any], console: Console
) -> list[Count]:
    """The counts in the order of the tasks, as far as the budget reaches."""
    end_s = time.monotonic() + (values["budget"] or math.inf)

    def count(task: Task) -> Count | None:
        return _count(ours, task) if time.monotonic() < end_s else None

    # The largest first, so that at the end all threads have work; within a budget the smallest,
    # so that it reaches many.
    sign = -1 if values["budget"] is None else 1
    order = sorted(range(len(tasks)), key=lambda index: sign * tasks[index].expected)
    results: dict[int, Count] = {}
    with progress_bar(console, "leaves", sum(task.expected for task in tasks)) as advance:
        queued = [tasks[index] for index in order]
        for place, result in in_parallel(count, queued, threads_for(values)):
            advance(queued[place].expected)
            if result is not None:
                results[order[place]] = result
    return [results[index] for index in sorted(results)]


def _count(ours: OurDivider, task: Task) -> Count:
    """The deepest count of a task, or the first that is wrong."""
    leaves = ours.counting(task.position)
    for depth, expected in task.counts:
        started_ns = time.perf_counter_ns()
        counted = leaves(depth)
        time_ns = time.perf_counter_ns() - started_ns
        made = Count(task.source, *task.position, depth, expected, counted, time_ns)
        if not made.right:
            break
    return made


def _tell_wrong(ours: OurDivider, count: Count) -> str:
    """Everything that a wrong count needs to be found by."""
    below = ours.divide(Position(count.fen, count.chess960), count.depth)
    lines = [f"  {move}: {below[move]}" for move in sorted(below)]
    return "\n".join([f"{count.told}; by first move:", *lines])


def _check(count: Count, failure: str, backend: str = "") -> Check:
    name = f"{backend}{count.source} D{count.depth} {count.fen}"
    return Check(name, count.time_ns / 1e9, None if count.right else failure)


def _write_junit(path: Path | None, suite: str, checks: Sequence[Check]) -> None:
    if path is not None:
        write_whole(path, junit_xml(suite, checks))


def _summary(counts: Sequence[Count], through: str) -> Table:
    """How many positions and leaves there were of each depth, and how fast."""
    table = Table(box=None, title=f"through the {through}", title_justify="left")
    for name in ("depth", "positions", "wrong", "leaves", "M leaves/s of a thread"):
        table.add_column(name, justify="right")
    for depth in sorted({count.depth for count in counts}):
        group = [count for count in counts if count.depth == depth]
        leaves, time_ns = sum(c.counted for c in group), sum(c.time_ns for c in group)
        table.add_row(
            str(depth),
            f"{len(group):,}",
            str(sum(not c.right for c in group)),
            f"{leaves:,}",
            f"{leaves * 1e3 / max(1, time_ns):,.1f}",
        )
    return table


# --- Back-ends -----------------------------------------------------------------------------------


def check_through_backends(values: Mapping[str, Any], console: Console) -> bool:
    """`check_suites` by each slider back-end: they are compiled in, so each is a process."""
    tasks_of(values)  # a mistake in a suite is told once, and before anything is compiled
    arguments = ["perft", *(word for path in values["suites"] for word in ("--suite", str(path)))]
    arguments += _given(values, ("depth", "max_nodes", "budget", "concurrency"))
    documents = {name: document_with(name, arguments) for name in usable_backends()}
    checks = []
    for name, document in documents.items():
        counts = [Count(**count) for count in document["counts"]]
        for count in [count for count in counts if not count.right][:SHOWN_DIVIDES]:
            console.print(Text(f"{name}: {count.told}"))
        click.echo(
            f"{name}: {document['sentence']}", err=values["json_path"] == options.STANDARD_OUTPUT
        )
        checks += [_check(count, count.told, f"{name}: ") for count in counts]
    _write_junit(values["junit_path"], "perft.back-ends", checks)
    options.write_result(values["json_path"], {"schema": 1, "back-ends": documents})
    return not any(document["wrong"] for document in documents.values())


def _given(values: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    return [
        word
        for name in names
        if values[name] is not None
        for word in (options.option_name(name), str(values[name]))
    ]
