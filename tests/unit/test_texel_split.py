"""Merged duplicates, and what is kept for validation."""

from __future__ import annotations

import numpy as np
import pytest

from harness.texel.split import has_twin, merge, validation_games

NAN = np.nan


def merged(keys, turn, result, score_cp, rows=None):
    columns = (np.array(keys, np.uint64), np.array(turn, np.int8))
    values = (np.array(result, np.float32), np.array(score_cp, np.float32))
    chosen = np.arange(len(keys)) if rows is None else np.array(rows, np.int64)
    return merge(chosen, *columns, *values)


class TestMerge:
    def test_equal_positions_become_the_first_with_the_mean_of_their_results(self):
        found = merged([7, 3, 7, 7], [1, 1, 1, 1], [1, 0, 0.5, 0], [10, 20, NAN, 40])
        assert found.rows.tolist() == [0, 1]
        assert found.result.tolist() == [0.5, 0]
        assert found.weight.tolist() == [3, 1]
        assert found.score_cp.tolist() == [25, 20]

    def test_a_colour_flipped_twin_counts_from_its_own_side(self):
        found = merged([7, 7], [-1, 1], [1, 1], [30, 10])
        assert found.result.tolist() == [0.5]
        assert found.score_cp.tolist() == [10]
        found = merged([7, 7], [1, -1], [1, 0], [30, -10])
        assert found.result.tolist() == [1]
        assert found.score_cp.tolist() == [20]

    def test_without_any_score_there_is_none(self):
        assert np.isnan(merged([7, 7], [1, 1], [1, 1], [NAN, NAN]).score_cp).all()

    def test_only_the_rows_asked_for_take_part(self):
        found = merged([5, 7, 5, 7, 2], [1] * 5, [0, 1, 1, 1, 0], [NAN] * 5, rows=[1, 2, 4])
        assert found.rows.tolist() == [1, 2, 4]
        assert found.weight.tolist() == [1, 1, 1]

    def test_no_rows_are_no_rows(self):
        assert merged([1], [1], [1], [0], rows=[]).rows.tolist() == []

    @pytest.mark.parametrize("seed", range(5))
    def test_results_and_weights_add_up_and_no_key_comes_twice(self, seed):
        rng = np.random.default_rng(seed)
        keys = rng.integers(0, 50, 400).astype(np.uint64)
        turn, result = rng.choice([-1, 1], 400), rng.choice([0, 0.5, 1], 400)
        found = merged(keys, turn, result, np.full(400, NAN))
        assert len(set(keys[found.rows])) == len(found.rows) == len(set(keys))
        assert (np.diff(found.rows) > 0).all()
        assert found.weight.sum() == 400
        of_mover = 0.5 + turn[found.rows] * (found.result - 0.5)
        assert of_mover @ found.weight == pytest.approx(
            (0.5 + turn * (result - 0.5)).sum(), rel=1e-6
        )


class TestSplit:
    def test_equal_games_go_together_and_the_share_is_what_was_asked(self):
        games = np.arange(20_000, dtype=np.uint64)
        chosen = validation_games(games, 0.1, seed=3)
        assert chosen.mean() == pytest.approx(0.1, abs=0.01)
        assert (validation_games(games[::-1], 0.1, seed=3) == chosen[::-1]).all()
        assert (validation_games(games, 0.1, seed=4) != chosen).any()

    @pytest.mark.parametrize(("share", "expected"), [(0.0, 0), (1.0, 500)])
    def test_nothing_or_all_can_be_kept(self, share, expected):
        assert validation_games(np.arange(500, dtype=np.uint64), share, 1).sum() == expected

    def test_twins(self):
        keys, others = np.array([1, 2, 3], np.uint64), np.array([3, 3, 9], np.uint64)
        assert has_twin(keys, others).tolist() == [False, False, True]
