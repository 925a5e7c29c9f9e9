"""The engine's kernels one by one, and the alternatives to some of them side by side.

Each row is the time of many calls; `extra_info` has that of one call in nanoseconds. The loops are
those of `harness bench --kernels`, which also compares them with another revision's.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from engine.board import BOARD_DTYPE
from engine.shell import Game
from engine.state import new_record
from harness.backends import usable_backends
from harness.kernels import KERNELS
from harness.kernels.workload import workload
from tests.kernels.making import make_and_restore, make_and_unmake, make_values
from tests.oracle import WELL_KNOWN

CALLS = 100_000
ROUNDS = 20

COUNT = """
import sys
from engine.shell import Game
from tests.oracle import WELL_KNOWN

games = [Game(fen) for fen in WELL_KNOWN]
while True:
    print(sum(game.perft(4) for game in games), flush=True)
    if not sys.stdin.readline().strip():
        break
"""


@pytest.mark.benchmark(group="kernels")
@pytest.mark.parametrize("name", KERNELS)
def test_kernel(benchmark: Any, name: str) -> None:
    work = importlib.import_module(KERNELS[name]).prepare(workload())
    repeated = max(1, CALLS // work.calls)
    benchmark.pedantic(work.run, args=(repeated,), rounds=ROUNDS, warmup_rounds=1)
    tell_ns(benchmark, repeated * work.calls)


WAYS: dict[str, Callable[[Any, Any, np.int64], object]] = {
    "value": lambda game, _, rounds: make_values(game, rounds),
    "unmake": make_and_unmake,
    "copy and restore": make_and_restore,
}


@pytest.mark.benchmark(group="a move made and taken back")
@pytest.mark.parametrize("way", WAYS)
def test_make(benchmark: Any, way: str) -> None:
    """Every move of the well-known positions: see also test_bench_make.py, in turn."""
    games = [Game(fen) for fen in WELL_KNOWN]
    board = new_record(BOARD_DTYPE)
    moves = sum(len(game.legal_moves()) for game in games)
    repeated = np.int64(CALLS // moves)

    def turn() -> None:
        for game in games:
            WAYS[way](game.record, board, repeated)

    benchmark.pedantic(turn, rounds=ROUNDS, warmup_rounds=1)
    tell_ns(benchmark, int(repeated) * moves)


@pytest.fixture
def counter(backend: str) -> Iterator[Callable[[], str]]:
    """Perft of the well-known positions by a slider back-end, which a process has for good."""
    with subprocess.Popen(
        [sys.executable, "-c", COUNT],
        env=os.environ | {"NUMBISHOP_SLIDERS": backend},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()

        def count() -> str:
            process.stdin.write("again\n")
            process.stdin.flush()
            return process.stdout.readline()

        yield count
        process.communicate("\n")


@pytest.mark.benchmark(group="slider back-ends, perft")
@pytest.mark.parametrize("backend", usable_backends())
def test_sliders(benchmark: Any, counter: Callable[[], str]) -> None:
    """See also test_bench_sliders.py, in turn."""
    benchmark.pedantic(counter, rounds=ROUNDS)


def tell_ns(benchmark: Any, calls: int) -> None:
    """What one call took in the fastest round."""
    benchmark.extra_info["ns"] = round(benchmark.stats["min"] * 1e9 / calls, 2)
