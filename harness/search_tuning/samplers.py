"""Our own samplers by Optuna's interface: a Gaussian process with known noise, and SPSA.

Whatever a sampler draws is a function of the study's seed and the trial's ordinal, given the trials
told before: so TPE, CMA-ES and random search, which keep nothing but a generator, are made anew
for each trial.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Final

import numpy as np
import optuna
from optuna.distributions import BaseDistribution
from optuna.exceptions import ExperimentalWarning
from optuna.samplers import BaseSampler, CmaEsSampler
from optuna.trial import FrozenTrial, TrialState

from harness.search_tuning import spsa
from harness.search_tuning.ledger import Told, distributions, told_of
from harness.search_tuning.space import Space, Units, Values
from harness.search_tuning.surface import Surface
from harness.splitmix import derive_seed

_SAMPLER_STEP: Final = 0x73616D706C65  # "sample"
_ROUND_STEP: Final = 0x726F756E64  # "round"
#: Trials spread evenly before the first one that a model proposes.
_SPREAD_TRIALS: Final = 16
#: After them every so-manieth trial plays the base; the others are two places that play each other,
#: so far from the top in each dimension, in ranges (measured: docs/search-tuning.md).
_BASE_EVERY: Final = 4
_REACH: Final = 0.25
#: Nearer, in halves, where the response falls by so much on the way: beyond, the engine may fail.
_CLIFF_ELO: Final = 100.0
_HALVINGS: Final = 3
#: Places among which a drawn surface is searched for its top: half of them anywhere, half near the
#: top of the mean, since a draw at more places costs with their cube.
_PLACES: Final = 256


def sampler_seed(seed: int, ordinal: int) -> int:
    """For a generator of Optuna's, which takes 32 bits."""
    return derive_seed(seed, _SAMPLER_STEP, ordinal) & 0xFFFFFFFF


class OurSampler(BaseSampler):
    """What the two samplers of ours share: they propose all values of a trial at once."""

    def __init__(self, space: Space, seed: int) -> None:
        self._space = space
        self._seed = derive_seed(seed, _SAMPLER_STEP)
        #: The ordinal of the trial to be asked for next.
        self.ordinal = 0
        #: Whom the values asked for last are to play; None: the base.
        self.opponent: Values | None = None
        self._read: dict[int, Told] = {}

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        return dict(distributions(self._space))

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: Any
    ) -> Any:
        raise ValueError(f"{param_name} is no parameter of the space {self._space.names}")

    def _told(self, study: optuna.Study) -> list[Told]:
        """The finished trials of the course, in order."""
        finished = (TrialState.COMPLETE, TrialState.FAIL)
        for trial in study.get_trials(deepcopy=False, states=finished):
            if trial.number not in self._read and (told := told_of(trial)) is not None:
                self._read[trial.number] = told
        return sorted(self._read.values(), key=lambda told: told.order.ordinal)

    def _generator(self, step: int = 0) -> np.random.Generator:
        return np.random.default_rng(derive_seed(self._seed, self.ordinal, step))


class CmaEs(CmaEsSampler):
    """Optuna's CMA-ES for one trial, drawing by the trial's ordinal in place of its number.

    They differ after an interruption. Its learning rate adapts to the noise (Nomura and others,
    "CMA-ES with learning rate adaptation", 2023).
    """

    def __init__(self, seed: int, ordinal: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExperimentalWarning)  # of lr_adapt
            super().__init__(seed=seed, lr_adapt=True)
        self._ordinal = ordinal

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The values of the trial."""
        numbered = copy(trial)
        numbered.number = self._ordinal
        return super().sample_relative(study, numbered, search_space)


class GpSampler(OurSampler):
    """Most trials ask where it goes up from the top of the response, the others explore.

    The former are two places that play each other, on opposite sides of the top: their difference
    is twice that of one of them from the top, and costs the same games. The latter play the base by
    Thompson sampling, at the top of a surface drawn from the posterior: where the surface is
    uncertain, draws differ, and so do the trials (Thompson, Biometrika 25, 1933). Trials in flight
    need no special care.
    """

    def __init__(self, space: Space, seed: int, surface: Surface) -> None:
        super().__init__(space, seed)
        self._surface = surface

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The values of the next trial."""
        self.opponent = None
        if self.ordinal < _SPREAD_TRIALS:
            return self._space.values(self._surface.places[self.ordinal])
        told = self._told(study)
        response = self._surface.after(told)
        generator = self._generator()
        top = self._surface.top(told)
        if self.ordinal % _BASE_EVERY:
            reach = _REACH * spsa.directions(generator, len(top))
            sides = _both_sides(top, reach)
            for _ in range(_HALVINGS):
                if np.ptp(response.mean(np.vstack([top, sides]))) < _CLIFF_ELO:
                    break
                reach /= 2
                sides = _both_sides(top, reach)
            above, below = map(self._space.values, sides)
            if above != below:
                self.opponent = below
                return above
        places = self._places(top, generator)
        return self._space.values(places[int(np.argmax(response.draw(places, generator)))])

    def _places(self, top: Units, generator: np.random.Generator) -> Units:
        dimensions = len(top)
        anywhere = generator.random((_PLACES // 2, dimensions))
        near = top + 0.15 * generator.standard_normal((_PLACES // 2, dimensions))
        return np.vstack([anywhere, np.clip(near, 0.0, 1.0), top[None]])


def _both_sides(top: Units, reach: Units) -> Units:
    return np.clip([top + reach, top - reach], 0.0, 1.0)


class SpsaSampler(OurSampler):
    """theta+ of the next iteration; `opponent` is its theta-."""

    def __init__(self, space: Space, seed: int, start: Units, plan: spsa.Gains, games: int) -> None:
        """`games`: of an iteration."""
        super().__init__(space, seed)
        self._plan = plan
        self._games = games
        self._path = [start]

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The values of theta+."""
        self.path(self._told(study))
        self.opponent = self._rounded(1)
        return self._rounded(0)

    def _rounded(self, side: int) -> Values:
        delta = self._delta(self.ordinal)
        units = self._plan.perturbed(self._path[-1], self.ordinal, delta)[side]
        generator = np.random.default_rng(derive_seed(self._seed, self.ordinal, _ROUND_STEP, side))
        return spsa.rounded(self._space, units, generator)

    def _delta(self, ordinal: int) -> Units:
        generator = np.random.default_rng(derive_seed(self._seed, ordinal))
        return spsa.directions(generator, len(self._space.dimensions))

    def path(self, told: Sequence[Told]) -> list[Units]:
        """theta before the first iteration, and after each one that was told."""
        iterations = [one for one in told if one.order.opponent is not None]
        for one in iterations[len(self._path) - 1 :]:
            k = one.order.ordinal
            theta = self._plan.moved(self._path[-1], k, self._delta(k), self._balance(one))
            self._path.append(theta)
        return self._path

    def _balance(self, one: Told) -> int:
        """Wins less losses of theta+; who fails has lost all games."""
        if one.evidence is None:
            return -self._games if one.first_failed else self._games
        return sum((i - 2) * count for i, count in enumerate(one.counts.classes))
