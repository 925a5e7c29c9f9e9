"""Coefficients of another engine, read from a text."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from harness.errors import UsageError
from harness.texel.features import read_features, split

GOOD = """numbishop features 1

# a comment
term pawn_value 82 | 94
term passed_pawn 0 5 | 10 20.5
1 18 100 w 7 35 0:1 2:-1
0.5 4 50 b 8 - 0:-2 1:0
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "features.txt"
    path.write_text(text)
    return path


def test_terms_and_positions_are_read(tmp_path: Path) -> None:
    layout, start, dataset = read_features(write(tmp_path, GOOD))
    assert layout.names == ("pawn_value", "passed_pawn")
    assert layout.lengths == (1, 2)
    np.testing.assert_array_equal(start, [[82, 94], [0, 10], [5, 20.5]])
    assert dataset.starts.tolist() == [0, 2, 3]
    assert dataset.indices.tolist() == [0, 2, 0]
    assert dataset.counts.tolist() == [1, -1, -2]
    assert dataset.phase.tolist() == [18, 4]
    assert dataset.scale_pct.tolist() == [100, 50]
    assert dataset.turn.tolist() == [1, -1]
    assert dataset.result.tolist() == [1.0, 0.5]
    assert dataset.weight.tolist() == [1.0, 1.0]
    np.testing.assert_array_equal(dataset.score_cp, [35, np.nan])
    assert dataset.game.tolist() == [7, 8]


def test_a_packed_file_says_the_same(tmp_path: Path) -> None:
    packed = tmp_path / "features.gz"
    packed.write_bytes(gzip.compress(GOOD.encode()))
    plain, unpacked = read_features(write(tmp_path, GOOD)), read_features(packed)
    for one, other in zip(plain.dataset, unpacked.dataset, strict=True):
        np.testing.assert_array_equal(one, other)


def test_games_are_split_whole(tmp_path: Path) -> None:
    lines = [f"1 {i % 25} 100 w {i // 5} - 0:1" for i in range(1000)]
    dataset = read_features(write(tmp_path, GOOD + "\n".join(lines))).dataset
    train, validation = split(dataset, 0.3, seed=1)
    assert not set(train.game) & set(validation.game)
    assert len(train.game) + len(validation.game) == 1002
    assert 200 < len(validation.game) < 400
    other = split(dataset, 0.3, seed=2)[1]
    assert set(other.game) != set(validation.game)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected `numbishop features 1` as the first line"),
        ("numbishop features 2\n", "expected `numbishop features 1` as the first line"),
        ("numbishop features 1\nterm a 1 2 | 3\n", "line 2: expected `term NAME MIDDLEGAME..."),
        ("numbishop features 1\nterm a 1 | 2\nterm a 1 | 2\n", "line 3: term 'a': expected a name"),
        ("numbishop features 1\nterm a 1 | 2\n", "it has no positions"),
        ("numbishop features 1\nterm a 1 | 2\n1/2 1 1 w 1 -\n", "line 3: expected a position:"),
        (
            "numbishop features 1\nterm a 1 | 2\n1 25 1 w 1 -\n",
            "phase 25: expected 0 to 24",
        ),
        ("numbishop features 1\nterm a 1 | 2\n1 2 1 w 1 - 1:1\n", "index 1: expected 0 to 0"),
        ("numbishop features 1\nterm a 1 | 2\n1 2 1 w 1 - 0:1 0:1\n", "an index is given twice"),
        (GOOD + "term b 1 | 2\\n", "line 8: a term after the first position"),
    ],
)
def test_bad_features_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        read_features(write(tmp_path, text))
    assert message in str(refusal.value)
