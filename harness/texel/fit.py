"""From labelled positions to weights. Pure: no files, no people.

The scale first, then the weights, from the start until nothing more is gained, or until the
validation positions say that what is learned is no more than this training set's chance.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.errors import UsageError
from harness.texel import monotone
from harness.texel.constraints import Freedom, Pairs, freedom, mirror_ties, neighbours
from harness.texel.dataset import Dataset
from harness.texel.layout import Layout, free_weights
from harness.texel.objective import Objective
from harness.texel.optimise import AdamState, adam, newton
from harness.texel.penalty import bend_of_one_position, penalty
from harness.texel.positions import Positions, blended_target
from harness.texel.scaling import find_scale
from harness.texel.sums.kernel import Floats

METHODS: Final = ("newton", "adam")
#: Fewer positions for each weight are refused; a thousand are wanted.
FEWEST_PER_WEIGHT: Final = 100
#: Rows that a curvature is made of. It only has to point in about the right direction: with 100,000
#: rows and 1,000 weights its error is some percent.
CURVATURE_ROWS: Final = 100_000
#: Rounds of `monotone`; and after how many of them no tie is given up any more.
_ROUNDS: Final = 20
_LAST_RELEASE: Final = 12


@dataclass(frozen=True, slots=True)
class FitOptions:
    """How to fit; see `harness tune texel --help`."""

    loss: str = "squared"
    method: str = "newton"
    #: In 1/centipawn; None: fitted.
    k: float | None = None
    result_share: float = 1.0
    ridge: float = 10.0
    smoothness: float = 0.0
    only: tuple[str, ...] = ()
    freeze: tuple[str, ...] = ()
    mirror: bool = False
    monotone: tuple[str, ...] = ()
    steps: int = 1000
    patience: int = 50
    rate_cp: float = 1.0
    threads: int = 1
    force: bool = False


class Point(NamedTuple):
    """A step of the way: losses are means, without the penalty; no validation: NaN."""

    step: int
    train: float
    validation: float
    elapsed_s: float


class Progress(NamedTuple):
    """All that is needed to go on with a fit, or to end it here."""

    state: AdamState
    best_weights: Floats  # float64[W, 2]
    best: Point
    path: tuple[Point, ...]


class Fitted(NamedTuple):
    """The best point of a fit, and the way to it."""

    layout: Layout
    objective: Objective
    start: Floats  # float64[W, 2]
    weights: Floats  # float64[W, 2]
    support: NDArray[np.int64]  # int64[W, 2]
    path: tuple[Point, ...]
    best: Point
    #: `converged`, `validation` (no better for too long), `steps` (no more allowed), `interrupted`.
    ending: str

    @property
    def k(self) -> float:
        """The scale, in 1/centipawn."""
        return self.objective.k


class Watch:
    """Follows a fit: keeps the best point, says when to stop."""

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
        self.progress = resumed
        self.ending = "steps"

    def prefer_last(self, weights: Floats) -> None:
        """Take the last point for the best one, whatever the validation says."""
        assert self.progress is not None
        self.progress = self.progress._replace(best_weights=weights, best=self.progress.path[-1])

    def move_to(self, u: Floats) -> None:
        """Go on from another point."""
        assert self.progress is not None
        self.progress = self.progress._replace(state=AdamState.at(u))
        self.ending = "steps"

    def see(self, objective: Objective, state: AdamState, value: float) -> bool:
        """Take note of a point and its value; whether to go on."""
        weights = objective.freedom.weights(state.u)
        train = value - objective.penalty.value_and_gradient(weights)[0]
        validation = (
            math.nan if self._validation is None else self._validation.loss(weights, objective.k)
        )
        before = self.progress.path if self.progress else ()
        point = Point(len(before), train, validation, time.monotonic() - self._started_s)
        if self.progress is None or _judged(point) < _judged(self.progress.best):
            best_weights, best = weights, point
        else:
            best_weights, best = self.progress.best_weights, self.progress.best
        self.progress = Progress(state, best_weights, best, (*before, point))
        if not self._keep(self.progress):
            self.ending = "interrupted"
        elif point.step - best.step >= self._patience:
            self.ending = "validation"
        return self.ending == "steps"


def _judged(point: Point) -> float:
    return point.train if math.isnan(point.validation) else point.validation


def fit(
    train: Dataset,
    validation: Dataset | None,
    layout: Layout,
    start: Floats,
    options: FitOptions,
    keep: Callable[[Progress], bool] = lambda progress: True,
    resumed: Progress | None = None,
) -> Fitted:
    """Fit the weights `start` (float64[W, 2]) of `layout` to the positions of `train`.

    After each step `keep` gets what a fit can be resumed from, and answers whether to go on.
    Raises UsageError when the data cannot answer the question.
    """
    _check_options(options)
    free = free_weights(layout, options.only, options.freeze)
    check_results(train)
    positions = _positions(train, options, layout)
    support = positions.support()
    check_amount(positions.count, int(np.sum(free & support.any(axis=1))), force=options.force)
    k = options.k or find_scale(positions, start)
    positions.retarget(blended_target(train, k, options.result_share))
    judges = None
    if validation is not None and len(validation.phase):
        judges = _positions(validation, options, layout)
        judges.retarget(blended_target(validation, k, options.result_share))
    ties = mirror_ties(layout) if options.mirror else []
    free_to_move = freedom(start, free, support, ties)
    around = penalty(
        free_to_move.start,
        neighbours(layout) if options.smoothness else [],
        ridge=options.ridge,
        smoothness=options.smoothness,
        position=bend_of_one_position(k, options.loss) / positions.total_weight,
    )
    watch = Watch(judges, options.patience, keep, resumed)
    objective = Objective(positions, around, free_to_move, k)
    _minimise(objective, options, watch)
    if options.monotone:
        chains = monotone.chains(layout, options.monotone, start, free_to_move.moved())
        objective = _fit_in_order(
            objective,
            chains,
            lambda pairs: freedom(start, free, support, [*ties, *pairs]),
            options,
            watch,
        )
    assert watch.progress is not None
    return Fitted(
        layout=layout,
        objective=objective,
        start=start,
        weights=watch.progress.best_weights,
        support=support,
        path=watch.progress.path,
        best=watch.progress.best,
        ending=watch.ending,
    )


def check_results(dataset: Dataset) -> None:
    """Refuse positions that cannot tell what wins. Raises UsageError."""
    result = np.asarray(dataset.result)
    if not result.size:
        raise UsageError("no position is left to tune on; expected games with results")
    won, lost = int(np.sum(result > 0.5)), int(np.sum(result < 0.5))
    if not won or not lost:
        raise UsageError(
            f"{result.size:,} positions, of which white won {won:,} and lost {lost:,}; expected"
            " wins of both sides"
        )


def check_amount(positions: int, weights: int, *, force: bool) -> None:
    """Refuse too few positions for the weights to be tuned. Raises UsageError."""
    if positions < FEWEST_PER_WEIGHT * weights and not force:
        raise UsageError(
            f"{positions:,} positions for {weights} weights are {positions // max(1, weights)} for"
            f" each; expected at least {FEWEST_PER_WEIGHT}: more games, fewer weights (--only), or"
            " --force"
        )


def _check_options(options: FitOptions) -> None:
    if options.monotone and options.method != "newton":
        raise UsageError("--monotone needs --method newton; expected it, or no --monotone")


def _positions(dataset: Dataset, options: FitOptions, layout: Layout) -> Positions:
    result = np.asarray(dataset.result, dtype=np.float64)
    return Positions(dataset, result, options.loss, layout.size, options.threads)


def _minimise(objective: Objective, options: FitOptions, watch: Watch) -> None:
    """From where `watch` is, or from the start of the objective, downhill."""
    if watch.progress is None:
        state = AdamState.at(np.zeros(objective.freedom.size))
    else:
        state = watch.progress.state

    def see(state: AdamState, value: float) -> bool:
        return watch.see(objective, state, value)

    if options.method == "adam":
        adam(objective.value_and_gradient, state, options.rate_cp, options.steps, see)
        return
    value, _ = objective.value_and_gradient(state.u)
    if see(state, value) and newton(
        objective.value_and_gradient,
        state.u,
        objective.curvature(state.u, CURVATURE_ROWS),
        options.steps,
        lambda u, value: see(AdamState.at(u), value),
    ):
        watch.ending = "converged"


def _fit_in_order(
    objective: Objective,
    chains: list[monotone.Chain],
    tie: Callable[[Pairs], Freedom],
    options: FitOptions,
    watch: Watch,
) -> Objective:
    """Fit again and again until each chain is in order; the objective with the ties it took."""
    for number in range(_ROUNDS):
        assert watch.progress is not None
        weights = objective.freedom.weights(watch.progress.state.u)
        slope = objective.by_weight(weights)
        revised = [
            monotone.revise(chain, weights, slope, release=number < _LAST_RELEASE)
            for chain in chains
        ]
        watch.prefer_last(weights)
        if watch.ending == "interrupted" or all(
            np.array_equal(old.tied, new.tied) for old, new in zip(chains, revised, strict=True)
        ):
            break
        chains = revised
        objective = objective._replace(freedom=tie([p for chain in chains for p in chain.ties()]))
        watch.move_to(objective.freedom.numbers(weights))
        _minimise(objective, options, watch)
    return objective
