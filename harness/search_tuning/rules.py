"""How a study goes about its games: everything that decides its course but the engine."""

from __future__ import annotations

from typing import Annotated, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

SamplerName = Literal["gp", "spsa", "cma-es", "tpe", "random"]
SAMPLERS: Final = get_args(SamplerName)

#: Chosen by the simulation (docs/search-tuning.md).
DEFAULT_SAMPLER: Final = "gp"

RACE_ENTRANTS: Final = 3
#: Re-evaluations have so many sets of openings, in turn; the race has one that none of them had.
REEVALUATION_SETS: Final = 10
_SEARCH_SETS: Final = 5
_SPSA_OPENINGS: Final = 500

_Count = Annotated[int, Field(ge=1)]


class Rules(BaseModel):
    """`games` are all games of search, re-evaluations and race; the final test's are its own.

    A trial has at most `trial_pairs` pairs, looked at after each `batch_pairs`; it ends early when
    it is below the incumbent with an error of `error_rate` over all looks. `in_flight` trials are
    open at a time, whatever the number of workers. Every `reevaluate_every`-th trial plays the
    incumbent itself, on openings that the search never sees; `race_share` of the games are kept
    for the last three.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sampler: SamplerName = DEFAULT_SAMPLER
    games: _Count = 20_000
    trial_pairs: _Count = 100
    batch_pairs: _Count = 20
    in_flight: _Count = 4
    reevaluate_every: _Count = 10
    race_share: Annotated[float, Field(ge=0, lt=1)] = 0.15
    error_rate: Annotated[float, Field(gt=0, lt=1)] = 0.05

    @property
    def looks(self) -> int:
        """How often a trial is looked at before its end."""
        return max(1, -(-self.trial_pairs // self.batch_pairs) - 1)

    @property
    def race_pairs(self) -> int:
        """The most pairs of each of three entrants."""
        return int(self.games * self.race_share) // (2 * RACE_ENTRANTS)

    @property
    def search_pairs(self) -> int:
        """All pairs of search and re-evaluations."""
        return self.games // 2 - RACE_ENTRANTS * self.race_pairs

    @property
    def search_openings(self) -> int:
        """How many openings the search has: a trial's, and others for values that come again.

        SPSA has many, since its trials are short and never compared.
        """
        return max(_SEARCH_SETS * self.trial_pairs, _SPSA_OPENINGS if self.sampler == "spsa" else 0)

    @property
    def first_race_opening(self) -> int:
        """Where the race's openings begin among the fresh ones, after those of re-evaluations."""
        return REEVALUATION_SETS * self.trial_pairs

    @property
    def fresh_openings(self) -> int:
        """How many openings re-evaluations and the race have."""
        return self.first_race_opening + RACE_ENTRANTS * self.race_pairs


#: Pairs of a trial that suit a sampler: SPSA takes many small steps, the others measure.
_TRIAL_PAIRS: Final = {"spsa": 8}
_BATCHES: Final = 5
_FEWEST_TRIALS: Final = 32


def rules_of(sampler: SamplerName, games: int, trial_pairs: int | None = None) -> Rules:
    """The rules of a sampler with so many games, and its usual trials unless told otherwise.

    With few games the trials are shorter: there are to be some before the first that a model
    proposes, and some after it.
    """
    plain = Rules(sampler=sampler, games=games)
    usual = _TRIAL_PAIRS.get(sampler, plain.trial_pairs)
    pairs = trial_pairs or max(1, min(usual, plain.search_pairs // _FEWEST_TRIALS))
    batches = 1 if sampler == "spsa" else _BATCHES
    return Rules(sampler=sampler, games=games, trial_pairs=pairs, batch_pairs=-(-pairs // batches))
