"""The specification of a run, as validated and frozen values.

Every kind of run has a class derived from `RunSpec`, with which `parse_spec` reads it from a
journal. Whatever determines the games and the verdict is in its `spec_hash`; names, paths, output
places and the number of workers are not.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from importlib import import_module
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from engine.parameters import search_defaults
from engine.weights import weight_defaults
from harness.clock import TIME_MARGIN_MS
from harness.limits import Limit
from harness.schedule import GameTask, PairTask, pair_task
from harness.sprt import GAIN, Hypotheses, Model

Weights = dict[str, tuple[tuple[int, ...], tuple[int, ...]]]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def canonical_json(value: object) -> str:
    """One text for equal values: sorted keys, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _sha256(value: object) -> str:
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


class Timeouts(_Frozen):
    """How long a UCI program may take, beside what its limit allows; then it counts as hung."""

    #: From its start to `uciok`, and to the `readyok` after its options and before a game.
    start_ms: Annotated[int, Field(ge=1)] = 10_000
    ready_ms: Annotated[int, Field(ge=1)] = 60_000
    #: For a move that has no time limit (nodes, depth), so that no run waits for ever.
    think_ms: Annotated[int, Field(ge=1)] = 300_000
    #: From `stop` to its answer, and from `quit` to its end.
    stop_ms: Annotated[int, Field(ge=1)] = 2_000
    quit_ms: Annotated[int, Field(ge=1)] = 1_000


class Program(_Frozen):
    """A UCI program: what is started, where, and how patiently it is waited for.

    `command` is the path of the file that is run, `sha256` its content when the run was specified
    (empty: not looked at). A program that was built from a git revision says from which.
    """

    command: str
    arguments: tuple[str, ...] = ()
    folder: str = ""
    environment: dict[str, str] = {}
    timeouts: Timeouts = Timeouts()
    sha256: str = ""
    repository: str = ""
    commit: str = ""


class EngineConfig(_Frozen):
    """One player: which engine, with every parameter and weight filled in.

    `program` is there for a UCI engine only, which has `options` and nothing else of ours.
    `source_digest` is that of an engine of another revision, `source = builtin@COMMIT`; "" is the
    run's own engine. `rating_elo`, where it is known, anchors the ratings of a tournament.
    `default_threads` are those that a program searches with when its options do not say it.
    """

    name: str
    source: str = "builtin"
    source_digest: str = ""
    search: dict[str, int] = Field(default_factory=search_defaults)
    weights: Weights = Field(default_factory=weight_defaults)
    options: dict[str, str] = Field(default_factory=lambda: {"Hash": "16"})
    limit: Limit | None = None
    path: str = ""
    program: Program | None = None
    rating_elo: float | None = None
    default_threads: int = 1

    @property
    def hash_mb(self) -> int:
        return int(self.options["Hash"])

    def digest(self) -> str:
        """SHA-256 of what makes it play as it plays: everything but what it is called and worth.

        Of another revision's engine the sources count, not the commit that they were taken from.
        """
        aside = {"name", "path", "source_digest", "rating_elo", "default_threads"}
        content = self.model_dump(mode="json", exclude=aside)
        if self.program is None:
            del content["program"]  # digests are as old as journals, and older than programs
        if self.source_digest:
            content["source"] = f"builtin@{self.source_digest}"
        return _sha256(content)


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
    #: Folders of Syzygy tables, joined by `os.pathsep`; empty: none are asked.
    syzygy: str = ""


class OpeningSpec(_Frozen):
    """Where openings come from. `start` counts from 0; `plies` 0 means a book's whole lines.

    `bound_cp` and `nodes` are the test that a generated opening has to pass. In `chess960` all
    games are played by these rules, and generated openings begin from one of its 960 positions.
    """

    kind: Literal["generated", "book"] = "generated"
    path: str = ""
    sha256: str = ""
    order: Literal["random", "sequential"] = "random"
    start: Annotated[int, Field(ge=0)] = 0
    plies: Annotated[int, Field(ge=0, le=200)] = 8
    bound_cp: Annotated[int, Field(ge=0, le=10_000)] = 120
    nodes: Annotated[int, Field(ge=0)] = 1000
    variant: Literal["standard", "chess960"] = "standard"

    @property
    def chess960(self) -> bool:
        return self.variant == "chess960"

    def hashed(self) -> dict[str, Any]:
        """What a run's hash is made of: a book's content, not its place."""
        content = self.model_dump(mode="json", exclude={"path"})
        if not self.chess960:
            del content["variant"]  # hashes are older than variants
        return content


