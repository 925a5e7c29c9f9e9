"""The sequential probability ratio test: hypotheses, stop rule, verdict; counts in, verdict out.

H0: the true gain of NEW over BASE is `elo0`; H1: it is `elo1` > `elo0`, in the unit of the model:

    model        unit   observations          what a hypothesis fixes
    normalized   nElo   pairs (pentanomial)   mean over standard deviation
    logistic     Elo    pairs (pentanomial)   mean score
    trinomial    Elo    single games          mean score (for comparison with older records)
    bayesian     Elo    single games          mean score; bounds in BayesElo (older records, too)

The test goes on while A < LLR < B, A = ln(beta/(1-alpha)), B = ln((1-beta)/alpha) (Wald), with the
LLR of `harness.likelihood`. At LLR >= B it accepts H1: a gain of `elo0` or less would have done so
with probability alpha at most. At LLR <= A it accepts H0: a gain of `elo1` or more would have done
so with probability beta at most. (Wald's bounds are nominal: overshoot makes them slightly safe.)
Hence H1 says "more than elo0", not "at least elo1", and H0 says "less than elo1", not "no gain":
the sentences below are made from the bounds accordingly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, Literal, NamedTuple

from harness.brownian import Motion
from harness.elo import (
    Z95,
    elo_from_score,
    estimate,
    moments,
    score_from_bayes_elo,
    score_from_elo,
)
from harness.likelihood.constants import NORMALIZED_ELO_SCALE
from harness.score import Counts, Pentanomial, Trinomial

Model = Literal["normalized", "logistic", "trinomial", "bayesian"]
#: Models about single games.
GAME_MODELS: Final = ("trinomial", "bayesian")
Verdict = Literal["H1", "H0"]
Decision = Literal["H1", "H0", "undecided", "invalid"]

#: Presets, in nElo: (elo0, elo1).
GAIN: Final = (0.0, 5.0)
NON_REGRESSION: Final = (-5.0, 0.0)
EARLY: Final = (0.0, 10.0)

#: Beyond, the shares of wins behind a bound are a matter of rounding, not of chess.
MAX_BOUND = 2000.0

#: Beyond, normalized bounds ask for results that few pairs of engines can have at all.
WIDE_NELO = 100.0


# Below these the test would need more games than can be played; far below, floats give up.
_LEAST_DIFFERENCE_ELO: Final = 1e-3
_LEAST_RATE: Final = 1e-15


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """One test: two hypotheses, two error rates. Raises ValueError where there is no such test."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = "normalized"
    overshoot: bool = False  # whether the bounds are corrected for it, see `Overshoot`

    def __post_init__(self) -> None:
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            check_bound(name, elo)
        if self.elo1 - self.elo0 < _LEAST_DIFFERENCE_ELO:
            raise ValueError(f"elo1 = {self.elo1:g}: expected more than elo0 = {self.elo0:g}")
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not _LEAST_RATE <= rate < 0.5:
                raise ValueError(f"{name} = {rate:g}: expected a number between 0 and 0.5")

    @property
    def unit(self) -> str:
        return {"normalized": "nElo", "bayesian": "BayesElo"}.get(self.model, "Elo")

    @property
    def bounds(self) -> SprtBounds:
        return SprtBounds.from_error_rates(self.alpha, self.beta)

    def warnings(self) -> tuple[str, ...]:
        """What is possible but hardly meant, one sentence each."""
        widest = max(self.elo0, self.elo1, key=abs)
        if self.model != "normalized" or abs(widest) <= WIDE_NELO:
            return ()
        return (
            f"a bound of {widest:g} nElo is beyond +-{WIDE_NELO:g}, more than normalized Elo is"
            " meant for; the logistic model suits wide bounds better",
        )


def check_bound(name: str, elo: float) -> None:
    """Raise ValueError unless `elo` is a number that a test can be about."""
    if not abs(elo) <= MAX_BOUND:
        span = f"{-MAX_BOUND:g} to {MAX_BOUND:g}"
        raise ValueError(f"{name} = {elo:g}: expected a number from {span}")


