"""The parameters that a study may change, and the values that they may take.

All values are integers, as the engine has them; `scale` says by what they are divided when shown
(`lmr_base` 80 is 0.80). Models work on *units*: a value's place in its range, 0 at the low end and
1 at the high one, on a logarithmic axis where the dimension asks for it. Which parameters an engine
has is told by `harness.search_tuning.tunables`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

#: Integer values of parameters by name.
Values = dict[str, int]
Units = NDArray[np.float64]


class Dimension(BaseModel):
    """One parameter's range: `low`, `low + step`, ... up to `high`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    low: int
    high: int
    step: Annotated[int, Field(ge=1)] = 1
    log: bool = False
    scale: Annotated[int, Field(ge=1)] = 1

    def unit(self, value: float) -> float:
        """A value's place in the range; beyond 0 and 1 for values outside it."""
        low, high = self._on_axis(self.low), self._on_axis(self.high)
        return (self._on_axis(value) - low) / (high - low)

    def exact(self, unit: float) -> float:
        """The value at a place of the range, not rounded."""
        low, high = self._on_axis(self.low), self._on_axis(self.high)
        place = low + min(max(unit, 0.0), 1.0) * (high - low)
        return math.exp(place) if self.log else place

    def nearest(self, value: float) -> int:
        """The allowed value next to any number."""
        steps = round((value - self.low) / self.step)
        return self.low + self.step * min(max(steps, 0), self.last_step)

    @property
    def last_step(self) -> int:
        """How many steps above `low` the highest allowed value is."""
        return (self.high - self.low) // self.step

    def format(self, value: float) -> str:
        """The text form of a value, as a config file has it."""
        digits = len(str(self.scale)) - 1
        return f"{value / self.scale:.{digits}f}"

    def _on_axis(self, value: float) -> float:
        return math.log(max(value, 0.5)) if self.log else float(value)


class Space(BaseModel):
    """Dimensions, values that are fixed, and pairs (a, b) of which a is at most b."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dimensions: tuple[Dimension, ...]
    fixed: Values = Field(default_factory=dict)
    at_most: tuple[tuple[str, str], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dimension.name for dimension in self.dimensions)

    def units(self, values: Mapping[str, float]) -> Units:
        """float64[dimensions]: the place of a set of values."""
        return np.array([one.unit(values[one.name]) for one in self.dimensions])

    def exact(self, units: Sequence[float] | Units) -> dict[str, float]:
        """The values at a place, not rounded."""
        return {one.name: one.exact(unit) for one, unit in zip(self.dimensions, units, strict=True)}

    def values(self, units: Sequence[float] | Units) -> Values:
        """The allowed set of values next to a place."""
        exact = self.exact(units)
        return self.repaired({one.name: one.nearest(exact[one.name]) for one in self.dimensions})

    def repaired(self, values: Mapping[str, int]) -> Values:
        """The same values with the order put right: of a pair the lower comes down to the higher.

        Where that would leave its range, the higher one has come up to its lowest value before.
        """
        repaired = dict(values)
        if not self.at_most:
            return repaired
        order, floors = self._order(), self.floors()
        for name in order:
            repaired[name] = max(repaired[name], floors[name])
        for name in reversed(order):
            repaired[name] = min([repaired[name], *(repaired[b] for b in self._above(name))])
        return repaired

    def floors(self) -> Values:
        """The lowest value of each dimension that leaves room for all below it in order."""
        lows = {one.name: one.low for one in self.dimensions}
        floors: Values = {}
        for name in self._order():
            floors[name] = max([lows[name], *(floors[a] for a, b in self.at_most if b == name)])
        return floors

    def _above(self, name: str) -> list[str]:
        return [b for a, b in self.at_most if a == name]

    def _order(self) -> list[str]:
        """All names, each after those that it is to be at least. Raises CycleError."""
        graph: dict[str, set[str]] = {name: set() for name in self.names}
        for a, b in self.at_most:
            graph[b].add(a)
        return list(TopologicalSorter(graph).static_order())
