"""Perft with bulk counting beside Stockfish's `go perft`. The issue asks for 1.0 times its speed.

That is the geometric mean over five well-known positions, by CPU time, printed at the end. With a
table, which starts empty, a deep count is measured beside the plain one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from statistics import geometric_mean
from typing import Any

import pytest

from engine.shell import STARTPOS, Game, PerftCounter
from tests.benchmarks.opponent import Opponent, compare, find_program

# name: FEN, depth, leaves (chessprogramming.org, Perft Results)
POSITIONS = {
    "start": (STARTPOS, 6, 119_060_324),
    "kiwipete": (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        5,
        193_690_690,
    ),
    "position 3": ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7, 178_633_661),
    "position 4": (
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        5,
        15_833_292,
    ),
    "position 5": ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 5, 89_941_194),
}
ROUNDS = 5


@pytest.fixture(scope="module")
def stockfish() -> Iterator[Opponent | None]:
    program = find_program("stockfish")
    if program is None:
        yield None
        return
    with Opponent(program) as opponent:
        yield opponent


@pytest.fixture(scope="module")
def ratios() -> dict[str, float]:
    """Of each position that was measured, by name."""
    return {}


@pytest.mark.parametrize("name", POSITIONS)
def test_perft(
    benchmark: Any, name: str, stockfish: Opponent | None, ratios: dict[str, float]
) -> None:
    fen, depth, leaves = POSITIONS[name]
    game = Game(fen)
    game.perft(1)

    def ours() -> float:
        begun = time.process_time()
        assert game.perft(depth) == leaves
        return time.process_time() - begun

    def theirs() -> float:
        assert stockfish is not None
        command = f"position fen {fen}\ngo perft {depth}"
        line, seconds = stockfish.ask(command, "Nodes searched")
        assert int(line.split()[-1]) == leaves
        return seconds

    ratio = compare(benchmark, ours, theirs if stockfish else None, ROUNDS)
    benchmark.extra_info["Mnps"] = round(leaves / benchmark.extra_info["ours_cpu_s"] / 1e6, 1)
    if ratio is not None:
        ratios[name] = ratio


#: name: FEN, depth, leaves; as deep as takes seconds without a table.
DEEP = {
    "start": (STARTPOS, 7, 3_195_901_860),
    "position 3": (POSITIONS["position 3"][0], 8, 3_009_794_393),
}
HASH_MB = 64


@pytest.mark.parametrize("name", DEEP)
def test_table(benchmark: Any, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    fen, depth, leaves = DEEP[name]
    game = Game(fen)

    def seconds(counter: PerftCounter) -> float:
        counter.count(game, 1)
        begun = time.process_time()
        assert counter.count(game, depth) == leaves
        return time.process_time() - begun

    ratio = compare(
        benchmark,
        lambda: seconds(PerftCounter(hash_mb=HASH_MB)),
        lambda: seconds(PerftCounter()),
        rounds=3,
    )
    with capsys.disabled():
        sys.stdout.write(f"\nperft {depth} of {name} with {HASH_MB} MB / without: {ratio:.1f}\n")


def test_geometric_mean(ratios: dict[str, float], capsys: pytest.CaptureFixture[str]) -> None:
    """Not a benchmark: the sum of the five above."""
    if set(ratios) != set(POSITIONS):
        pytest.skip("needs all five positions, and stockfish")
    each = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
    with capsys.disabled():
        sys.stdout.write(f"\nperft / Stockfish: {geometric_mean(ratios.values()):.2f} ({each})\n")
