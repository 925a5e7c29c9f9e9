import math
import re

import pytest

from harness.brownian import Motion
from harness.score import Counts, Pentanomial, Trinomial
from harness.sprt import (
    EARLY,
    GAIN,
    NON_REGRESSION,
    Decision,
    Hypotheses,
    Model,
    SprtBounds,
    SprtState,
    expected_games,
    guarantee_sentence,
    llr,
    unfinished_sentence,
    verdict_sentence,
    without_minus_zero,
)

TEST = "alpha 0.05, beta 0.05, LLR 2.97 [-2.94, 2.94], 1234 games)."


class TestHypotheses:
    def test_presets(self) -> None:
        assert (GAIN, NON_REGRESSION, EARLY) == ((0.0, 5.0), (-5.0, 0.0), (0.0, 10.0))

    @pytest.mark.parametrize(
        ("elo0", "elo1", "alpha", "beta", "sentence"),
        [
            (5, 5, 0.05, 0.05, "elo1 = 5: expected more than elo0 = 5"),
            (5, 0, 0.05, 0.05, "elo1 = 0: expected more than elo0 = 5"),
            (0, 5, 0.0, 0.05, "alpha = 0: expected a number between 0 and 0.5"),
            (0, 5, 0.5, 0.05, "alpha = 0.5: expected a number between 0 and 0.5"),
            (0, 5, 0.05, -1, "beta = -1: expected a number between 0 and 0.5"),
            (0, 5, 0.05, math.nan, "beta = nan: expected a number between 0 and 0.5"),
            (math.nan, 5, 0.05, 0.05, "elo0 = nan: expected a number from -2000 to 2000"),
            (0, math.inf, 0.05, 0.05, "elo1 = inf: expected a number from -2000 to 2000"),
            (-2001, 0, 0.05, 0.05, "elo0 = -2001: expected a number from -2000 to 2000"),
        ],
    )
    def test_refuses_what_is_no_test(
        self, elo0: float, elo1: float, alpha: float, beta: float, sentence: str
    ) -> None:
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            Hypotheses(elo0, elo1, alpha, beta)

    def test_warns_of_wide_normalized_bounds_only(self) -> None:
        assert Hypotheses(-100, 100).warnings() == ()
        assert Hypotheses(0, 150, model="logistic").warnings() == ()
        (warning,) = Hypotheses(-150, 100).warnings()
        assert warning.startswith("a bound of -150 nElo is beyond +-100")
        assert "logistic model" in warning

    def test_the_unit_is_the_models(self) -> None:
        models: tuple[Model, ...] = ("normalized", "logistic", "trinomial")
        assert [Hypotheses(0, 5, model=model).unit for model in models] == ["nElo", "Elo", "Elo"]


class TestBounds:
    def test_reaching_a_bound_is_enough(self) -> None:
        bounds = SprtBounds.from_error_rates(0.05, 0.05)
        assert bounds.verdict(bounds.upper) == "H1"
        assert bounds.verdict(bounds.lower) == "H0"
        assert bounds.verdict(math.nextafter(bounds.upper, 0.0)) is None
        assert bounds.verdict(math.nextafter(bounds.lower, 0.0)) is None


