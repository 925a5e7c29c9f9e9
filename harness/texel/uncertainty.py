"""How far chance may have moved each weight: standard errors by the sandwich, clustered by game.

With A the curvature of the objective at the fitted weights and B = sum over games of s s^T, s the
gradient of a game's share of the loss, the covariance is A^-1 B A^-1 (Huber 1967; White 1982). The
positions of a game share its result; B takes that into account, where a count of positions would
make every error some four times too small.

A weight's support is what the data's part of its curvature is of the whole: at 1 the data alone has
spoken, below 1/2 the start has had the greater say.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sparse

from harness.texel.objective import Objective
from harness.texel.sums.kernel import Floats

#: Rows of the curvature here: its own error is then far below that of the standard errors.
_CURVATURE_ROWS: Final = 400_000
_JITTER: Final = 1e-9


class Uncertainty(NamedTuple):
    """Of each weight, float64[W, 2]; 0 where a weight did not move."""

    standard_error: Floats  # centipawns, in the fixed gauges
    data_share: Floats  # of the curvature, 0 to 1


def uncertainty(objective: Objective, weights: Floats, fixing: sparse.csr_array) -> Uncertainty:
    """Standard errors of the weights that a fit has found; `fixing`: see `harness.texel.gauge`."""
    positions, free = objective.positions, objective.freedom
    bend = positions.curvature(weights, objective.k, _CURVATURE_ROWS)
    pull = objective.penalty.curvature()
    whole = free.matrix(bend + pull)
    whole += np.eye(free.size) * (_JITTER * np.trace(whole) / free.size)
    scores = free.matrix(positions.score_products(weights, objective.k))
    factor = scipy.linalg.cho_factor(whole, lower=True, check_finite=False)
    half = scipy.linalg.cho_solve(factor, scores, check_finite=False)
    covariance = scipy.linalg.cho_solve(factor, half.T, check_finite=False)
    spread = fixing @ free.columns
    variance = np.einsum("ij,ij->i", spread @ covariance, spread.toarray())
    own, other = np.diag(bend), np.diag(pull)
    moved = free.moved().reshape(-1)
    share = np.divide(own, own + other, out=np.zeros_like(own), where=moved & (own + other > 0))
    return Uncertainty(
        np.sqrt(np.where(moved, variance, 0.0)).reshape(weights.shape),
        share.reshape(weights.shape),
    )