class SprtSpec(_Frozen):
    """The hypotheses elo0 < elo1 (in the model's unit) and the error rates of their test.

    `overshoot`: its bounds are drawn in for overshoot (runs of the first versions are not so).
    """

    elo0: float = GAIN[0]
    elo1: float = GAIN[1]
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = "normalized"
    overshoot: bool = False

    @model_validator(mode="after")
    def _possible(self) -> SprtSpec:
        self.hypotheses()
        return self

    def hypotheses(self) -> Hypotheses:
        """The test itself. Raises ValueError where there is no such test."""
        return Hypotheses(self.elo0, self.elo1, self.alpha, self.beta, self.model, self.overshoot)


#: The first and the second player of a pair of games; the first is white in its game 0.
Sides = tuple[EngineConfig, EngineConfig]


class RunSpec(_Frozen, ABC):
    """What every run has, fixed before its first game. `kind` is a key of `_KINDS`."""

    kind: str
    limit: Limit
    openings: OpeningSpec = OpeningSpec()
    adjudication: AdjudicationConfig = AdjudicationConfig()
    seed: Annotated[int, Field(ge=0, lt=2**64)] = 1
    #: How far a player may overstep its time before it loses.
    time_margin_ms: Annotated[int, Field(ge=0, le=60_000)] = TIME_MARGIN_MS
    source_digest: str = ""
    tool_version: str = ""

    @property
    @abstractmethod
    def engines(self) -> tuple[EngineConfig, ...]:
        """Whoever plays in it, as far as that is known before its first game."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What it is, in a few words."""

    @abstractmethod
    def sides_of(self, pair: int) -> Sides | None:
        """Who plays a pair; None where chunks say it with each game."""

    @property
    def is_timed(self) -> bool:
        """Whether anybody plays by a clock, so that no game can be repeated."""
        return not all((one.limit or self.limit).is_deterministic for one in self.engines)

    def task_of(self, pair: int) -> PairTask:
        """The games of a pair."""
        return pair_task(self.seed, pair, self.openings.start)

    def other_game(self, game: GameTask) -> GameTask:
        """The other game of its pair."""
        return self.task_of(game.pair).games[1 - game.game]

    def spec_hash(self) -> str:
        """SHA-256 of the canonical JSON of everything that determines the games and the verdict."""
        return _sha256(self.hashed())

    def hashed(self) -> dict[str, Any]:
        """What `spec_hash` is made of: engines by their digests, a book by its content."""
        content = self.model_dump(mode="json", exclude={"openings"})
        # Younger than the first journals, whose hashes have to stay what they are.
        if self.time_margin_ms == TIME_MARGIN_MS:
            del content["time_margin_ms"]
        if not self.adjudication.syzygy:
            del content["adjudication"]["syzygy"]
        content["openings"] = self.openings.hashed()
        return content


class NodeScaling(_Frozen):
    """How many times BASE's nodes NEW has; measured with this interval, or given where None."""

    factor: Annotated[float, Field(ge=0.001, le=1000.0)]
    ci95: tuple[float, float] | None = None


class MatchSpec(RunSpec):
    """A test of NEW against BASE.

    `node_scaling` says why NEW has the limit that it has (see `harness.node_scaling`).
    """

    kind: Literal["match"] = "match"
    new: EngineConfig
    base: EngineConfig
    sprt: SprtSpec | None = SprtSpec()
    max_games: Annotated[int, Field(ge=2, multiple_of=2)] = 200_000
    node_scaling: NodeScaling | None = None

    @property
    def engines(self) -> Sides:
        return self.new, self.base

    @property
    def title(self) -> str:
        return f"{self.new.name} vs {self.base.name}"

    def sides_of(self, pair: int) -> Sides:
        return self.engines

    def hashed(self) -> dict[str, Any]:
        content = super().hashed()
        del content["node_scaling"]  # the nodes themselves are NEW's limit, in its digest
        # Hashes are as old as journals: those of the first versions have neither.
        del content["kind"]
        if self.sprt is not None and not self.sprt.overshoot:
            del content["sprt"]["overshoot"]
        return content | {"new": self.new.digest(), "base": self.base.digest()}


#: Where the class of each kind of run is.
_KINDS: Final = {
    "match": "harness.spec:MatchSpec",
    "study": "harness.search_tuning.study_spec:StudySpec",
    "tournament": "harness.tournament.spec:TournamentSpec",
}


def parse_spec(text: str) -> RunSpec:
    """A specification of any kind from its JSON. Raises ValueError where it is none."""
    values = json.loads(text)
    kind = values.get("kind", "match") if isinstance(values, dict) else None
    if kind not in _KINDS:
        raise ValueError(f"kind = {kind!r}; expected one of {', '.join(_KINDS)}")
    module, _, name = _KINDS[kind].partition(":")
    spec: RunSpec = getattr(import_module(module), name).model_validate_json(text)
    return spec
