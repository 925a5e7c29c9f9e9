"""Labelled positions with the sums that a fit needs, taken by several threads.

The rows are cut into a fixed number of parts, whose sums are added up in their order: the result
does not depend on how many threads there are. Losses and their derivatives are means over the
positions, each counted as often as it occurred.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from harness.texel.dataset import Dataset
from harness.texel.sums import kernel
from harness.texel.sums.kernel import ENTROPY, SQUARED, Floats, Rows

Result = TypeVar("Result")

LOSSES: Final = {"squared": SQUARED, "entropy": ENTROPY}
#: Parts of a sum over all positions; more threads than that have nothing to do.
PARTS: Final = 32
#: Parts of a curvature: each needs a matrix of its own.
MATRIX_PARTS: Final = 4
#: Games whose scores are held at a time.
_GAMES_AT_ONCE: Final = 2048


class Positions:
    """The positions of a data set, what their values shall predict, and by which loss."""

    def __init__(
        self, dataset: Dataset, target: Floats, loss: str, weight_count: int, threads: int
    ) -> None:
        self._rows = Rows(
            **{name: _read_only(getattr(dataset, name)) for name in Rows._fields[:-1]},
            target=np.ascontiguousarray(target, dtype=np.float64),
        )
        self.game = np.asarray(dataset.game)
        self._kind = LOSSES[loss]
        self._weight_count = weight_count
        self._pool = ThreadPoolExecutor(threads)
        self.count = len(target)
        self.used = int(np.count_nonzero(dataset.weight))
        self.total_weight = float(np.sum(dataset.weight, dtype=np.float64))

    @property
    def target(self) -> Floats:
        """float64[n]: what is predicted."""
        return self._rows.target

    @property
    def weight(self) -> Floats:
        """float64[n]: how often each position occurred."""
        return self._rows.weight.astype(np.float64)

    @property
    def phase(self) -> NDArray[np.uint8]:
        """uint8[n]: 24 (middlegame) to 0."""
        return self._rows.phase

    def retarget(self, target: Floats) -> None:
        """Predict something else."""
        self._rows = self._rows._replace(target=np.ascontiguousarray(target, dtype=np.float64))

    def values(self, weights: Floats, *, exact: bool = False) -> Floats:
        """float64[n]: centipawns of each position, real or as the engine rounds them."""
        values = np.empty(self.count)
        self._in_parts(
            PARTS,
            lambda part, first, last: kernel.fill_values(
                self._rows, first, last, weights, exact, values
            ),
        )
        return values

    def loss(self, weights: Floats, k: float, *, exact: bool = False) -> float:
        """The mean loss; `exact`: with the values as the engine rounds them."""
        parts: list[float] = self._in_parts(
            PARTS,
            lambda part, first, last: kernel.add_loss(
                self._rows, first, last, weights, k, self._kind, exact
            ),
        )
        return sum(parts) / self.total_weight

    def gradient(self, weights: Floats, k: float, *, exact: bool = False) -> tuple[float, Floats]:
        """The mean loss and its gradient, float64[W, 2]."""
        sums = np.zeros((PARTS, self._weight_count, 2))
        parts = self._in_parts(
            PARTS,
            lambda part, first, last: kernel.add_gradient(
                self._rows, first, last, weights, k, self._kind, exact, sums[part]
            ),
        )
        return sum(parts) / self.total_weight, sums.sum(axis=0) / self.total_weight

    def curvature(self, weights: Floats, k: float, rows_at_most: int) -> Floats:
        """The mean curvature, float64[2 W, 2 W], by at most so many rows, evenly chosen.

        Weight j has the rows and columns 2 j (middlegame) and 2 j + 1 (endgame).
        """
        size = self._weight_count
        stride = -(-self.count // rows_at_most)
        sums = np.zeros((MATRIX_PARTS, size, size, 3))
        parts = self._in_parts(
            MATRIX_PARTS,
            lambda part, first, last: kernel.add_curvature(
                self._rows, first, last, stride, weights, k, self._kind, sums[part]
            ),
        )
        half = sums.sum(axis=0) / sum(parts)
        matrix = np.empty((size, 2, size, 2))
        for place, (row, column) in enumerate(((0, 0), (0, 1), (1, 1))):
            whole = half[:, :, place] + np.triu(half[:, :, place], 1).T
            matrix[:, row, :, column] = matrix[:, column, :, row] = whole
        return matrix.reshape(2 * size, 2 * size)

    def score_products(self, weights: Floats, k: float) -> Floats:
        """Sum over games of s s^T, s the game's share of the mean loss's gradient.

        float64[2 W, 2 W], laid out as the curvature.
        """
        order = np.argsort(self.game, kind="stable")
        _, places = np.unique(self.game[order], return_inverse=True)
        size = 2 * self._weight_count
        total = np.zeros((size, size))
        games = int(places[-1]) + 1
        for first in range(0, games, _GAMES_AT_ONCE):
            last = min(first + _GAMES_AT_ONCE, games)
            here = slice(*np.searchsorted(places, (first, last)))
            scores = np.zeros((last - first, self._weight_count, 2))
            kernel.add_scores(
                self._rows, order[here], places[here] - first, weights, k, self._kind, scores
            )
            flat = scores.reshape(last - first, size) / self.total_weight
            total += flat.T @ flat
        return total

    def support(self) -> NDArray[np.int64]:
        """int64[W, 2]: in how many positions each weight has a say."""
        counts: NDArray[np.int64] = np.zeros((PARTS, self._weight_count, 2), np.int64)
        self._in_parts(
            PARTS,
            lambda part, first, last: kernel.add_support(self._rows, first, last, counts[part]),
        )
        total: NDArray[np.int64] = counts.sum(axis=0)
        return total

    def constant_sums(
        self, term_of: NDArray[np.int64], tables: NDArray[np.int64], scalars: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Whether, in every position, the counts of a table add up to those of its scalar term.

        tables, scalars : int64[n], numbers of terms; a scalar of -1 stands for a sum of 0.
        """
        holds = np.ones(tables.size, np.bool_)
        scratch = np.zeros(int(term_of[-1]) + 1, np.int64)
        edges = _edges(self.count, PARTS)
        for first, last in pairwise(edges):
            alive = np.flatnonzero(holds)
            still = np.ones(alive.size, np.bool_)
            kernel.refute_sums(
                self._rows, first, last, term_of, tables[alive], scalars[alive], scratch, still
            )
            holds[alive] = still
        return holds

    def _in_parts(self, parts: int, function: Callable[[int, int, int], Result]) -> list[Result]:
        """`function(part, first row, last row)` of each part, results in the parts' order."""
        edges = _edges(self.count, parts)
        return list(self._pool.map(function, range(parts), edges[:-1], edges[1:]))


def _read_only(column: NDArray[Any]) -> NDArray[Any]:
    """A view that the kernels are compiled for once, mapped from a file or not."""
    view = np.asarray(column).view()
    view.flags.writeable = False
    return view


def _edges(count: int, parts: int) -> list[int]:
    return [count * part // parts for part in range(parts + 1)]


def blended_target(dataset: Dataset, k: float, result_share: float) -> Floats:
    """What to predict: the result, or a blend with the score a search saw, where there is one.

    float64[n]; `result_share` (lambda) 1 takes the result alone, 0 the search alone.
    """
    result = np.asarray(dataset.result, dtype=np.float64)
    if result_share == 1.0:
        return result
    score_cp = np.asarray(dataset.score_cp, dtype=np.float64)
    seen = 1.0 / (1.0 + np.exp(-np.clip(k * score_cp, -700.0, 700.0)))
    blend = result_share * result + (1.0 - result_share) * seen
    return np.where(np.isnan(score_cp), result, blend)
