"""`harness bench`: the signature of the search, and its speed beside that of another revision."""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click
from rich.console import Console
from rich.text import Text

from harness import options
from harness.backends import document_with, usable_backends
from harness.errors import EngineStartError, UsageError
from harness.revisions import command_of_engine, commit_of, engine_of, git, working_tree
from harness.speed import SpeedRatio
from harness.uci_process import UciProcess

if TYPE_CHECKING:
    from engine.bench import Searched

#: A round against another revision is short: many of them say more than a few long ones.
AGAINST_DEPTH: Final = 12

#: The system counts in hundredths of a second: of less, the engine's own clock is the better one.
_SHORTEST_SECONDS: Final = 0.3

_NODES: Final = re.compile(r"Nodes searched\s*:\s*(\d+)")
_SPEED: Final = re.compile(r"Nodes/second\s*:\s*(\d+)")
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
    chosen = [name for name in ("expect", "expect_commit", "against", "attacks") if values[name]]
    if len(chosen) > 1:
        first, second = map(options.option_name, chosen[:2])
        raise UsageError(f"{second} cannot be given with {first}; expected one of them")
    to_stderr = values["json_path"] == options.STANDARD_OUTPUT
    console = Console(stderr=to_stderr, highlight=False, soft_wrap=True, markup=False)
    if values["against"] is not None:
        good, document = _against(values, console)
    elif values["attacks"]:
        good, document = _backends(values, console)
    else:
        good, document = _signature(values, console)
    console.print(Text(document["sentence"]))
    options.write_result(values["json_path"], {"schema": 1, **document})
    return good


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
    document = {
        "nodes": first.nodes,
        "expected": expected,
        "nps": [run.nps for run in runs],
        "positions": [found._asdict() for found in first.positions],
        "sentence": sentence,
    }
    return not unlike and expected in {None, first.nodes}, document


def _run_here(depth: int | None) -> Result:
    from engine.bench import DEFAULT_DEPTH, Bench

    bench = Bench(depth or DEFAULT_DEPTH)
    positions = list(bench.search())
    return Result(bench.nodes, bench.nps, positions)


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


# --- Another revision ----------------------------------------------------------------------------


def _against(values: Mapping[str, Any], console: Console) -> tuple[bool, dict[str, Any]]:
    """Both engines in turn, so that what else the machine does meets both alike."""
    commit = commit_of(values["against"])
    depth = values["depth"] or AGAINST_DEPTH
    speeds: list[list[int]] = [[], []]
    nodes = [0, 0]
    ratio = SpeedRatio()
    if not values["quiet"]:
        console.print("starting both engines; one that never ran here is compiled first")
    with ExitStack() as cleanup:
        engines = [
            cleanup.enter_context(closing(UciProcess(command_of_engine(), cwd=folder)))
            for folder in (working_tree(), engine_of(commit))
        ]
        for engine in engines:
            _run_there(engine, depth)  # its memory is touched, its code loaded
        for number in range(values["rounds"]):
            order = (0, 1) if number % 2 == 0 else (1, 0)
            for side in order:
                result = _run_there(engines[side], depth)
                nodes[side] = result.nodes
                speeds[side].append(result.nps)
            ratio = ratio.with_game(speeds[0][-1], speeds[1][-1])
            if not values["quiet"]:
                console.print(f"round {number + 1}: {speeds[0][-1]:,} against {speeds[1][-1]:,}")
    sentence, slower = _compared(ratio, commit, nodes)
    return not slower, {
        "commit": commit,
        "depth": depth,
        "nodes": nodes,
        "nps": speeds,
        "ratio": ratio.ratio,
        "ratio_ci95": ratio.ci95,
        "slower": slower,
        "sentence": sentence,
    }


def _run_there(engine: UciProcess, depth: int) -> Result:
    """Its speed by processor time, where the system tells that: waiting costs nothing then."""
    before_s = engine.cpu_seconds()
    engine.send(f"bench {depth}")
    said = "\n".join(engine.read_until("Nodes/second"))
    after_s = engine.cpu_seconds()
    nodes, nps = _NODES.search(said), _SPEED.search(said)
    if nodes is None or nps is None:
        raise EngineStartError(f"{engine.name}: no result of `bench`; expected `Nodes searched: N`")
    if before_s is None or after_s is None or after_s - before_s < _SHORTEST_SECONDS:
        return Result(int(nodes[1]), int(nps[1]))
    return Result(int(nodes[1]), round(int(nodes[1]) / (after_s - before_s)))


def _compared(ratio: SpeedRatio, commit: str, nodes: Sequence[int]) -> tuple[str, bool]:
    """The ratio as a sentence, and whether the working tree is surely slower."""
    assert ratio.ratio is not None
    assert ratio.ci95 is not None
    low, high = ratio.ci95
    slower = ratio.differs and high < 1
    verdict = "slower" if slower else "faster" if ratio.differs else "no different for sure"
    sentence = (
        f"the working tree has {ratio.ratio:.3f} times the nodes/s of {commit[:12]}"
        f" [{low:.3f}, {high:.3f}] in {ratio.games} rounds: {verdict}"
    )
    if nodes[0] != nodes[1]:
        sentence += f"; the trees differ ({nodes[0]} and {nodes[1]} nodes)"
    return sentence, slower
