"""The response surface: strength over the parameters, a Gaussian process with *known* noise.

Each trial's variance comes from its own games, so a short trial pulls less than a long one. What
is fitted are the height of the surface and a length for each dimension (a dead one grows long): the
most probable ones, under priors that keep a few noisy trials from declaring a dimension dead.

Only differences are ever measured, of a place from the base or of two places from each other, so
the process is one of differences: the level of the surface is nowhere needed, and the base has
exactly 0 Elo against itself. In the units of the space.

Trials against the base play the same openings, and what an opening gives to one of them it mostly
gives to all: their results err together. (Two places that play each other share that gift.)

Rasmussen and Williams, "Gaussian Processes for Machine Learning" (2006), algorithm 2.1; the
regressor is scikit-learn's. All linear algebra runs on one thread: equal data, equal numbers.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.stats import qmc
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Kernel
from threadpoolctl import ThreadpoolController

from harness.search_tuning.space import Units

Floats = NDArray[np.float64]

#: Medians and spreads (of the logarithm) of the priors, and hard bounds: the standard deviation of
#: the surface in Elo, and a length in ranges. Judgements, tried in the simulation.
_HEIGHT_ELO: Final = (30.0, 1.0)
_HEIGHT_BOUNDS_ELO: Final = (2.0, 500.0)
_LENGTH: Final = (0.8, 0.6)
_LENGTH_BOUNDS: Final = (0.1, 20.0)

#: Share of a pair's variance that its opening explains when any place plays the base from it:
#: between trials of a study at 1,000 nodes (docs/search-tuning.md).
OPENING_SHARE: Final = 0.12

#: Shapes over which a judgement is averaged, in spreads of the priors.
_SHAPE_STEPS: Final = (-0.7, 0.0, 0.7)

_THREADS: Final = ThreadpoolController()


class Observation(NamedTuple):
    """Two places, what was measured of the first against the second, and with what variance.

    Observations of the same `openings` err together; those of None do not.
    """

    units: Units
    opponent: Units
    elo: float
    variance_elo2: float
    openings: str | None = None


class Differences(RBF):  # type: ignore[misc]
    """The covariance of differences of a surface that has the squared exponential one.

    A row is two places, one after the other: float64[n, 2 dimensions], then `Shared`'s columns.
    Cov(f(a) - f(b), f(c) - f(d)) = k(a, c) - k(a, d) - k(b, c) + k(b, d), its gradient likewise.
    """

    def __call__(self, X: Floats, Y: Floats | None = None, eval_gradient: bool = False) -> Any:
        rows = np.vstack(self._places(X))
        if eval_gradient:
            covariance, gradient = super().__call__(rows, eval_gradient=True)
            return _contrast(covariance), _contrast(gradient)
        others = None if Y is None else np.vstack(self._places(Y))
        return _contrast(super().__call__(rows, others))

    def diag(self, X: Floats) -> Floats:
        first, second = self._places(X)
        apart = np.sum(((first - second) / self.length_scale) ** 2, axis=1)
        variance: Floats = 2.0 - 2.0 * np.exp(-0.5 * apart)
        return variance

    def _places(self, rows: Floats) -> tuple[Floats, Floats]:
        dimensions = np.size(self.length_scale)
        return rows[:, :dimensions], rows[:, dimensions : 2 * dimensions]


class Shared(Kernel):  # type: ignore[misc]
    """The covariance of errors that come from the openings, between rows that have them in common.

    The columns of a row from `first` on, one for each set of openings, hold the standard deviation
    of that error in the column of the row's own set, and 0 elsewhere.
    """

    def __init__(self, first: int) -> None:
        self.first = first

    def __call__(self, X: Floats, Y: Floats | None = None, eval_gradient: bool = False) -> Any:
        covariance = X[:, self.first :] @ (X if Y is None else Y)[:, self.first :].T
        return (covariance, np.empty((*covariance.shape, 0))) if eval_gradient else covariance

    def diag(self, X: Floats) -> Floats:
        variance: Floats = np.sum(X[:, self.first :] ** 2, axis=1)
        return variance

    def is_stationary(self) -> bool:
        return False


def _contrast(between: Floats) -> Floats:
    """What holds between places, [2n, 2m, ...], as it does between differences, [n, m, ...]."""
    n, m = between.shape[0] // 2, between.shape[1] // 2
    return between[:n, :m] - between[:n, m:] - between[n:, :m] + between[n:, m:]


class Response:
    """The surface after some observations, as Elo against the base."""

    def __init__(self, regressor: Any, base: Units) -> None:
        self._regressor = regressor
        self._base = base

    def _rows(self, units: Floats) -> Floats:
        dimensions = self._base.size
        rows = np.zeros((len(units), self._regressor.n_features_in_))
        rows[:, :dimensions] = units
        rows[:, dimensions : 2 * dimensions] = self._base
        return rows

    def mean(self, units: Floats) -> Floats:
        """float64[n]: the posterior mean at places float64[n, dimensions]."""
        with _THREADS.limit(limits=1):
            mean: Floats = self._regressor.predict(self._rows(units))
        return mean

    def mean_and_error(self, units: Floats) -> tuple[Floats, Floats]:
        """float64[n] each: the posterior mean and its standard deviation."""
        with _THREADS.limit(limits=1):
            mean, error = self._regressor.predict(self._rows(units), return_std=True)
        return mean, error

    def draw(self, units: Floats, generator: np.random.Generator) -> Floats:
        """float64[n]: one surface, drawn from the posterior, at the places."""
        with _THREADS.limit(limits=1):
            mean, covariance = self._regressor.predict(self._rows(units), return_cov=True)
            jitter = 1e-6 * np.trace(covariance) / len(mean) + 1e-9
            root = np.linalg.cholesky(covariance + jitter * np.eye(len(mean)))
        drawn: Floats = mean + root @ generator.standard_normal(len(mean))
        return drawn


def fit_shape(observations: Sequence[Observation], dimensions: int) -> Any:
    """The kernel with the most likely height and lengths."""
    low, high = _HEIGHT_BOUNDS_ELO
    height = ConstantKernel(_HEIGHT_ELO[0] ** 2, (low**2, high**2))
    lengths = Differences(np.full(dimensions, _LENGTH[0]), _LENGTH_BOUNDS)
    return _regress(observations, _kernel(height, lengths), _most_probable).kernel_


def fit_response(observations: Sequence[Observation], shape: Any, base: Units) -> Response:
    """The surface of a known shape after the observations."""
    return Response(_regress(observations, shape, None), base)


def judged(
    observations: Sequence[Observation], units: Floats, base: Units
) -> tuple[Floats, Floats]:
    """float64[n] each: the Elo of places float64[n, dimensions] and its standard error, averaged
    over shapes of the surface.

    Each shape weighs by its posterior probability. The most probable one alone is surer than it may
    be: many short trials leave open how far the surface bends.
    """
    weights, means, errors = [], [], []
    for height_step, length_step in product(_SHAPE_STEPS, repeat=2):
        height = _HEIGHT_ELO[0] * math.exp(height_step * _HEIGHT_ELO[1])
        length = _LENGTH[0] * math.exp(length_step * _LENGTH[1])
        lengths = np.full(units.shape[1], length)
        shape = _kernel(ConstantKernel(height**2, "fixed"), Differences(lengths, "fixed"))
        regressor = _regress(observations, shape, None)
        mean, error = Response(regressor, base).mean_and_error(units)
        prior = -(height_step**2 + length_step**2) / 2.0
        weights.append(regressor.log_marginal_likelihood_value_ + prior)
        means.append(mean)
        errors.append(error)
    share = np.exp(np.array(weights) - max(weights))
    share /= share.sum()
    elo: Floats = share @ np.array(means)
    variance = share @ (np.square(errors) + np.square(means - elo))
    return elo, np.sqrt(variance)


def _kernel(height: ConstantKernel, differences: Differences) -> Any:
    return height * differences + Shared(2 * np.size(differences.length_scale))


def _most_probable(
    likelihood: Callable[[Floats], tuple[float, Floats]], start: Floats, bounds: Floats
) -> tuple[Floats, float]:
    """An optimizer for the regressor: likelihood times prior, over the logarithms of the shape.

    start : float64[1 + dimensions], the height squared and the lengths. `likelihood` gives minus
    its logarithm and the gradient.
    """
    spreads = np.array([2.0 * _HEIGHT_ELO[1]] + [_LENGTH[1]] * (len(start) - 1))

    def loss(shape: Floats) -> tuple[float, Floats]:
        value, gradient = likelihood(shape)
        away = (shape - start) / spreads
        return value + 0.5 * float(away @ away), gradient + away / spreads

    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return found.x, float(found.fun)


def _regress(observations: Sequence[Observation], kernel: Any, optimizer: Any) -> Any:
    shared = _shared_errors(observations)
    own = np.array([one.variance_elo2 for one in observations]) - np.sum(shared**2, axis=1)
    places = np.array([np.concatenate([one.units, one.opponent]) for one in observations])
    regressor = GaussianProcessRegressor(kernel, alpha=own, optimizer=optimizer)
    with _THREADS.limit(limits=1), warnings.catch_warnings():
        # A bound that is reached is an answer (a dead parameter), not a failure.
        warnings.simplefilter("ignore", ConvergenceWarning)
        regressor.fit(np.hstack([places, shared]), np.array([one.elo for one in observations]))
    return regressor


def _shared_errors(observations: Sequence[Observation]) -> Floats:
    """float64[n, sets of openings]: the columns that `Shared` reads."""
    sets = [own for own in dict.fromkeys(one.openings for one in observations) if own is not None]
    errors = np.zeros((len(observations), len(sets)))
    for one, row in zip(observations, errors, strict=True):
        if one.openings is not None:
            row[sets.index(one.openings)] = math.sqrt(OPENING_SHARE * one.variance_elo2)
    return errors


def spread(dimensions: int, count: int, seed: int) -> Floats:
    """float64[count, dimensions]: places spread evenly (a scrambled Sobol sequence)."""
    sobol = qmc.Sobol(dimensions, seed=np.random.default_rng(seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a count that is no power of two
        places: Floats = sobol.random(count)
    return places
