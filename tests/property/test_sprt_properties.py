"""Laws of the log-likelihood ratio that hold whatever the counts and the bounds are."""

import math

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from harness.brownian import Motion
from harness.elo import estimate
from harness.score import Counts, Pentanomial, Trinomial
from harness.sprt import Hypotheses, Model, SprtState, expected_games, llr

MODELS = st.sampled_from(["normalized", "logistic"])
COUNT = st.one_of(st.just(0), st.integers(0, 20), st.integers(0, 10**7))
SOME = st.one_of(st.integers(1, 20), st.integers(1, 10**5))
PAIRS = st.builds(Pentanomial, COUNT, COUNT, COUNT, COUNT, COUNT)
FULL_PAIRS = st.builds(Pentanomial, SOME, SOME, SOME, SOME, SOME)
COUNTS = st.one_of(PAIRS, st.builds(Trinomial, COUNT, COUNT, COUNT))
ELO = st.one_of(st.floats(-20, 20), st.floats(-400, 400))

# The first call compiles the kernel.
compiled = settings(deadline=None)


def same(value: float, expected: float, counts: Counts, of: float = 0.0) -> bool:
    """Equal but for rounding, which grows with the counts and the terms (`of`) of a sum."""
    return math.isclose(value, expected, rel_tol=1e-11, abs_tol=1e-14 * counts.games + 1e-11 * of)


@compiled
@given(counts=COUNTS, elo0=ELO, elo1=ELO, model=MODELS)
def test_is_a_finite_number(counts: Counts, elo0: float, elo1: float, model: Model) -> None:
    assert math.isfinite(llr(counts, elo0, elo1, model))


@compiled
@given(counts=COUNTS, elo0=st.floats(-2000, 2000), elo1=st.floats(-2000, 2000), model=MODELS)
def test_is_a_finite_number_for_absurd_bounds(
    counts: Counts, elo0: float, elo1: float, model: Model
) -> None:
    assert math.isfinite(llr(counts, elo0, elo1, model))


@compiled
@given(counts=COUNTS, elo0=ELO, elo1=ELO, model=MODELS)
def test_the_other_player_sees_the_negative(
    counts: Counts, elo0: float, elo1: float, model: Model
) -> None:
    mine = llr(counts, elo0, elo1, model)
    assert same(llr(counts.inverted(), -elo1, -elo0, model), -mine, counts)


@compiled
@given(counts=COUNTS, elos=st.tuples(ELO, ELO, ELO), model=MODELS)
def test_adds_up(counts: Counts, elos: tuple[float, float, float], model: Model) -> None:
    elo0, elo1, elo2 = elos
    first, second = llr(counts, elo0, elo1, model), llr(counts, elo1, elo2, model)
    whole = llr(counts, elo0, elo2, model)
    assert same(first + second, whole, counts, of=abs(first) + abs(second))


@compiled
@given(counts=FULL_PAIRS, times=st.integers(2, 1000), elo0=ELO, elo1=ELO, model=MODELS)
def test_is_proportional_to_the_counts(
    counts: Pentanomial, times: int, elo0: float, elo1: float, model: Model
) -> None:
    more = Pentanomial(*(times * count for count in counts.classes))
    assert same(llr(more, elo0, elo1, model), times * llr(counts, elo0, elo1, model), more)


@compiled
@given(counts=FULL_PAIRS, index=st.integers(0, 3), elo0=ELO, elo1=ELO)
def test_a_better_pair_never_lowers_the_logistic_llr(
    counts: Pentanomial, index: int, elo0: float, elo1: float
) -> None:
    """Only without zero counts before and after: what a zero counts as breaks it."""
    assume(elo0 < elo1)
    classes = list(counts.classes)
    assume(classes[index] > 1)
    classes[index] -= 1
    classes[index + 1] += 1
    better = llr(Pentanomial(*classes), elo0, elo1, "logistic")
    before = llr(counts, elo0, elo1, "logistic")
    assert better >= before or same(better, before, counts)


@compiled
@given(counts=FULL_PAIRS, elo=ELO, model=MODELS)
def test_nothing_is_likelier_than_what_was_seen(
    counts: Pentanomial, elo: float, model: Model
) -> None:
    now = estimate(counts)
    seen = now.nelo if model == "normalized" else now.elo
    assume(abs(seen) < 1000)
    gain = llr(counts, elo, seen, model)
    assert gain >= 0.0 or same(gain, 0.0, counts)


@given(counts=COUNTS)
def test_estimates_are_finite_and_inside_their_intervals(counts: Counts) -> None:
    now = estimate(counts)
    for value, (low, high) in ((now.elo, now.elo_ci95), (now.nelo, now.nelo_ci95)):
        assert math.isfinite(low)
        assert math.isfinite(high)
        assert low <= value <= high
    assert -1200.0 < now.elo_ci95[0] <= now.elo_ci95[1] < 1200.0
    assert 0.0 <= now.los <= 1.0
    assert 0.0 <= now.draw_ratio <= 1.0


@given(counts=COUNTS)
def test_estimates_of_the_other_player_are_the_negative(counts: Counts) -> None:
    mine, theirs = estimate(counts), estimate(counts.inverted())
    assert math.isclose(theirs.elo, -mine.elo, rel_tol=1e-9, abs_tol=1e-9)
    assert math.isclose(theirs.nelo, -mine.nelo, rel_tol=1e-9, abs_tol=1e-9)
    assert math.isclose(theirs.elo_ci95[0], -mine.elo_ci95[1], rel_tol=1e-9, abs_tol=1e-9)
    assert math.isclose(theirs.los, 1.0 - mine.los, rel_tol=1e-9, abs_tol=1e-9)


@compiled
@given(classes=st.lists(st.integers(0, 4), max_size=60), model=MODELS)
def test_the_state_is_the_sum_of_its_pairs(classes: list[int], model: Model) -> None:
    state = SprtState.start(Hypotheses(0.0, 10.0, model=model))
    for pair_class in classes:
        state = state.update(pair_class)
    assert state.counts.classes == tuple(classes.count(k) for k in range(5))
    if classes:
        assert state.llr == llr(state.counts, 0.0, 10.0, model)


@compiled
@given(counts=PAIRS, elo0=st.floats(-50, 50), width=st.floats(0.5, 50), model=MODELS)
def test_a_forecast_is_a_finite_number_of_games(
    counts: Pentanomial, elo0: float, width: float, model: Model
) -> None:
    hypotheses = Hypotheses(elo0, elo0 + width, model=model)
    state = SprtState(hypotheses, counts, llr(counts, elo0, elo0 + width, model))
    games = expected_games(state)
    if not counts.games:
        assert games is None
    else:
        assert games is not None
        assert math.isfinite(games)
        assert (games == 0.0) == (state.decision is not None)


@given(h=st.floats(-1e4, 1e4), lower=st.floats(-10, -0.01), upper=st.floats(0.01, 10))
def test_a_random_walk_takes_longest_without_drift(h: float, lower: float, upper: float) -> None:
    assume(abs(h) > 1e-6)
    length = Motion(h / 2, lower, upper).mean_time()
    assert length > 0.0
    assert math.isclose(length, Motion(-h / 2, -upper, -lower).mean_time(), rel_tol=1e-9)
    if math.isclose(lower, -upper):
        assert length <= -lower * upper * (1 + 1e-9)
