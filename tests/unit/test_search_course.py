"""The course of a study on simulated games: its order, its ends, and what it claims."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import optuna
import pytest

from harness import search_options
from harness.errors import EngineStartError
from harness.score import Pentanomial
from harness.search_tuning import spsa
from harness.search_tuning.answers import Proposer
from harness.search_tuning.course import Course, Failure, PairRef
from harness.search_tuning.evidence import evidence, look_z
from harness.search_tuning.landscape import Landscape, make, pair_classes
from harness.search_tuning.ledger import Ledger, Told
from harness.search_tuning.race import race_survivors
from harness.search_tuning.rules import SAMPLERS, Rules, rules_of
from harness.search_tuning.simulate import simulate

optuna.logging.set_verbosity(optuna.logging.WARNING)
pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")

LANDSCAPE = make("smooth", 3, dimensions=2)
RULES = Rules(games=1600, trial_pairs=20, batch_pairs=5, in_flight=3, race_share=0.2)


def started(study: optuna.Study, rules: Rules = RULES, seed: int = 1) -> tuple[Course, Ledger]:
    space = LANDSCAPE.space
    ledger = Ledger(study, space)
    return Course(rules, Proposer(rules, space, seed, LANDSCAPE.base), ledger), ledger


def result_of(course: Course, pair: PairRef, landscape: Landscape = LANDSCAPE) -> int:
    """The class of a pair: the same whoever plays it, and when."""
    order, space = course.order(pair.ordinal), landscape.space
    elo = landscape.elo(space.units(order.played))
    if order.opponent is not None:
        elo -= landscape.elo(space.units(order.opponent))
    return int(pair_classes(np.array([elo]), np.random.default_rng([pair.ordinal, pair.place]))[0])


def play(course: Course, workers: int, until: int | None = None) -> dict[tuple[int, int], int]:
    """Play with so many pairs at a time, which come back in any order; the results so far."""
    chance, results = Random(workers), {}
    at_work: list[tuple[PairRef, int]] = []
    while not course.finished and (until is None or len(results) < until):
        while len(at_work) < workers and (pair := course.next_pair()) is not None:
            at_work.append((pair, result_of(course, pair)))
        pair, result = at_work.pop(chance.randrange(len(at_work)))
        results[pair.ordinal, pair.place] = result
        course.take(pair.ordinal, pair.place, result)
    return results


def whole(workers: int, sampler: str = "gp", seed: int = 1) -> list[Told]:
    rules = RULES.model_copy(update={"sampler": sampler})
    course, ledger = started(optuna.create_study(direction="maximize"), rules, seed)
    play(course, workers)
    return ledger.told


@pytest.mark.parametrize("sampler", ["gp", "spsa", "cma-es", "tpe", "random"])
def test_a_study_is_the_same_with_any_number_of_workers(sampler: str) -> None:
    alone = whole(1, sampler)
    assert alone == whole(7, sampler)
    assert alone != whole(1, sampler, seed=2)


@pytest.mark.parametrize("sampler", ["gp", "spsa", "cma-es", "tpe"])
@pytest.mark.parametrize("cut", [3, 500, 720, 10_000])
def test_a_study_that_was_cut_off_goes_on_as_if_it_had_not_been(sampler: str, cut: int) -> None:
    rules = RULES.model_copy(update={"sampler": sampler})
    study = optuna.create_study(direction="maximize")
    results = play(started(study, rules)[0], 4, until=cut)
    course, ledger = started(study, rules)
    for (ordinal, index), result in sorted(results.items()):  # as a journal has them
        course.take(ordinal, index, result)
    play(course, 2)
    assert ledger.told == whole(1, sampler)
    states = [trial.state for trial in study.trials]
    assert states.count(optuna.trial.TrialState.RUNNING) == 0
    assert states.count(optuna.trial.TrialState.FAIL) <= max(3, RULES.in_flight)


def test_no_pair_is_asked_for_twice_and_openings_keep_their_sets() -> None:
    course, ledger = started(optuna.create_study(direction="maximize"))
    pairs: list[PairRef] = []
    while not course.finished:
        pair = course.next_pair()
        assert pair is not None
        pairs.append(pair)
        course.take(pair.ordinal, pair.place, result_of(course, pair))
    assert len(set(pairs)) == len(pairs) == course.pairs_done
    kinds = {told.order.ordinal: told.order.kind for told in ledger.told}
    assert set(kinds.values()) == {"search", "re-evaluation", "race"}
    for pair in pairs:
        assert pair.opening_set == ("search" if kinds[pair.ordinal] == "search" else "fresh")
    raced = {pair.opening for pair in pairs if kinds[pair.ordinal] == "race"}
    judged = {pair.opening for pair in pairs if kinds[pair.ordinal] == "re-evaluation"}
    assert not raced & judged
    assert max(raced) < RULES.fresh_openings
    assert 2 * len(pairs) <= RULES.games


def test_most_trials_of_the_process_are_two_places_around_its_top() -> None:
    told, space = whole(1), LANDSCAPE.space
    searched = [one.order for one in told if one.order.kind == "search"][16:]  # after the first
    mirrored = [order for order in searched if order.opponent is not None]
    assert 0.5 < len(mirrored) / len(searched) < 0.8
    for order in mirrored:
        assert order.opponent is not None
        assert order.threshold_elo is None  # it is not the base that they play
        apart = np.abs(space.units(order.played) - space.units(order.opponent))
        assert apart.min() > 0.2
        assert apart.max() < 0.51


def test_two_who_meet_again_have_other_openings() -> None:
    course, _ = started(optuna.create_study(direction="maximize"))
    games = set()
    while (pair := course.next_pair()) is not None:
        order = course.order(pair.ordinal)
        if order.kind == "search":
            game = order.players, pair.opening % RULES.search_openings
            assert game not in games
            games.add(game)
        course.take(pair.ordinal, pair.place, result_of(course, pair))


def test_bad_trials_end_early_and_keep_their_estimate() -> None:
    told = [one for one in whole(1, "random") if one.order.kind == "search"]
    short = [one for one in told if one.counts.observations < RULES.trial_pairs]
    assert short
    for one in short:
        assert one.evidence is not None
        assert one.order.threshold_elo is not None
        assert one.evidence.upper_elo(look_z(0.05, RULES.looks)) < one.order.threshold_elo
    means = [
        np.mean([one.evidence.elo for one in group if one.evidence])
        for group in (short, [one for one in told if one not in short])
    ]
    assert means[0] < means[1]


def test_the_command_offers_the_samplers_that_there_are() -> None:
    assert search_options.SAMPLERS == SAMPLERS


GONE = Failure("crash: gone", first=True)


def with_results(
    result: Callable[[Course, PairRef], int | Failure], rules: Rules = RULES
) -> list[Told]:
    course, ledger = started(optuna.create_study(direction="maximize"), rules)
    while not course.finished:
        pair = course.next_pair()
        assert pair is not None
        course.take(pair.ordinal, pair.place, result(course, pair))
    return ledger.told


def test_a_trial_whose_engine_crashes_fails_with_the_reason_and_the_study_goes_on() -> None:
    told = with_results(lambda _, pair: GONE if pair.ordinal in (4, 7) else 2)
    failed = [one for one in told if one.evidence is None]
    assert [one.order.ordinal for one in failed] == [4, 7]
    assert {one.reason for one in failed} == {"crash: gone"}
    assert len(told) > 20


def test_a_study_all_of_whose_trials_fail_stops_with_the_reason() -> None:
    with pytest.raises(EngineStartError, match=r"5 trials failed one after another.*crash: gone"):
        with_results(lambda *_: GONE)


@pytest.mark.parametrize("sampler", ["gp", "spsa", "random"])
def test_values_with_which_the_engine_fails_are_left_alone(sampler: str) -> None:
    """Half of a range crashes, and towards it the engine gets stronger."""

    def result(course: Course, pair: PairRef) -> int | Failure:
        order = course.order(pair.ordinal)
        places = [order.played["x0"], (order.opponent or {"x0": 100})["x0"]]
        if max(places) > 120:
            return Failure("crash: gone", places[0] > 120)
        score = int(np.random.default_rng([pair.ordinal, pair.place]).binomial(4, 0.5))
        return min(4, max(0, score + (places[0] - places[1]) // 40))

    told = with_results(result, RULES.model_copy(update={"sampler": sampler}))
    raced = [one for one in told if one.order.kind == "race"]
    assert any(one.evidence is not None for one in raced)
    failed = [one.evidence is None for one in told if one.order.kind == "search"]
    assert any(failed)
    if sampler != "random":
        assert sum(failed[-10:]) < 5


def test_the_answer_is_not_the_best_trial_and_its_claim_is_near_the_truth() -> None:
    outcome = simulate(make("smooth", 5), rules_of("gp", 6000), 5)
    assert outcome.true_elo > 0
    assert abs(outcome.claimed_elo - outcome.true_elo) < 3 * outcome.error_elo


def test_evidence_of_few_pairs_claims_neither_certainty_nor_infinity() -> None:
    one = evidence(Pentanomial(ww=1))
    many = evidence(Pentanomial(ww=400))
    assert 0 < one.elo < 200
    assert one.error_elo > 100
    assert one.elo < many.elo < 1200
    assert evidence(Pentanomial()).elo == 0
    counts = Pentanomial(10, 40, 90, 45, 15)
    assert evidence(counts.inverted()).elo == pytest.approx(-evidence(counts).elo)


def test_the_error_of_a_mean_is_that_of_its_pairs() -> None:
    drawn = [
        evidence(
            Pentanomial(
                *np.bincount(
                    pair_classes(np.full(200, 20.0), np.random.default_rng(i)), minlength=5
                )
            )
        )
        for i in range(300)
    ]
    spread = float(np.std([one.elo for one in drawn]))
    assert spread == pytest.approx(drawn[0].error_elo, rel=0.15)


def test_looks_share_the_error() -> None:
    assert look_z(0.05, 1) == pytest.approx(1.645, abs=1e-3)
    assert look_z(0.05, 5) == pytest.approx(2.326, abs=1e-3)


def test_an_entrant_far_behind_is_out_and_what_an_opening_gives_to_all_does_not_count() -> None:
    openings = [4, 0, 4, 0, 3, 1, 4, 0] * 10
    ahead = [min(4, pair + (i % 4 == 1)) for i, pair in enumerate(openings)]
    assert race_survivors({7: ahead, 8: openings, 9: ahead}, 2.5) == [7, 9]
    few = {1: ahead[:4], 2: openings[:4]}
    assert race_survivors(few, 2.5) == [1, 2]


def test_spsa_walks_uphill_by_its_gains() -> None:
    plan = spsa.Gains(iterations=100, r_end=0.01, c_end=0.1)
    assert plan.perturbation(99) == pytest.approx(0.1)
    # R_N = r_end, up to the A + k + 1 against A + N of the two conventions.
    assert plan.step(99) == pytest.approx(0.01 * 0.1, rel=0.01)
    assert plan.perturbation(0) > plan.perturbation(50) > plan.perturbation(99)
    start, delta = np.array([0.5, 0.5]), np.array([1.0, -1.0])
    moved = plan.moved(start, 10, delta, 4)
    assert moved[0] > 0.5 > moved[1]
    plus, minus = plan.perturbed(start, 10, delta)
    assert (plus + minus) / 2 == pytest.approx(start)


def test_stochastic_rounding_keeps_the_mean() -> None:
    space, generator = LANDSCAPE.space, np.random.default_rng(1)
    place = np.array([0.5012, 0.2507])  # 100.24 and 50.14 of 200 steps
    drawn = [spsa.rounded(space, place, generator) for _ in range(2000)]
    assert np.mean([one["x0"] for one in drawn]) == pytest.approx(100.24, abs=0.05)
    assert {one["x1"] for one in drawn} == {50, 51}
