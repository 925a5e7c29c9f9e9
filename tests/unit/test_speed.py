"""Whether two engines differ in speed, from times that are mostly noise."""

import math
import random
import statistics

import pytest
from scipy import stats

from harness.speed import FEWEST_GAMES, SpeedRatio


def measured(ratios: list[float]) -> SpeedRatio:
    speed = SpeedRatio()
    for ratio in ratios:
        speed = speed.with_game(1e6 * ratio, 1e6)
    return speed


def noisy(seed: int, games: int, ratio: float = 1.0, spread: float = 0.3) -> SpeedRatio:
    chance = random.Random(seed)
    return measured([ratio * math.exp(chance.gauss(0, spread)) for _ in range(games)])


def test_ratio_is_the_geometric_mean_with_its_interval() -> None:
    ratios = [0.8, 1.1, 1.3, 0.9, 1.0, 1.2, 0.95, 1.05, 1.4, 0.7]
    logs = [math.log(ratio) for ratio in ratios]
    speed = measured(ratios)
    assert speed.ratio == pytest.approx(statistics.geometric_mean(ratios))
    error = stats.sem(logs)
    low, high = speed.ci95 or (0.0, 0.0)
    assert math.log(low) == pytest.approx(statistics.fmean(logs) - 1.96 * error, abs=1e-5)
    assert math.log(high) == pytest.approx(statistics.fmean(logs) + 1.96 * error, abs=1e-5)


def test_both_directions_are_treated_alike() -> None:
    there, back = SpeedRatio(), SpeedRatio()
    for k in range(20):
        there = there.with_game(1000 + k * k, 900)
        back = back.with_game(900, 1000 + k * k)
    assert there.ratio is not None
    assert back.ratio == pytest.approx(1 / there.ratio)
    assert there.differs is back.differs is True


def test_games_without_a_measured_side_are_left_out() -> None:
    speed = measured([1.5]).with_game(None, 1e6).with_game(1e6, None).with_game(1e6, 0.0)
    assert speed == measured([1.5])
    assert SpeedRatio().ratio is None


def test_few_games_tell_nothing() -> None:
    """Two games of 20 ms each once made a warning of 42 %."""
    few = measured([0.6] * (FEWEST_GAMES - 1))
    assert (few.ratio, few.ci95, few.differs) == (None, None, False)
    assert measured([0.6] * FEWEST_GAMES).differs


def test_equal_engines_are_hardly_ever_called_different() -> None:
    for games in (FEWEST_GAMES, 30, 300):
        alarms = sum(noisy(seed, games).differs for seed in range(1000))
        assert alarms <= 25, games  # 0.3 % of many games, 1.5 % of ten


def test_real_difference_is_found() -> None:
    assert all(noisy(seed, 400, ratio=0.9, spread=0.2).differs for seed in range(100))


def test_a_difference_that_was_meant_is_none() -> None:
    slower = noisy(2, 400, ratio=0.8, spread=0.1)
    assert slower.differs
    assert not slower.differs_from(0.8)
    assert slower.differs_from(0.85)
    assert slower.differs_from(0.75)
    assert not measured([0.8] * (FEWEST_GAMES - 1)).differs_from(2.0)


def test_sure_but_small_difference_is_passed_over() -> None:
    assert not noisy(1, 10_000, ratio=1.01, spread=0.02).differs
    assert noisy(1, 10_000, ratio=1.03, spread=0.02).differs
    assert noisy(1, 10_000, ratio=0.97, spread=0.02).differs
