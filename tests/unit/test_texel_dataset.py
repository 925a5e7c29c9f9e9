"""Datasets on the disk."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from harness.errors import UsageError
from harness.texel.dataset import Dataset, DatasetWriter, load, read_facts, select, write


def random_dataset(seed: int, positions: int) -> Dataset:
    rng = np.random.default_rng(seed)
    starts = np.zeros(positions + 1, np.int64)
    np.cumsum(rng.integers(0, 9, positions), out=starts[1:])
    return Dataset(
        starts,
        rng.integers(0, 500, starts[-1]).astype(np.uint16),
        rng.integers(-9, 9, starts[-1]).astype(np.int8),
        rng.integers(0, 25, positions).astype(np.uint8),
        rng.integers(0, 101, positions).astype(np.uint8),
        rng.choice([-1, 1], positions).astype(np.int8),
        rng.random(positions, np.float32),
        rng.integers(1, 5, positions).astype(np.float32),
        rng.normal(size=positions).astype(np.float32),
        np.sort(rng.integers(0, 40, positions)).astype(np.int32),
    )


def assert_same(found: Dataset, expected: Dataset) -> None:
    for name, column, wanted in zip(Dataset._fields, found, expected, strict=True):
        np.testing.assert_array_equal(column, wanted, name)
        assert column.dtype == wanted.dtype


@pytest.mark.parametrize("positions", [0, 1, 200])
def test_what_was_written_is_read(positions: int, tmp_path: Path) -> None:
    dataset = random_dataset(1, positions)
    write(tmp_path / "data", dataset, {"seed": 5})
    assert_same(load(tmp_path / "data"), dataset)
    assert read_facts(tmp_path / "data")["seed"] == 5


def test_rows_can_be_chosen_and_written_in_parts(tmp_path: Path) -> None:
    dataset = random_dataset(2, 300)
    rows = np.random.default_rng(3).permutation(300)[:100]
    chosen = select(dataset, rows)
    for place, row in enumerate(rows):
        part = slice(dataset.starts[row], dataset.starts[row + 1])
        taken = slice(chosen.starts[place], chosen.starts[place + 1])
        assert chosen.indices[taken].tolist() == dataset.indices[part].tolist()
        assert chosen.counts[taken].tolist() == dataset.counts[part].tolist()
        assert chosen.score_cp[place] == dataset.score_cp[row]
    with DatasetWriter(tmp_path / "data", 100, len(chosen.indices), {}) as writer:
        for start in range(0, 100, 30):
            writer.append(select(dataset, rows[start : start + 30]))
    assert_same(load(tmp_path / "data"), chosen)


def test_a_dataset_appears_when_it_is_whole_and_replaces_the_last(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    write(folder, random_dataset(1, 10), {})
    too_long = random_dataset(2, 20)
    with pytest.raises(ValueError, match="broadcast"), DatasetWriter(folder, 5, 9, {}) as writer:
        writer.append(too_long)
    assert_same(load(folder), random_dataset(1, 10))
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
    write(folder, random_dataset(3, 7), {})
    assert_same(load(folder), random_dataset(3, 7))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda facts: facts | {"format": 9}, "format 9; expected 1"),
        (lambda facts: facts | {"weights": [["pawn_value", 1]]}, "other evaluation terms"),
        (lambda facts: facts | {"positions": 11}, r"starts.npy: .*expected 12 numbers"),
        (lambda _: [], "damaged"),
        (lambda _: {}, "damaged"),
    ],
)
def test_what_does_not_fit_is_refused(change, reason, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    write(folder, random_dataset(1, 10), {})
    path = folder / "dataset.json"
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(UsageError, match=reason):
        load(folder)


def test_what_is_not_there_or_cut_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no dataset"):
        load(tmp_path)
    write(tmp_path / "data", random_dataset(1, 10), {})
    column = tmp_path / "data" / "counts.npy"
    column.write_bytes(column.read_bytes()[:-3])
    with pytest.raises(UsageError, match=r"counts.npy: cannot be read"):
        load(tmp_path / "data")
