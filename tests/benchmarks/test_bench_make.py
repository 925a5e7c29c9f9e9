"""Immutable value, unmaking, restoring a copy: nanoseconds for a move made and taken back.

Seed 000 holds that unmaking is a little faster than a copy, seed 003 that it is faster; neither
measured it. Also whole perfts, where generation hides most of the difference. CPU time, in turn.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import geometric_mean, median
from typing import Any

import numpy as np
import pytest

from engine.board import BOARD_DTYPE
from engine.pseudo_legal import perft_oracle
from engine.shell import Game
from engine.state import new_record
from tests.kernels.making import (
    make_and_restore,
    make_and_unmake,
    make_values,
    perft_by_unmaking,
)
from tests.oracle import WELL_KNOWN

MADE = 2_000_000  # moves for each position and round
PERFT_DEPTH = 4
ROUNDS = 5


def cpu_s(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def measured_ns(game: Game) -> dict[str, float]:
    """The median over rounds of the CPU time that one move takes each way."""
    board = new_record(BOARD_DTYPE)
    rounds = np.int64(MADE // len(game.legal_moves()))
    ways: dict[str, Callable[[], object]] = {
        "value": lambda: make_values(game.record, rounds),
        "unmake": lambda: make_and_unmake(game.record, board, rounds),
        "copy": lambda: make_and_restore(game.record, board, rounds),
    }
    for way in ways.values():
        way()
    seconds = [{name: cpu_s(way) for name, way in ways.items()} for _ in range(ROUNDS)]
    return {name: median(turn[name] for turn in seconds) / MADE * 1e9 for name in ways}


def test_a_move_made_and_taken_back(benchmark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    found: list[dict[str, float]] = []
    benchmark.pedantic(lambda: found.extend(measured_ns(Game(fen)) for fen in WELL_KNOWN), rounds=1)
    means = {name: geometric_mean(one[name] for one in found) for name in found[0]}
    benchmark.extra_info.update({f"{name}_ns": round(mean, 1) for name, mean in means.items()})
    with capsys.disabled():
        each = ", ".join(f"{name} {mean:.1f} ns" for name, mean in means.items())
        sys.stdout.write(f"\nmake and take back: {each}\n")


def test_perft(benchmark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The same generator and the same test for check in both; only taking back differs."""
    board = new_record(BOARD_DTYPE)
    depth = np.int64(PERFT_DEPTH)
    games = [Game(fen) for fen in WELL_KNOWN]
    ratios: list[float] = []

    def turn() -> None:
        copying = cpu_s(lambda: [perft_oracle(game.record, board, depth) for game in games])
        unmaking = cpu_s(lambda: [perft_by_unmaking(game.record, board, depth) for game in games])
        ratios.append(copying / unmaking)

    benchmark.pedantic(turn, rounds=ROUNDS, warmup_rounds=1)
    ratio = median(ratios[1:])
    benchmark.extra_info["ratio"] = round(ratio, 3)
    with capsys.disabled():
        sys.stdout.write(f"\nperft, copying / unmaking: {ratio:.3f} of the time\n")
