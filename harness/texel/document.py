"""All that a tuning showed, as one document: texel.json, and what the report is made of.

Weights stand in the order of the weight vector (boards a1 first), in centipawns; losses are means.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from harness.texel.dataset import Dataset
from harness.texel.diagnostics import calibration, expected_scores, phase_errors
from harness.texel.fit import FitOptions, Fitted
from harness.texel.gauge import Gauge
from harness.texel.positions import Positions, blended_target
from harness.texel.rounding import Rounded
from harness.texel.sums.kernel import Floats
from harness.texel.uncertainty import Uncertainty

#: Below, the start has had the greater say in a weight.
LITTLE_SUPPORT: Final = 0.5
_HALVES: Final = ("middlegame", "endgame")


def fit_document(
    fitted: Fitted,
    rounded: Rounded,
    fixed: Floats,
    errors: Uncertainty,
    gauges: list[Gauge],
    options: FitOptions,
    validation: Dataset | None,
) -> dict[str, Any]:
    """The document of a fit; `fixed` (float64[W, 2]): its weights in fixed gauges."""
    judges = (
        fitted.objective.positions if validation is None else _judges(fitted, validation, options)
    )
    before, after = fitted.start, rounded.weights.astype(np.float64)
    return {
        "k": fitted.k,
        "k_400": 400.0 * fitted.k,
        "loss": options.loss,
        "method": options.method,
        "lambda": options.result_share,
        "ridge": fitted.best.ridge,
        "smoothness": options.smoothness,
        "only": list(options.only),
        "freeze": list(options.freeze),
        "mirror": options.mirror,
        "monotone": list(options.monotone),
        "positions": {
            "train": fitted.objective.positions.used,
            "validation": 0 if validation is None else judges.used,
        },
        "ending": fitted.ending,
        "best_step": fitted.best.step,
        "path": [[p.step, p.ridge, p.train, _or_none(p.validation)] for p in fitted.path],
        "losses": {
            "train": _losses(fitted.objective.positions, fitted, before, rounded),
            "validation": None if validation is None else _losses(judges, fitted, before, rounded),
            "nearest_whole": rounded.nearest_loss,
            "repairing_steps": rounded.steps,
        },
        "gauges": [[gauge.table, gauge.scalar] for gauge in gauges],
        "terms": _terms(fitted, rounded, fixed, errors),
        "little_support": _little_support(fitted, errors),
        "judged_on": "train" if validation is None else "validation",
        "calibration": {
            "before": _calibration(judges, before, fitted.k, exact=False),
            "after": _calibration(judges, after, fitted.k, exact=True),
        },
        "phases": {
            "before": _phases(judges, before, fitted.k, exact=False),
            "after": _phases(judges, after, fitted.k, exact=True),
        },
    }


def _or_none(number: float) -> float | None:
    """A number that JSON knows."""
    return None if np.isnan(number) else number


def _judges(fitted: Fitted, validation: Dataset, options: FitOptions) -> Positions:
    target = blended_target(validation, fitted.k, options.result_share)
    return Positions(validation, target, options.loss, fitted.layout.size, options.threads)


def _losses(
    positions: Positions, fitted: Fitted, before: Floats, rounded: Rounded
) -> dict[str, float]:
    """Of the start, of the real-valued weights, and of the whole ones as the engine computes."""
    return {
        "start": positions.loss(before, fitted.k),
        "fitted": positions.loss(fitted.weights, fitted.k),
        "whole": positions.loss(rounded.weights.astype(np.float64), fitted.k, exact=True),
    }


def _terms(
    fitted: Fitted, rounded: Rounded, fixed: Floats, errors: Uncertainty
) -> list[dict[str, Any]]:
    columns = {
        "before": fitted.start,
        "after": rounded.weights,
        "fitted": np.round(fixed, 3),
        "standard_error": np.round(errors.standard_error, 3),
        "positions": fitted.support,
        "data_share": np.round(errors.data_share, 4),
    }
    return [
        {
            "name": name,
            **{
                column: {
                    half: values[fitted.layout.places(name), number].tolist()
                    for number, half in enumerate(_HALVES)
                }
                for column, values in columns.items()
            },
        }
        for name in fitted.layout.names
    ]


def _little_support(fitted: Fitted, errors: Uncertainty) -> list[str]:
    """The names of weights that may move, but of which the data says less than the start."""
    weak = fitted.objective.freedom.moved() & (errors.data_share < LITTLE_SUPPORT)
    return [
        f"{fitted.layout.label(int(place))} {_HALVES[half]}" for place, half in np.argwhere(weak)
    ]


def _calibration(
    positions: Positions, weights: Floats, k: float, *, exact: bool
) -> list[list[float]]:
    expected = expected_scores(positions.values(weights, exact=exact), k)
    return [list(one) for one in calibration(expected, positions.target, positions.weight)]


def _phases(positions: Positions, weights: Floats, k: float, *, exact: bool) -> list[list[float]]:
    expected = expected_scores(positions.values(weights, exact=exact), k)
    found = phase_errors(
        expected, positions.target, positions.weight, positions.phase, positions.game
    )
    return [list(one) for one in found]