@dataclass(frozen=True, slots=True)
class SprtBounds:
    """The LLR at which a test stops: H0 is accepted at `lower`, H1 at `upper`."""

    lower: float
    upper: float

    @classmethod
    def from_error_rates(cls, alpha: float, beta: float) -> SprtBounds:
        return cls(math.log(beta / (1.0 - alpha)), math.log((1.0 - beta) / alpha))

    def verdict(self, llr: float) -> Verdict | None:
        """None while the test goes on."""
        if llr >= self.upper:
            return "H1"
        return "H0" if llr <= self.lower else None


def llr(counts: Counts, elo0: float, elo1: float, model: Model = "normalized") -> float:
    """Log-likelihood ratio of `elo1` against `elo0`: a finite number for all counts.

    The models are about pairs, those of GAME_MODELS about games; games are taken for the others
    too, which then are about single games. Raises ValueError for pairs under a model of games, and
    for impossible bounds.
    """
    # Imported late: the compiled kernel loads Numba, which most commands do without.
    import numpy as np

    from harness.likelihood.kernel import log_likelihood_ratio

    check_bound("elo0", elo0)
    check_bound("elo1", elo1)
    if model in GAME_MODELS and not isinstance(counts, Trinomial):
        raise ValueError(f"the {model} model counts games; a pair of 1-1 may be two draws or not")
    if model == "bayesian":
        elo0, elo1 = (elo_from_score(score_from_bayes_elo(elo, counts)) for elo in (elo0, elo1))
    classes = np.array(counts.classes, dtype=np.float64)
    return float(log_likelihood_ratio(classes, float(elo0), float(elo1), model == "normalized"))


@dataclass(frozen=True, slots=True)
class Records:
    """The steps by which a walk has gone beyond where it ever was, on one side: their sums."""

    extreme: float = 0.0
    total: float = 0.0
    squares: float = 0.0

    def beyond(self, value: float) -> Records:
        """The same after a step to a new extreme."""
        step = value - self.extreme
        return Records(value, self.total + step, self.squares + step * step)

    @property
    def mean_excess(self) -> float:
        """By how much the walk is beyond a far bound when it first is: sum x^2 / (2 sum x)."""
        return self.squares / (2.0 * self.total) if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Overshoot:
    """How far the LLR jumps over a bound, learnt from its own records; pairs come one at a time.

    Wald's bounds are for a walk that stops *on* them. One in steps stops beyond, by the mean excess
    of its record steps (Siegmund, Sequential Analysis, corollary 8.33), and the test takes longer
    than it should for error rates smaller than were asked for. So each bound is drawn in by that
    excess, as fishtest does.
    """

    below: Records = Records()
    above: Records = Records()

    def after(self, llr: float) -> Overshoot:
        """The same after the walk has come to `llr`."""
        if llr < self.below.extreme:
            return Overshoot(self.below.beyond(llr), self.above)
        if llr > self.above.extreme:
            return Overshoot(self.below, self.above.beyond(llr))
        return self

    def drawn_in(self, bounds: SprtBounds) -> SprtBounds:
        """The bounds at which the test stops now."""
        return SprtBounds(
            bounds.lower - self.below.mean_excess, bounds.upper - self.above.mean_excess
        )


