"""Two ways down a smooth function: Adam, and a quasi-Newton method in Gauss-Newton coordinates.

Each calls `watch` after every step and ends when that answers no.
"""

# mypy: no-warn-return-any
# (SciPy has no types.)

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
import scipy.linalg
import scipy.optimize

from harness.texel.sums.kernel import Floats

Function = Callable[[Floats], tuple[float, Floats]]

#: Corrections that L-BFGS remembers: it seldom makes more steps than that here.
_MEMORY: Final = 30
#: Converged when a step has gained less than this of the mean loss, which tuning lowers by 1e-2.
_GAIN: Final = 1e-8
#: Of the mean diagonal, added where a direction is flat: there nothing moves anyway.
_JITTER: Final = 1e-9
_BETA1, _BETA2, _EPSILON = 0.9, 0.999, 1e-8


class AdamState(NamedTuple):
    """Where Adam is: enough to go on as if it had never stopped."""

    u: Floats
    momentum: Floats
    velocity: Floats
    step: int

    @classmethod
    def at(cls, u: Floats) -> AdamState:
        """A beginning."""
        return cls(u, np.zeros_like(u), np.zeros_like(u), 0)


class Whitening:
    """Coordinates v with u = L^-T v, in which a curvature A = L L^T is the identity."""

    def __init__(self, curvature: Floats) -> None:
        size = len(curvature)
        jitter = _JITTER * float(np.trace(curvature)) / size
        self._factor = scipy.linalg.cholesky(
            curvature + jitter * np.eye(size), lower=True, check_finite=False
        )

    def out(self, v: Floats) -> Floats:
        """u of v."""
        return scipy.linalg.solve_triangular(
            self._factor, v, trans="T", lower=True, check_finite=False
        )

    def slope(self, by_u: Floats) -> Floats:
        """The gradient by v of what has this gradient by u."""
        return scipy.linalg.solve_triangular(self._factor, by_u, lower=True, check_finite=False)


def newton(
    function: Function,
    start: Floats,
    curvature: Floats,
    steps: int,
    watch: Callable[[Floats, float], bool],
) -> bool:
    """Minimise from `start`; whether it has converged.

    With `curvature` (float64[U, U]) as the identity the first step is a Gauss-Newton step, and each
    later one corrects the matrix by what the gradients show (L-BFGS), for the price of a gradient:
    one factorisation is all that is ever done. watch(u, value) says whether to go on.
    """
    white = Whitening(curvature)

    def whitened(v: Floats) -> tuple[float, Floats]:
        value, slope = function(start + white.out(v))
        return value, white.slope(slope)

    def after_step(intermediate_result: scipy.optimize.OptimizeResult) -> None:
        if not watch(start + white.out(intermediate_result.x), float(intermediate_result.fun)):
            raise StopIteration

    found = scipy.optimize.minimize(
        whitened,
        np.zeros_like(start),
        jac=True,
        method="L-BFGS-B",
        callback=after_step,
        options={"maxiter": steps, "maxcor": _MEMORY, "ftol": _GAIN, "gtol": 0.0},
    )
    return bool(found.success)


def adam(
    function: Function,
    state: AdamState,
    rate: float,
    steps: int,
    watch: Callable[[AdamState, float], bool],
) -> None:
    """Adam (Kingma and Ba 2015, algorithm 1) over all data at each step; `rate` in centipawns.

    watch(state, value) says before each step whether to go on.
    """
    while state.step < steps:
        value, slope = function(state.u)
        if not watch(state, value):
            return
        step = state.step + 1
        momentum = _BETA1 * state.momentum + (1 - _BETA1) * slope
        velocity = _BETA2 * state.velocity + (1 - _BETA2) * slope**2
        mean = momentum / (1 - _BETA1**step)
        deviation = np.sqrt(velocity / (1 - _BETA2**step))
        state = AdamState(state.u - rate * mean / (deviation + _EPSILON), momentum, velocity, step)
