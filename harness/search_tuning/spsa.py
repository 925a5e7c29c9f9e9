"""SPSA as the field knows it: two perturbed points play each other, and theta follows the winner.

Iteration k of N, in units of the space, which makes one c and one R fit all dimensions:
    c_k = c k'^-gamma,  a_k = a / (A + k')^alpha,  k' = k + 1
    theta+- = theta +- c_k Delta,  Delta in {-1, 1}^n
    theta  += R_k c_k (wins - losses) Delta,  R_k = a_k / c_k^2
with c and a such that at the end c_N = c_end and R_N = r_end, as fishtest and OpenBench have it
(Spall 1998; their constants alpha = 0.602, gamma = 0.101, A = N/10). Results are those of theta+
against theta-. Values are rounded stochastically, floor(x + U), so that steps below one still
count on average.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from harness.search_tuning.space import Space, Units, Values

ALPHA: Final = 0.602
GAMMA: Final = 0.101
_A_SHARE: Final = 0.1
#: The last perturbation, in ranges: a twentieth on fishtest, which has 400,000 games to spend; an
#: eighth is heard over the noise of 20,000 (measured: docs/search-tuning.md).
C_END: Final = 0.125


class Gains(NamedTuple):
    """The constants of a run of `iterations` of so many games each."""

    iterations: int
    r_end: float
    c_end: float = C_END

    def perturbation(self, k: int) -> float:
        """c_k, in ranges."""
        return self.c_end * float((self.iterations / (k + 1)) ** GAMMA)

    def step(self, k: int) -> float:
        """R_k c_k: how far one won game moves theta, in ranges."""
        offset = _A_SHARE * self.iterations
        a = self.r_end * self.c_end**2 * (offset + self.iterations) ** ALPHA
        return float(a / (offset + k + 1) ** ALPHA / self.perturbation(k))

    def moved(self, theta: Units, k: int, delta: Units, wins_less_losses: int) -> Units:
        """theta after iteration k."""
        return np.clip(theta + self.step(k) * wins_less_losses * delta, 0.0, 1.0)

    def perturbed(self, theta: Units, k: int, delta: Units) -> tuple[Units, Units]:
        """theta+ and theta-."""
        shift = self.perturbation(k) * delta
        return np.clip(theta + shift, 0.0, 1.0), np.clip(theta - shift, 0.0, 1.0)


def gains(games: int, games_per_iteration: int, dimensions: int) -> Gains:
    """Constants for a budget.

    r_end is scaled to the budget: fishtest's 0.002 suits 400,000 games and would hardly move in
    20,000; it grows with the square root of what is missing, up to what keeps theta steady.
    """
    iterations = max(1, games // games_per_iteration)
    r_end = min(0.04, 0.002 * math.sqrt(400_000 / games) * (4 / dimensions) ** 0.5)
    return Gains(iterations, r_end)


def directions(generator: np.random.Generator, dimensions: int) -> Units:
    """Delta: +-1 with equal chances."""
    return np.where(generator.integers(0, 2, dimensions) == 1, 1.0, -1.0)


def rounded(space: Space, units: Units, generator: np.random.Generator) -> Values:
    """Allowed values whose mean is the place: each is rounded up as often as it lies above."""
    exact = space.exact(units)
    values = {}
    for one in space.dimensions:
        steps = (exact[one.name] - one.low) / one.step
        up = math.floor(steps + generator.random())
        values[one.name] = one.low + one.step * min(up, one.last_step)
    return space.repaired(values)