class TestState:
    def test_starts_with_nothing(self) -> None:
        state = SprtState.start(Hypotheses(0, 5))
        assert (state.counts, state.llr, state.decision) == (Pentanomial(), 0.0, None)

    def test_update_leaves_the_old_state_alone(self) -> None:
        start = SprtState.start(Hypotheses(0, 50))
        later = start.update(4).update(3)
        assert start.counts == Pentanomial()
        assert later.counts == Pentanomial(0, 0, 0, 1, 1)
        assert later.llr == llr(later.counts, 0, 50) > 0

    def test_wins_end_in_h1_and_losses_in_h0(self) -> None:
        for pair_class, verdict in ((3, "H1"), (1, "H0")):
            state = SprtState.start(Hypotheses(0, 50))
            pairs = 0
            while state.decision is None:
                state = state.update(pair_class if pairs % 2 else 2)
                pairs += 1
            assert state.decision == verdict
            assert 10 < pairs < 200

    def test_the_first_pairs_of_a_published_path(self) -> None:
        """The check sequence of fishtest's overshoot correction: [0, 50], LLR after 5, 10, 25."""
        classes = [2, 3, 2, 1, 3, 4, 2, 3, 2, 3, 1, 2, 3, 3, 2, 4, 2, 3, 2, 2, 3, 1, 3, 2, 3]
        state, path = SprtState.start(Hypotheses(0, 50)), []
        for pair_class in classes:
            state = state.update(pair_class)
            path.append(state.llr)
        assert state.counts == Pentanomial(0, 3, 10, 10, 2)
        assert path[4] == pytest.approx(0.160119, abs=6e-7)
        assert path[9] == pytest.approx(0.852988, abs=6e-7)
        assert path[24] == pytest.approx(1.988488, abs=6e-7)

    def test_the_trinomial_model_counts_games(self) -> None:
        state = SprtState.start(Hypotheses(0, 5, model="trinomial")).update_pair(1, -1)
        assert state.counts == Trinomial(1, 0, 1)
        assert state.llr == llr(Trinomial(1, 0, 1), 0, 5, "trinomial")
        with pytest.raises(TypeError, match="count games"):
            state.update(2)

    def test_pairs_by_their_games_are_pairs_by_their_class(self) -> None:
        start = SprtState.start(Hypotheses(0, 5))
        assert start.update_pair(1, 0) == start.update(3)


def test_llr_refuses_what_it_cannot_mean() -> None:
    with pytest.raises(ValueError, match="counts games"):
        llr(Pentanomial(1, 2, 3, 2, 1), 0, 5, "trinomial")
    with pytest.raises(ValueError, match="elo0 = nan"):
        llr(Pentanomial(1, 2, 3, 2, 1), math.nan, 5)


class TestSentences:
    @pytest.mark.parametrize(
        ("bounds", "decision", "claim"),
        [
            (GAIN, "H1", "new is stronger than base: a gain of more than 0 nElo"),
            (GAIN, "H0", "new shows no gain of 5 nElo or more over base"),
            (NON_REGRESSION, "H1", "new shows no loss of 5 nElo or more against base"),
            (NON_REGRESSION, "H0", "new is weaker than base: a loss of more than 0 nElo"),
            ((2.5, 7), "H1", "new is stronger than base: a gain of more than 2.5 nElo"),
            ((-9, -4), "H0", "new is weaker than base: a loss of more than 4 nElo"),
        ],
    )
    def test_claims_what_the_bounds_allow(
        self, bounds: tuple[float, float], decision: Decision, claim: str
    ) -> None:
        sentence = verdict_sentence(decision, Hypotheses(*bounds), 2.97, 1234)
        low, high = bounds
        assert sentence == f"{claim} (SPRT [{low:.2f}, {high:.2f}] normalized, {TEST}"

    @pytest.mark.parametrize(
        ("bounds", "question"),
        [
            (GAIN, "neither a gain of 0 nElo or less nor a gain of 5 nElo or more"),
            ((-9, -4), "neither a loss of 9 nElo or more nor a loss of 4 nElo or less"),
        ],
    )
    def test_an_undecided_test_says_so_first(
        self, bounds: tuple[float, float], question: str
    ) -> None:
        sentence = verdict_sentence("undecided", Hypotheses(*bounds), -0.26, 400)
        low, high = bounds
        assert sentence == (
            "Inconclusive after 400 games: new against base, LLR -0.26 in [-2.94, 2.94];"
            f" {question} is ruled out (SPRT [{low:.2f}, {high:.2f}] normalized,"
            " alpha 0.05, beta 0.05)."
        )

    def test_an_unfinished_test_is_no_undecided_one(self) -> None:
        sentence = unfinished_sentence(
            SprtState(Hypotheses(*GAIN), Pentanomial(), -0.001),
            "Interrupted",
            "64 of 400 games",
            "lmr",
            "main",
        )
        assert sentence == (
            "Interrupted after 64 of 400 games, no verdict yet: lmr against main, LLR 0.00 in"
            " [-2.94, 2.94] (SPRT [0.00, 5.00] normalized, alpha 0.05, beta 0.05)."
        )

    @pytest.mark.parametrize(
        ("rounded", "shown"),
        [("-0.00", "0.00"), ("+0.0", "0.0"), ("-0", "0"), ("-0.01", "-0.01"), ("-10.0", "-10.0")],
    )
    def test_zero_has_no_sign(self, rounded: str, shown: str) -> None:
        assert without_minus_zero(rounded) == shown

    def test_names_the_players_the_model_and_its_unit(self) -> None:
        hypotheses = Hypotheses(0, 3, 0.02, 0.1, "logistic")
        sentence = verdict_sentence("H1", hypotheses, 4.0, 10, "lmr-tweak", "main")
        assert sentence == (
            "lmr-tweak is stronger than main: a gain of more than 0 Elo (SPRT [0.00, 3.00]"
            " logistic, alpha 0.02, beta 0.1, LLR 4.00 [-2.28, 3.81], 10 games)."
        )

    def test_an_invalid_test_says_why_and_nothing_about_strength(self) -> None:
        sentence = verdict_sentence("invalid", Hypotheses(*GAIN), 2.97, 1234, reason="28 crashes")
        assert sentence == (
            "the test of new against base is invalid (28 crashes): it says nothing about which one"
            f" is stronger (SPRT [0.00, 5.00] normalized, {TEST}"
        )

    def test_the_guarantee_names_both_errors(self) -> None:
        assert guarantee_sentence(Hypotheses(-5, 0, 0.05, 0.1)) == (
            "What this test promises: a change that is really a loss of 5 nElo or more passes it"
            " by luck in at most 5 % of all tests, and one that is really a gain of 0 nElo or more"
            " fails it in at most 10 %; in between it may go either way."
        )


