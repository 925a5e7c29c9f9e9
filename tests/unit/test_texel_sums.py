"""The sums of the tuner against the same formulas in plain numpy."""

from __future__ import annotations

import numpy as np
import pytest

from harness.texel.positions import Positions, blended_target
from tests.unit.texel_data import LAYOUT, K, dense, planted, values


@pytest.fixture(scope="module")
def data():
    dataset, weights = planted(1, 400)
    rng = np.random.default_rng(2)
    return dataset._replace(weight=rng.integers(1, 4, 400).astype(np.float32)), weights


def positions_of(dataset, loss="squared", threads=1):
    target = dataset.result.astype(np.float64)
    return Positions(dataset, target, loss, LAYOUT.size, threads)


def slopes(dataset):
    """float64[n, W, 2]: the derivative of each value by each weight."""
    counts = dense(dataset, LAYOUT.size)
    phase = dataset.phase.astype(np.float64)
    share = np.stack([phase / 24, (24 - phase) * dataset.scale_pct / 2400], axis=1)
    return counts[:, :, None] * share[:, None, :]


def losses(expected, target, loss):
    if loss == "squared":
        return (target - expected) ** 2
    return -target * np.log(expected) - (1 - target) * np.log(1 - expected)


@pytest.mark.parametrize("loss", ["squared", "entropy"])
def test_loss_and_gradient_are_those_of_the_formulas(data, loss):
    dataset, weights = data
    expected = 1 / (1 + np.exp(-K * values(dataset, weights)))
    target = dataset.result.astype(np.float64)
    mean = np.average(losses(expected, target, loss), weights=dataset.weight)
    slope = K * (expected - target)
    if loss == "squared":
        slope = 2 * slope * expected * (1 - expected)
    gradient = np.average(slope[:, None, None] * slopes(dataset), weights=dataset.weight, axis=0)

    found, by_weight = positions_of(dataset, loss).gradient(weights, K)

    assert found == pytest.approx(mean, rel=1e-12)
    assert positions_of(dataset, loss).loss(weights, K) == pytest.approx(mean, rel=1e-12)
    np.testing.assert_allclose(by_weight, gradient, rtol=1e-9, atol=1e-18)


@pytest.mark.parametrize("loss", ["squared", "entropy"])
def test_curvature_is_the_gauss_newton_matrix(data, loss):
    dataset, weights = data
    expected = 1 / (1 + np.exp(-K * values(dataset, weights)))
    bend = K**2 * expected * (1 - expected)
    if loss == "squared":
        bend = 2 * bend * expected * (1 - expected)
    flat = slopes(dataset).reshape(len(dataset.phase), -1)
    wanted = (flat * (bend * dataset.weight)[:, None]).T @ flat / dataset.weight.sum()

    found = positions_of(dataset, loss).curvature(weights, K, 10**9)

    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-20)


def test_curvature_of_some_rows_is_near_that_of_all(data):
    dataset, weights = planted(3, 4000)
    positions = positions_of(dataset)
    whole, some = (positions.curvature(weights, K, rows) for rows in (10**9, 1000))
    assert np.trace(some) == pytest.approx(np.trace(whole), rel=0.1)
    assert not np.array_equal(some, whole)


def test_products_of_scores_are_summed_by_game(data):
    dataset, weights = data
    expected = 1 / (1 + np.exp(-K * values(dataset, weights)))
    slope = 2 * K * (expected - dataset.result) * expected * (1 - expected) * dataset.weight
    flat = slope[:, None] * slopes(dataset).reshape(len(dataset.phase), -1)
    by_game = np.array([flat[dataset.game == game].sum(axis=0) for game in set(dataset.game)])
    wanted = by_game.T @ by_game / dataset.weight.sum() ** 2

    found = positions_of(dataset).score_products(weights, K)

    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-20)


def test_exact_values_are_floored_from_the_side_to_move(data):
    dataset, weights = data
    whole = np.rint(weights)
    counts = dense(dataset, LAYOUT.size)
    wanted = []
    for row in range(len(dataset.phase)):
        turn, phase = int(dataset.turn[row]), int(dataset.phase[row])
        middle, end = (int(counts[row] @ whole[:, half]) * turn for half in (0, 1))
        scaled = middle * phase * 100 + end * (24 - phase) * int(dataset.scale_pct[row])
        wanted.append(scaled // 2400 * turn)

    found = positions_of(dataset).values(whole, exact=True)

    np.testing.assert_array_equal(found, wanted)
    assert np.any(found != positions_of(dataset).values(whole))


def test_sums_do_not_depend_on_the_number_of_threads(data):
    dataset, weights = data
    one, three = (positions_of(dataset, threads=threads) for threads in (1, 3))
    assert one.loss(weights, K) == three.loss(weights, K)
    np.testing.assert_array_equal(one.gradient(weights, K)[1], three.gradient(weights, K)[1])
    np.testing.assert_array_equal(
        one.curvature(weights, K, 10**9), three.curvature(weights, K, 10**9)
    )


def test_support_counts_the_positions_in_which_a_weight_has_a_say(data):
    dataset, _ = data
    wanted = np.count_nonzero(slopes(dataset), axis=0)
    np.testing.assert_array_equal(positions_of(dataset).support(), wanted)


def test_target_blends_results_and_scores_where_there_are_any():
    dataset, _ = planted(4, 3)
    dataset = dataset._replace(
        result=np.array([1, 0, 1], np.float32), score_cp=np.array([0, 200, np.nan], np.float32)
    )
    np.testing.assert_allclose(blended_target(dataset, K, 1.0), [1, 0, 1])
    seen = 1 / (1 + np.exp(-1.0))
    np.testing.assert_allclose(blended_target(dataset, K, 0.25), [0.625, 0.75 * seen, 1])
