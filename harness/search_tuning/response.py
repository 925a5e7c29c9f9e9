"""The response surface: strength over the parameters, a Gaussian process with *known* noise.

Each trial's variance comes from its own games, so a short trial pulls less than a long one. What
is fitted are the height of the surface and a length for each dimension (a dead one grows long): the
most probable ones, under priors that keep a few noisy trials from declaring a dimension dead. Elo
against the base, in the units of the space.

Rasmussen and Williams, "Gaussian Processes for Machine Learning" (2006), algorithm 2.1; the
regressor is scikit-learn's. All linear algebra runs on one thread: equal data, equal numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.stats import qmc
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from threadpoolctl import ThreadpoolController

from harness.search_tuning.space import Units

Floats = NDArray[np.float64]

#: Medians and spreads (of the logarithm) of the priors, and hard bounds: the standard deviation of
#: the surface in Elo, and a length in ranges. Judgements, tried in the simulation.
_HEIGHT_ELO: Final = (30.0, 1.0)
_HEIGHT_BOUNDS_ELO: Final = (2.0, 500.0)
_LENGTH: Final = (0.8, 0.6)
_LENGTH_BOUNDS: Final = (0.1, 20.0)
#: The level of the surface is known to this standard deviation before the first game.
_LEVEL_ELO: Final = 50.0
#: The base has exactly 0 Elo against itself; this much of doubt keeps the matrix regular.
_KNOWN_VARIANCE_ELO2: Final = 0.01


_THREADS: Final = ThreadpoolController()


class Observation(NamedTuple):
    """A place of the space, what was measured there against the base, and with what variance."""

    units: Units
    elo: float
    variance_elo2: float


class Response:
    """The surface after some observations."""

    def __init__(self, regressor: Any) -> None:
        self._regressor = regressor

    def mean(self, units: Floats) -> Floats:
        """float64[n]: the posterior mean at places float64[n, dimensions]."""
        with _THREADS.limit(limits=1):
            mean: Floats = self._regressor.predict(units)
        return mean

    def mean_and_error(self, units: Floats) -> tuple[Floats, Floats]:
        """float64[n] each: the posterior mean and its standard deviation."""
        with _THREADS.limit(limits=1):
            mean, error = self._regressor.predict(units, return_std=True)
        return mean, error

    def draw(self, units: Floats, generator: np.random.Generator) -> Floats:
        """float64[n]: one surface, drawn from the posterior, at the places."""
        with _THREADS.limit(limits=1):
            mean, covariance = self._regressor.predict(units, return_cov=True)
            jitter = 1e-6 * np.trace(covariance) / len(mean) + 1e-9
            root = np.linalg.cholesky(covariance + jitter * np.eye(len(mean)))
        drawn: Floats = mean + root @ generator.standard_normal(len(mean))
        return drawn


def fit_shape(observations: Sequence[Observation], dimensions: int) -> Any:
    """The kernel with the most likely height and lengths."""
    return _regress(observations, _kernel(dimensions), _most_probable).kernel_


def fit_response(observations: Sequence[Observation], shape: Any) -> Response:
    """The surface of a known shape after the observations."""
    return Response(_regress(observations, shape, None))


def known_base(units: Units) -> Observation:
    """The base, which has no difference from itself."""
    return Observation(units, 0.0, _KNOWN_VARIANCE_ELO2)


def _kernel(dimensions: int) -> Any:
    low, high = _HEIGHT_BOUNDS_ELO
    level = ConstantKernel(_LEVEL_ELO**2, "fixed")
    height = ConstantKernel(_HEIGHT_ELO[0] ** 2, (low**2, high**2))
    return level + height * RBF(np.full(dimensions, _LENGTH[0]), _LENGTH_BOUNDS)


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
    regressor = GaussianProcessRegressor(
        kernel, alpha=np.array([one.variance_elo2 for one in observations]), optimizer=optimizer
    )
    with _THREADS.limit(limits=1), warnings.catch_warnings():
        # A bound that is reached is an answer (a dead parameter), not a failure.
        warnings.simplefilter("ignore", ConvergenceWarning)
        regressor.fit(
            np.array([one.units for one in observations]),
            np.array([one.elo for one in observations]),
        )
    return regressor


def spread(dimensions: int, count: int, seed: int) -> Floats:
    """float64[count, dimensions]: places spread evenly (a scrambled Sobol sequence)."""
    sobol = qmc.Sobol(dimensions, seed=np.random.default_rng(seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a count that is no power of two
        places: Floats = sobol.random(count)
    return places
