"""The way of a fit: the points it passes, the best of them, and when it is enough."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

from harness.texel.objective import Objective
from harness.texel.optimise import AdamState
from harness.texel.positions import Positions
from harness.texel.sums.kernel import Floats


class Point(NamedTuple):
    """A step of the way: losses are means, without the penalty; no validation: NaN."""

    step: int
    ridge: float
    train: float
    validation: float
    elapsed_s: float

    @property
    def judged(self) -> float:
        """The loss by which points are compared."""
        return self.train if math.isnan(self.validation) else self.validation


class Progress(NamedTuple):
    """All that is needed to go on with a fit, or to end it here."""

    state: AdamState
    best_weights: Floats  # float64[W, 2]
    best: Point
    path: tuple[Point, ...]


class Watch:
    """Follows a fit: keeps the best point, says when to stop.

    `ending`: `steps` (no more of them allowed) until it is `converged`, `validation` (no better
    for too long) or `interrupted`.
    """

    def __init__(
        self,
        validation: Positions | None,
        patience: int,
        keep: Callable[[Progress], bool],
        resumed: Progress | None,
    ) -> None:
        self._validation = validation
        self._patience = patience
        self._keep = keep
        self._started_s = time.monotonic() - (resumed.path[-1].elapsed_s if resumed else 0.0)
        #: The ridge that a resumed fit had come to.
        self.ridge = resumed.path[-1].ridge if resumed else math.inf
        # A resumed fit sees its last point once more.
        self.progress = resumed._replace(path=resumed.path[:-1]) if resumed else None
        self.ending = "steps"

    @property
    def reached(self) -> Progress:
        """Where the fit is, once it has seen a point."""
        assert self.progress is not None
        return self.progress

    def prefer_last(self, weights: Floats) -> None:
        """Take the last point for the best one, whatever the validation says."""
        self.progress = self.reached._replace(best_weights=weights, best=self.reached.path[-1])

    def move_to(self, u: Floats) -> None:
        """Go on from another point."""
        self.progress = self.reached._replace(state=AdamState.at(u))

    def see(self, objective: Objective, state: AdamState, value: float) -> bool:
        """Take note of a point and its value; whether to go on."""
        weights = objective.freedom.weights(state.u)
        train = value - objective.penalty.value_and_gradient(weights)[0]
        validation = (
            math.nan if self._validation is None else self._validation.loss(weights, objective.k)
        )
        before = self.progress.path if self.progress else ()
        elapsed_s = time.monotonic() - self._started_s
        point = Point(len(before), objective.penalty.ridge, train, validation, elapsed_s)
        if self.progress is None or point.judged < self.progress.best.judged:
            best_weights, best = weights, point
        else:
            best_weights, best = self.progress.best_weights, self.progress.best
        self.progress = Progress(state, best_weights, best, (*before, point))
        if not self._keep(self.progress):
            self.ending = "interrupted"
        elif point.step - best.step >= self._patience:
            self.ending = "validation"
        return self.ending == "steps"
