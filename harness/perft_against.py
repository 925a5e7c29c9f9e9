"""`harness perft --against`: the position in which our moves and another generator's differ."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import click
from rich.console import Console

from harness import options
from harness.errors import UsageError
from harness.perft_counts import (
    Difference,
    Divider,
    OurDivider,
    PythonChessDivider,
    Step,
    UciDivider,
    first_difference,
    steps,
)
from harness.perft_progress import progress_bar
from harness.perft_suite import Position
from harness.report.numbers import duration


class Target(NamedTuple):
    """A position to be compared; `source` says where it comes from."""

    source: str
    position: Position
    depth: int


def make_divider(name: str) -> Divider:
    """`python-chess`, `builtin@REV`, or the command of a UCI engine."""
    if name == "python-chess":
        return PythonChessDivider()
    source, _, revision = name.partition("@")
    if source == "builtin":
        if not revision:
            raise UsageError(f"--against {name}: expected a revision, such as builtin@HEAD~1")
        from harness.revisions import command_of_engine, engine_of

        return UciDivider(command_of_engine(), cwd=engine_of(revision))
    return UciDivider(name)


def compare(targets: Sequence[Target], values: Mapping[str, Any], console: Console) -> bool:
    """Whether nothing differs within --budget; else the first difference is told."""
    other = values["against"]
    theirs = make_divider(other)  # before ours, which takes longer to load than a mistake to tell
    todo = steps([(target.position, target.depth) for target in targets])
    started_s = time.monotonic()
    end_s = started_s + (values["budget"] or math.inf)
    queue = iter(todo)
    try:
        ours = OurDivider(values["through"])
        with progress_bar(console, "comparisons", len(todo)) as advance:
            found = first_difference(ours, theirs, _until(end_s, queue, advance))
    finally:
        theirs.close()
    unmade = sum(1 for _ in queue)
    if found is None:
        sentence = (
            f"no difference from {other} in {len(targets)} positions"
            f" ({duration(time.monotonic() - started_s)})"
            + f"; {unmade} of {len(todo)} comparisons were not reached within --budget"
            * bool(unmade)
        )
        difference = None
    else:
        source = next(target.source for target in targets if target.position == found.root)
        sentence = tell_difference(found, source, other)
        difference = _difference_document(found, source)
    click.echo(sentence, err=values["json_path"] == options.STANDARD_OUTPUT)
    document = {
        "schema": 1,
        "sentence": sentence,
        "not_reached": unmade if found is None else None,
        "difference": difference,
    }
    options.write_result(values["json_path"], document)
    return found is None


def _until(end_s: float, queue: Iterator[Step], advance: Callable[[int], None]) -> Iterator[Step]:
    """What is begun before the end."""
    while time.monotonic() < end_s and (step := next(queue, None)) is not None:
        yield step
        advance(1)


def tell_difference(found: Difference, source: str, other: str) -> str:
    """The position, the moves, and the way there."""
    lines = [f"a difference from {other} at {found.position.fen}"]
    if found.path:
        lines.append(f"  reached from {found.root.fen} ({source}) by {' '.join(found.path)}")
    else:
        lines.append(f"  which is {source}")
    lines += [f"  missing: {move}" for move in found.missing]
    lines += [f"  too many: {move}" for move in found.too_many]
    return "\n".join(lines)


def _difference_document(found: Difference, source: str) -> dict[str, Any]:
    return {
        "fen": found.position.fen,
        "chess960": found.position.chess960,
        "source": source,
        "root": found.root.fen,
        "path": found.path,
        "missing": found.missing,
        "too_many": found.too_many,
    }
