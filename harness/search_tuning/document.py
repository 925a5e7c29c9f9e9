"""search.json: all that a study says, for its report and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from harness.elo import Z95
from harness.search_tuning.ledger import Told
from harness.search_tuning.space import Dimension, Values
from harness.search_tuning.study import StudyResult
from harness.search_tuning.study_spec import StudySpec

_SLICE_POINTS = 33
_CONTOUR_POINTS = 21


def study_document(
    spec: StudySpec, result: StudyResult, tests: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """The whole study as JSON; `tests` are the documents of the final test and its repetitions."""
    found = result.conclusion
    document = {
        "schema": 1,
        "name": spec.name,
        "base": spec.base.name,
        "base_digest": spec.base.digest(),
        "sampler": spec.rules.sampler,
        "rules": spec.rules.model_dump(),
        "space": spec.space.model_dump(mode="json"),
        "limit": spec.limit.describe(),
        "seed": spec.seed,
        "spec_hash": spec.spec_hash(),
        "source_digest": spec.source_digest,
        "tool_version": spec.tool_version,
        "trials": [_trial(told) for told in result.told],
        "games": 2 * sum(told.counts.observations for told in result.told),
        "values": None if found is None else found.values,
        "base_values": spec.own_values(),
        "claimed": None if found is None else _interval(found.elo, found.error_elo),
        "confirmed": [_confirmed(test) for test in tests],
    }
    if found is not None:
        document["incumbents"] = _incumbents(result)
        document["response"] = _response(spec, result, found.values)
    document["sentence"] = sentence(document)
    return document


def _interval(elo: float, error_elo: float) -> dict[str, float]:
    return {"elo": elo, "low": elo - Z95 * error_elo, "high": elo + Z95 * error_elo}


def _incumbents(result: StudyResult) -> list[dict[str, Any]]:
    """What would have been answered on the way, and its Elo by all that is known at the end."""
    shown = []
    for ordinal, values in result.proposer.course_of_answers(result.told).items():
        estimate = result.proposer.estimate(values, result.told)
        if estimate is not None:
            shown.append({"ordinal": ordinal, "values": values} | _interval(*estimate))
    return shown


def _trial(told: Told) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "ordinal": told.order.ordinal,
        "kind": told.order.kind,
        "values": told.order.played,
        "opponent": told.order.opponent,
        "ptnml": list(told.counts.classes),
        "reason": told.reason,
    }
    if told.evidence is not None:
        shown |= _interval(told.evidence.elo, told.evidence.error_elo)
    return shown


def _confirmed(test: dict[str, Any]) -> dict[str, Any]:
    keys = ("decision", "sentence", "elo", "elo_ci95", "games_counted", "limit", "run_dir")
    return {key: test[key] for key in keys}


def sentence(document: dict[str, Any]) -> str:
    """Claimed beside confirmed, in one line."""
    name, base, claimed = document["name"], document["base"], document["claimed"]
    if claimed is None:
        return f"{name}: every trial of the race has failed"
    half = (claimed["high"] - claimed["low"]) / 2
    told = f"{name} against {base}: claimed {claimed['elo']:+.1f} ± {half:.1f} Elo"
    if not document["confirmed"]:
        return f"{told}; not tested"
    test = document["confirmed"][0]
    low, high = test["elo_ci95"]
    return (
        f"{told}; confirmed {test['elo']:+.1f} [{low:+.1f}, {high:+.1f}] in"
        f" {test['games_counted']:,} games: {test['decision']}"
    )


def _response(spec: StudySpec, result: StudyResult, values: Values) -> dict[str, Any]:
    """The fitted surface through the answer: slices, contours, and how much each dimension moves.

    A dimension's importance is the spread of the mean along its slice, in Elo.
    """
    surface = result.proposer.surface.after(result.told)
    at = spec.space.units(values)
    slices, importances = {}, {}
    for i, one in enumerate(spec.space.dimensions):
        places = np.tile(at, (_SLICE_POINTS, 1))
        places[:, i] = np.linspace(0.0, 1.0, _SLICE_POINTS)
        mean, error = surface.mean_and_error(places)
        slices[one.name] = {
            "values": _axis_values(one, places[:, i]),
            "mean": mean.tolist(),
            "error": error.tolist(),
        }
        importances[one.name] = float(np.ptp(mean))
    most = sorted(importances, key=lambda name: -importances[name])[:2]
    return {
        "slices": slices,
        "importances": importances,
        "contour": _contour(spec, surface, at, *most) if len(most) == 2 else None,
    }


def _contour(spec: StudySpec, surface: Any, at: Any, first: str, second: str) -> dict[str, Any]:
    """The mean and its error over the two most important dimensions, through the answer."""
    names = spec.space.names
    axis = np.linspace(0.0, 1.0, _CONTOUR_POINTS)
    places = np.tile(at, (_CONTOUR_POINTS**2, 1))
    places[:, names.index(first)] = np.tile(axis, _CONTOUR_POINTS)
    places[:, names.index(second)] = np.repeat(axis, _CONTOUR_POINTS)
    mean, error = surface.mean_and_error(places)
    shape = (_CONTOUR_POINTS, _CONTOUR_POINTS)
    by_name = {one.name: one for one in spec.space.dimensions}
    return {
        "names": [first, second],
        "values": [_axis_values(by_name[first], axis), _axis_values(by_name[second], axis)],
        "mean": mean.reshape(shape).tolist(),
        "error": error.reshape(shape).tolist(),
    }


def _axis_values(one: Dimension, axis: Any) -> list[float]:
    return [one.exact(unit) / one.scale for unit in axis]
