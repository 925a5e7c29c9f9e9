import math

import numpy as np
import pytest

from harness.elo import elo_from_score, estimate, moments, normal_cdf, score_from_elo
from harness.score import Pentanomial, Trinomial


def test_elo_and_score_are_inverse() -> None:
    for elo in (-800.0, -10.0, 0.0, 3.5, 400.0):
        assert elo_from_score(score_from_elo(elo)) == pytest.approx(elo, abs=1e-9)
    assert score_from_elo(400.0) == pytest.approx(10.0 / 11.0)


def test_even_counts_are_exactly_even() -> None:
    for counts in (Pentanomial(), Pentanomial(0, 0, 100, 0, 0), Pentanomial(7, 5, 3, 5, 7)):
        now = estimate(counts)
        assert (now.score, now.elo, now.nelo, now.los) == (0.5, 0.0, 0.0, 0.5)
        assert now.elo_ci95[0] == pytest.approx(-now.elo_ci95[1], abs=1e-9)


def test_moments_of_a_known_distribution() -> None:
    m = moments(Trinomial(1, 2, 1))
    assert (m.observations, m.mean, m.variance) == (4.0, 0.5, 0.125)
    assert m.skewness == pytest.approx(0.0)
    assert m.excess_kurtosis == pytest.approx(-1.0)


def test_the_normal_distribution_keeps_its_tails() -> None:
    assert normal_cdf(0.0) == 0.5
    assert normal_cdf(1.959963984540054) == pytest.approx(0.975)
    assert normal_cdf(-10.0) == pytest.approx(7.61985e-24, rel=1e-5)


def test_ratios_are_those_of_the_games_as_played() -> None:
    now = estimate(Pentanomial(2, 20, 56, 30, 4))
    assert now.score == (0.25 * 20 + 0.5 * 56 + 0.75 * 30 + 4) / 112
    assert now.draw_ratio == 0.5
    assert now.pairs_ratio == 34 / 22


def test_a_ratio_without_a_denominator_is_none() -> None:
    assert estimate(Pentanomial(0, 0, 5, 5, 0)).pairs_ratio is None
    assert estimate(Trinomial(1, 2, 3)).pairs_ratio is None
    assert estimate(Trinomial(1, 2, 3)).draw_ratio == 2 / 6
    assert estimate(Pentanomial()).draw_ratio == 0.0


def test_a_whitewash_is_clamped_not_infinite() -> None:
    now = estimate(Pentanomial(0, 0, 0, 0, 1000))
    assert now.score == 1.0
    assert now.elo == now.elo_ci95[1] == pytest.approx(1199.826195)
    assert now.los == 1.0
    assert math.isfinite(now.nelo_error)


def test_pairs_see_what_games_cannot() -> None:
    """The same games, every pair a win each: as pairs nothing varies, as games everything."""
    pairs, games = estimate(Pentanomial(0, 0, 200, 0, 0)), estimate(Trinomial(200, 0, 200))
    assert pairs.elo == games.elo == 0.0
    assert pairs.elo_error < 1.0
    assert games.elo_error > 30.0


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    """2,000 matches of 400 pairs at a known strength: 95 % within two standard errors (1 %)."""
    frequencies = [0.03, 0.20, 0.45, 0.25, 0.07]
    truth = estimate(Pentanomial(*(round(10_000_000 * share) for share in frequencies)))
    random = np.random.default_rng(20)
    inside = {"elo": 0, "nelo": 0}
    for row in random.multinomial(400, frequencies, size=2000).tolist():
        now = estimate(Pentanomial(*row))
        inside["elo"] += now.elo_ci95[0] <= truth.elo <= now.elo_ci95[1]
        inside["nelo"] += now.nelo_ci95[0] <= truth.nelo <= now.nelo_ci95[1]
    for covered in inside.values():
        assert covered / 2000 == pytest.approx(0.95, abs=0.01)
