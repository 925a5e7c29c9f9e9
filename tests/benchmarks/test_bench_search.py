"""Nodes per second of the search beside Ethereal's `bench`. The issue asks for 1.5 times its speed.

A node is a move made, in the search or in quiescence. By CPU time.
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import time
from typing import Any

import pytest

from engine.bench import Bench
from tests.benchmarks.opponent import compare, find_program

ETHEREAL_DEPTH = 12
ROUNDS = 3


def cpu_of(command: list[str], text: str = "") -> tuple[str, float]:
    """A program's output and the CPU seconds it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return output, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_seconds_per_node(benchmark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    ethereal = find_program("ethereal-chess")

    def ours() -> float:
        bench = Bench()
        begun = time.process_time()
        for _ in bench.run():
            pass
        return (time.process_time() - begun) / bench.nodes

    def theirs() -> float:
        assert ethereal is not None
        _, start_up = cpu_of([ethereal], "quit\n")
        output, seconds = cpu_of([ethereal, "bench", str(ETHEREAL_DEPTH)])
        nodes = re.search(r"^Nodes\s*: (\d+)$", output, re.MULTILINE)
        assert nodes is not None
        return (seconds - start_up) / int(nodes[1])

    ours()
    ratio = compare(benchmark, ours, theirs if ethereal else None, ROUNDS)
    benchmark.extra_info["nps"] = round(1 / benchmark.extra_info["ours_cpu_s"])
    if ratio is not None:
        with capsys.disabled():
            sys.stdout.write(f"\nsearch nodes/s / Ethereal: {ratio:.2f}\n")
