"""`harness perft`: counts of move sequences, by suites or against another generator."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, Final

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from harness import options
from harness.backends import document_with, usable_backends
from harness.errors import UsageError
from harness.files import write_whole
from harness.junit import Check, junit_xml
from harness.parallel import in_parallel
from harness.perft_counts import (
    STARTPOS,
    Difference,
    Divider,
    OurDivider,
    PythonChessDivider,
    UciDivider,
    first_difference,
)
from harness.perft_suite import Case, Position, Task, parse_position, read_suite
from harness.report.numbers import duration

#: The back-ends by which sliders move (`engine.jit.slider_backend`); what a machine lacks is told.
#: Of a wrong count no more than so many lines go to the screen; files have all.
SHOWN_FAILURES: Final = 5


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


def run_perft(context: click.Context) -> bool:
    """Whether every count was right."""
    values = context.params
    options.check_output_file(values["json_path"])
    options.check_output_file(values["junit_path"])
    console = _console(values)
    if values["through"] == "back-ends":
        return _through_backends(values, console)
    if values["against"] is not None:
        return _compare(values, console)
    if not values["suites"]:
        return _count_one(values, console)
    return _check_suites(values, console)


def _console(values: Mapping[str, Any]) -> Console:
    """Where people read: not where the JSON goes."""
    to_stderr = values["json_path"] == options.STANDARD_OUTPUT
    return Console(
        stderr=to_stderr, quiet=values["quiet"], highlight=False, soft_wrap=True, markup=False
    )


# --- One position --------------------------------------------------------------------------------


def _count_one(values: Mapping[str, Any], console: Console) -> bool:
    """The count of --fen at --depth, with --divide by first move."""
    position, depth = _position(values), _depth(values)
    ours = OurDivider(values["through"])
    started_ns = time.perf_counter_ns()
    if values["divide"]:
        below = ours.divide(position, depth)
        for move in sorted(below):
            console.print(f"{move}: {below[move]}")
        leaves = sum(below.values())
    else:
        below, leaves = {}, ours.count(position, depth)
    time_ns = time.perf_counter_ns() - started_ns
    console.print(f"perft {depth} of {position.fen}: {leaves:,} ({_speed(leaves, time_ns)})")
    document = {"fen": position.fen, "depth": depth, "leaves": leaves, "time_ns": time_ns}
    options.write_result(values["json_path"], document | ({"divide": below} if below else {}))
    return True


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


def _speed(leaves: int, time_ns: int) -> str:
    return f"{time_ns / 1e9:.2f} s, {leaves * 1e3 / max(1, time_ns):,.1f} M leaves/s"


# --- Suites --------------------------------------------------------------------------------------


def _check_suites(values: Mapping[str, Any], console: Console) -> bool:
    """Every position of the suites to the deepest count that --max-nodes allows."""
    tasks, skipped = _tasks(values)
    ours = OurDivider(values["through"])
    started_ns = time.perf_counter_ns()
    counts = list(_counted(ours, tasks, values, console))
    elapsed_ns = time.perf_counter_ns() - started_ns
    wrong = [count for count in counts if not count.right]
    told = {count.source: _tell_wrong(count, values["through"]) for count in wrong}
    for count in wrong[:SHOWN_FAILURES]:
        console.print(Text(told[count.source]))
    leaves = sum(count.counted for count in counts)
    console.print(_summary(counts, values["through"]))
    unmade = len(tasks) - len(counts)
    notes = [f"{skipped} have no count within --max-nodes"] * bool(skipped)
    notes += [f"{unmade} were not reached within --budget"] * bool(unmade)
    sentence = (
        f"{len(counts) - len(wrong)} of {len(counts)} positions right through the"
        f" {values['through']}: {leaves:,} leaves in {_speed(leaves, elapsed_ns)}"
        + "".join(f"; {note}" for note in notes)
    )
    click.echo(sentence, err=values["json_path"] == options.STANDARD_OUTPUT)
    if values["junit_path"] is not None:
        checks = [_check(count, told.get(count.source)) for count in counts]
        write_whole(values["junit_path"], junit_xml(f"perft.{values['through']}", checks))
    options.write_result(
        values["json_path"],
        {
            "schema": 1,
            "through": values["through"],
            "positions": len(counts),
            "wrong": len(wrong),
            "skipped": skipped,
            "not_reached": unmade,
            "leaves": leaves,
            "time_ns": elapsed_ns,
            "sentence": sentence,
            "counts": [asdict(count) for count in counts],
        },
    )
    return not wrong


def _tasks(values: Mapping[str, Any]) -> tuple[list[Task], int]:
    """What is to be counted, and how many positions have nothing that is small enough."""
    cases: list[Case] = [case for path in values["suites"] for case in read_suite(path)]
    depth = values["depth"]
    if depth is not None:
        cases = [
            Case(case.source, case.position, {d: n for d, n in case.counts.items() if d <= depth})
            for case in cases
        ]
    within = [case.within(values["max_nodes"]) for case in cases]
    tasks = [task for task in within if task is not None]
    if not tasks:
        raise UsageError(
            f"--max-nodes {values['max_nodes']}: no position of the suites has a count so small;"
            " expected more"
        )
    if values["budget"] is not None:
        tasks.sort(key=lambda task: task.expected)  # as many as possible
    return tasks, len(within) - len(tasks)


def _counted(
    ours: OurDivider, tasks: Sequence[Task], values: Mapping[str, Any], console: Console
) -> Iterator[Count]:
    """The counts in the order of the tasks, as far as the budget reaches."""
    end_s = time.monotonic() + (values["budget"] or float("inf"))

    def count(task: Task) -> Count | None:
        if time.monotonic() > end_s:
            return None
        for depth, expected in task.counts:
            started_ns = time.perf_counter_ns()
            counted = ours.count(task.position, depth)
            time_ns = time.perf_counter_ns() - started_ns
            made = Count(task.source, *task.position, depth, expected, counted, time_ns)
            if not made.right:
                break
        return made

    # The largest first, so that at the end all threads have work; --budget wants the small ones.
    order = list(range(len(tasks)))
    if values["budget"] is None:
        order.sort(key=lambda index: -tasks[index].expected)
    results: dict[int, Count] = {}
    with _progress(console, sum(task.expected for task in tasks)) as advance:
        queued = [tasks[index] for index in order]
        for place, result in in_parallel(count, queued, _threads(values)):
            advance(queued[place].expected)
            if result is not None:
                results[order[place]] = result
    yield from (results[index] for index in sorted(results))


def _threads(values: Mapping[str, Any]) -> int:
    return values["concurrency"] or len(os.sched_getaffinity(0))


@contextmanager
def _progress(console: Console, total: int) -> Iterator[Any]:
    """A bar on a terminal; nothing elsewhere."""
    if not console.is_terminal:
        yield lambda done: None
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("leaves", total=total)
        yield lambda done: bar.advance(task, done)


def _tell_wrong(count: Count, through: str) -> str:
    """Everything that a wrong count needs to be found by."""
    position = Position(count.fen, count.chess960)
    below = OurDivider(through).divide(position, count.depth)
    lines = [
        f"{count.source}: perft {count.depth} of {count.fen}: expected {count.expected},"
        f" got {count.counted}; by first move:",
        *(f"  {move}: {below[move]}" for move in sorted(below)),
    ]
    return "\n".join(lines)


def _check(count: Count, failure: str | None) -> Check:
    return Check(f"{count.source} D{count.depth} {count.fen}", count.time_ns / 1e9, failure)


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


# --- Two generators ------------------------------------------------------------------------------


def make_divider(name: str) -> Divider:
    """`python-chess`, `builtin@REV`, or the command of a UCI engine."""
    if name == "python-chess":
        return PythonChessDivider()
    source, _, revision = name.partition("@")
    if source == "builtin" and revision:
        from harness.revisions import command_of_engine, engine_of

        return UciDivider(command_of_engine(), cwd=engine_of(revision))
    return UciDivider(name)


def _compare(values: Mapping[str, Any], console: Console) -> bool:
    """Find the first position where our moves and another's differ."""
    if values["suites"]:
        tasks = [(task.position, task.depth) for task in _tasks(values)[0]]
    else:
        tasks = [(_position(values), _depth(values))]
    theirs = make_divider(values["against"])
    started_s = time.monotonic()
    try:
        found = first_difference(OurDivider(values["through"]), theirs, tasks)
    finally:
        theirs.close()
    sentence = (
        f"no difference from {values['against']} in {len(tasks)} positions"
        f" ({duration(time.monotonic() - started_s)})"
        if found is None
        else tell_difference(found, values["against"])
    )
    click.echo(sentence, err=values["json_path"] == options.STANDARD_OUTPUT)
    options.write_result(values["json_path"], _difference_document(found, sentence))
    return found is None


