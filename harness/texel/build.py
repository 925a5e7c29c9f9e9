"""From sources to the tuner's two datasets: extraction, duplicates, split, and the counts of it.

The rows go to the disk as they come and are mapped from there, so that memory holds a few words of
each position. The result is the same, byte for byte, for any number of workers.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from harness import __version__
from harness.errors import UsageError
from harness.texel.census import Census
from harness.texel.dataset import Dataset, DatasetWriter, load, select
from harness.texel.extract import Batch, Extraction
from harness.texel.played import NO_SCORE
from harness.texel.pool import extracted
from harness.texel.sources import Block, PositionLines, blocks_of, describe_sources
from harness.texel.split import Merged, has_twin, merge, validation_games

#: Rows that are written at a time.
_PART_ROWS: Final = 1 << 17


@dataclass(frozen=True, slots=True)
class DataOptions:
    """How the datasets are made. `workers` has no say in what they are."""

    extraction: Extraction
    validation_share: float = 0.1
    workers: int = 1


class Prepared(NamedTuple):
    """The datasets and the counts of their making.

    keys : uint64[...], increasing, of all positions that were kept and of all openings.
    """

    train: Dataset
    validation: Dataset
    census: Census
    keys: NDArray[np.uint64]


def build(
    sources: Sequence[Path],
    options: DataOptions,
    folder: Path | None,
    report: Callable[[Census], None] = lambda census: None,
) -> Prepared:
    """Make `folder/train` and `folder/validation` of all sources.

    Without a folder the datasets are in files that nobody else sees and that end with the process.
    `report` is called after each block with the counts so far. Raises UsageError, InexactTraceError
    and EngineStartError.
    """
    with (
        _place(folder) as place,
        tempfile.TemporaryDirectory(dir=place) as scratch,
        _Spool(Path(scratch)) as spool,
    ):
        census, openings = Census(), [np.zeros(0, np.uint64)]
        blocks = _blocks(sources, options.extraction)
        for batch in extracted(blocks, options.extraction, options.workers):
            spool.append(batch)
            census.add(batch.census)
            openings.append(np.unique(batch.openings))
            report(census)
        table = spool.table()
        facts = {"sources": describe_sources(sources), "options": _options_document(options)}
        train, validation = _split(table, options, census)
        return Prepared(
            _written(place / "train", table.dataset, train, facts, census),
            _written(place / "validation", table.dataset, validation, facts, census),
            census,
            np.unique(np.concatenate([table.keys, *openings])),
        )


@contextmanager
def _place(folder: Path | None) -> Iterator[Path]:
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="numbishop-") as made:
            yield Path(made)
        return
    folder.mkdir(parents=True, exist_ok=True)
    yield folder


def _blocks(sources: Sequence[Path], how: Extraction) -> Iterator[Block]:
    for path in sources:
        for block in blocks_of(path):
            if isinstance(block, PositionLines) and how.noisy == "calm":
                raise UsageError(
                    f"{path}: positions alone do not say which move was played; expected another"
                    " way with noisy positions than calm"
                )
            yield block


class _Table(NamedTuple):
    """All rows, mapped from the disk, and their keys."""

    dataset: Dataset
    keys: NDArray[np.uint64]
    games: NDArray[np.uint64]


class _Spool:
    """Rows on the disk as they come, in the columns of a dataset."""

    _COLUMNS: Final = (
        ("length", np.uint16),
        ("indices", np.uint16),
        ("counts", np.int8),
        ("phase", np.uint8),
        ("scale_pct", np.uint8),
        ("turn", np.int8),
        ("result", np.float32),
        ("score_cp", np.float32),
        ("game", np.int32),
        ("key", np.uint64),
    )

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, BinaryIO] = {
            name: (folder / name).open("wb") for name, _ in self._COLUMNS
        }
        self._games: list[NDArray[np.uint64]] = [np.zeros(0, np.uint64)]
        self._game_count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()

    def append(self, batch: Batch) -> None:
        """Write the rows of the next block."""
        rows = batch.rows
        known = rows["score_cp"] != NO_SCORE
        white_score = rows["score_cp"].astype(np.float32) * rows["played_turn"]
        columns = {
            **{name: rows[name] for name in ("length", "phase", "scale_pct", "turn", "key")},
            "indices": batch.indices,
            "counts": batch.counts,
            "result": batch.result,
            "score_cp": np.where(known, white_score, np.float32(np.nan)),
            "game": batch.game + np.int32(self._game_count),
        }
        for name, dtype in self._COLUMNS:
            np.ascontiguousarray(columns[name], dtype).tofile(self._files[name])
        self._games.append(batch.games)
        self._game_count += len(batch.games)

    def table(self) -> _Table:
        """All rows that were written."""
        for file in self._files.values():
            file.flush()
        column = {name: self._mapped(name, dtype) for name, dtype in self._COLUMNS}
        starts = np.zeros(len(column["length"]) + 1, np.int64)
        np.cumsum(column["length"], out=starts[1:])
        dataset = Dataset(
            starts,
            column["indices"],
            column["counts"],
            column["phase"],
            column["scale_pct"],
            column["turn"],
            column["result"],
            np.ones(len(column["phase"]), np.float32),
            column["score_cp"],
            column["game"],
        )
        return _Table(dataset, column["key"], np.concatenate(self._games))

    def _mapped(self, name: str, dtype: Any) -> NDArray[Any]:
        path = self._folder / name
        if path.stat().st_size == 0:  # an empty file cannot be mapped
            return np.zeros(0, dtype)
        return np.memmap(path, dtype, "r")


def _split(table: _Table, options: DataOptions, census: Census) -> tuple[Merged, Merged]:
    """The rows of train and of validation; counts what was merged and what is in both."""
    seed = options.extraction.seed
    for_validation = validation_games(table.games, options.validation_share, seed)[
        table.dataset.game
    ]
    train = _merged(table, np.flatnonzero(~for_validation))
    validation = _merged(table, np.flatnonzero(for_validation))
    twins = has_twin(table.keys[validation.rows], table.keys[train.rows])
    apart = validation.without(twins)
    different = len(train.rows) + len(validation.rows)
    merged = len(table.keys) - different
    census.note_split(len(train.rows), len(apart.rows), int(twins.sum()), merged)
    return train, apart


def _merged(table: _Table, rows: NDArray[np.int64]) -> Merged:
    dataset = table.dataset
    return merge(rows, table.keys, dataset.turn, dataset.result, dataset.score_cp)


def _written(
    folder: Path, source: Dataset, merged: Merged, facts: dict[str, Any], census: Census
) -> Dataset:
    """Write some rows of the source, with what their duplicates say too, and map them."""
    lengths = source.starts[merged.rows + 1] - source.starts[merged.rows]
    facts = facts | {"census": census.document(), "version": __version__}
    with DatasetWriter(folder, len(merged.rows), int(lengths.sum()), facts) as writer:
        for start in range(0, len(merged.rows), _PART_ROWS):
            part = slice(start, start + _PART_ROWS)
            writer.append(
                select(source, merged.rows[part])._replace(
                    result=merged.result[part],
                    weight=merged.weight[part],
                    score_cp=merged.score_cp[part],
                )
            )
    return load(folder)


def _options_document(options: DataOptions) -> dict[str, Any]:
    how = options.extraction
    return {
        "noisy": how.noisy,
        "most_per_game": how.most_per_game,
        "book_plies": how.book_plies,
        "movers_view": how.movers_view,
        "seed": how.seed,
        "validation_share": options.validation_share,
    }
