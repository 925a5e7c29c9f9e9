"""Maximum-likelihood ratings against solutions known beforehand."""

import math
import random

import pytest

from harness.elo import elo_from_score, estimate, score_from_elo
from harness.score import Pentanomial
from harness.tournament.ratings import Meeting, Ratings, fit_ratings, implied_ratings, spread_elo


def test_two_players_are_as_far_apart_as_their_match_says() -> None:
    pairs = Pentanomial(10, 40, 100, 60, 20)
    ratings = fit_ratings(2, [Meeting(0, 1, pairs)])
    alone = estimate(pairs)
    assert ratings.elo[0] == pytest.approx(alone.elo / 2, abs=1e-6)
    assert ratings.elo[1] == pytest.approx(-alone.elo / 2, abs=1e-6)
    # The error of the difference is twice that of each, whose mean is held at 0.
    assert 2 * ratings.error95(0) == pytest.approx(alone.elo_error, rel=2e-3)
    assert ratings.los(0, 1) == pytest.approx(alone.los, abs=2e-3)
    assert ratings.los(1, 0) == pytest.approx(1 - alone.los, abs=2e-3)


def test_an_anchor_gives_its_opponent_s_rating_and_has_no_error() -> None:
    pairs = Pentanomial(10, 40, 100, 60, 20)
    ratings = fit_ratings(2, [Meeting(0, 1, pairs)], {1: 2500.0})
    assert ratings.elo[1] == 2500.0
    assert ratings.elo[0] == pytest.approx(2500 + estimate(pairs).elo, abs=1e-6)
    assert ratings.error95(1) == 0.0
    assert ratings.error95(0) == pytest.approx(estimate(pairs).elo_error, rel=2e-3)


def test_scores_exactly_as_expected_give_the_ratings_they_came_from() -> None:
    """Each meeting's share of won pairs is the expected score, to one pair in a million."""
    truth = (1800.0, 1900.0, 2200.0, 2050.0)
    meetings = [
        Meeting(i, j, _pairs_with_score(score_from_elo(truth[i] - truth[j])))
        for i in range(4)
        for j in range(i + 1, 4)
    ]
    anchored = fit_ratings(4, meetings, {0: truth[0]})
    assert anchored.elo == pytest.approx(truth, abs=0.01)
    free = fit_ratings(4, meetings)
    assert free.elo == pytest.approx([elo - sum(truth) / 4 for elo in truth], abs=0.01)
    assert sum(free.elo) == pytest.approx(0.0, abs=1e-9)


def _pairs_with_score(score: float) -> Pentanomial:
    won = round(1_000_000 * score)
    return Pentanomial(ll=1_000_000 - won, ww=won)


def test_the_equation_of_the_recipe_holds_with_several_anchors() -> None:
    """sum N_i E(r - R_i) = sum S_i."""
    anchors = {1: 2000.0, 2: 2200.0, 3: 2500.0}
    meetings = [
        Meeting(0, 1, Pentanomial(1, 5, 20, 40, 30)),
        Meeting(2, 0, Pentanomial(2, 9, 30, 20, 9)),
        Meeting(0, 3, Pentanomial(30, 30, 20, 9, 1)),
    ]
    ratings = fit_ratings(4, meetings, anchors)
    expected = points = 0.0
    for m in meetings:
        mine = m.pairs if m.first == 0 else m.pairs.inverted()
        opponent = m.second if m.first == 0 else m.first
        expected += mine.games * score_from_elo(ratings.elo[0] - anchors[opponent])
        points += sum(i * count for i, count in enumerate(mine.classes)) / 2
    assert expected == pytest.approx(points, abs=1e-6)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """Simulated round robins; games of a pair are drawn together often, as chess's are."""
    chance = random.Random(11)
    truth = (0.0, 60.0, -90.0)
    inside = total = 0
    for _ in range(400):
        meetings = [
            Meeting(i, j, _random_pairs(chance, score_from_elo(truth[i] - truth[j]), 60))
            for i, j in ((0, 1), (0, 2), (1, 2))
        ]
        ratings = fit_ratings(3, meetings, {0: truth[0]})
        for player in (1, 2):
            total += 1
            inside += abs(ratings.elo[player] - truth[player]) <= ratings.error95(player)
    assert 0.925 <= inside / total <= 0.97


