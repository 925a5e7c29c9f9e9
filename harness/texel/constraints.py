"""Which weights a fit moves, and which of them together: w = start + T u.

T has a row for each weight (middlegame and endgame apart, in the order of the curvature's rows)
and a column for each free number. A weight that no position knows, or that is frozen, has an empty
row; weights that shall stay equal share a column.
"""

# mypy: no-warn-return-any
# (SciPy has no types.)

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from harness.texel.layout import BOARD_SQUARES, Layout
from harness.texel.sums.kernel import Floats

Pairs = list[tuple[int, int]]


class Freedom(NamedTuple):
    """The linear map from free numbers u to weights, float64[W, 2]."""

    start: Floats
    columns: sparse.csr_array  # T, float64[2 W, U]

    @property
    def size(self) -> int:
        """U: how many free numbers there are."""
        return int(self.columns.shape[1])

    def origin(self) -> Floats:
        """The u of the start."""
        return np.zeros(self.size)

    def weights(self, u: Floats) -> Floats:
        """start + T u."""
        return self.start + (self.columns @ u).reshape(self.start.shape)

    def numbers(self, weights: Floats) -> Floats:
        """The u of weights that keep the ties."""
        change = (weights - self.start).reshape(-1)
        return (self.columns.T @ change) / self.columns.sum(axis=0)

    def gradient(self, by_weight: Floats) -> Floats:
        """The gradient by u of what has this gradient by weights (float64[W, 2])."""
        return self.columns.T @ by_weight.reshape(-1)

    def matrix(self, by_weight: Floats) -> Floats:
        """T^T A T of a matrix by weights (float64[2 W, 2 W])."""
        return self.columns.T @ (self.columns.T @ by_weight.T).T

    def moved(self) -> NDArray[np.bool_]:
        """bool[W, 2]: the weights that can move."""
        return (self.columns.sum(axis=1) > 0).reshape(self.start.shape)


def freedom(
    start: Floats,
    free: NDArray[np.bool_],
    support: NDArray[np.int64],
    ties: Iterable[tuple[int, int]],
) -> Freedom:
    """The map for weights that are free (bool[W]), seen (support : int64[W, 2]) and tied.

    ties : pairs of rows of T. Tied weights start from their common mean, and one that was seen
    takes along one that was not.
    """
    size = start.size
    edges = np.array(list(ties), np.int64).reshape(-1, 2)
    links = sparse.csr_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), (size, size))
    _, group = connected_components(links, directed=False)
    movable = np.repeat(free, 2)
    seen = np.bincount(group, weights=support.reshape(-1) * movable) > 0
    chosen = np.flatnonzero(movable & seen[group])
    _, column = np.unique(group[chosen], return_inverse=True)
    columns = sparse.csr_array(
        (np.ones(chosen.size), (chosen, column)), (size, int(column.max(initial=-1)) + 1)
    )
    flat = start.reshape(-1).copy()
    means = (columns.T @ flat) / columns.sum(axis=0)
    flat[chosen] = means[column]
    return Freedom(flat.reshape(start.shape), columns)


def mirror_ties(layout: Layout) -> Pairs:
    """Squares left and right of the middle, of every board, as pairs of rows of T."""
    return [
        pair
        for name in layout.boards()
        for square in range(BOARD_SQUARES)
        if square % 8 < 4
        for pair in _both_halves(layout.places(name).start, square, square ^ 7)
    ]


def neighbours(layout: Layout) -> Pairs:
    """Squares side by side or one above the other, of every board, as pairs of rows of T."""
    return [
        pair
        for name in layout.boards()
        for square in range(BOARD_SQUARES)
        for other in (square + 1, square + 8)
        if other < BOARD_SQUARES and abs(other % 8 - square % 8) <= 1
        for pair in _both_halves(layout.places(name).start, square, other)
    ]


def _both_halves(first: int, square: int, other: int) -> Pairs:
    return [(2 * (first + square) + half, 2 * (first + other) + half) for half in (0, 1)]
