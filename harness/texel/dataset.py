"""Labelled positions as sparse rows of evaluation terms: what the tuner fits. White's view.

A weight vector is laid out as the engine's terms are, one after another (middlegame and endgame
each); a row says how often each weight counts for white less how often for black.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from engine.weights import EVALUATION
from harness.errors import UsageError
from harness.files import write_whole


class Dataset(NamedTuple):
    """n positions with m coefficients in all; the arrays may be memory-mapped.

    From the side to move, with w the weights and the sums over the row, a position is worth
    `(phase * 100 * sum(counts * w_mg) + (24 - phase) * scale_pct * sum(counts * w_eg)) * turn`
    centipawns, divided by 2400 and rounded down.
    """

    #: int64[n + 1]: row i has the coefficients starts[i] to starts[i + 1].
    starts: NDArray[np.int64]
    #: uint16[m]: place in the weight vector.
    indices: NDArray[np.uint16]
    #: int8[m]: white's count less black's, never 0.
    counts: NDArray[np.int8]
    #: uint8[n]: 0 (endgame) to 24 (middlegame).
    phase: NDArray[np.uint8]
    #: uint8[n]: what the endgame half counts, 0 to 100.
    scale_pct: NDArray[np.uint8]
    #: int8[n]: 1 when white is to move, -1 when black is.
    turn: NDArray[np.int8]
    #: float32[n]: white's score, 0 to 1; the mean where equal positions were merged.
    result: NDArray[np.float32]
    #: float32[n]: how many positions were merged into this one.
    weight: NDArray[np.float32]
    #: float32[n]: centipawns that a search saw for white; NaN where none is known.
    score_cp: NDArray[np.float32]
    #: int32[n]: number of the game (the first one, where positions were merged).
    game: NDArray[np.int32]


#: Of the files; those of another version are refused.
FORMAT_VERSION: Final = 1

_ROWS_AT_ONCE: Final = 1 << 18

_DOCUMENT: Final = "dataset.json"
_DTYPES: Final = {
    "starts": np.int64,
    "indices": np.uint16,
    "counts": np.int8,
    "phase": np.uint8,
    "scale_pct": np.uint8,
    "turn": np.int8,
    "result": np.float32,
    "weight": np.float32,
    "score_cp": np.float32,
    "game": np.int32,
}


def weight_layout() -> list[list[str | int]]:
    """Name and length of each of the engine's terms, in the order of the weight vector."""
    return [[term.name, len(term.middlegame)] for term in EVALUATION]


def select(dataset: Dataset, rows: NDArray[np.integer]) -> Dataset:
    """Some rows, in the order given, in memory."""
    rows = np.asarray(rows, np.int64)
    first = dataset.starts[rows]
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(dataset.starts[rows + 1] - first, out=starts[1:])
    places = np.arange(starts[-1]) + np.repeat(first - starts[:-1], np.diff(starts))
    return Dataset(
        starts,
        dataset.indices[places],
        dataset.counts[places],
        *(column[rows] for column in dataset[3:]),
    )


