"""Train and validation, apart by games, and without the same position in both: pure functions.

Positions with one key (from the side to move, so that a position and its colour-flipped twin have
the same one) are one position to the evaluation. They are merged into the first of them, with the
mean result from the side to move and the count as weight. What is in train is then taken out of
validation: on public data, duplicates left in both hid over-fitting completely.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.splitmix import derive_seed, hashes

_SPLIT_STEP: Final = 0x73706C6974  # "split"


class Merged(NamedTuple):
    """Rows of which no two have one key: the first of each, and what all of them say."""

    rows: NDArray[np.int64]  # increasing
    result: NDArray[np.float32]  # white's
    weight: NDArray[np.float32]
    score_cp: NDArray[np.float32]  # white's, NaN where none of them has one

    def without(self, left_out: NDArray[np.bool_]) -> Merged:
        """The others."""
        kept = ~left_out
        return Merged(self.rows[kept], self.result[kept], self.weight[kept], self.score_cp[kept])


def validation_games(games: NDArray[np.uint64], share: float, seed: int) -> NDArray[np.bool_]:
    """bool[g]: which games are kept for validation, by what they are: equal ones go together."""
    drawn = hashes(games, derive_seed(seed, _SPLIT_STEP)).astype(np.float64)
    chosen: NDArray[np.bool_] = drawn < share * 2.0**64
    return chosen


def merge(
    rows: NDArray[np.int64],
    keys: NDArray[np.uint64],
    turn: NDArray[np.int8],
    result: NDArray[np.float32],
    score_cp: NDArray[np.float32],
) -> Merged:
    """Merge those of the `rows` (increasing) that have one key; the columns are of all rows."""
    _, first, group = np.unique(keys[rows], return_index=True, return_inverse=True)
    order = np.argsort(first)  # groups by their first row
    count = len(order)

    def mean(values: NDArray[np.float64], counted: NDArray[np.float64]) -> NDArray[np.float64]:
        totals = np.bincount(group, values, count)
        with np.errstate(invalid="ignore"):  # 0/0 where none has a score
            means: NDArray[np.float64] = totals / np.bincount(group, counted, count)
        return means[order]

    ones = np.ones(len(rows))
    sign = turn[rows].astype(np.float64)
    scored = ~np.isnan(score_cp[rows])
    result_of_mover = 0.5 + sign * (result[rows].astype(np.float64) - 0.5)
    score_of_mover = np.where(scored, sign * score_cp[rows], 0.0)
    firsts = rows[first[order]]
    sign_of_first = turn[firsts].astype(np.float64)
    return Merged(
        firsts,
        (0.5 + sign_of_first * (mean(result_of_mover, ones) - 0.5)).astype(np.float32),
        np.bincount(group, minlength=count)[order].astype(np.float32),
        (sign_of_first * mean(score_of_mover, scored.astype(np.float64))).astype(np.float32),
    )


def has_twin(keys: NDArray[np.uint64], others: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which of `keys` are among `others`."""
    found: NDArray[np.bool_] = np.isin(keys, others)
    return found
