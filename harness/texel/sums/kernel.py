"""The sums over positions that a fit is made of. White's view; centipawns.

A position i has the net counts c_ij, the phase p_i (0 to 24), the scale s_i in percent, and with
the weights m_j (middlegame) and e_j (endgame) the value

    E_i = [100 p_i sum_j c_ij m_j + (24 - p_i) s_i sum_j c_ij e_j] / 2400,

linear in the weights. The engine rounds it down from the side to move; `exact` asks for that. The
expected score is sigma_i = 1/(1 + exp(-k E_i)), and against the target t_i the loss of a position
is (t_i - sigma_i)^2 (`SQUARED`) or -t_i ln sigma_i - (1 - t_i) ln(1 - sigma_i) (`ENTROPY`). With
v_i the position's weight, the sums are

    loss       sum_i v_i loss_i
    gradient   sum_i v_i dloss_i/dE_i dE_i/dw
    curvature  sum_i v_i h_i dE_i/dw (dE_i/dw)^T,    h_i = 2 (k sigma_i (1 - sigma_i))^2 (squared)
                                                           k^2 sigma_i (1 - sigma_i)    (entropy)

The curvature is the Gauss-Newton matrix: what is left of the second derivative where the residuals
t_i - sigma_i are pure chance. For the entropy nothing else is there at all.

Each kernel goes over the rows `first` to `last` and adds to an array of its own caller, so that
parts can be summed at the same time and then added up in a fixed order.
"""

# mypy: no-warn-return-any

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.jit import kernel

Floats = NDArray[np.float64]

SQUARED, ENTROPY = 0, 1

_MAX_PHASE = 24.0
_WHOLE = 2400.0  # phases times percent
#: Keeps the logarithm of an expected score finite; the score of a mate is no nearer to certain.
_NEVER = 1e-12


class Rows(NamedTuple):
    """Positions as the kernels read them; see `harness.texel.dataset.Dataset` for the fields."""

    starts: NDArray[np.int64]
    indices: NDArray[np.uint16]
    counts: NDArray[np.int8]
    phase: NDArray[np.uint8]
    scale_pct: NDArray[np.uint8]
    turn: NDArray[np.int8]
    weight: NDArray[np.float32]
    #: float64[n]: the score that the value should predict, 0 to 1.
    target: Floats


@kernel
def blend(rows: Any, row: int) -> tuple[float, float]:
    """What the middlegame and the endgame half count in a position: together at most 1."""
    phase = float(rows.phase[row])
    return phase / _MAX_PHASE, (_MAX_PHASE - phase) * float(rows.scale_pct[row]) / _WHOLE


@kernel
def value(rows: Any, row: int, weights: Floats, exact: bool) -> float:
    """Centipawns of a position, real or as the engine rounds it; weights : float64[W, 2].

    The rounding is exact: a quotient of whole numbers that is not whole itself is at least 1/2400
    away from the next whole number.
    """
    middle = 0.0
    end = 0.0
    for at in range(rows.starts[row], rows.starts[row + 1]):
        count = float(rows.counts[at])
        middle += count * weights[rows.indices[at], 0]
        end += count * weights[rows.indices[at], 1]
    phase = float(rows.phase[row])
    whole = 100.0 * phase * middle + (_MAX_PHASE - phase) * float(rows.scale_pct[row]) * end
    if exact:
        turn = float(rows.turn[row])
        return turn * math.floor(turn * whole / _WHOLE)
    return whole / _WHOLE


@kernel
def fill_values(
    rows: Any, first: int, last: int, weights: Floats, exact: bool, values: Floats
) -> None:
    """The values of the rows; values : float64[n], out."""
    for row in range(first, last):
        values[row] = value(rows, row, weights, exact)


@kernel
def loss_and_slope(expected: float, target: float, k: float, kind: int) -> tuple[float, float]:
    """A position's loss and its derivative by centipawns."""
    error = expected - target
    if kind == SQUARED:
        return error * error, 2.0 * error * k * expected * (1.0 - expected)
    won = math.log(max(expected, _NEVER))
    lost = math.log(max(1.0 - expected, _NEVER))
    return -target * won - (1.0 - target) * lost, k * error


@kernel
def add_loss(
    rows: Any, first: int, last: int, weights: Floats, k: float, kind: int, exact: bool
) -> float:
    """The loss of the rows, without its gradient."""
    total = 0.0
    for row in range(first, last):
        expected = 1.0 / (1.0 + math.exp(-k * value(rows, row, weights, exact)))
        loss, _ = loss_and_slope(expected, rows.target[row], k, kind)
        total += rows.weight[row] * loss
    return total