def _random_pairs(chance: random.Random, score: float, count: int) -> Pentanomial:
    counts = [0] * 5
    for _ in range(count):
        halves = (chance.random() < score) + (chance.random() < score)
        # Half of the pairs repeat their first game's result; the mean score stays what it is.
        if chance.random() < 0.5:
            halves = 2 * (chance.random() < score)
        counts[2 * halves] += 1
    return Pentanomial(*counts)


def test_who_takes_every_point_gets_a_finite_rating_and_others_are_not_moved() -> None:
    even = Pentanomial(5, 5, 20, 5, 5)
    meetings = [
        Meeting(0, 1, Pentanomial(ww=20)),
        Meeting(0, 2, Pentanomial(ww=20)),
        Meeting(1, 2, even),
    ]
    ratings = fit_ratings(3, meetings)
    # 40 of 40 points, and one draw more: 40.5 of 41 against each of the two, who are equal.
    assert ratings.elo[0] - ratings.elo[1] == pytest.approx(elo_from_score(40.5 / 41), abs=1e-6)
    assert ratings.elo[1] == pytest.approx(ratings.elo[2], abs=1e-6)
    assert ratings.los(0, 1) > 0.99
    assert 100 < ratings.error95(0) < 600


def test_a_win_of_all_games_is_no_infinity_where_others_took_points() -> None:
    """1 lost all to 0, who lost all to 2, who lost all to 1: nobody is beyond the others."""
    ratings = fit_ratings(
        3, [Meeting(0, 1, Pentanomial(ww=9)), Meeting(2, 0, Pentanomial(ww=9)),
            Meeting(1, 2, Pentanomial(ww=9))]
    )  # fmt: skip
    assert ratings.elo == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)


def test_anchors_are_one_group() -> None:
    """The one below lost to both anchors only a part of the points; nothing is added to them."""
    meetings = [Meeting(0, 1, Pentanomial(ll=20)), Meeting(0, 2, Pentanomial(ww=20))]
    ratings = fit_ratings(3, meetings, {1: 2400.0, 2: 2000.0})
    assert ratings.elo[0] == pytest.approx(2200.0, abs=1e-6)


def test_players_without_games_stay_in_the_middle() -> None:
    assert fit_ratings(3, []).elo == (0.0, 0.0, 0.0)
    ratings = fit_ratings(
        3, [Meeting(0, 1, Pentanomial(1, 2, 3, 2, 1)), Meeting(0, 2, Pentanomial())]
    )
    assert ratings.elo[2] == pytest.approx(0.0, abs=1e-9)
    assert all(math.isfinite(ratings.error95(player)) for player in range(3))


def test_far_anchors_do_not_lead_newton_astray() -> None:
    meetings = [
        Meeting(0, 1, Pentanomial(0, 0, 1, 2, 30)),
        Meeting(0, 2, Pentanomial(0, 0, 1, 2, 30)),
    ]
    ratings = fit_ratings(3, meetings, {1: 0.0, 2: 3000.0})
    # 33 pairs, 64/66 of the points against both: the stronger opponent decides.
    assert ratings.elo[0] > 3400
    assert ratings.error95(0) < 300


def test_what_each_opponent_implies() -> None:
    level = Pentanomial(2, 5, 20, 5, 2)
    better = Pentanomial(0, 5, 20, 15, 2)
    meetings = [Meeting(0, 1, level), Meeting(2, 0, better), Meeting(1, 2, level)]
    ratings = Ratings((0.0, 2000.0, 2100.0), ((0.0,) * 3,) * 3)
    one, two = implied_ratings(0, meetings, ratings)
    assert (one.opponent, one.games, one.score, one.elo) == (1, 68, 0.5, 2000.0)
    assert two.opponent == 2
    assert two.elo == pytest.approx(2100.0 - estimate(better).elo)
    assert two.elo_ci95[0] < two.elo < two.elo_ci95[1]
    assert spread_elo((one, two)) == pytest.approx(abs(two.elo - one.elo) / math.sqrt(2))
    assert spread_elo((one,)) is None
