"""`harness bench`: the signature of the search, its speed and that of the kernels."""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click
from rich.console import Console
from rich.text import Text

from harness import options
from harness.backends import document_with, usable_backends
from harness.errors import UsageError
from harness.kernels import KERNELS
from harness.revisions import git, working_tree
from harness.stopwatch import Stopwatch

if TYPE_CHECKING:
    from engine.bench import Searched

#: How often each kernel is timed with --kernels.
KERNEL_TURNS: Final = 9

_NOTED: Final = re.compile(r"^Bench: (\d+)$", re.M)


class Result(NamedTuple):
    """One run over the positions."""

    nodes: int
    nps: int
    positions: Sequence[Searched] = ()


def run_bench(context: click.Context) -> bool:
    """Whether the signature is the expected one; against a revision, whether it is not slower."""
    values = context.params
    options.check_output_file(values["json_path"])
    _check_options(context)
    to_stderr = values["json_path"] == options.STANDARD_OUTPUT
    console = Console(stderr=to_stderr, highlight=False, soft_wrap=True, markup=False)
    if values["against"] is not None:
        from harness.bench_against import run_against

        good, document = run_against(values, console)
    elif values["attacks"]:
        good, document = _backends(values, console)
    else:
        good, document = _signature(values, console)
    console.print(Text(document["sentence"]))
    options.write_result(values["json_path"], {"schema": 1, **document})
    return good


def _check_options(context: click.Context) -> None:
    """Refuse what would not be heeded."""
    values = context.params
    chosen = [name for name in ("expect", "expect_commit", "against", "attacks") if values[name]]
    if len(chosen) > 1:
        first, second = map(options.option_name, chosen[:2])
        raise UsageError(f"{second} cannot be given with {first}; expected one of them")
    if values["kernels"] and (values["against"] or values["attacks"]):
        raise UsageError("--kernels cannot be given with --against, which times them, or --attacks")
    given = options.given_names(context)
    if "repeat" in given and values["against"]:
        raise UsageError("--repeat cannot be given with --against; expected --rounds")
    if "rounds" in given and not values["against"]:
        raise UsageError("--rounds is for --against; expected that too, or --repeat")


# --- The signature -------------------------------------------------------------------------------


def _signature(values: Mapping[str, Any], console: Console) -> tuple[bool, dict[str, Any]]:
    expected, told_by = _expected(values)
    depth = values["depth"]
    runs = [_run_here(depth) for _ in range(values["repeat"])]
    first = runs[0]
    if not values["quiet"]:
        for found in first.positions:
            line = f"{found.nodes:>10} nodes {found.move:>6} {found.score_cp:+6} cp  {found.fen}"
            console.print(Text(line))
    unlike = {run.nodes for run in runs} - {first.nodes}
    speeds = sorted(run.nps for run in runs)
    sentence = f"Bench: {first.nodes} ({_spread(speeds)})"
    if unlike:
        sentence = f"repeats differ: {first.nodes} and {', '.join(map(str, sorted(unlike)))} nodes"
    elif expected is not None and expected != first.nodes:
        sentence += f"; expected {expected}{told_by}"
    kernels = _kernels(values, console) if values["kernels"] else {}
    document = {
        "nodes": first.nodes,
        "expected": expected,
        "nps": [run.nps for run in runs],
        "kernels_ns": kernels,
        "positions": [found._asdict() for found in first.positions],
        "sentence": sentence,
    }
    return not unlike and expected in {None, first.nodes}, document


def _run_here(depth: int | None) -> Result:
    from engine.bench import DEFAULT_DEPTH, Bench

    bench = Bench(depth or DEFAULT_DEPTH)
    positions = list(bench.search())
    return Result(bench.nodes, bench.nps, positions)


def _kernels(values: Mapping[str, Any], console: Console) -> dict[str, float]:
    """Nanoseconds for a call of each kernel: the fastest, since other processes only delay."""
    with closing(Stopwatch(working_tree(), 1)) as stopwatch:
        stopwatch.wait_ready()
        found = {
            name: min(stopwatch.time(name).ns for _ in range(KERNEL_TURNS)) for name in KERNELS
        }
    if not values["quiet"]:
        for name, ns in found.items():
            console.print(f"{name:>10} {ns:9,.1f} ns")
    return found


def _spread(speeds: Sequence[int]) -> str:
    middle = f"{statistics.median(speeds):,.0f} nodes/s"
    if len(speeds) == 1:
        return middle
    return f"{middle}, {speeds[0]:,} to {speeds[-1]:,} in {len(speeds)} repeats"


def _expected(values: Mapping[str, Any]) -> tuple[int | None, str]:
    """The nodes that are expected, and who says so."""
    if values["expect_commit"]:
        if values["depth"] is not None:
            raise UsageError("--depth cannot be given with --expect-commit, which has its own")
        commit, nodes = noted_bench()
        return nodes, f" by commit {commit[:12]}"
    return values["expect"], ""


def noted_bench(folder: Path | None = None) -> tuple[str, int]:
    """The last commit whose message has a line `Bench: N`, and its N."""
    place = {} if folder is None else {"folder": folder}
    text = git("log", "-1", "--format=%H%n%B", "-E", "--grep=^Bench: [0-9]+$", **place).decode()
    commit, _, message = text.partition("\n")
    noted = _NOTED.findall(message)
    if not noted:
        raise UsageError("--expect-commit: no commit here has a line `Bench: N`; expected one")
    return commit, int(noted[-1])


# --- Slider back-ends ----------------------------------------------------------------------------


def _backends(values: Mapping[str, Any], console: Console) -> tuple[bool, dict[str, Any]]:
    """The bench with each back-end: they are compiled in, so each is a process."""
    names = usable_backends()
    found = {name: _of_backend(name, values) for name in names}
    for name, document in found.items():
        console.print(f"{name:>6}: {document['sentence']}")
    signatures = {document["nodes"] for document in found.values()}
    same = len(signatures) == 1
    sentence = (
        f"the same signature with {', '.join(names)}"
        if same
        else f"the signatures of {', '.join(names)} differ"
    )
    return same, {"back-ends": found, "sentence": sentence}


def _of_backend(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    depth = ["--depth", str(values["depth"])] if values["depth"] is not None else []
    return document_with(name, ["bench", "--repeat", str(values["repeat"]), *depth])