@kernel
def add_gradient(
    rows: Any,
    first: int,
    last: int,
    weights: Floats,
    k: float,
    kind: int,
    exact: bool,
    gradient: Floats,
) -> float:
    """The loss of the rows; its gradient is added to `gradient` (float64[W, 2])."""
    total = 0.0
    for row in range(first, last):
        expected = 1.0 / (1.0 + math.exp(-k * value(rows, row, weights, exact)))
        loss, slope = loss_and_slope(expected, rows.target[row], k, kind)
        total += rows.weight[row] * loss
        middle, end = blend(rows, row)
        middle *= rows.weight[row] * slope
        end *= rows.weight[row] * slope
        for at in range(rows.starts[row], rows.starts[row + 1]):
            count = float(rows.counts[at])
            gradient[rows.indices[at], 0] += count * middle
            gradient[rows.indices[at], 1] += count * end
    return total


@kernel
def add_curvature(
    rows: Any,
    first: int,
    last: int,
    stride: int,
    weights: Floats,
    k: float,
    kind: int,
    curvature: Floats,
) -> float:
    """Add the curvature of every `stride`-th row; the sum of these rows' weights.

    curvature : float64[W, W, 3], out: of middlegame with middlegame, middlegame with endgame,
    endgame with endgame, of which only the places [i, j] with i <= j are filled. (The three lie
    side by side, since a pair of counts touches them all.)
    """
    total = 0.0
    for row in range(first, last, stride):
        expected = 1.0 / (1.0 + math.exp(-k * value(rows, row, weights, False)))
        slope = expected * (1.0 - expected)
        bend = 2.0 * k * k * slope * slope if kind == SQUARED else k * k * slope
        bend *= rows.weight[row]
        total += rows.weight[row]
        middle, end = blend(rows, row)
        stop = rows.starts[row + 1]
        for at in range(rows.starts[row], stop):
            scaled = bend * float(rows.counts[at])
            for other in range(at, stop):
                both = scaled * float(rows.counts[other])
                i = min(rows.indices[at], rows.indices[other])
                j = max(rows.indices[at], rows.indices[other])
                curvature[i, j, 0] += both * middle * middle
                curvature[i, j, 1] += both * middle * end
                curvature[i, j, 2] += both * end * end
    return total


@kernel
def add_scores(
    rows: Any,
    order: NDArray[np.int64],
    places: NDArray[np.int64],
    weights: Floats,
    k: float,
    kind: int,
    scores: Floats,
) -> None:
    """Add the gradient of each row `order[i]` to the row `places[i]` of `scores`.

    scores : float64[games, W, 2], out.
    """
    for i in range(order.size):
        row = order[i]
        expected = 1.0 / (1.0 + math.exp(-k * value(rows, row, weights, False)))
        _, slope = loss_and_slope(expected, rows.target[row], k, kind)
        middle, end = blend(rows, row)
        middle *= rows.weight[row] * slope
        end *= rows.weight[row] * slope
        for at in range(rows.starts[row], rows.starts[row + 1]):
            count = float(rows.counts[at])
            scores[places[i], rows.indices[at], 0] += count * middle
            scores[places[i], rows.indices[at], 1] += count * end


@kernel
def add_support(rows: Any, first: int, last: int, support: NDArray[np.int64]) -> None:
    """Count the rows of some weight in which each weight has a say; support : int64[W, 2], out."""
    for row in range(first, last):
        if rows.weight[row] == 0.0:
            continue
        middle, end = blend(rows, row)
        for at in range(rows.starts[row], rows.starts[row + 1]):
            if middle > 0.0:
                support[rows.indices[at], 0] += 1
            if end > 0.0:
                support[rows.indices[at], 1] += 1


@kernel
def refute_sums(
    rows: Any,
    first: int,
    last: int,
    term_of: NDArray[np.int64],
    tables: NDArray[np.int64],
    scalars: NDArray[np.int64],
    sums: NDArray[np.int64],
    holds: NDArray[np.bool_],
) -> None:
    """Clear `holds[i]` where a row's counts of table i do not add up to those of its scalar.

    term_of : int64[W], the term of each weight; tables, scalars : int64[n], terms, a scalar of -1
    standing for a sum of zero; sums : int64[terms], scratch; holds : bool[n], in and out.
    """
    for row in range(first, last):
        sums[:] = 0
        for at in range(rows.starts[row], rows.starts[row + 1]):
            sums[term_of[rows.indices[at]]] += rows.counts[at]
        for i in range(tables.size):
            if holds[i]:
                wanted = sums[scalars[i]] if scalars[i] >= 0 else 0
                holds[i] = sums[tables[i]] == wanted
