"""The specification of a run, as validated and frozen values.

Whatever determines the games and the verdict is in `MatchSpec.spec_hash`; names, paths, output
places and the number of workers are not.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from engine.parameters import search_defaults
from engine.weights import weight_defaults
from harness.limits import Limit
from harness.sprt import GAIN, Hypotheses, Model

Weights = dict[str, tuple[tuple[int, ...], tuple[int, ...]]]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def canonical_json(value: object) -> str:
    """One text for equal values: sorted keys, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _sha256(value: object) -> str:
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


class EngineConfig(_Frozen):
    """One player: which engine, with every parameter and weight filled in."""

    name: str
    source: str = "builtin"
    search: dict[str, int] = Field(default_factory=search_defaults)
    weights: Weights = Field(default_factory=weight_defaults)
    options: dict[str, str] = Field(default_factory=lambda: {"Hash": "16"})
    limit: Limit | None = None
    path: str = ""

    @property
    def hash_mb(self) -> int:
        return int(self.options["Hash"])

    def digest(self) -> str:
        """SHA-256 of what makes it play as it plays: everything but its name and its path."""
        return _sha256(self.model_dump(mode="json", exclude={"name", "path"}))


class AdjudicationConfig(_Frozen):
    """When a game ends before its rules end it; scores are centipawns, counts are moves of a side.

    A game of `max_plies` is a draw. With `enabled` off none of these rules holds.
    """

    enabled: bool = True
    draw_move_number: Annotated[int, Field(ge=0)] = 40
    draw_move_count: Annotated[int, Field(ge=0)] = 8
    draw_score_cp: Annotated[int, Field(ge=0)] = 10
    resign_move_count: Annotated[int, Field(ge=0)] = 3
    resign_score_cp: Annotated[int, Field(ge=0)] = 600
    resign_two_sided: bool = True
    max_plies: Annotated[int, Field(ge=0)] = 1000


class OpeningSpec(_Frozen):
    """Where openings come from. `start` counts from 0; `plies` 0 means a book's whole lines.

    `bound_cp` and `nodes` are the test that a generated opening has to pass.
    """

    kind: Literal["generated", "book"] = "generated"
    path: str = ""
    sha256: str = ""
    order: Literal["random", "sequential"] = "random"
    start: Annotated[int, Field(ge=0)] = 0
    plies: Annotated[int, Field(ge=0, le=200)] = 8
    bound_cp: Annotated[int, Field(ge=0, le=10_000)] = 120
    nodes: Annotated[int, Field(ge=0)] = 1000


class SprtSpec(_Frozen):
    """The hypotheses elo0 < elo1 (in the model's unit) and the error rates of their test."""

    elo0: float = GAIN[0]
    elo1: float = GAIN[1]
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = "normalized"

    @model_validator(mode="after")
    def _possible(self) -> SprtSpec:
        self.hypotheses()
        return self

    def hypotheses(self) -> Hypotheses:
        """The test itself. Raises ValueError where there is no such test."""
        return Hypotheses(self.elo0, self.elo1, self.alpha, self.beta, self.model)


class MatchSpec(_Frozen):
    """A whole run, fixed before its first game."""

    new: EngineConfig
    base: EngineConfig
    limit: Limit
    openings: OpeningSpec = OpeningSpec()
    adjudication: AdjudicationConfig = AdjudicationConfig()
    seed: Annotated[int, Field(ge=0, lt=2**64)] = 1
    sprt: SprtSpec | None = SprtSpec()
    max_games: Annotated[int, Field(ge=2, multiple_of=2)] = 200_000
    source_digest: str = ""
    tool_version: str = ""

    def spec_hash(self) -> str:
        """SHA-256 of the canonical JSON of everything that determines the games and the verdict."""
        content = self.model_dump(mode="json", exclude={"new", "base", "openings"})
        content["new"] = self.new.digest()
        content["base"] = self.base.digest()
        content["openings"] = self.openings.model_dump(mode="json", exclude={"path"})
        return _sha256(content)
