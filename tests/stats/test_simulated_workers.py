"""Simulated tests of a run with many workers whose games' lengths depend on their outcomes.

Losses take twice as long as wins. The pairs go through the tally of a run, which takes them in the
order of their numbers; taken as they finish, wins come first and the error rates are many times
what they should be, which the same simulation shows.
"""

from __future__ import annotations

import heapq
import math
import struct
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from harness.brownian import Motion
from harness.likelihood.constants import NORMALIZED_ELO_SCALE
from harness.record import GameRecord, Termination
from harness.sprt import Hypotheses, SprtState
from harness.tally import Tally
from tests.stats.test_error_rates import tilted

TEST = Hypotheses(0.0, 50.0, overshoot=True)
#: Mean length of a pair by its class, LL first.
LENGTHS = (1.5, 1.25, 1.0, 0.85, 0.7)
#: NEW's results in the two games of a pair of each class.
RESULTS = ((-1, -1), (-1, 0), (0, 0), (1, 0), (1, 1))

GAME = GameRecord(
    pair=0,
    game=0,
    fen="8/8/8/8/8/8/8/8 w - - 0 1",
    result=0,
    termination=Termination.CHECKMATE,
    plies=2,
    moves=b"",
    scores_cp=b"",
    depths=b"",
    nodes=b"",
    times_us=b"",
    search_ns=(0, 0),
    wall_ns=0,
    detail="",
)


def finished_pairs(
    random: np.random.Generator, frequencies: list[float], workers: int
) -> Iterator[tuple[int, int]]:
    """Number and class of each pair as it finishes; each worker plays one pair after the other."""
    classes: list[int] = []
    spreads: list[float] = []
    playing: list[tuple[float, int]] = []

    def start(now: float) -> None:
        number = started[0]
        if number == len(classes):
            classes.extend(random.choice(5, size=512, p=frequencies).tolist())
            spreads.extend(random.uniform(0.5, 1.5, size=512).tolist())
        heapq.heappush(playing, (now + LENGTHS[classes[number]] * spreads[number], number))
        started[0] += 1

    started = [0]
    for _ in range(workers):
        start(0.0)
    while True:
        now, number = heapq.heappop(playing)
        yield number, classes[number]
        start(now)


def play_in_order(pairs: Iterator[tuple[int, int]]) -> SprtState:
    """The end of a test that the run's own tally makes of these pairs."""
    tally = Tally(TEST, 1_000_000)
    while not tally.reached:
        number, pair_class = next(pairs)
        first, second = RESULTS[pair_class]
        moves = struct.pack("<I", number)
        tally.add(replace(GAME, pair=number, game=0, result=first, moves=moves))
        tally.add(replace(GAME, pair=number, game=1, result=-second, moves=moves))
    return tally.state


def play_as_they_finish(pairs: Iterator[tuple[int, int]]) -> SprtState:
    """The end of a test that takes pairs as they come."""
    state = SprtState.start(TEST)
    while state.decision is None:
        state = state.update(next(pairs)[1])
    return state


def ends(play, workers: int, true_nelo: float, tests: int) -> tuple[float, float]:
    """Share of the tests that accept H1, and their mean length in games."""
    random = np.random.default_rng(workers)
    frequencies = tilted(true_nelo, "normalized")
    states = [play(finished_pairs(random, frequencies, workers)) for _ in range(tests)]
    accepted = sum(state.decision == "H1" for state in states) / tests
    return accepted, sum(state.counts.games for state in states) / tests


def at_most(rate: float, tests: int) -> float:
    return rate + 2.0 * math.sqrt(rate * (1.0 - rate) / tests)


def theory_games() -> float:
    """Mean length at either hypothesis."""
    bounds = TEST.bounds
    steps = Motion(0.5, bounds.lower, bounds.upper).mean_time()
    return steps * (NORMALIZED_ELO_SCALE / (TEST.elo1 - TEST.elo0)) ** 2


def test_order_of_numbers_keeps_the_rate_and_order_of_finishing_does_not() -> None:
    tests = 200
    in_order, _ = ends(play_in_order, 32, TEST.elo0, tests)
    as_they_finish, _ = ends(play_as_they_finish, 32, TEST.elo0, tests)
    assert in_order <= at_most(TEST.alpha, tests)
    assert as_they_finish > 2.0 * at_most(TEST.alpha, tests)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("workers", [1, 16, 64, 1024])
def test_error_rates_and_lengths(workers: int) -> None:
    tests = 4000
    false_h1, games_at_h0 = ends(play_in_order, workers, TEST.elo0, tests)
    true_h1, games_at_h1 = ends(play_in_order, workers, TEST.elo1, tests)
    assert false_h1 <= at_most(TEST.alpha, tests)
    assert 1.0 - true_h1 <= at_most(TEST.beta, tests)
    for games in (games_at_h0, games_at_h1):
        assert games == pytest.approx(theory_games(), rel=0.05)
