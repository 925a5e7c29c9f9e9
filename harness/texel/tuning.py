"""A tuning as a value, and its stages: data, fit, whole weights, document."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from harness.errors import UsageError
from harness.exports import write_json
from harness.files import write_whole
from harness.spec import EngineConfig
from harness.texel import features, gauge
from harness.texel.build import DataOptions, build
from harness.texel.census import Census
from harness.texel.dataset import Dataset, load, rows_that_know
from harness.texel.document import fit_document
from harness.texel.fit import FitOptions, Fitted
from harness.texel.layout import ENDINGS, Layout, engine_layout, free_weights, tunes_endings
from harness.texel.optimise import AdamState
from harness.texel.rounding import nearest_whole, round_weights
from harness.texel.sums.kernel import Floats
from harness.texel.uncertainty import uncertainty
from harness.texel.watch import Point, Progress
from harness.texel.weights_file import vector

_SPEC: Final = "tuning.json"
#: Written when the data is complete.
_ABOUT: Final = "data.json"
_KEYS: Final = "keys.npy"
_PROGRESS: Final = "progress.npz"


@dataclass(frozen=True, slots=True)
class Tuning:
    """All that decides what comes out, but for the number of workers."""

    name: str
    base: EngineConfig
    data: DataOptions
    fit: FitOptions
    sources: tuple[Path, ...] = ()
    features: Path | None = None

    def with_workers(self, count: int) -> Tuning:
        """The same with so many workers and threads."""
        return dataclasses.replace(
            self,
            data=dataclasses.replace(self.data, workers=count),
            fit=dataclasses.replace(self.fit, threads=count),
        )


_ADAPTER: Final = TypeAdapter(Tuning)


class Material(NamedTuple):
    """What a fit starts from.

    census : rows of a table about the making of the data. keys : uint64[...], increasing, of its
    positions and of those from which its games were played.
    """

    layout: Layout
    start: Floats  # float64[W, 2]
    train: Dataset
    validation: Dataset
    census: list[list[str]]
    keys: NDArray[np.uint64]


def write_tuning(folder: Path, tuning: Tuning) -> None:
    """Note in its folder what the tuning is."""
    write_whole(folder / _SPEC, _ADAPTER.dump_json(tuning, indent=1).decode() + "\n")


def read_tuning(folder: Path) -> Tuning:
    """The tuning of a folder. Raises UsageError when there is none."""
    try:
        return _ADAPTER.validate_json((folder / _SPEC).read_bytes())
    except FileNotFoundError:
        raise UsageError(f"{folder}: no tuning there; expected a folder with {_SPEC}") from None
    except ValidationError as error:
        raise UsageError(f"{folder / _SPEC}: it is damaged ({error}); expected a tuning") from None


def prepare(
    tuning: Tuning, folder: Path, report: Callable[[Census], None] = lambda census: None
) -> Material:
    """The data, made or, where the folder or the one source has it already, read again."""
    if tuning.features is not None:
        read = features.read_features(tuning.features)
        share, seed = tuning.data.validation_share, tuning.data.extraction.seed
        train, validation = features.split(read.dataset, share, seed)
        counts = [["positions for training", f"{len(train.phase):,}"]]
        counts += [["positions for validation", f"{len(validation.phase):,}"]]
        return Material(read.layout, read.start, train, validation, counts, np.zeros(0, np.uint64))
    if (folder / _ABOUT).exists():
        return _made_before(tuning, folder)
    if len(tuning.sources) == 1 and (tuning.sources[0] / _ABOUT).exists():
        return _made_before(tuning, tuning.sources[0])
    built = build(tuning.sources, tuning.data, folder, report)
    census = [[label, f"{count:,}"] for label, count in built.census.rows()]
    census.append(["of validation, also in train (left out)", f"{built.census.leak_share:.1%}"])
    np.save(folder / _KEYS, built.keys)
    write_json(folder / _ABOUT, {"census": census})
    return _material(tuning, built.train, built.validation, census, built.keys)


def _made_before(tuning: Tuning, folder: Path) -> Material:
    census = json.loads((folder / _ABOUT).read_text("utf-8"))["census"]
    train, validation = load(folder / "train"), load(folder / "validation")
    return _material(tuning, train, validation, census, np.load(folder / _KEYS))


def _material(
    tuning: Tuning,
    train: Dataset,
    validation: Dataset,
    census: list[list[str]],
    keys: NDArray[np.uint64],
) -> Material:
    """Positions of bare kings count for nothing where their weights are not tuned.

    They are won on the board, whatever the players made of them: in 591 such games of Stockfish at
    some hundred nodes the stronger side scored 75.6 %, and the other weights would have to answer
    for the rest.
    """
    layout = engine_layout()
    if not tunes_endings(layout, tuning.fit.only, tuning.fit.freeze):
        train, of_train = _without_endings(train, layout)
        validation, of_validation = _without_endings(validation, layout)
        census = [*census, ["  of these bare kings, not used", f"{-of_train - of_validation:,}"]]
    return Material(layout, vector(tuning.base.weights), train, validation, census, keys)


def _without_endings(dataset: Dataset, layout: Layout) -> tuple[Dataset, int]:
    """The dataset with weight 0 where a bare king is, and in how many positions that is."""
    endings = free_weights(layout, [ENDINGS], [])
    bare = rows_that_know(dataset, endings)
    return dataset._replace(weight=np.where(bare, np.float32(0), dataset.weight)), int(bare.sum())


class Tuned(NamedTuple):
    """Whole weights (int64[W, 2]) and the document about them."""

    weights: NDArray[np.int64]
    document: dict[str, Any]


def finish(fitted: Fitted, options: FitOptions, validation: Dataset) -> Tuned:
    """Gauges, whole weights, standard errors: the fit made ready to be used and shown."""
    positions, freedom = fitted.objective.positions, fitted.objective.freedom
    gauges = gauge.find_gauges(fitted.layout, positions)
    fixing = gauge.fixing(fitted.layout, gauges, fitted.support, freedom.moved())
    if fitted.best.step == 0:  # nothing is better than the start: it stays
        fixed, rounded = fitted.start, nearest_whole(fitted.objective, fitted.start)
    else:
        fixed = gauge.fix(fixing, fitted.weights)
        rounded = round_weights(fitted.objective, fixed, fitted.orders)
    errors = uncertainty(fitted.objective, fitted.weights, fixing)
    judges = validation if validation.phase.size else None
    document = fit_document(fitted, rounded, fixed, errors, gauges, options, judges)
    return Tuned(rounded.weights, document)


def save_progress(folder: Path, progress: Progress) -> None:
    """Keep what a fit can be resumed from, in one step."""
    unfinished = folder / f"{_PROGRESS}.part.npz"
    np.savez(
        unfinished,
        u=progress.state.u,
        momentum=progress.state.momentum,
        velocity=progress.state.velocity,
        step=progress.state.step,
        best_weights=progress.best_weights,
        best=np.array(progress.best),
        path=np.array(progress.path),
    )
    unfinished.replace(folder / _PROGRESS)


def read_progress(folder: Path) -> Progress | None:
    """What a fit can be resumed from, if it has come to that."""
    path = folder / _PROGRESS
    if not path.exists():
        return None
    try:
        with np.load(path) as saved:
            best, *points = (
                Point(int(row[0]), *map(float, row[1:])) for row in (saved["best"], *saved["path"])
            )
            state = AdamState(saved["u"], saved["momentum"], saved["velocity"], int(saved["step"]))
            return Progress(state, saved["best_weights"], best, tuple(points))
    except (OSError, ValueError, KeyError) as error:
        raise UsageError(
            f"{path}: it is damaged ({error}); expected a saved fit, or no such file"
        ) from None
