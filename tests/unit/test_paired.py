"""Ratios of speed from paired rounds: against scipy's test, and against what they promise."""

import math

import numpy as np
import pytest
from scipy import stats

from harness.paired import (
    CONFIDENCE,
    FEWEST_ROUNDS,
    SURE,
    Ratio,
    compare,
    rank_outside,
    walsh_means,
)

NOISE = {
    "normal": lambda chance, size: chance.normal(0, 0.02, size),
    "far out now and then": lambda chance, size: 0.01 * chance.standard_t(1.5, size),
}


def test_means_of_all_pairs_in_order() -> None:
    assert walsh_means([3.0, 1.0, 2.0]).tolist() == [1.0, 1.5, 2.0, 2.0, 2.5, 3.0]


@pytest.mark.parametrize("rounds", [10, 12, 15, 20, 25, 30])
@pytest.mark.parametrize("confidence", [CONFIDENCE, SURE])
def test_so_many_means_lie_outside_as_the_signed_rank_test_says(
    rounds: int, confidence: float
) -> None:
    """With the ends of the interval at zero the test is just not, or just, significant."""
    tail = (1 - confidence) / 2

    def p_value(rank_sum: int) -> float:
        """P(statistic <= rank_sum), by scipy's exact test of values with that sum of ranks."""
        signs = -np.ones(rounds)
        left = rank_sum
        for rank in range(rounds, 0, -1):
            if rank <= left:
                signs[rank - 1] = 1
                left -= rank
        values = signs * np.arange(1, rounds + 1)
        found = stats.wilcoxon(values, alternative="less", method="exact")
        assert found.statistic == rank_sum
        return float(found.pvalue)

    outside = rank_outside(rounds, tail)
    assert p_value(outside) <= tail < p_value(outside + 1)


def test_few_rounds_give_the_extremes() -> None:
    """Of six rounds even those are no 99.5 % interval."""
    assert rank_outside(6, (1 - SURE) / 2) == 0


def test_the_ratio_of_ten_equal_rounds() -> None:
    slow = compare([math.log(0.8)] * FEWEST_ROUNDS, trifle=0.02)
    assert slow == pytest.approx(Ratio(0.8, 0.8, 0.8, -1))
    assert compare([-math.log(0.8)] * FEWEST_ROUNDS, 0.02).verdict == 1


def test_both_directions_are_treated_alike() -> None:
    logs = np.random.default_rng(1).normal(0.1, 0.05, 15)
    there, back = compare(list(logs), 0.02), compare(list(-logs), 0.02)
    assert back.ratio == pytest.approx(1 / there.ratio)
    assert (back.low, back.high) == pytest.approx((1 / there.high, 1 / there.low))
    assert back.verdict == -there.verdict != 0


def test_one_round_far_out_moves_little() -> None:
    logs = [0.001 * (-1) ** number for number in range(12)]
    disturbed = compare([*logs[:-1], -3.0], 0.02)
    assert disturbed.ratio == pytest.approx(1, abs=0.002)
    assert (disturbed.low < 1 < disturbed.high, disturbed.verdict) == (True, 0)


def test_a_sure_trifle_is_no_verdict() -> None:
    logs = [math.log(0.985 + 0.001 * (-1) ** number) for number in range(12)]
    trifle = compare(logs, trifle=0.02)
    assert trifle.high < 1
    assert trifle.verdict == 0
    assert compare(logs, trifle=0.01).verdict == -1


@pytest.mark.parametrize("kind", ["normal", "far out now and then"])
@pytest.mark.parametrize("rounds", [10, 12, 40])
def test_equal_programs_seldom_lie_outside(kind: str, rounds: int) -> None:
    """At most 5 % of 95 % intervals, and 0.5 % of verdicts, within what 2,000 of them tell."""
    chance = np.random.default_rng(rounds)
    found = [compare(list(NOISE[kind](chance, rounds)), 0.0) for _ in range(2000)]
    outside = sum(not one.low <= 1 <= one.high for one in found)
    verdicts = sum(one.verdict != 0 for one in found)
    assert outside <= 100 + 3 * math.sqrt(2000 * 0.05 * 0.95)
    assert verdicts <= 10 + 3 * math.sqrt(2000 * 0.005)


def test_a_fifth_slower_is_always_found_in_noise_of_two_per_cent() -> None:
    chance = np.random.default_rng(2)
    noise = NOISE["normal"]
    found = [compare(list(noise(chance, 10) + math.log(1 / 1.2)), 0.05) for _ in range(300)]
    assert {one.verdict for one in found} == {-1}
