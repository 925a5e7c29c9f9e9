"""The tuner's steps, and its way to the minimum beside another tuner's.

The second one needs GediminasMasaitis/texel-tuner, built with its tapered example (material and the
bishop pair) and two threads, and positions it can read:

    NUMBISHOP_TEXEL_TUNER=.../tuner NUMBISHOP_POSITIONS=positions.epd \\
        pytest tests/benchmarks/test_bench_tuner.py -s
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
import pytest

from harness.texel.dataset import Dataset
from harness.texel.fit import FitOptions, fit
from harness.texel.layout import Layout
from harness.texel.positions import Positions
from tests.unit.texel_data import LAYOUT, K, dataset_of, planted

PEER = os.environ.get("NUMBISHOP_TEXEL_TUNER")
POSITIONS = os.environ.get("NUMBISHOP_POSITIONS")
THREADS = 2
#: The peer's loss does not fall any more (to 1e-6) from 1,000 on.
PEER_EPOCHS = 1500
PHASES = np.array([0, 1, 1, 2, 4])
PEER_LAYOUT = Layout(
    ("pawn", "knight", "bishop", "rook", "queen", "bishop_pair"), (1, 1, 1, 1, 1, 1)
)
PEER_START = np.array([100.0, 300.0, 300.0, 500.0, 900.0, 25.0])


@pytest.fixture(scope="module")
def positions() -> Positions:
    dataset = planted(1, 200_000).dataset
    return Positions(dataset, dataset.result.astype(float), "squared", LAYOUT.size, THREADS)


@pytest.mark.benchmark(group="tuner")
def test_epoch(benchmark, positions):
    """A gradient over 200,000 positions of some 5 terms, two threads."""
    weights = np.zeros((LAYOUT.size, 2))
    benchmark(positions.gradient, weights, K)


@pytest.mark.benchmark(group="tuner")
def test_gauss_newton_matrix(benchmark, positions):
    """The curvature of 100,000 of them."""
    weights = np.zeros((LAYOUT.size, 2))
    benchmark(positions.curvature, weights, K, 100_000)


class Way(NamedTuple):
    """Seconds to within 1e-6 of the last loss, and that loss."""

    seconds: float
    loss: float


@pytest.mark.skipif(not (PEER and POSITIONS), reason="another tuner is not named (see above)")
def test_to_the_minimum_beside_another_tuner():
    dataset = read_material(Path(POSITIONS))
    own, other = [], []
    for _ in range(3):  # in turn
        way, k = peer_way(Path(PEER), Path(POSITIONS))
        other.append(way)
        own.append(own_way(dataset, k))
    ratios = sorted(mine.seconds / way.seconds for mine, way in zip(own, other, strict=True))
    click.echo(f"\nours {own}\ntheirs {other}\nratios of the times {ratios}")
    assert own[0].loss <= other[0].loss + 1e-6


def own_way(dataset: Dataset, k: float) -> Way:
    """By the second-order way, from the loaded positions; everything that it does is counted."""
    start = np.repeat(PEER_START[:, None], 2, axis=1)
    options = FitOptions(k=k / 400.0, ridge=0.0, threads=THREADS)
    fit(dataset, None, PEER_LAYOUT, start, replace(options, steps=1))
    began = time.perf_counter()
    fitted = fit(dataset, None, PEER_LAYOUT, start, options)
    seconds = time.perf_counter() - began
    return Way(seconds, fitted.best.train)


def peer_way(program: Path, positions: Path) -> tuple[Way, float]:
    """By its own word: its loop alone is counted, by the speed that it prints."""
    sources = positions.with_name("sources.csv")
    sources.write_text(f"{positions.resolve()},0,0\n")
    k, epochs = 0.0, []
    with subprocess.Popen([program.resolve(), sources], stdout=subprocess.PIPE, text=True) as peer:
        for line in peer.stdout:
            if found := re.match(r"K = ([\d.]+)", line):
                k = float(found[1])
            if found := re.search(r"Epoch (\d+) \(([\d.]+) eps\), error ([\d.]+)", line):
                epochs.append((int(found[1]), float(found[2]), float(found[3])))
            if epochs and epochs[-1][0] >= PEER_EPOCHS:
                peer.kill()
                break
    last = epochs[-1][2]
    epoch, eps, _ = next(one for one in epochs if one[2] <= last + 1e-6)
    return Way(epoch / eps, last), k


def read_material(path: Path) -> Dataset:
    """Material and bishop pairs of `FEN [result]` lines, results as white's."""
    counts, phases, results = [], [], []
    for line in path.read_text("utf-8").splitlines():
        board, result = line.split(" ", 1)[0], float(line[line.rindex("[") + 1 : line.rindex("]")])
        white, black = ([board.count(sign) for sign in signs] for signs in ("PNBRQ", "pnbrq"))
        pair = (white[2] == 2) - (black[2] == 2)
        counts.append([*(w - b for w, b in zip(white, black, strict=True)), pair])
        phases.append(np.add(white, black) @ PHASES)
        results.append(result)
    return dataset_of(np.array(counts), np.array(phases), np.array(results))
