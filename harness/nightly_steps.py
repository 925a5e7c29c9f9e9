"""The steps of a night. Each is a command in a process of its own; its JSON becomes a record."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from harness.history import Measure

ROOT: Final = Path(__file__).resolve().parents[1]
TESTS: Final = ROOT / "tests"

EPD_NODES: Final = 20_000
BENCH_REPEATS: Final = 3
#: Of wrong counts, and of failed tests, so many are told in the sentence of a fault.
TOLD: Final = 3

#: Names of measures.
SEARCH_SPEED: Final = "search"
KERNEL: Final = "kernel "
BENCHMARK: Final = "benchmark "

CHECK_FAILED: Final = 10


@dataclass(slots=True)
class Night:
    """What the steps have found so far."""

    measures: dict[str, Measure] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def run_command(command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """One of our commands; its JSON document, if there is one, is its standard output."""
    words = [sys.executable, "-m", "harness.cli", command, *arguments, "--quiet", "--json", "-"]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


def last_line(text: str) -> str:
    """Where a program that ends badly says why."""
    return text.strip().rpartition("\n")[2]


def _perft(night: Night, values: Mapping[str, Any]) -> None:
    """Every suite of ours, as far as the budget reaches."""
    suites = sorted([*(TESTS / "perft").glob("*.perft"), *(TESTS / "perft").glob("*.epd")])
    arguments = [word for path in suites for word in ("--suite", str(path))]
    found = _ask(night, "perft", *arguments, "--budget", str(values["budget"]))
    if found is not None:
        speed = found["leaves"] / max(1, found["time_ns"]) * 1e9
        night.measures["perft"] = Measure(speed, "leaves/s")
        night.counts["perft positions wrong"] = found["wrong"]
        wrong = [one for one in found["counts"] if one["counted"] != one["expected"]]
        night.faults += [
            f"perft {one['depth']} of {one['fen']}: expected {one['expected']},"
            f" got {one['counted']} ({one['source'].removeprefix(f'{ROOT}/')})"
            for one in wrong[:TOLD]
        ]


def _bench(night: Night, values: Mapping[str, Any]) -> None:
    """The signature, which has to be what a commit has noted, and the speed of search and kernels.

    The fastest of some repeats: other processes can only delay.
    """
    found = _ask(night, "bench", "--expect-commit", "--repeat", str(BENCH_REPEATS), "--kernels")
    if found is not None:
        night.measures[SEARCH_SPEED] = Measure(max(found["nps"]), "nodes/s")
        for name, ns in found["kernels_ns"].items():
            night.measures[f"{KERNEL}{name}"] = Measure(ns, "ns", more_is_better=False)
        night.counts["bench"] = found["nodes"]


def _epd(night: Night, values: Mapping[str, Any]) -> None:
    suites = map(str, sorted((TESTS / "epd").glob("*.epd")))
    found = _ask(night, "epd", *suites, "--nodes", str(EPD_NODES))
    if found is not None:
        night.counts["positions solved"] = found["solved"]


def _ask(night: Night, command: str, *arguments: str) -> dict[str, Any] | None:
    """What one of our commands says; that it failed, or that its check did, is a fault."""
    done = run_command(command, *arguments)
    try:
        document: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        night.faults.append(
            f"{command} ended with exit code {done.returncode}: {last_line(done.stderr)}"
        )
        return None
    if done.returncode == CHECK_FAILED:
        night.faults.append(f"{command}: {document['sentence']}")
    return document


def _benchmarks(night: Night, values: Mapping[str, Any]) -> None:
    """The pytest-benchmark set: the fastest round of each, which disturbances can only lengthen."""
    _run_benchmarks(night, ["tests/benchmarks"])


def _run_benchmarks(night: Night, tests: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "benchmarks.json"
        _pytest(night, "benchmarks", *tests, f"--benchmark-json={path}")
        if not path.exists() or not path.stat().st_size:
            return
        for one in json.loads(path.read_text("utf-8"))["benchmarks"]:
            name = f"{BENCHMARK}{benchmark_name(one['fullname'])}"
            before = night.measures.get(name)
            fastest_s = min(one["stats"]["min"], before.value if before else math.inf)
            night.measures[name] = Measure(fastest_s, "s", more_is_better=False)


def run_again(night: Night, measures: Sequence[str]) -> None:
    """Run benchmarks once more: the faster time counts."""
    names = (name.removeprefix(BENCHMARK) for name in measures if name.startswith(BENCHMARK))
    tests = [benchmark_test(name) for name in names]
    if tests:
        _run_benchmarks(night, tests)


def benchmark_name(test: str) -> str:
    """`make.perft[start]` of `tests/benchmarks/test_bench_make.py::test_perft[start]`."""
    path, _, function = test.partition("::")
    return f"{Path(path).stem.removeprefix('test_bench_')}.{function.removeprefix('test_')}"


def benchmark_test(name: str) -> str:
    """The test of a benchmark's name."""
    file, _, function = name.partition(".")
    return f"tests/benchmarks/test_bench_{file}.py::test_{function}"


def _tests(night: Night, values: Mapping[str, Any]) -> None:
    """The tests that are too slow for the gate."""
    _pytest(night, "tests", "-m", "nightly", "tests")


def _pytest(night: Night, name: str, *arguments: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        night.faults.append(f"{name}: {_failures(done.stdout.splitlines(), done.returncode)}")


def _failures(lines: Sequence[str], code: int) -> str:
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    more = f"; and {len(failed) - TOLD} more" if len(failed) > TOLD else ""
    return "; ".join(failed[:TOLD]) + more or f"exit code {code} of pytest"


STEPS: Final[Mapping[str, Callable[[Night, Mapping[str, Any]], None]]] = {
    "perft": _perft,
    "bench": _bench,
    "epd": _epd,
    "benchmarks": _benchmarks,
    "tests": _tests,
}