def rows_that_know(dataset: Dataset, weights: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool[n]: the positions in which one of the chosen weights (bool[W]) counts."""
    known = np.zeros(len(dataset.phase), np.bool_)
    for first in range(0, len(known), _ROWS_AT_ONCE):
        starts = dataset.starts[first : first + _ROWS_AT_ONCE + 1]
        places = np.flatnonzero(weights[dataset.indices[starts[0] : starts[-1]]]) + starts[0]
        known[first + np.searchsorted(starts, places, side="right") - 1] = True
    return known


def write(folder: Path, dataset: Dataset, facts: Mapping[str, Any]) -> None:
    """Keep a dataset in a folder (see `DatasetWriter`)."""
    with DatasetWriter(folder, len(dataset.phase), len(dataset.indices), facts) as writer:
        writer.append(dataset)


class DatasetWriter:
    """A dataset that is written part by part; its folder appears when all of it is there.

    A column is a file of NumPy's, `<name>.npy`; `dataset.json` has the layout of the weights and
    the `facts` about its making. An older dataset at the place is replaced.
    """

    def __init__(self, folder: Path, rows: int, coefficients: int, facts: Mapping[str, Any]):
        self._folder = folder
        self._unfinished = folder.with_name(f"{folder.name}.part")
        self._facts = facts
        self._rows, self._coefficients = rows, coefficients
        self._rows_written = self._coefficients_written = 0

    def __enter__(self) -> Self:
        shutil.rmtree(self._unfinished, ignore_errors=True)
        self._unfinished.mkdir(parents=True)
        lengths = {"starts": self._rows + 1} | dict.fromkeys(
            ("indices", "counts"), self._coefficients
        )
        self._columns = {
            name: np.lib.format.open_memmap(
                self._unfinished / f"{name}.npy", "w+", dtype, (lengths.get(name, self._rows),)
            )
            for name, dtype in _DTYPES.items()
        }
        self._columns["starts"][0] = 0
        return self

    def append(self, part: Dataset) -> None:
        """Write the next rows."""
        row, place = self._rows_written, self._coefficients_written
        rows, coefficients = len(part.phase), len(part.indices)
        self._columns["starts"][row + 1 : row + rows + 1] = part.starts[1:] + place
        for name, column in zip(Dataset._fields[1:], part[1:], strict=True):
            start, count = (place, coefficients) if name in _COEFFICIENTS else (row, rows)
            self._columns[name][start : start + count] = column
        self._rows_written += rows
        self._coefficients_written += coefficients

    def __exit__(self, failed: object, *_: object) -> None:
        columns, self._columns = self._columns, {}
        if failed is not None:
            shutil.rmtree(self._unfinished, ignore_errors=True)
            return
        for column in columns.values():
            column.flush()
        document = {
            "format": FORMAT_VERSION,
            "positions": self._rows,
            "coefficients": self._coefficients,
            "weights": weight_layout(),
            **self._facts,
        }
        write_whole(self._unfinished / _DOCUMENT, json.dumps(document, indent=1) + "\n")
        if self._folder.exists():
            shutil.rmtree(self._folder)
        self._unfinished.rename(self._folder)


def is_dataset(folder: Path) -> bool:
    """Whether there is one in a folder."""
    return (folder / _DOCUMENT).is_file()


def read_facts(folder: Path) -> dict[str, Any]:
    """The document of a dataset. Raises UsageError where there is none that fits the engine."""
    path = folder / _DOCUMENT
    try:
        document: dict[str, Any] = json.loads(path.read_text("utf-8"))
        version, layout = document["format"], document["weights"]
    except OSError:
        raise UsageError(
            f"{folder}: no dataset there; expected a folder with {_DOCUMENT}"
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path}: it is damaged ({error}); expected a dataset") from None
    if version != FORMAT_VERSION:
        raise UsageError(f"{path}: format {version}; expected {FORMAT_VERSION}: make it again")
    if layout != weight_layout():
        raise UsageError(
            f"{path}: made for other evaluation terms; expected the engine's; make it again"
        )
    return document


def load(folder: Path) -> Dataset:
    """A dataset as it lies on the disk, memory-mapped. Raises UsageError."""
    document = read_facts(folder)
    rows, coefficients = document["positions"], document["coefficients"]
    columns = []
    for name, dtype in _DTYPES.items():
        path = folder / f"{name}.npy"
        length = coefficients if name in _COEFFICIENTS else rows + (name == "starts")
        try:
            # An empty file cannot be mapped.
            column = np.load(path, mmap_mode="r" if length else None)
        except (OSError, ValueError) as error:
            raise UsageError(f"{path}: cannot be read ({error}); expected a dataset") from None
        if column.dtype != dtype or column.shape != (length,):
            raise UsageError(f"{path}: {column.dtype}{column.shape}; expected {length} numbers")
        columns.append(column)
    return Dataset(*columns)


_COEFFICIENTS: Final = frozenset({"indices", "counts"})
