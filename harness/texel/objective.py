"""What a fit makes small: the mean loss of the training positions and the penalty."""

from __future__ import annotations

from typing import NamedTuple

from harness.texel.constraints import Freedom
from harness.texel.penalty import Penalty
from harness.texel.positions import Positions
from harness.texel.sums.kernel import Floats


class Objective(NamedTuple):
    """A function of the free numbers u (float64[U])."""

    positions: Positions
    penalty: Penalty
    freedom: Freedom
    k: float

    def value_and_gradient(self, u: Floats) -> tuple[float, Floats]:
        """The mean loss with the penalty, and its gradient by u."""
        weights = self.freedom.weights(u)
        loss, slope = self.positions.gradient(weights, self.k)
        paid, pull = self.penalty.value_and_gradient(weights)
        return loss + paid, self.freedom.gradient(slope + pull)

    def by_weight(self, weights: Floats) -> Floats:
        """The gradient by every weight, free or not, tied or not; both float64[W, 2]."""
        _, slope = self.positions.gradient(weights, self.k)
        return slope + self.penalty.value_and_gradient(weights)[1]

    def exact_gradient(self, weights: Floats) -> Floats:
        """The gradient by u at whole weights (float64[W, 2]), of values as the engine rounds them.

        Rounding itself is taken for a shift of each value that the weights have no say in.
        """
        _, slope = self.positions.gradient(weights, self.k, exact=True)
        return self.freedom.gradient(slope + self.penalty.value_and_gradient(weights)[1])

    def loss(self, u: Floats) -> float:
        """The mean loss alone."""
        return self.positions.loss(self.freedom.weights(u), self.k)
