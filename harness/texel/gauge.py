"""The directions that no data can show, and how they are fixed.

Each knight stands on one square and has one mobility: in every position the counts of such a table
add up to those of the piece's value, so that a constant can move from the table to the value and no
evaluation changes. Of a king the sum is 0, and its table may be shifted as one likes. Both are
found in the data: by them the tables get the mean 0 (weighted by how often a place is used), and
the value gets what they lose. Weights that no position knows stay as they are.
"""

# mypy: no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from harness.texel.layout import Layout
from harness.texel.positions import Positions
from harness.texel.sums.kernel import Floats


class Gauge(NamedTuple):
    """A table whose counts always add up to those of a term of one weight, or to 0 (None)."""

    table: str
    scalar: str | None


def find_gauges(layout: Layout, positions: Positions) -> list[Gauge]:
    """The gauges that hold in every position; of a table at most one."""
    numbers = {name: number for number, name in enumerate(layout.names)}
    scalars = [name for name in layout.names if name not in layout.tables()]
    pairs = [Gauge(table, scalar) for table in layout.tables() for scalar in (None, *scalars)]
    holds = positions.constant_sums(
        layout.term_of(),
        np.array([numbers[pair.table] for pair in pairs], np.int64),
        np.array([-1 if p.scalar is None else numbers[p.scalar] for p in pairs], np.int64),
    )
    found = {pair.table: pair for pair, true in zip(pairs, holds, strict=True) if true}
    return list(found.values())


def fixing(
    layout: Layout, gauges: list[Gauge], support: NDArray[np.int64], moved: NDArray[np.bool_]
) -> sparse.csr_array:
    """The map M, float64[2 W, 2 W], from weights to those of the same values in fixed gauges.

    support : int64[W, 2], how many positions know a weight; moved : bool[W, 2]. A gauge holds only
    where the whole table as far as it was seen, and the scalar, may move.
    """
    matrix = sparse.lil_array((support.size, support.size))
    matrix.setdiag(1.0)
    for table, scalar in gauges:
        for half in (0, 1):
            places = np.arange(layout.size)[layout.places(table)]
            seen = places[support[places, half] > 0]
            target = None if scalar is None else layout.places(scalar).start
            if not seen.size or not moved[seen, half].all():
                continue
            if target is not None and not moved[target, half]:
                continue
            rows, share = 2 * seen + half, support[seen, half] / support[seen, half].sum()
            matrix[np.ix_(rows, rows)] = np.eye(seen.size) - share
            if target is not None:
                matrix[2 * target + half, rows] = share
    return matrix.tocsr()


def fix(fixing: sparse.csr_array, weights: Floats) -> Floats:
    """The weights (float64[W, 2]) in the fixed gauges."""
    return (fixing @ weights.reshape(-1)).reshape(weights.shape)