@dataclass(frozen=True, slots=True)
class SprtState:
    """A test after the results counted so far; `update` gives the state after one pair more."""

    hypotheses: Hypotheses
    counts: Counts
    llr: float
    overshoot: Overshoot = Overshoot()

    @classmethod
    def start(cls, hypotheses: Hypotheses) -> SprtState:
        """The state before the first pair."""
        counts = Trinomial() if hypotheses.model in GAME_MODELS else Pentanomial()
        return cls(hypotheses, counts, 0.0)

    @property
    def decision(self) -> Verdict | None:
        """None while the test goes on."""
        return self.bounds.verdict(self.llr)

    @property
    def bounds(self) -> SprtBounds:
        """Where the test stops now: drawn in for overshoot, if the test is one that does that."""
        bounds = self.hypotheses.bounds
        return self.overshoot.drawn_in(bounds) if self.hypotheses.overshoot else bounds

    def update(self, pair_class: int) -> SprtState:
        """Count a pair of class 0..4. Not for models of games, which need `update_pair`."""
        return self._counting(Pentanomial.from_class(pair_class))

    def update_pair(self, first: int, second: int) -> SprtState:
        """Count a pair by NEW's results (-1, 0, 1) in its two games, under any model."""
        return self._counting(type(self.counts).from_pair(first, second))

    def _counting(self, more: Counts) -> SprtState:
        if type(more) is not type(self.counts):
            raise TypeError("the trinomial and bayesian models count games, the others pairs")
        counts = self.counts + more  # type: ignore[operator]  # same type, checked above
        test = self.hypotheses
        llr_now = llr(counts, test.elo0, test.elo1, test.model)
        return SprtState(test, counts, llr_now, self.overshoot.after(llr_now))


def verdict_sentence(
    decision: Decision,
    hypotheses: Hypotheses,
    llr: float,
    games: int,
    new: str = "new",
    base: str = "base",
    reason: str = "too many faults",
    bounds: SprtBounds | None = None,
) -> str:
    """The outcome as one sentence for a pull request.

    `reason` is why a test is invalid, `bounds` are those in force, if not the plain ones.
    """
    test, bounds = hypotheses, bounds or hypotheses.bounds
    if decision == "undecided":
        return (
            f"Inconclusive after {games} games: {new} against {base}, {_llr_within(bounds, llr)};"
            f" {_open_question(test)} ({_terms(test)})."
        )
    claim = {
        "H1": f"{new} {_accepted_h1(test, base)}",
        "H0": f"{new} {_accepted_h0(test, base)}",
        "invalid": f"the test of {new} against {base} is invalid ({reason}): "
        "it says nothing about which one is stronger",
    }[decision]
    return (
        f"{claim} ({_terms(test)}, LLR {without_minus_zero(f'{llr:.2f}')}"
        f" [{bounds.lower:.2f}, {bounds.upper:.2f}], {games} games)."
    )


def unfinished_sentence(state: SprtState, how: str, progress: str, new: str, base: str) -> str:
    """For a test that has not ended: `how` is "Interrupted", `progress` "64 of 400 games"."""
    return (
        f"{how} after {progress}, no verdict yet: {new} against {base},"
        f" {_llr_within(state.bounds, state.llr)} ({_terms(state.hypotheses)})."
    )


def without_minus_zero(text: str) -> str:
    """A rounded number as text, where a zero has no sign."""
    return text.lstrip("+-") if not text.strip("+-0.") else text


def _llr_within(bounds: SprtBounds, llr: float) -> str:
    return f"LLR {without_minus_zero(f'{llr:.2f}')} in [{bounds.lower:.2f}, {bounds.upper:.2f}]"


def _terms(test: Hypotheses) -> str:
    return (
        f"SPRT [{test.elo0:.2f}, {test.elo1:.2f}] {test.model},"
        f" alpha {test.alpha:g}, beta {test.beta:g}"
    )


def _accepted_h1(test: Hypotheses, base: str) -> str:
    if test.elo0 < 0:
        return f"shows no loss of {abs(test.elo0):g} {test.unit} or more against {base}"
    return f"is stronger than {base}: a gain of more than {test.elo0:g} {test.unit}"


def _accepted_h0(test: Hypotheses, base: str) -> str:
    if test.elo1 > 0:
        return f"shows no gain of {test.elo1:g} {test.unit} or more over {base}"
    return f"is weaker than {base}: a loss of more than {abs(test.elo1):g} {test.unit}"


def _open_question(test: Hypotheses) -> str:
    low, high = _at_most(test.elo0, test.unit), _at_least(test.elo1, test.unit)
    return f"neither {low} nor {high} is ruled out"


