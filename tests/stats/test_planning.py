"""`harness plan`: chances and lengths for supposed strengths."""

from __future__ import annotations

import math

import numpy as np
import pytest

from harness.likelihood.constants import NORMALIZED_ELO_SCALE
from harness.planning import elo_of_nelo, game_deviation, outlook, table, usual_strengths
from harness.score import Pentanomial
from harness.sprt import Hypotheses, SprtState, llr

GAIN = SprtState.start(Hypotheses(0.0, 5.0))
FOREVER = 10**9


def test_games_of_a_draw_and_of_none() -> None:
    assert game_deviation(0.0, 0.0) == 0.5
    assert game_deviation(0.0, 0.6) == pytest.approx(math.sqrt(0.1))
    with pytest.raises(ValueError, match=r"0\.9: expected a share from 0 to 0\.72 at 100 Elo"):
        game_deviation(100.0, 0.9)


@pytest.mark.parametrize(("nelo", "passes", "games"), [(0.0, 0.05, 25591), (2.5, 0.5, 41861)])
def test_the_known_lengths(nelo: float, passes: float, games: int) -> None:
    deviation = game_deviation(0.0, 0.6)
    found = outlook(GAIN, elo_of_nelo(nelo, deviation), deviation, FOREVER)
    assert found.nelo == pytest.approx(nelo, abs=1e-9)
    assert found.passes == pytest.approx(passes, abs=1e-6)
    assert found.passes + found.fails == pytest.approx(1.0)
    assert found.games == pytest.approx(games, rel=1e-4)


def test_a_limit_leaves_some_undecided() -> None:
    deviation = game_deviation(0.0, 0.5)
    found = outlook(GAIN, 1.0, deviation, 10_000)
    assert found.undecided > 0.5
    assert found.passes + found.fails + found.undecided == pytest.approx(1.0)


def test_a_limit_shortens_also_where_the_mean_is_below_it() -> None:
    """Against walks on a grid, a step for eight games: the mean of the shorter of end and limit."""
    deviation, limit = game_deviation(0.0, 0.5), 40_000
    free, limited = (outlook(GAIN, 1.2, deviation, games) for games in (FOREVER, limit))
    assert free.games < limit
    drift = (limited.nelo - 2.5) / 5.0
    variance = 8.0 * 5.0**2 / NORMALIZED_ELO_SCALE**2
    # A walk in steps goes beyond its bound by 0.5826 of a step's deviation (Siegmund).
    bound = GAIN.bounds.upper - 0.5826 * math.sqrt(variance)
    generator = np.random.default_rng(1)
    walks, steps = np.zeros(4_000), np.full(4_000, limit // 8)
    for step in range(limit // 8):
        walks += drift * variance + math.sqrt(variance) * generator.standard_normal(walks.size)
        ended = (np.abs(walks) >= bound) & (steps == limit // 8)
        steps[ended] = step + 1
    assert limited.games == pytest.approx(8.0 * steps.mean(), rel=0.02)


def test_draws_make_a_logistic_test_shorter() -> None:
    test = SprtState.start(Hypotheses(0.0, 5.0, model="logistic"))
    few, many = (outlook(test, 5.0, game_deviation(0.0, share), FOREVER) for share in (0.2, 0.8))
    assert many.games == pytest.approx(few.games / 4.0)
    assert many.passes == pytest.approx(few.passes) == pytest.approx(0.95)


def test_from_where_a_test_stands() -> None:
    test, counts = Hypotheses(0.0, 5.0), Pentanomial(100, 2200, 5000, 2270, 110)
    state = SprtState(test, counts, llr(counts, 0.0, 5.0))
    deviation = game_deviation(0.0, 0.5)
    assert outlook(state, 0.0, deviation, FOREVER).passes > 0.05
    assert (
        outlook(state, 5.0, deviation, FOREVER).games < outlook(GAIN, 5.0, deviation, FOREVER).games
    )


def test_the_usual_strengths_and_their_table() -> None:
    deviation = game_deviation(0.0, 0.5)
    strengths = list(usual_strengths(GAIN.hypotheses, deviation))
    rows = [outlook(GAIN, elo, deviation, FOREVER) for elo in strengths]
    assert [row.nelo for row in rows] == pytest.approx([-2.5, 0.0, 2.5, 5.0, 7.5], abs=1e-9)
    heading, first, *_ = table(rows, 100.0)
    assert heading.split() == ["Elo", "nElo", "passes", "fails", "undecided", "games"]
    assert first.split()[:2] == ["-1.77", "-2.50"]
    assert first.endswith(" min")
