"""Positions made up for the tuner's tests: random counts, results by known weights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.texel.dataset import Dataset
from harness.texel.layout import Layout

K = 0.005
LAYOUT = Layout(("pawn_value", "bishop_pair", "knight_squares", "rook_mobility"), (1, 1, 64, 6))
#: How many pieces of a side a table counts at most.
TABLES = {"knight_squares": 2, "rook_mobility": 2}


class Planted(NamedTuple):
    """Positions and the weights (float64[W, 2]) that decided them."""

    dataset: Dataset
    weights: NDArray[np.float64]


def random_counts(
    rng: np.random.Generator, positions: int, layout: Layout = LAYOUT
) -> NDArray[np.int64]:
    """int64[n, W]: net counts. A table's pieces each stand on one of its places."""
    counts = []
    for name, length in zip(layout.names, layout.lengths, strict=True):
        if length == 1:
            counts.append(rng.integers(-2, 3, (positions, 1)))
        else:
            ours, theirs = (
                rng.multinomial(
                    rng.integers(0, TABLES[name] + 1, positions), np.ones(length) / length
                )
                for _ in range(2)
            )
            counts.append(ours - theirs)
    return np.concatenate(counts, axis=1)


def dataset_of(
    counts: NDArray[np.int64],
    phase: NDArray[np.int64],
    result: NDArray[np.float64],
    *,
    scale_pct: NDArray[np.int64] | None = None,
    turn: NDArray[np.int64] | None = None,
    weight: NDArray[np.float64] | None = None,
    score_cp: NDArray[np.float64] | None = None,
    game: NDArray[np.int64] | None = None,
) -> Dataset:
    """Sparse rows of dense counts, int64[n, W]; what is not given is as plain as can be."""
    n = len(counts)
    rows, columns = np.nonzero(counts)
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=n), out=starts[1:])
    return Dataset(
        starts=starts,
        indices=columns.astype(np.uint16),
        counts=counts[rows, columns].astype(np.int8),
        phase=phase.astype(np.uint8),
        scale_pct=(np.full(n, 100) if scale_pct is None else scale_pct).astype(np.uint8),
        turn=(np.ones(n) if turn is None else turn).astype(np.int8),
        result=result.astype(np.float32),
        weight=(np.ones(n) if weight is None else weight).astype(np.float32),
        score_cp=(np.full(n, np.nan) if score_cp is None else score_cp).astype(np.float32),
        game=(np.arange(n) if game is None else game).astype(np.int32),
    )


def values(dataset: Dataset, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The positions' values in centipawns by a second way: dense, with numpy."""
    counts = dense(dataset, len(weights))
    middle = counts @ weights[:, 0] * dataset.phase / 24
    end = counts @ weights[:, 1] * (24 - dataset.phase.astype(float)) / 24
    total: NDArray[np.float64] = middle + end * dataset.scale_pct / 100
    return total


def dense(dataset: Dataset, size: int) -> NDArray[np.int64]:
    """int64[n, size]: the counts of each row."""
    counts = np.zeros((len(dataset.phase), size), np.int64)
    rows = np.repeat(np.arange(len(dataset.phase)), np.diff(dataset.starts))
    counts[rows, dataset.indices] = dataset.counts
    return counts


def planted(
    seed: int, positions: int, layout: Layout = LAYOUT, positions_of_a_game: int = 5
) -> Planted:
    """Positions won or lost by chance, with the probability that known weights say."""
    rng = np.random.default_rng(seed)
    weights = rng.normal(0.0, 60.0, (layout.size, 2))
    blank = dataset_of(
        random_counts(rng, positions, layout),
        rng.integers(0, 25, positions),
        np.zeros(positions),
        scale_pct=rng.choice([50, 100], positions),
        turn=rng.choice([-1, 1], positions),
        game=np.arange(positions) // positions_of_a_game,
    )
    expected = 1.0 / (1.0 + np.exp(-K * values(blank, weights)))
    won = rng.random(positions) < expected
    return Planted(blank._replace(result=won.astype(np.float32)), weights)