def _at_most(elo: float, unit: str) -> str:
    return (
        f"a loss of {abs(elo):g} {unit} or more" if elo < 0 else f"a gain of {elo:g} {unit} or less"
    )


def _at_least(elo: float, unit: str) -> str:
    return (
        f"a loss of {abs(elo):g} {unit} or less" if elo < 0 else f"a gain of {elo:g} {unit} or more"
    )


def guarantee_sentence(hypotheses: Hypotheses) -> str:
    """What the test promises whatever the truth, for reports and documentation."""
    test = hypotheses
    return (
        f"What this test promises: a change that is really {_at_most(test.elo0, test.unit)} passes"
        f" it by luck in at most {100 * test.alpha:g} % of all tests, and one that is really"
        f" {_at_least(test.elo1, test.unit)} fails it in at most {100 * test.beta:g} %;"
        " in between it may go either way."
    )


def expected_games(state: SprtState) -> float | None:
    """Games the test still needs on average; None before the first result.

    The LLR is taken for a Brownian motion (Wald; Van den Bergh, brownian_approximation.pdf) that
    starts where it stands now. The true strength is not known but estimated, and near the middle of
    the hypotheses a test takes longest: so this is the mean over the estimate's uncertainty. Early
    in a test that is wide and the answer too low.
    """
    if not state.counts.observations:
        return None
    if state.decision is not None:
        return 0.0
    scale = scale_of(state.hypotheses, state.counts)
    steps = [motion.mean_time() for motion in _possible_motions(state, scale)]
    return sum(steps) / len(steps) / scale.variance_per_game


def chance_to_pass(state: SprtState) -> float | None:
    """The probability that H1 will be accepted, by what is known; None before the first result.

    The mean over the estimate's uncertainty, as in `expected_games`.
    """
    if not state.counts.observations:
        return None
    if state.decision is not None:
        return float(state.decision == "H1")
    scale = scale_of(state.hypotheses, state.counts)
    chances = [motion.top() for motion in _possible_motions(state, scale)]
    return sum(chances) / len(chances)


def _possible_motions(state: SprtState, scale: Scale) -> list[Motion]:
    """The walk from where it stands, for equally likely strengths."""
    truth, spread = _estimated(state)
    return [motion_from(state, scale.drift(truth + spread * z)) for z in _QUANTILES]


def motion_from(state: SprtState, drift: float) -> Motion:
    """The walk from where a test stands."""
    bounds = state.bounds
    return Motion(drift, bounds.lower - state.llr, bounds.upper - state.llr)


class Scale(NamedTuple):
    """Both hypotheses and the variance of a game, on one scale of strength: nElo or score."""

    low: float
    high: float
    game_variance: float

    def drift(self, strength: float) -> float:
        """Of the LLR, per unit of its variance."""
        return (strength - (self.low + self.high) / 2.0) / (self.high - self.low)

    @property
    def variance_per_game(self) -> float:
        """How much the LLR's variance grows with a game."""
        return (self.high - self.low) ** 2 / self.game_variance


def scale_of(test: Hypotheses, counts: Counts) -> Scale:
    """The scale of a test whose games are spread as in `counts`."""
    if test.model == "normalized":
        return Scale(test.elo0, test.elo1, NORMALIZED_ELO_SCALE**2)
    variance = counts.games_per_observation * moments(counts).variance
    low, high = (
        score_from_bayes_elo(elo, counts) if test.model == "bayesian" else score_from_elo(elo)
        for elo in (test.elo0, test.elo1)
    )
    return Scale(low, high, variance)


def _estimated(state: SprtState) -> tuple[float, float]:
    """Estimate and standard error of the strength on the scale of the test."""
    if state.hypotheses.model == "normalized":
        now = estimate(state.counts)
        return now.nelo, now.nelo_error / Z95
    m = moments(state.counts)
    return m.mean, math.sqrt(m.variance / m.observations)


#: Midpoints of 25 equally likely parts of the normal distribution.
_QUANTILES: Final = tuple(NormalDist().inv_cdf((k + 0.5) / 25) for k in range(25))
