"""The specification of a tournament."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from harness.schedule import PairTask
from harness.spec import EngineConfig, RunSpec, Sides
from harness.tournament.pairings import Format, Pairing, pairings, tournament_pair


class TournamentSpec(RunSpec):
    """A tournament of `cycles` cycles (see pairings.py) between players of different names.

    `anchors` fixes ratings, in Elo by the player's name.
    """

    kind: Literal["tournament"] = "tournament"
    form: Format
    players: Annotated[tuple[EngineConfig, ...], Field(min_length=2)]
    cycles: Annotated[int, Field(ge=1)]
    anchors: dict[str, float] = Field(default_factory=dict)

    @property
    def engines(self) -> tuple[EngineConfig, ...]:
        return self.players

    @property
    def pairings(self) -> tuple[Pairing, ...]:
        return pairings(self.form, len(self.players))

    @property
    def pairs(self) -> int:
        return self.cycles * len(self.pairings)

    @property
    def title(self) -> str:
        if self.form == "match":
            return " vs ".join(player.name for player in self.players)
        return f"{self.form} of {len(self.players)}"

    def sides_of(self, pair: int) -> Sides:
        first, second = self.pairings[pair % len(self.pairings)]
        return self.players[first], self.players[second]

    def task_of(self, pair: int) -> PairTask:
        return tournament_pair(self.seed, pair, len(self.pairings), self.openings.start)

    def hashed(self) -> dict[str, Any]:
        """Names count only where they name an anchor, which decides the ratings."""
        content = super().hashed()
        names = [player.name for player in self.players]
        content["players"] = [player.digest() for player in self.players]
        content["anchors"] = {names.index(name): elo for name, elo in self.anchors.items()}
        return content
