"""Perft by each slider back-end: PEXT, magic multiplication, rays. CPU time, in turn.

A back-end is chosen at import, so each is a process of its own. PEXT is used where the code
generator has it and the processor does not emulate it (jit.has_fast_pext).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from statistics import median
from typing import Any

import pytest

from engine.jit import has_fast_pext

ROUNDS = 5

COUNT = """
import json, sys, time
from engine.shell import Game
from tests.oracle import WELL_KNOWN

games = [Game(fen) for fen in WELL_KNOWN]
for _ in range(int(sys.argv[1])):
    begun = time.process_time()
    leaves = sum(game.perft(5) for game in games)
    print(json.dumps([leaves, time.process_time() - begun]), flush=True)
    sys.stdin.readline()
"""


class Counter:
    """A process that counts with one back-end whenever it is asked."""

    def __init__(self, backend: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", COUNT, str(ROUNDS + 1)],
            env=os.environ | {"NUMBISHOP_SLIDERS": backend},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.leaves, self.warm_up_s = self._answer()

    def _answer(self) -> tuple[int, float]:
        assert self._process.stdout is not None
        leaves, seconds = json.loads(self._process.stdout.readline())
        return leaves, seconds

    def count(self) -> float:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self._answer()[1]

    def close(self) -> None:
        self._process.communicate("\n")


def test_each_backend(benchmark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    names = (["pext"] if has_fast_pext() else []) + ["magic", "rays"]
    counters = {name: Counter(name) for name in names}
    assert len({counter.leaves for counter in counters.values()}) == 1
    turns: list[dict[str, float]] = []

    def turn() -> None:
        turns.append({name: counter.count() for name, counter in counters.items()})

    benchmark.pedantic(turn, rounds=ROUNDS)
    for counter in counters.values():
        counter.close()
    ratios = {name: median(turn[name] / turn["magic"] for turn in turns) for name in names}
    benchmark.extra_info.update({f"{name}_per_magic": round(r, 2) for name, r in ratios.items()})
    with capsys.disabled():
        each = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
        sys.stdout.write(f"\ntime of perft / that of magic: {each}\n")
