"""`harness bench --against REV`: both engines in turn, kernel by kernel, so that noise cancels.

A round starts both engines anew: where their code and data come to lie in memory changes the speed
of either by a per cent or two for as long as the process lives, which rounds of one process cannot
show. Within a round both do the same thing in turn and the fastest turn of each counts, since other
processes can only delay.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from harness.kernels import KERNELS, SEARCH
from harness.paired import Ratio, compare
from harness.revisions import commit_of, engine_of, working_tree
from harness.stopwatch import Stopwatch, Time

#: A round is short: many of them say more than a few long ones.
DEPTH: Final = 12
TURNS: Final = 3

#: Smaller differences are what an unrelated change of the code's layout costs: of the search, and
#: of a kernel alone, which is much smaller.
SEARCH_TRIFLE: Final = 0.02
KERNEL_TRIFLE: Final = 0.05

Pair = tuple[Time, Time]

_VERDICTS: Final = {-1: "slower", 0: "", 1: "faster"}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A kernel, or the search, here and there: nanoseconds (medians), and the ratio of speeds."""

    name: str
    ns: tuple[float, float]
    ratio: Ratio

    def document(self) -> dict[str, Any]:
        """For --json."""
        return {
            "name": self.name,
            "ns": self.ns,
            "ratio": self.ratio.ratio,
            "ratio_ci95": [self.ratio.low, self.ratio.high],
            "verdict": _VERDICTS[self.ratio.verdict] or "no different for sure",
        }

    def tell(self) -> str:
        """For a sentence."""
        return f"{self.name} {self.ratio.ratio:.3f} [{self.ratio.low:.3f}, {self.ratio.high:.3f}]"


def run_against(values: Mapping[str, Any], console: Console) -> tuple[bool, dict[str, Any]]:
    """Whether nothing is surely slower than in the revision, and the document for --json."""
    commit = commit_of(values["against"])
    depth = values["depth"] or DEPTH
    folders = (working_tree(), engine_of(commit))
    if not values["quiet"]:
        console.print("starting both engines; one that never ran here is compiled first")
    missing = _compiled({"the working tree": folders[0], commit[:12]: folders[1]}, depth)
    rounds: list[dict[str, Pair]] = []
    for number in range(values["rounds"]):
        rounds.append(measured_round(folders, depth, first=number % 2))
        if not values["quiet"]:
            console.print(f"round {number + 1}: {_tell_round(rounds[-1])}")
    compared = list(comparisons(rounds))
    nodes = [time.nodes for time in rounds[0][SEARCH]]
    if not values["quiet"]:
        console.print(_table(compared, commit))
        for name, reason in missing.items():
            console.print(f"{name} is not timed: {reason}")
    slower = [one.name for one in compared if one.ratio.verdict < 0]
    return not slower, {
        "commit": commit,
        "depth": depth,
        "rounds": len(rounds),
        "nodes": nodes,
        "kernels": [one.document() for one in compared],
        "not_timed": missing,
        "slower": slower,
        "sentence": sentence(compared, commit, len(rounds), nodes),
    }


def _compiled(folders: Mapping[str, Path], depth: int) -> dict[str, str]:
    """Start both engines once, one after the other; what either cannot time, and why."""
    missing: dict[str, str] = {}
    for name, folder in folders.items():
        with closing(Stopwatch(folder, depth)) as stopwatch:
            stopwatch.wait_ready()
            stopwatch.time(SEARCH)
            for kernel, reason in stopwatch.missing.items():
                missing[kernel] = f"{name} cannot: {reason}"
    return missing


def measured_round(folders: Sequence[Path], depth: int, first: int) -> dict[str, Pair]:
    """The fastest turn of each engine at everything that both can do; `first` begins each turn."""
    with ExitStack() as cleanup:
        engines = [cleanup.enter_context(closing(Stopwatch(one, depth))) for one in folders]
        for engine in engines:
            engine.wait_ready()
        names = [name for name in engines[0].names if name in engines[1].names]
        return {name: in_turn(engines, name, first) for name in names}


def in_turn(engines: Sequence[Stopwatch], name: str, first: int) -> Pair:
    """The fastest of TURNS turns of each; `first` (0 or 1) begins each."""
    turns: list[list[Time]] = [[], []]
    for _ in range(TURNS):
        for side in (first, 1 - first):
            turns[side].append(engines[side].time(name))
    return min(turns[0]), min(turns[1])


def comparisons(rounds: Sequence[Mapping[str, Pair]]) -> Iterator[Comparison]:
    """Everything that was timed, in the order of the kernels, the search last."""
    for name in (*KERNELS, SEARCH):
        if name in rounds[0]:
            pairs = [one[name] for one in rounds]
            logs = [math.log(there.ns / here.ns) for here, there in pairs]
            trifle = SEARCH_TRIFLE if name == SEARCH else KERNEL_TRIFLE
            here_ns, there_ns = (
                median(time.ns for time in side) for side in zip(*pairs, strict=True)
            )
            yield Comparison(name, (here_ns, there_ns), compare(logs, trifle))


def _tell_round(pairs: Mapping[str, Pair]) -> str:
    return ", ".join(f"{name} {there.ns / here.ns:.3f}" for name, (here, there) in pairs.items())


def _table(compared: Sequence[Comparison], commit: str) -> Table:
    table = Table("kernel", box=None)
    for heading in ("ns here", f"ns {commit[:12]}", "ratio", "95 % interval"):
        table.add_column(heading, justify="right")
    table.add_column("the working tree is")
    for one in compared:
        ratio = one.ratio
        here_ns, there_ns = (f"{ns:,.1f}" for ns in one.ns)
        interval = f"{ratio.low:.3f} to {ratio.high:.3f}"
        verdict = _VERDICTS[ratio.verdict]
        table.add_row(one.name, here_ns, there_ns, f"{ratio.ratio:.3f}", interval, verdict)
    return table


def sentence(compared: Sequence[Comparison], commit: str, rounds: int, nodes: Sequence[int]) -> str:
    """What is surely slower or faster, with the ratio of speeds and its interval."""
    told = [
        f"{word}: {', '.join(one.tell() for one in found)}"
        for sign, word in _VERDICTS.items()
        if sign and (found := [one for one in compared if one.ratio.verdict == sign])
    ]
    text = "; ".join(told) or "no different for sure"
    if nodes[0] != nodes[1]:
        text += f"; the trees differ ({nodes[0]} and {nodes[1]} nodes)"
    return f"the working tree's speed over that of {commit[:12]} in {rounds} rounds: {text}"
