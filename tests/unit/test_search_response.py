"""The response surface: what differences say of places, of the base, and of each other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from harness.score import Pentanomial
from harness.search_tuning.evidence import evidence
from harness.search_tuning.ledger import Order, Told
from harness.search_tuning.response import (
    OPENING_SHARE,
    Differences,
    Observation,
    Response,
    fit_response,
    fit_shape,
    judged,
)
from harness.search_tuning.space import Dimension, Space
from harness.search_tuning.surface import Surface

BASE = np.array([0.2, 0.7])
HERE, THERE = np.array([0.5, 0.5]), np.array([0.8, 0.3])


def after(*observations: Observation) -> Response:
    return fit_response(observations, fit_shape(observations, 2), BASE)


def elo(response: Response, place: np.ndarray) -> float:
    return float(response.mean(place[None])[0])


def test_the_base_has_no_difference_from_itself_and_no_doubt_of_it() -> None:
    response = after(Observation(HERE, BASE, 30.0, 100.0))
    mean, error = response.mean_and_error(BASE[None])
    assert mean[0] == pytest.approx(0.0, abs=1e-6)
    assert error[0] == pytest.approx(0.0, abs=1e-3)
    assert 0.0 < elo(response, HERE) < 30.0


def test_two_places_that_played_each_other_say_which_is_higher() -> None:
    response = after(Observation(THERE, HERE, 40.0, 25.0))
    assert elo(response, THERE) - elo(response, HERE) == pytest.approx(40.0, rel=0.2)
    both = after(Observation(THERE, HERE, 40.0, 1.0), Observation(HERE, BASE, 10.0, 1.0))
    assert elo(both, THERE) == pytest.approx(50.0, rel=0.1)


def test_the_side_that_is_named_first_makes_no_difference() -> None:
    one = after(Observation(THERE, HERE, 40.0, 25.0))
    other = after(Observation(HERE, THERE, -40.0, 25.0))
    assert elo(one, THERE) == pytest.approx(elo(other, THERE), abs=1e-6)


def test_the_gradient_of_the_covariance_is_that_of_its_values() -> None:
    rows = np.random.default_rng(1).random((6, 4))
    start = np.log([0.5, 0.9])

    def covariance(theta: np.ndarray) -> np.ndarray:
        values: np.ndarray = Differences(np.exp(theta))(rows)
        return values.ravel()

    values, gradient = Differences(np.exp(start))(rows, eval_gradient=True)
    assert np.diag(values) == pytest.approx(Differences(np.exp(start)).diag(rows))
    assert np.linalg.eigvalsh(values).min() > -1e-12
    numeric = approx_fprime(start, covariance, 1e-6).reshape(6, 6, 2)
    assert gradient == pytest.approx(numeric, abs=1e-4)


def test_a_judgement_is_less_sure_than_the_most_probable_shape() -> None:
    generator = np.random.default_rng(3)
    places = generator.random((40, 2, 2))
    observations = [
        Observation(a, b, 20.0 * (a[0] - b[0]) + generator.normal(0.0, 60.0), 3600.0)
        for a, b in places
    ]
    elo, error = judged(observations, THERE[None], BASE)
    probable_elo, probable_error = after(*observations).mean_and_error(THERE[None])
    assert error[0] > probable_error[0]
    assert elo[0] == pytest.approx(probable_elo[0], abs=2 * error[0])


def test_results_of_the_same_openings_err_together() -> None:
    """What one trial errs, the next one from the same openings errs as well."""
    elsewhere = np.full(2, 1e6)

    def error(openings: list[str | None]) -> float:
        trials = [Observation(HERE, elsewhere, 30.0, 400.0, one) for one in openings]
        response = fit_response(trials, fit_shape(trials, 2), elsewhere)
        return float(response.mean_and_error(HERE[None])[1][0])

    same, others = error(["search 0"] * 200), error([f"fresh {i}" for i in range(200)])
    assert same == pytest.approx(np.sqrt(OPENING_SHARE * 400.0), rel=0.1)
    assert others == pytest.approx(error([None] * 200), rel=1e-3)
    assert others < 0.3 * same


def test_trials_against_the_base_share_their_openings_and_others_do_not() -> None:
    space = Space(dimensions=(Dimension(name="a", low=0, high=9),))
    orders = [
        Order(0, "search", {"a": 3}),
        Order(1, "search", {"a": 5}, {"a": 1}),
        Order(2, "re-evaluation", {"a": 3}, first_opening=100),
    ]
    counts = Pentanomial(1, 2, 3, 4, 5)
    told = [Told(order, counts, evidence(counts)) for order in orders]
    observations = Surface(space, 1, np.array([0.5])).observations(told)
    assert [one.openings for one in observations] == ["search 0", None, "fresh 100"]


def test_games_alone_are_not_drawn_to_nothing() -> None:
    """The prior of a trial's evidence would be the second one of a response."""
    found = evidence(Pentanomial(0, 1, 3, 3, 1))
    measured, variance = found.likelihood
    assert measured == pytest.approx(87.0, abs=4.0)  # a score of 0.625 in 8 pairs
    assert found.elo < 0.8 * measured
    assert variance > found.variance_elo2
