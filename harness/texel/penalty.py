"""What a fit pays for leaving its start and for rough boards: |D w - d|^2 / 2.

Both strengths are counted in positions. A position of expected score 1/2 in which a weight counts
once, and entirely, bends the loss by h_0 = 2 (k/4)^2 (squared) or k^2/4 (entropy), divided by the
number of positions. A ridge of r is r such positions for each weight, all content with its start: a
weight that r positions know goes half the way that they ask for. Smoothness s says so of the
difference between two neighbouring squares, and of no difference.
"""

# mypy: no-warn-return-any
# (SciPy has no types.)

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from harness.texel.sums.kernel import Floats


class Penalty(NamedTuple):
    """|D w - d|^2 / 2 of the flattened weights w (float64[2 W])."""

    rows: sparse.csr_array  # D
    wanted: Floats  # d
    ridge: float  # in positions for each weight

    def value_and_gradient(self, weights: Floats) -> tuple[float, Floats]:
        """The penalty of weights, float64[W, 2], and its gradient, the same shape."""
        off = self.rows @ weights.reshape(-1) - self.wanted
        return 0.5 * float(off @ off), (self.rows.T @ off).reshape(weights.shape)

    def curvature(self) -> Floats:
        """D^T D, float64[2 W, 2 W]."""
        return (self.rows.T @ self.rows).toarray()


def bend_of_one_position(k: float, loss: str) -> float:
    """h_0 of the module's text."""
    return k * k / 8.0 if loss == "squared" else k * k / 4.0


def penalty(
    start: Floats,
    neighbours: Sequence[tuple[int, int]],
    *,
    ridge: float,
    smoothness: float,
    position: float,
) -> Penalty:
    """The penalty around `start`; `position` is the curvature of one position in the mean loss."""
    size = start.size
    pull = np.sqrt(ridge * position)
    stiff = np.sqrt(smoothness * position)
    pairs = np.array(neighbours, np.int64).reshape(-1, 2)
    steps = np.arange(len(pairs))
    differences = sparse.csr_array(
        (
            np.concatenate([np.full(len(pairs), stiff), np.full(len(pairs), -stiff)]),
            (np.concatenate([steps, steps]), pairs.T.reshape(-1)),
        ),
        (len(pairs), size),
    )
    rows = sparse.vstack([pull * sparse.eye_array(size), differences], format="csr")
    return Penalty(rows, np.concatenate([pull * start.reshape(-1), np.zeros(len(pairs))]), ridge)
