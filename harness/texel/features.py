"""Coefficients that another engine has counted, read from a text (docs/texel.md has the format).

The first line is `numbishop features 1`. Then the terms, in the order of the weight vector:

    term NAME MIDDLEGAME... | ENDGAME...

with as many endgame weights as middlegame ones, in centipawns. Then a line for each position, from
white's view:

    RESULT PHASE SCALE TURN GAME SCORE INDEX:COUNT ...

result 0 to 1; phase 24 (middlegame) to 0; scale in percent of the endgame half; w or b; the game's
number; a search's centipawns or `-`; and the net counts that are not 0. Blank lines and lines that
begin with # say nothing.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.archives import read_file, unpack
from harness.errors import UsageError
from harness.splitmix import derive_seed
from harness.texel.dataset import Dataset, select
from harness.texel.layout import Layout
from harness.texel.sums.kernel import Floats

HEAD: Final = "numbishop features 1"
#: Their curvature takes 24 bytes a pair, four times over: 1.5 GB.
_MOST_WEIGHTS: Final = 4000
_POSITION: Final = "`RESULT PHASE SCALE TURN GAME SCORE INDEX:COUNT ...`"
_SPLIT_STEP: Final = 0x64756D70  # "dump"


class Features(NamedTuple):
    """The terms, their starting weights (float64[W, 2]) and the positions."""

    layout: Layout
    start: Floats
    dataset: Dataset


class _Line(NamedTuple):
    path: Path
    number: int
    words: list[str]

    def refusal(self, reason: str) -> UsageError:
        return UsageError(f"{self.path}, line {self.number}: {reason}")


def read_features(path: Path) -> Features:
    """Read a file, plain or packed. Raises UsageError: one sentence with the line."""
    text = unpack(path, read_file(path)).decode("utf-8", errors="replace")
    lines = _lines(path, text)
    first = next(lines, None)
    if first is None or " ".join(first.words) != HEAD:
        raise UsageError(f"{path}: expected `{HEAD}` as the first line")
    terms: list[_Term] = []
    columns = _Columns()
    for line in lines:
        if line.words[0] != "term":
            columns.add(line, sum(len(term.weights) for term in terms))
        elif columns.games:
            raise line.refusal("a term after the first position; expected all terms before it")
        else:
            terms.append(_term(line, {term.name for term in terms}))
    if not columns.games:
        raise UsageError(f"{path}: it has no positions; expected some after the terms")
    layout = Layout(tuple(t.name for t in terms), tuple(len(t.weights) for t in terms))
    if layout.size > _MOST_WEIGHTS:
        raise UsageError(
            f"{path}: {layout.size:,} weights; expected at most {_MOST_WEIGHTS:,}, since their"
            " curvature is a matrix"
        )
    return Features(layout, np.concatenate([t.weights for t in terms]), columns.dataset())


def split(dataset: Dataset, share: float, seed: int) -> tuple[Dataset, Dataset]:
    """Train and validation: of all games, a share drawn by seed and number goes to validation."""
    games = np.unique(dataset.game)
    drawn = [
        derive_seed(derive_seed(seed, _SPLIT_STEP), int(game)) < share * 2**64 for game in games
    ]
    kept_apart = np.isin(dataset.game, games[np.array(drawn, np.bool_)])
    return select(dataset, np.flatnonzero(~kept_apart)), select(dataset, np.flatnonzero(kept_apart))


def _lines(path: Path, text: str) -> Iterator[_Line]:
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if words and not words[0].startswith("#"):
            yield _Line(path, number, words)


class _Term(NamedTuple):
    name: str
    weights: Floats  # float64[length, 2]


def _term(line: _Line, known: set[str]) -> _Term:
    name, *words = line.words[1:] or [""]
    if not name or name in known:
        raise line.refusal(f"term {name!r}: expected a name of its own")
    halves = " ".join(words).split("|")
    try:
        weights = np.array([[float(word) for word in half.split()] for half in halves])
    except ValueError:
        weights = np.empty(0)
    if weights.ndim != 2 or weights.shape[0] != 2 or not weights.size:
        raise line.refusal("expected `term NAME MIDDLEGAME... | ENDGAME...`, as many of each")
    if not np.isfinite(weights).all():
        raise line.refusal("a weight is not finite; expected centipawns")
    return _Term(name, weights.T.copy())


class _Columns:
    """The columns of a dataset as its lines come."""

    def __init__(self) -> None:
        self.games = array("i")
        self._lengths = array("q")
        self._indices = array("H")
        self._counts = array("b")
        self._small = array("h")  # phase, scale and turn of each position
        self._results = array("f")
        self._scores = array("f")

    def add(self, line: _Line, weights: int) -> None:
        """Take a position's line; `weights`: how many there are."""
        words = line.words
        try:
            result, phase, scale, game = (
                float(words[0]),
                int(words[1]),
                int(words[2]),
                int(words[4]),
            )
            turn = {"w": 1, "b": -1}[words[3]]
            score = np.nan if words[5] == "-" else float(words[5])
            pairs = [word.split(":") for word in words[6:]]
            indices, counts = [int(i) for i, _ in pairs], [int(count) for _, count in pairs]
        except (ValueError, IndexError, KeyError):
            raise line.refusal(f"expected a position: {_POSITION}") from None
        for name, value, low, high in (
            ("result", result, 0, 1),
            ("phase", phase, 0, 24),
            ("scale", scale, 0, 100),
            ("game", game, 0, 2**31 - 1),
            *(("index", index, 0, weights - 1) for index in indices),
            *(("count", count, -127, 127) for count in counts),
        ):
            if not low <= value <= high:
                raise line.refusal(f"{name} {value:g}: expected {low} to {high}")
        if len(set(indices)) < len(indices):
            raise line.refusal("an index is given twice; expected the net count of each weight")
        self.games.append(game)
        self._results.append(result)
        self._scores.append(score)
        self._small.extend((phase, scale, turn))
        used = [(index, count) for index, count in zip(indices, counts, strict=True) if count]
        self._lengths.append(len(used))
        self._indices.extend(index for index, _ in used)
        self._counts.extend(count for _, count in used)

    def dataset(self) -> Dataset:
        """All of it."""
        small = np.array(self._small, np.int16).reshape(-1, 3)
        return Dataset(
            starts=np.concatenate([[0], np.cumsum(_numbers(self._lengths))]),
            indices=np.array(self._indices, np.uint16),
            counts=np.array(self._counts, np.int8),
            phase=small[:, 0].astype(np.uint8),
            scale_pct=small[:, 1].astype(np.uint8),
            turn=small[:, 2].astype(np.int8),
            result=np.array(self._results, np.float32),
            weight=np.ones(len(self.games), np.float32),
            score_cp=np.array(self._scores, np.float32),
            game=np.array(self.games, np.int32),
        )


def _numbers(values: Iterable[int]) -> NDArray[np.int64]:
    return np.fromiter(values, np.int64)
