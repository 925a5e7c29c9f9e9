"""Whole centipawns without a loss: the fitted weights rounded, then repaired by unit steps.

The engine's values are rounded down after blending, from the side to move, and the weights before:
both cost. The loss of whole weights is taken of the values as the engine computes them. Near them
the objective is a quadratic of the curvature already known, in which the best unit step (of weights
that are tied, together) is found by a look at the gradient. A run of such steps is accepted when
the loss itself agrees, else its first half is tried, and so on. What is left is chance: how the
engine's rounding falls in each position. Single steps that cost next to nothing are tried on it.
What is still lost then is made up for by a few steps that the loss alone asks for, be the fit
stopped early or pulled to its start.
"""

# mypy: no-warn-return-any

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.texel.objective import Objective
from harness.texel.sums.kernel import Floats

#: Single steps tried: each costs a pass over all positions.
_TRIES: Final = 100
_CURVATURE_ROWS: Final = 100_000


class Rounded(NamedTuple):
    """Whole weights, and the mean training losses on the way to them."""

    weights: NDArray[np.int64]  # int64[W, 2], centipawns
    fitted_loss: float  # of the weights before rounding, in real arithmetic
    nearest_loss: float  # of the nearest whole numbers, as the engine computes
    loss: float  # of `weights`, as the engine computes
    steps: int


def nearest_whole(objective: Objective, weights: Floats) -> Rounded:
    """The nearest whole weights, not repaired."""
    whole = np.rint(weights)
    loss = objective.positions.loss(whole, objective.k, exact=True)
    fitted_loss = objective.positions.loss(weights, objective.k)
    return Rounded(whole.astype(np.int64), fitted_loss, loss, loss, 0)


class _Step(NamedTuple):
    place: int
    sign: int


def round_weights(
    objective: Objective, weights: Floats, orders: Sequence[NDArray[np.int64]] = ()
) -> Rounded:
    """Whole weights near `weights` (float64[W, 2]) that lose nothing, if they can be found.

    Stops when the loss is no greater than that of `weights`. orders : flattened places of weights
    that shall not fall from one to the next.
    """
    positions, k = objective.positions, objective.k
    wanted = positions.loss(weights, k)
    nearest = np.rint(weights)
    curvature = objective.freedom.matrix(
        positions.curvature(nearest, k, _CURVATURE_ROWS) + objective.penalty.curvature()
    )
    wish = objective.freedom.gradient(objective.by_weight(weights))
    repair = _Repair(objective, curvature, wish, wanted, orders)
    first = _Candidate(nearest, positions.loss(nearest, k, exact=True), 0)
    last = repair.by_fitting(repair.by_single_steps(repair.by_runs(first)))
    return Rounded(last.weights.astype(np.int64), wanted, first.loss, last.loss, last.steps)


class _Candidate(NamedTuple):
    weights: Floats
    loss: float
    steps: int


class _Repair(NamedTuple):
    """What steps are judged by.

    `wish`: the gradient by u at the fitted weights, to be had again at whole ones. It is not 0
    where a fit was stopped early, and rounding is no reason to go on with it, but the last resort.
    """

    objective: Objective
    curvature: Floats
    wish: Floats
    wanted: float
    orders: Sequence[NDArray[np.int64]]

    def by_runs(self, best: _Candidate) -> _Candidate:
        """Runs of steps that the quadratic promises, as long as the loss agrees."""
        while best.loss > self.wanted:
            steps = promising_steps(self._slope(best), self.curvature)
            tried = best
            while steps and tried.loss >= best.loss:
                tried = self._after(best, steps)
                steps = steps[: len(steps) // 2]
            if tried.loss >= best.loss:
                break
            best = tried
        return best

    def by_single_steps(self, best: _Candidate) -> _Candidate:
        """Steps that should cost next to nothing, for what luck the rounding has in store."""
        slope = self._slope(best)
        costs = 0.5 * np.diag(self.curvature) - np.abs(slope)
        for place in np.argsort(costs, kind="stable")[:_TRIES]:
            if best.loss <= self.wanted:
                break
            tried = self._after(best, [_Step(int(place), -1 if slope[place] > 0 else 1)])
            if tried.loss < best.loss:
                best = tried
        return best

    def by_fitting(self, best: _Candidate) -> _Candidate:
        """Of the steps by which the loss alone falls, one, two, four ... until nothing is lost."""
        objective, start = self.objective, best
        _, slope = objective.positions.gradient(start.weights, objective.k, exact=True)
        steps = promising_steps(objective.freedom.gradient(slope), self.curvature)
        count = 1
        while best.loss > self.wanted and count < 2 * len(steps):
            tried = self._after(start, steps[:count])
            if tried.loss < best.loss:
                best = tried
            count *= 2
        return best

    def _slope(self, candidate: _Candidate) -> Floats:
        return self.objective.exact_gradient(candidate.weights) - self.wish

    def _after(self, candidate: _Candidate, steps: list[_Step]) -> _Candidate:
        """What some unit steps lead to; an infinite loss where an order is broken."""
        u = self.objective.freedom.origin()
        for step in steps:
            u[step.place] += step.sign
        change = (self.objective.freedom.columns @ u).reshape(candidate.weights.shape)
        weights = candidate.weights + change
        if any(np.any(np.diff(weights.reshape(-1)[places]) < 0) for places in self.orders):
            return candidate._replace(loss=np.inf)
        loss = self.objective.positions.loss(weights, self.objective.k, exact=True)
        return _Candidate(weights, loss, candidate.steps + len(steps))


def promising_steps(gradient: Floats, curvature: Floats) -> list[_Step]:
    """Unit steps downhill in the quadratic g u + u A u / 2, the best first, until none helps.

    gradient : float64[U]; curvature : float64[U, U].
    """
    slope, bend = gradient.copy(), np.diag(curvature)
    steps: list[_Step] = []
    while len(steps) < 2 * len(slope):
        gain = np.abs(slope) - 0.5 * bend
        place = int(np.argmax(gain))
        if gain[place] <= 0.0:
            break
        sign = -1 if slope[place] > 0 else 1
        steps.append(_Step(place, sign))
        slope += sign * curvature[:, place]
    return steps
