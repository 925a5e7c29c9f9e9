"""The evaluation in centipawns from the side to move: one description, two entry points.

`evaluate` sums on top of the accumulator for the search; `trace_evaluation` records every weight's
count for the tuner and returns the same number.
"""

from __future__ import annotations

import numpy as np

from .accumulator import compute_accumulator
from .jit import kernel
from .state import load_position
from .terms import placement, positional, taper

#: No static evaluation reaches the scores of forced mates.
MAX_EVALUATION_CP = np.int64(40_000)


@kernel
def _finish(packed, phase):
    return max(-MAX_EVALUATION_CP, min(MAX_EVALUATION_CP, taper(packed, phase)))


@kernel
def evaluate(position, accumulator, parameters):
    """Centipawns from the side to move, |value| <= MAX_EVALUATION_CP."""
    packed = accumulator.score + positional(position, parameters.weights, None)
    return _finish(packed, accumulator.phase)


@kernel
def evaluate_within(position, accumulator, parameters, alpha, beta):
    """`evaluate` or, where the running sums lie far outside the window, a bound of it.

    Lazy evaluation: what is far below alpha or above beta by material and squares is taken to stay
    there, whatever the other terms say; the bound errs towards the window by the margin.
    """
    if parameters.lazy_evaluation:
        rough = _finish(accumulator.score, accumulator.phase)
        if rough + parameters.lazy_margin_cp <= alpha:
            return rough + parameters.lazy_margin_cp
        if rough - parameters.lazy_margin_cp >= beta:
            return rough - parameters.lazy_margin_cp
    return evaluate(position, accumulator, parameters)


@kernel
def evaluate_record(record, parameters):
    """`evaluate` of the position in a record, its accumulator computed from nothing."""
    position = load_position(record)
    return evaluate(position, compute_accumulator(position, parameters), parameters)


@kernel
def trace_evaluation(record, parameters, coefficients):
    """Fill `coefficients` (int64[WEIGHT_COUNT], out) with each weight's count; return the value.

    With packed weights, `coefficients @ weights` tapered by the phase is the returned value.
    """
    position = load_position(record)
    coefficients[:] = 0
    packed = placement(position, parameters.weights, coefficients)
    packed += positional(position, parameters.weights, coefficients)
    return _finish(packed, compute_accumulator(position, parameters).phase)
