"""Fits of positions whose weights are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from harness.errors import UsageError
from harness.texel import gauge
from harness.texel.dataset import rows_that_know, select
from harness.texel.fit import FitOptions, fit
from harness.texel.layout import (
    GROUPS,
    Layout,
    chosen_terms,
    engine_layout,
    free_weights,
    tunes_endings,
)
from harness.texel.positions import Positions
from harness.texel.rounding import round_weights
from harness.texel.scaling import find_scale
from harness.texel.uncertainty import uncertainty
from tests.unit.texel_data import LAYOUT, K, Planted, dataset_of, planted, values

SMALL = Layout(("pawn_value", "bishop_pair", "rook_mobility"), (1, 1, 6))
FREE = FitOptions(k=K, ridge=0.01, force=True)


@pytest.fixture(scope="module")
def data() -> Planted:
    return planted(1, 8000)


def fitted(data, options=FREE, validation=None, layout=LAYOUT, start=None):
    start = np.zeros_like(data.weights) if start is None else start
    return fit(data.dataset, validation, layout, start, options)


def put_in_gauge(result, weights):
    positions = result.objective.positions
    gauges = gauge.find_gauges(result.layout, positions)
    moved = result.objective.freedom.moved()
    return gauge.fix(gauge.fixing(result.layout, gauges, result.support, moved), weights)


def test_scale_is_found_with_the_weights_that_decided(data):
    target = data.dataset.result.astype(np.float64)
    positions = Positions(data.dataset, target, "entropy", LAYOUT.size, 1)
    k = find_scale(positions, data.weights)
    assert k == pytest.approx(K, rel=0.1)
    assert positions.loss(data.weights, k) < positions.loss(data.weights, 1.01 * k)
    assert positions.loss(data.weights, k) < positions.loss(data.weights, 0.99 * k)


@pytest.mark.parametrize(
    ("result", "reason"),
    [(lambda v: v < 0, "do not tell won positions"), (lambda v: v > 0, "foretell every result")],
)
def test_scale_that_runs_away_is_refused(data, result, reason):
    dataset = data.dataset
    target = result(values(dataset, data.weights)).astype(np.float64)
    positions = Positions(dataset, target, "squared", LAYOUT.size, 1)
    with pytest.raises(UsageError, match=reason):
        find_scale(positions, data.weights)


@pytest.mark.parametrize("loss", ["squared", "entropy"])
def test_planted_weights_are_found_back(loss):
    data = planted(2, 20_000, SMALL)
    result = fitted(data, FitOptions(k=K, ridge=0.01, loss=loss), layout=SMALL)
    found, wanted = put_in_gauge(result, result.weights), put_in_gauge(result, data.weights)
    matrix = gauge.fixing(
        SMALL,
        gauge.find_gauges(SMALL, result.objective.positions),
        result.support,
        result.objective.freedom.moved(),
    )
    errors = uncertainty(result.objective, result.weights, matrix).standard_error
    assert result.ending == "converged"
    assert np.all(np.abs(found - wanted) < 4.5 * errors)
    assert np.all(errors < 15)


def coverage(seeds: int) -> float:
    """The share of 95 % intervals that hold the planted weight."""
    hits = []
    for seed in range(seeds):
        data = planted(1000 + seed, 3000, SMALL)
        result = fitted(data, FREE, layout=SMALL)
        matrix = gauge.fixing(
            SMALL,
            gauge.find_gauges(SMALL, result.objective.positions),
            result.support,
            result.objective.freedom.moved(),
        )
        errors = uncertainty(result.objective, result.weights, matrix).standard_error
        off = gauge.fix(matrix, result.weights) - gauge.fix(matrix, data.weights)
        hits.append(np.abs(off) < 1.96 * errors)
    return float(np.mean(hits))


def test_intervals_cover_the_planted_weights():
    assert 0.90 <= coverage(50) <= 0.98


def test_both_methods_find_the_same_point():
    data = planted(12, 4000, SMALL)
    start = data.weights + 5.0
    by_newton = fitted(data, FREE, layout=SMALL, start=start)
    adam = FitOptions(k=K, ridge=0.01, method="adam", steps=400, rate_cp=0.5, patience=400)
    by_adam = fitted(data, adam, layout=SMALL, start=start)
    assert len(by_newton.path) < 10
    assert by_adam.ending == "steps"
    assert by_adam.best.train == pytest.approx(by_newton.best.train, abs=1e-8)


def test_threads_change_nothing(data):
    validation = planted(5, 1000).dataset
    one, two = (
        fitted(data, FitOptions(force=True, threads=threads), validation, start=data.weights * 0.8)
        for threads in (1, 2)
    )
    np.testing.assert_array_equal(one.weights, two.weights)
    assert [p._replace(elapsed_s=0) for p in one.path] == [
        p._replace(elapsed_s=0) for p in two.path
    ]
    whole_one, whole_two = (round_weights(each.objective, each.weights) for each in (one, two))
    np.testing.assert_array_equal(whole_one.weights, whole_two.weights)


def test_the_best_point_on_validation_is_kept():
    data = planted(6, 500)
    validation = planted(7, 2000).dataset  # of other weights: in the end it only gets worse
    adam = FitOptions(k=K, method="adam", rate_cp=5.0, patience=8, force=True)
    result = fitted(data, adam, validation)
    losses = [point.validation for point in result.path]
    assert result.best.validation == min(losses) < losses[-1]
    assert result.best.step == len(losses) - 9
    assert result.ending == "validation"
    positions = Positions(
        validation, validation.result.astype(np.float64), "squared", LAYOUT.size, 1
    )
    assert positions.loss(result.weights, K) == pytest.approx(min(losses), abs=1e-12)


def test_the_ridge_is_what_the_validation_likes_best():
    few, many = planted(13, 1500), planted(13, 12_000)
    same_truth = planted(13, 14_000).dataset
    validation = select(same_truth, np.arange(12_000, 14_000))
    start = many.weights + np.random.default_rng(1).normal(0, 15, many.weights.shape)
    by_few, by_many = (
        fitted(data, FitOptions(k=K, force=True), validation, start=start) for data in (few, many)
    )
    assert by_few.best.ridge > by_many.best.ridge
    assert by_few.best.validation == min(point.validation for point in by_few.path)
    assert by_few.objective.penalty.ridge == by_few.best.ridge
    alone = fitted(few, FitOptions(k=K, ridge=by_few.best.ridge, force=True), start=start)
    assert alone.best.train == pytest.approx(by_few.best.train, abs=2e-5)


def test_an_interrupted_fit_keeps_the_best_and_goes_on(data):
    seen = []

    def keep(progress):
        seen.append(progress)
        return len(seen) < 6

    start = data.weights + 20.0
    options = FitOptions(k=K, method="adam", steps=30, force=True)
    cut = fit(data.dataset, None, LAYOUT, start, options, keep)
    assert cut.ending == "interrupted"
    assert cut.best == min(cut.path, key=lambda point: point.train)

    rest = fit(data.dataset, None, LAYOUT, start, options, resumed=seen[-1])
    whole = fit(data.dataset, None, LAYOUT, start, options)
    np.testing.assert_array_equal(rest.weights, whole.weights)


def test_only_what_is_free_moves(data):
    start = data.weights + 3.0
    result = fitted(data, FitOptions(k=K, only=("piece_square",), force=True), start=start)
    moved = np.any(result.weights != start, axis=1)
    places = LAYOUT.places("knight_squares")
    assert moved[places].all()
    assert moved.sum() == 64
    frozen = fitted(data, FitOptions(k=K, freeze=("piece_square",), force=True), start=start)
    assert not np.any(frozen.weights[places] != start[places])


@pytest.mark.parametrize("words", [("nonsense",), ("materials",)])
def test_unknown_groups_are_refused(data, words):
    with pytest.raises(UsageError, match="no such group or term; expected one of material"):
        fitted(data, FitOptions(k=K, only=words, force=True))


def test_unseen_weights_keep_their_start():
    data = planted(8, 2000)
    counts = data.dataset.counts.copy()
    alive = data.dataset.indices != 10
    starts = np.concatenate([[0], np.cumsum(alive)])[data.dataset.starts]
    dataset = data.dataset._replace(
        starts=starts, indices=data.dataset.indices[alive], counts=counts[alive]
    )
    result = fitted(Planted(dataset, data.weights), start=data.weights + 1.0)
    assert np.all(result.weights[10] == data.weights[10] + 1.0)
    assert not np.any(result.weights[11] == data.weights[11] + 1.0)


def test_mirrored_boards_are_symmetric(data):
    result = fitted(data, FitOptions(k=K, mirror=True, force=True))
    board = result.weights[LAYOUT.places("knight_squares")].reshape(8, 8, 2)
    np.testing.assert_array_equal(board, board[:, ::-1])
    assert np.unique(board).size == 64


def test_smoothness_brings_neighbours_together(data):
    def roughness(smoothness):
        result = fitted(data, FitOptions(k=K, smoothness=smoothness, force=True))
        board = result.weights[LAYOUT.places("knight_squares")].reshape(8, 8, 2)
        return np.abs(np.diff(board, axis=0)).mean() + np.abs(np.diff(board, axis=1)).mean()

    rough, smooth, flat = map(roughness, (0.0, 300.0, 1e6))
    assert smooth < 0.7 * rough
    assert flat < 1.0


def test_monotone_tables_keep_their_order_and_are_the_best_ones_that_do():
    data = planted(9, 6000, SMALL)
    start = np.zeros_like(data.weights)
    places = SMALL.places("rook_mobility")
    start[places] = np.arange(6)[:, None]
    options = FitOptions(k=K, ridge=0.01, monotone=("rook_mobility",), force=True)
    loose = fitted(data, FREE, layout=SMALL, start=start)
    result = fitted(data, options, layout=SMALL, start=start)
    assert np.any(np.diff(loose.weights[places], axis=0) < -5)
    assert np.all(np.diff(result.weights[places], axis=0) >= 0)
    whole = round_weights(result.objective, result.weights, result.orders)
    assert np.all(np.diff(whole.weights[places], axis=0) >= 0)
    assert whole.steps > 0
    # No small change that keeps the order makes it better.
    best = result.objective.positions.loss(result.weights, K)
    for place in range(places.start, places.stop):
        for half in (0, 1):
            for change in (-1.0, 1.0):
                other = result.weights.copy()
                other[place, half] += change
                if np.all(np.diff(other[places], axis=0) > -2e-3):
                    assert result.objective.positions.loss(other, K) > best - 1e-9


def test_a_table_in_order_has_the_ridge_that_validation_chose():
    data, validation = planted(14, 3000, SMALL), planted(15, 1000, SMALL).dataset
    start = np.zeros_like(data.weights)
    start[SMALL.places("rook_mobility")] = np.arange(6)[:, None]
    options = FitOptions(k=K, monotone=("rook_mobility",), force=True)
    result = fitted(data, options, validation, SMALL, start)
    alone = fitted(data, replace(options, ridge=result.best.ridge), None, SMALL, start)
    assert result.best.ridge == result.objective.penalty.ridge
    np.testing.assert_allclose(result.weights, alone.weights, atol=0.5)


def test_gauges_are_found_and_fixed_without_changing_a_value():
    rng = np.random.default_rng(10)
    layout = Layout(("knight_value", "knight_squares", "king_squares"), (1, 64, 64))
    counts = np.zeros((3000, layout.size), np.int64)
    for row in counts:
        ours, theirs = rng.choice(64, 2), rng.choice(64, rng.integers(0, 3))
        np.add.at(row, layout.places("knight_squares").start + ours, 1)
        np.add.at(row, layout.places("knight_squares").start + theirs, -1)
        row[0] = ours.size - theirs.size
        row[layout.places("king_squares").start + rng.integers(64)] += 1
        row[layout.places("king_squares").start + rng.integers(64)] -= 1
    dataset = dataset_of(counts, rng.integers(0, 25, 3000), rng.integers(0, 2, 3000).astype(float))
    weights = rng.normal(20, 60, (layout.size, 2))
    result = fit(dataset, None, layout, weights, FREE)

    gauges = gauge.find_gauges(layout, result.objective.positions)
    fixed = put_in_gauge(result, weights)

    assert gauges == [("knight_squares", "knight_value"), ("king_squares", None)]
    np.testing.assert_allclose(values(dataset, fixed), values(dataset, weights), atol=1e-8)
    for name in ("knight_squares", "king_squares"):
        places = layout.places(name)
        means = np.average(fixed[places], axis=0, weights=result.support[places, 0])
        np.testing.assert_allclose(means, 0, atol=1.0)
    assert np.all(np.abs(fixed[0] - weights[0]) > 1)


def test_frozen_values_keep_what_a_gauge_would_move(data):
    start = data.weights
    result = fitted(data, FitOptions(k=K, freeze=("material",), force=True), start=start)
    assert np.all(put_in_gauge(result, result.weights)[0] == start[0])


def test_rounding_costs_nothing_after_repair(data):
    result = fitted(data)
    rounded = round_weights(result.objective, result.weights)
    positions = result.objective.positions
    assert rounded.weights.dtype == np.int64
    assert rounded.loss == positions.loss(rounded.weights.astype(float), K, exact=True)
    assert rounded.fitted_loss == positions.loss(result.weights, K)
    assert rounded.loss <= min(rounded.fitted_loss, rounded.nearest_loss)
    assert np.max(np.abs(rounded.weights - result.weights)) < 5


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ([], "no position is left"),
        ([1.0] * 8, "white won 8 and lost 0; expected wins of both"),
        ([0.5] * 8, "white won 0 and lost 0"),
        ([1.0, 0.0, 0.5], "3 positions for .* weights are 0 for each; expected at least 100"),
    ],
)
def test_data_without_an_answer_is_refused(result, message):
    dataset = planted(11, len(result) or 1).dataset
    if not result:
        dataset = dataset_of(np.zeros((0, LAYOUT.size), np.int64), np.zeros(0), np.zeros(0))
    dataset = dataset._replace(result=np.array(result, np.float32))
    with pytest.raises(UsageError, match=message):
        fit(dataset, None, LAYOUT, np.zeros((LAYOUT.size, 2)), FitOptions(k=K))


def test_endings_are_tuned_only_when_they_are_named():
    layout = Layout(("pawn_value", "won_kpk", "lone_king_edge"), (1, 1, 1))
    assert free_weights(layout, [], []).tolist() == [True, False, False]
    assert free_weights(layout, ["endings"], ["won_kpk"]).tolist() == [False, False, True]
    assert not tunes_endings(layout, [], [])
    assert tunes_endings(layout, ["lone_king_edge"], [])


def test_rows_that_know_a_weight_are_found():
    counts = np.array([[1, 0, 0], [0, 0, 0], [0, 2, -1], [0, 0, 3], [1, 1, 0]])
    dataset = dataset_of(counts, np.zeros(5), np.zeros(5))
    chosen = np.array([False, False, True])
    assert rows_that_know(dataset, chosen).tolist() == [False, False, True, True, False]


def test_positions_of_weight_zero_count_for_nothing(data):
    rows = np.arange(6000)
    half = select(data.dataset, rows)
    weight = data.dataset.weight.copy()
    weight[6000:] = 0.0
    start = data.weights + 5.0
    alone = fitted(Planted(half, data.weights), start=start)
    among = fitted(Planted(data.dataset._replace(weight=weight), data.weights), start=start)
    np.testing.assert_array_equal(alone.support, among.support)
    assert among.best.train == pytest.approx(alone.best.train, abs=1e-7)
    assert among.objective.positions.used == 6000


def test_each_term_of_the_engine_but_tempo_is_in_one_group():
    layout = engine_layout()
    grouped = [name for group in GROUPS for name in chosen_terms(layout, [group], "--only")]
    assert sorted(grouped) == sorted(set(layout.names) - {"tempo"})
