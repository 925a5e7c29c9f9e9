"""Tables that must not turn: weights in a row that only rise, or only fall, as their start does.

min F(w) under w_1 <= w_2 <= ... is solved by active sets. Weights between which the order binds are
tied, and the fit is done again: a tie is made where the order is violated, and given up where its
multiplier mu_i = -(g_1 + ... + g_i), summed over the tied weights up to it (g the gradient of F),
is negative, that is where the two sides would rather part in the right order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.errors import UsageError
from harness.texel.constraints import Pairs
from harness.texel.layout import Layout
from harness.texel.sums.kernel import Floats

#: An order may be violated by so much: far below what rounding to centipawns leaves.
_TOLERANCE_CP: Final = 1e-3


class Chain(NamedTuple):
    """Rows of T (see `harness.texel.constraints`) in the order in which their weights rise."""

    rows: NDArray[np.int64]
    #: bool[len(rows) - 1]: whether a weight is tied to the next one.
    tied: NDArray[np.bool_]

    def ties(self) -> Pairs:
        """The tied pairs."""
        return [
            (int(a), int(b))
            for a, b, tied in zip(self.rows[:-1], self.rows[1:], self.tied, strict=True)
            if tied
        ]


def chains(
    layout: Layout, names: Sequence[str], start: Floats, moved: NDArray[np.bool_]
) -> list[Chain]:
    """Two chains for each named table, untied. Raises UsageError where there is no direction.

    start : float64[W, 2]; moved : bool[W, 2]. Weights that cannot move are left out.
    """
    found = []
    for name in names:
        if name not in layout.tables() or name in layout.boards():
            raise UsageError(f"--monotone {name}: expected a table by rank or by count")
        places = layout.places(name)
        for half, word in enumerate(("middlegame", "endgame")):
            values = start[places, half]
            if np.all(values == values[0]):
                continue
            steps = np.diff(values)
            if np.any(steps < 0) and np.any(steps > 0):
                raise UsageError(
                    f"--monotone {name}: its starting weights of the {word} neither rise nor fall"
                    " all the way; expected a table whose start shows the direction"
                )
            order = np.arange(places.start, places.stop)
            order = order[moved[order, half]][:: -1 if values[-1] < values[0] else 1]
            found.append(Chain(2 * order + half, np.zeros(max(0, len(order) - 1), np.bool_)))
    return found


def revise(chain: Chain, weights: Floats, gradient: Floats, *, release: bool) -> Chain:
    """The chain with ties where the order is violated and, to `release`, without idle ones.

    weights, gradient : float64[W, 2], of a point where the gradient along the ties is 0.
    """
    values, slopes = weights.reshape(-1)[chain.rows], gradient.reshape(-1)[chain.rows]
    tied = chain.tied | (np.diff(values) < -_TOLERANCE_CP)
    running = 0.0
    for place, was_tied in enumerate(chain.tied):
        running = running + slopes[place] if place and chain.tied[place - 1] else slopes[place]
        if release and was_tied and running > 0.0:
            tied[place] = False
    return chain._replace(tied=tied)


def in_order(weights: Floats, chains: Sequence[Chain]) -> Floats:
    """The weights (float64[W, 2]) without the little by which an order is violated."""
    flat = weights.reshape(-1).copy()
    for chain in chains:
        flat[chain.rows] = np.maximum.accumulate(flat[chain.rows])
    return flat.reshape(weights.shape)
