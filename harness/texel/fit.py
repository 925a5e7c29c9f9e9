"""From labelled positions to weights. Pure: no files, no people.

The scale first, then the weights, from the start until nothing more is gained, or until the
validation positions say that what is learned is no more than this training set's chance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from harness.texel.penalty import Penalty, bend_of_one_position, penalty
from harness.texel.positions import Positions, blended_target
from harness.texel.scaling import find_scale
from harness.texel.sums.kernel import Floats
from harness.texel.watch import Point, Progress, Watch

METHODS: Final = ("newton", "adam")
#: Fewer positions for each weight are refused; a thousand are wanted.
FEWEST_PER_WEIGHT: Final = 100
#: Rows that a curvature is made of. It only has to point in about the right direction: with 100,000
#: rows and 1,000 weights its error is some percent.
CURVATURE_ROWS: Final = 100_000
#: Ridges among which the validation chooses, in positions for each weight; and the one without it.
RIDGES: Final = (10_000.0, 3000.0, 1000.0, 300.0, 100.0, 30.0, 10.0)
PLAIN_RIDGE: Final = 10.0
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
    #: In positions for each weight; None: chosen on validation.
    ridge: float | None = None
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


class Fitted(NamedTuple):
    """The best point of a fit, and the way to it."""

    layout: Layout
    objective: Objective
    start: Floats  # float64[W, 2]
    weights: Floats  # float64[W, 2]
    support: NDArray[np.int64]  # int64[W, 2]
    orders: list[NDArray[np.int64]]  # flattened places of weights that shall not fall
    path: tuple[Point, ...]
    best: Point
    #: See `harness.texel.watch.Watch`.
    ending: str

    @property
    def k(self) -> float:
        """The scale, in 1/centipawn."""
        return self.objective.k


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
    posed = _pose(train, layout, start, options)
    objective = posed.objective
    chains = monotone.chains(layout, options.monotone, start, objective.freedom.moved())
    judges = None
    if validation is not None and len(validation.phase):
        judges = _positions(validation, options, layout)
        judges.retarget(blended_target(validation, objective.k, options.result_share))
    patience = options.patience if options.method == "adam" else options.steps
    watch = Watch(judges, patience, keep, resumed)
    if options.method == "adam":
        _by_adam(objective, options, watch)
    else:
        ridges = RIDGES if options.ridge is None and judges is not None else (posed.ridge,)
        penalties = [posed.penalty(ridge) for ridge in ridges]
        objective = _by_newton(objective, penalties, options, watch)
    if chains and watch.ending != "interrupted":
        objective = _fit_in_order(objective, chains, posed.tied, options, watch)
    return Fitted(
        layout=layout,
        objective=objective,
        start=start,
        weights=watch.reached.best_weights,
        support=posed.support,
        orders=[chain.rows for chain in chains],
        path=watch.reached.path,
        best=watch.reached.best,
        ending=watch.ending,
    )


class _Posed(NamedTuple):
    """What is asked: which weights, from where, with which scale."""

    layout: Layout
    start: Floats
    free: NDArray[np.bool_]
    support: NDArray[np.int64]
    positions: Positions
    k: float
    options: FitOptions

    @property
    def ridge(self) -> float:
        """That of the options, or the one without validation."""
        return PLAIN_RIDGE if self.options.ridge is None else self.options.ridge

    @property
    def objective(self) -> Objective:
        return Objective(self.positions, self.penalty(self.ridge), self.tied([]), self.k)

    def tied(self, pairs: Pairs) -> Freedom:
        """The freedom of the weights, with some more of them tied."""
        ties = mirror_ties(self.layout) if self.options.mirror else []
        return freedom(self.start, self.free, self.support, [*ties, *pairs])

    def penalty(self, ridge: float) -> Penalty:
        """The penalty with this ridge, around the start (the common one of tied weights)."""
        bend = bend_of_one_position(self.k, self.options.loss)
        return penalty(
            self.tied([]).start,
            neighbours(self.layout) if self.options.smoothness else [],
            ridge=ridge,
            smoothness=self.options.smoothness,
            position=bend / self.positions.total_weight,
        )


def _pose(train: Dataset, layout: Layout, start: Floats, options: FitOptions) -> _Posed:
    """The question, once the data is found good enough for it. Raises UsageError."""
    free = free_weights(layout, options.only, options.freeze)
    check_results(train)
    positions = _positions(train, options, layout)
    support = positions.support()
    check_amount(positions.used, int(np.sum(free & support.any(axis=1))), force=options.force)
    k = options.k or find_scale(positions, start)
    positions.retarget(blended_target(train, k, options.result_share))
    return _Posed(layout, start, free, support, positions, k, options)


def check_results(dataset: Dataset) -> None:
    """Refuse positions that cannot tell what wins. Raises UsageError."""
    result = np.asarray(dataset.result)[np.asarray(dataset.weight) > 0]
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


def _positions(dataset: Dataset, options: FitOptions, layout: Layout) -> Positions:
    result = np.asarray(dataset.result, dtype=np.float64)
    return Positions(dataset, result, options.loss, layout.size, options.threads)


def _by_adam(objective: Objective, options: FitOptions, watch: Watch) -> None:
    state = watch.progress.state if watch.progress else AdamState.at(objective.freedom.origin())
    adam(
        objective.value_and_gradient,
        state,
        options.rate_cp,
        options.steps,
        lambda state, value: watch.see(objective, state, value),
    )


def _by_newton(
    objective: Objective, penalties: Sequence[Penalty], options: FitOptions, watch: Watch
) -> Objective:
    """Downhill with each penalty, the strongest first; the objective with the best one.

    What early stopping is to small steps, the ridge is to large ones: with the weaker ones the fit
    learns more, in the end only the chance of these games. It ends when the validation has said so
    twice.
    """
    left = [one for one in penalties if one.ridge <= watch.ridge]
    bend = objective.positions.curvature(objective.freedom.start, objective.k, CURVATURE_ROWS)
    for number, one in enumerate(left):
        objective = objective._replace(penalty=one)
        _descend(objective, bend, options, watch)
        if watch.ending in ("interrupted", "steps"):
            break
        if number and watch.reached.best.ridge > left[number - 1].ridge:
            watch.ending = "validation"
            break
    chosen = watch.reached.best.ridge
    return objective._replace(penalty=next(one for one in penalties if one.ridge == chosen))


def _descend(objective: Objective, bend: Floats, options: FitOptions, watch: Watch) -> None:
    """From where `watch` is, or from the start, to the minimum.

    bend : float64[2 W, 2 W], the curvature of the positions.
    """
    u = watch.progress.state.u if watch.progress else objective.freedom.origin()
    watch.ending = "steps"

    def see(u: Floats, value: float) -> bool:
        return watch.see(objective, AdamState.at(u), value)

    value, _ = objective.value_and_gradient(u)
    curvature = objective.freedom.matrix(bend + objective.penalty.curvature())
    if see(u, value) and newton(objective.value_and_gradient, u, curvature, options.steps, see):
        watch.ending = "converged"


def _fit_in_order(
    objective: Objective,
    chains: list[monotone.Chain],
    tie: Callable[[Pairs], Freedom],
    options: FitOptions,
    watch: Watch,
) -> Objective:
    """Fit again and again until each chain is in order; the objective with the ties it took."""
    watch.move_to(objective.freedom.numbers(watch.reached.best_weights))
    for number in range(_ROUNDS):
        weights = objective.freedom.weights(watch.reached.state.u)
        bend = objective.positions.curvature(weights, objective.k, CURVATURE_ROWS)
        _descend(objective, bend, options, watch)
        weights = objective.freedom.weights(watch.reached.state.u)
        watch.prefer_last(monotone.in_order(weights, chains))
        slope = objective.by_weight(weights)
        release = number < _LAST_RELEASE
        revised = [monotone.revise(chain, weights, slope, release=release) for chain in chains]
        if watch.ending == "interrupted" or all(
            np.array_equal(old.tied, new.tied) for old, new in zip(chains, revised, strict=True)
        ):
            break
        chains = revised
        objective = objective._replace(freedom=tie([p for chain in chains for p in chain.ties()]))
        watch.move_to(objective.freedom.numbers(weights))
    return objective