class TestForecast:
    @pytest.mark.parametrize(
        ("elo1", "at_hypothesis", "between"),
        [(2, 159942, 261634), (5, 25591, 41861), (10, 6398, 10465), (50, 256, 419)],
    )
    def test_lengths_of_whole_tests(self, elo1: float, at_hypothesis: int, between: int) -> None:
        bounds = SprtBounds.from_error_rates(0.05, 0.05)
        per_step = (800 / math.log(10) / elo1) ** 2
        lengths = [
            Motion(h / 2, bounds.lower, bounds.upper).mean_time() * per_step for h in (-1, 0, 1)
        ]
        assert [round(games) for games in lengths] == [at_hypothesis, between, at_hypothesis]

    def test_small_and_no_drift_agree(self) -> None:
        assert Motion(1e-6, -2.0, 3.0).mean_time() == pytest.approx(6.0, rel=1e-5)
        assert Motion(2.5e-7, -2.0, 3.0).mean_time() == 6.0

    def test_a_large_drift_goes_straight(self) -> None:
        assert Motion(500.0, -2.0, 3.0).mean_time() == pytest.approx(3.0 / 500.0)

    @pytest.mark.parametrize(
        ("counts", "elo", "model"),
        [
            (Pentanomial(9, 80, 200, 190, 21), 1.0, "normalized"),
            (Pentanomial(9, 80, 200, 190, 21), 1.0, "logistic"),
            (Trinomial(2400, 4800, 3000), 0.3, "trinomial"),
        ],
    )
    def test_a_certain_estimate_gives_the_straight_line(
        self, counts: Counts, elo: float, model: Model
    ) -> None:
        """Far from both hypotheses the drift decides: games left = LLR left / LLR per game."""
        test = Hypotheses(-elo, elo, model=model)
        state = SprtState(test, counts, llr(counts, -elo, elo, model))
        straight = (test.bounds.upper - state.llr) / state.llr * counts.games
        assert expected_games(state) == pytest.approx(straight, rel=0.15)

    def test_nothing_is_left_of_a_decided_test_and_nothing_known_before_the_first(self) -> None:
        start = SprtState.start(Hypotheses(0, 5))
        assert expected_games(start) is None
        counts = Pentanomial(0, 0, 0, 0, 200)
        assert expected_games(SprtState(Hypotheses(0, 5), counts, 4.0)) == 0.0