def tell_difference(found: Difference, other: str) -> str:
    """The position, the moves, and the way there."""
    lines = [f"a difference from {other} at {found.position.fen}"]
    if found.path:
        lines.append(f"  reached by {' '.join(found.path)}")
    lines += [f"  missing: {move}" for move in found.missing]
    lines += [f"  too many: {move}" for move in found.too_many]
    return "\n".join(lines)


def _difference_document(found: Difference | None, sentence: str) -> dict[str, Any]:
    document: dict[str, Any] = {"schema": 1, "sentence": sentence, "difference": None}
    if found is not None:
        document["difference"] = {
            "fen": found.position.fen,
            "chess960": found.position.chess960,
            "path": found.path,
            "missing": found.missing,
            "too_many": found.too_many,
        }
    return document


# --- Back-ends -----------------------------------------------------------------------------------


def _through_backends(values: Mapping[str, Any], console: Console) -> bool:
    """The same suites by each slider back-end: they are compiled in, so each is a process."""
    if not values["suites"]:
        raise UsageError("--through back-ends needs a --suite")
    arguments = ["perft", *(word for path in values["suites"] for word in ("--suite", str(path)))]
    arguments += _given(values, ("depth", "max_nodes", "budget", "concurrency"))
    documents = {name: document_with(name, arguments) for name in usable_backends()}
    for name, document in documents.items():
        console.print(f"{name}: {document['sentence']}")
    options.write_result(values["json_path"], {"schema": 1, "back-ends": documents})
    return not any(document.get("wrong") for document in documents.values())


def _given(values: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    return [
        word
        for name in names
        if values[name] is not None
        for word in (options.option_name(name), str(values[name]))
    ]
