"""How long a player may think about a move: by nodes, depth, time a move, or a clock."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

MAX_NODES = 1_000_000_000
MAX_DEPTH = 100
MAX_TIME_MS = 24 * 3600 * 1000

_SECONDS = r"(?:\d+(?:\.\d*)?|\.\d+)"
_TIME_CONTROL = re.compile(
    rf"(?:(?P<moves>\d+)/)?(?:(?P<minutes>\d+):)?(?P<seconds>{_SECONDS})(?:\+(?P<inc>{_SECONDS}))?",
    re.ASCII,
)
TC_EXPECTATION = (
    "expected [moves/][minutes:]seconds[+increment], at most 24 hours, such as 10+0.1 or 40/60"
)

_Milliseconds = Annotated[int, Field(ge=0, le=MAX_TIME_MS)]


class Limit(BaseModel):
    """The limit of one move or of a player's clock; 0 means that this kind does not apply."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    nodes: Annotated[int, Field(ge=0, le=MAX_NODES)] = 0
    depth: Annotated[int, Field(ge=0, le=MAX_DEPTH)] = 0
    movetime_ms: _Milliseconds = 0
    base_ms: _Milliseconds = 0
    increment_ms: _Milliseconds = 0
    moves_per_session: Annotated[int, Field(ge=0, le=1000)] = 0

    @model_validator(mode="after")
    def _limits_something(self) -> Limit:
        if not (self.nodes or self.depth or self.movetime_ms or self.base_ms):
            raise ValueError("a limit needs nodes, depth, a time for each move, or a clock")
        if (self.increment_ms or self.moves_per_session) and not self.base_ms:
            raise ValueError("an increment or a number of moves needs a clock")
        return self

    @property
    def has_clock(self) -> bool:
        return self.base_ms > 0

    @property
    def is_deterministic(self) -> bool:
        """True when no clock is read: the same position then always gets the same answer."""
        return not (self.movetime_ms or self.base_ms)

    @classmethod
    def parse_tc(cls, text: str) -> Limit:
        """The clock that `40/60+0.6`, `10+0.1` or `2:30` means. Raises ValueError."""
        match = _TIME_CONTROL.fullmatch(text.strip())
        if match is None:
            raise ValueError(TC_EXPECTATION)
        base_ms = 60_000 * int(match["minutes"] or 0) + round(1000 * float(match["seconds"]))
        increment_ms = round(1000 * float(match["inc"] or 0))
        moves = int(match["moves"] or 0)
        if match["moves"] == "0" or moves > 1000 or not 0 < base_ms <= MAX_TIME_MS:
            raise ValueError(TC_EXPECTATION)
        if increment_ms > MAX_TIME_MS:
            raise ValueError(TC_EXPECTATION)
        return cls(base_ms=base_ms, increment_ms=increment_ms, moves_per_session=moves)

    @classmethod
    def parse(cls, kind: str, text: str) -> Limit:
        """A limit from a word (`nodes`, `depth`, `movetime`, `tc`) and its value in words.

        Raises ValueError with the expectation.
        """
        if kind == "tc":
            return cls.parse_tc(text)
        field, high = LIMIT_KINDS[kind]
        if not re.fullmatch("[0-9]+", text.strip()) or not 1 <= int(text) <= high:
            unit = " milliseconds" if kind == "movetime" else ""
            raise ValueError(f"expected an integer from 1 to {high}{unit}")
        return cls.model_validate({field: int(text)})

    def __str__(self) -> str:
        """The TimeControl tag of PGN: `40/60+0.6`; seconds a move as `1/0.1`; `-` without time."""
        if self.has_clock:
            moves = f"{self.moves_per_session}/" if self.moves_per_session else ""
            increment = f"+{self.increment_ms / 1000:g}" if self.increment_ms else ""
            return f"{moves}{self.base_ms / 1000:.10g}{increment}"
        if self.movetime_ms:
            return f"1/{self.movetime_ms / 1000:.10g}"
        return "-"

    def describe(self) -> str:
        """The limit in words: `5000 nodes a move`."""
        parts = [f"{self.nodes} nodes a move"] if self.nodes else []
        parts += [f"depth {self.depth}"] if self.depth else []
        parts += [f"{self.movetime_ms} ms a move"] if self.movetime_ms else []
        parts += [f"a clock of {self} s"] if self.has_clock else []
        return ", ".join(parts)


LIMIT_KINDS = {
    "nodes": ("nodes", MAX_NODES),
    "depth": ("depth", MAX_DEPTH),
    "movetime": ("movetime_ms", MAX_TIME_MS),
}
