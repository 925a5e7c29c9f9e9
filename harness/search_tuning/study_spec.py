"""A study as a run: its specification, and how its games are numbered."""

from __future__ import annotations

from typing import Any, Final, Literal

from harness.schedule import GameTask, PairTask, pair_task
from harness.search_tuning.rules import Rules
from harness.search_tuning.space import Space, Values
from harness.search_tuning.tunables import tunables_of
from harness.spec import EngineConfig, RunSpec, canonical_json

#: Pair numbers that each trial has to itself: pair `index` of trial `ordinal` is number
#: ordinal * PAIRS_PER_TRIAL + index of the run.
PAIRS_PER_TRIAL: Final = 1_000_000


def pair_number(ordinal: int, index: int) -> int:
    """The run's number of a trial's pair."""
    return ordinal * PAIRS_PER_TRIAL + index


def trial_pair(number: int) -> tuple[int, int]:
    """The trial (its ordinal) and the place in it of a run's pair."""
    return divmod(number, PAIRS_PER_TRIAL)


class StudySpec(RunSpec):
    """A study of `space` against `base`. Its name and its storage decide nothing."""

    kind: Literal["study"] = "study"
    name: str
    base: EngineConfig
    space: Space
    rules: Rules

    @property
    def engines(self) -> tuple[EngineConfig, ...]:
        return (self.base,)

    @property
    def title(self) -> str:
        return f"study {self.name} of {self.base.name}"

    def sides_of(self, pair: int) -> None:
        """Its trials are known while it goes on; the journal notes them (see `seating`)."""
        return

    def games_of(self, number: int, opening: int) -> tuple[GameTask, GameTask]:
        """The games of a pair; their seeds are those of its opening, in every trial."""
        return PairTask(number, opening, pair_task(self.seed, opening).seeds).games

    def other_game(self, game: GameTask) -> GameTask:
        return self.games_of(game.pair, game.opening)[1 - game.game]

    def hashed(self) -> dict[str, Any]:
        content = super().hashed()
        del content["name"]
        return content | {"base": self.base.digest()}

    def facts(self) -> dict[str, str]:
        """What tells it from another study of that name, in its store."""
        return {"space": canonical_json(self.space.model_dump()), "spec_hash": self.spec_hash()}

    def own_values(self) -> Values:
        """The base's values of what is tuned, wherever they lie."""
        own = tunables_of(self.base).values(self.base)
        return {name: own[name] for name in self.space.names}

    def base_values(self) -> Values | None:
        """The base's own values; None where it is no point of the space."""
        values = self.own_values()
        fixed = self.space.fixed.items() <= tunables_of(self.base).values(self.base).items()
        inside = all(one.low <= values[one.name] <= one.high for one in self.space.dimensions)
        return values if fixed and inside and self.space.repaired(values) == values else None

    def engine(self, values: Values, name: str) -> EngineConfig:
        """The base with these values and the fixed ones, called `name`."""
        changed = tunables_of(self.base).changed(self.base, self.space.fixed | values)
        return changed.model_copy(update={"name": name})
