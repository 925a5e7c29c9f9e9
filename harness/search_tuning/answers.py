"""What each sampler proposes, and what it would answer: never the best trial that was seen.

The best of many noisy trials is the luckiest. What a sampler has learned is elsewhere: in the mean
of the response, in SPSA's theta, in the mean of CMA-ES's last generations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import optuna

from harness.elo import Z95
from harness.search_tuning import spsa
from harness.search_tuning.ledger import Ledger, Told
from harness.search_tuning.rules import RACE_ENTRANTS, Rules
from harness.search_tuning.samplers import CmaEs, GpSampler, OurSampler, SpsaSampler, sampler_seed
from harness.search_tuning.space import Space, Units, Values
from harness.search_tuning.surface import Surface

#: The last trials whose mean is CMA-ES's answer: some generations, after it has found its place.
_LAST_SHARE: Final = 0.2
#: So many places of SPSA's path tell where it went.
_SHOWN_ANSWERS: Final = 50


class Conclusion(NamedTuple):
    """A set of values and the strength claimed of it against the base."""

    values: Values
    elo: float
    error_elo: float

    @property
    def sentence(self) -> str:
        """What is claimed, with its 95 % interval."""
        return f"{self.elo:+.1f} ± {Z95 * self.error_elo:.1f} Elo against the base"


class Proposer:
    """The next values, and those that the race is run between."""

    def __init__(self, rules: Rules, space: Space, seed: int, base: Units | None) -> None:
        self.surface = Surface(space, seed, base)
        self._space = space
        self._seed = seed
        self._rules = rules
        start = np.full(len(space.dimensions), 0.5) if base is None else base
        self._gp = GpSampler(space, seed, self.surface)
        plan = spsa.gains(2 * rules.search_pairs, 2 * rules.trial_pairs, len(space.dimensions))
        self._spsa = SpsaSampler(space, seed, start, plan, 2 * rules.trial_pairs)

    @property
    def plays_itself(self) -> bool:
        """Whether the two sides of every trial are both proposed, and the base plays no part."""
        return self._rules.sampler == "spsa"

    def propose(self, ledger: Ledger, ordinal: int) -> tuple[Values, Values | None]:
        """The values of trial `ordinal`, and those of its opponent (None: the base)."""
        self._gp.ordinal = self._spsa.ordinal = ordinal
        sampler = self._sampler(ordinal)
        wanted = ledger.ask(ordinal, sampler)
        opponent = sampler.opponent if isinstance(sampler, OurSampler) else None
        return self._space.repaired(wanted), opponent

    def _sampler(self, ordinal: int) -> optuna.samplers.BaseSampler:
        seed = sampler_seed(self._seed, ordinal)
        match self._rules.sampler:
            case "gp":
                return self._gp
            case "spsa":
                return self._spsa
            case "cma-es":
                return CmaEs(seed, ordinal)
            case "tpe":
                return optuna.samplers.TPESampler(seed=seed)
            case "random":
                return optuna.samplers.RandomSampler(seed=seed)

    def incumbent(self, told: Sequence[Told]) -> Values:
        """The set of values that is best by what is known."""
        if self.plays_itself or self._rules.sampler == "cma-es":
            return self.answers(told)[0]
        return self._space.values(self.surface.top(told))

    def estimate(self, values: Values, told: Sequence[Told]) -> tuple[float, float] | None:
        """Elo of a set of values against the base and its standard error, as the response has them.

        None while no trial has played the base, and when none ever does.
        """
        if not any(one.evidence and one.order.opponent is None for one in told):
            return None
        mean, error = self.surface.after(told).mean_and_error(self._space.units(values)[None])
        return float(mean[0]), float(error[0])

    def mean_elo(self, values: Values, told: Sequence[Told]) -> float:
        """The posterior mean of a set of values."""
        return float(self.surface.after(told).mean(self._space.units(values)[None])[0])

    def answers(self, told: Sequence[Told]) -> list[Values]:
        """The different sets of values to choose from at the end, most promising first."""
        if self.plays_itself:
            path = self._spsa.path(told)
            last = path[len(path) // 2 :]
            found = [path[-1], np.mean(last, axis=0)]
            values = [self._space.values(units) for units in found]
        else:
            values = self.surface.tops(told, RACE_ENTRANTS)
        if self._rules.sampler == "cma-es":
            values = [self._late_mean(told), *values]
        return list({tuple(one.items()): one for one in values}.values())[:RACE_ENTRANTS]

    def course_of_answers(self, told: Sequence[Told]) -> dict[int, Values]:
        """What would have been answered on the way, by the trial at which it was the incumbent."""
        if not self.plays_itself:
            orders = [one.order for one in told]
            return {one.ordinal: one.played for one in orders if one.kind == "re-evaluation"}
        path = self._spsa.path(told)
        step = -(-len(path) // _SHOWN_ANSWERS)
        return {k: self._space.values(path[k]) for k in range(0, len(path), step)}

    def _late_mean(self, told: Sequence[Told]) -> Values:
        searched = [one for one in told if one.order.kind == "search" and one.evidence is not None]
        last = searched[-max(1, int(_LAST_SHARE * len(searched))) :]
        places = [self._space.units(one.order.played) for one in last]
        return self._space.values(np.mean(places, axis=0))

    def conclude(self, told: Sequence[Told]) -> Conclusion | None:
        """The winner of the race and what is claimed of it; None when every entrant failed.

        Claimed by the response, to which every trial has contributed.
        """
        raced = [one for one in told if one.order.kind == "race" and one.evidence is not None]
        if not raced:
            return None
        entrants = [one.order.played for one in raced]
        judged = self.surface.judgement(entrants, told)
        conclusions = [
            Conclusion(values, *judgement)
            for values, judgement in zip(entrants, judged, strict=True)
        ]
        return max(conclusions, key=lambda found: found.elo)
