"""The response of a study as its trials come in, and the tops of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from harness.search_tuning.ledger import Told
from harness.search_tuning.response import (
    Observation,
    Response,
    fit_response,
    fit_shape,
    judged,
    spread,
)
from harness.search_tuning.space import Space, Units, Values

#: Places that are tried for the top, before it is climbed from the best of them.
_PLACES: Final = 1024
_CLIMBS: Final = 3
#: The shape is fitted anew when the trials have grown by this share: it changes slowly, and costs
#: a hundred times what the rest of an answer costs.
_GROWTH: Final = 1.25
_FEWEST: Final = 8
#: Two tops are told apart when they differ by more than this in some dimension, in ranges.
_APART: Final = 0.1
#: What is known of values with which the engine fails, as Elo and variance: they lose.
_FAILED: Final = (-300.0, 100.0**2)
#: A base outside of the space is so far from it, in ranges, that neither tells of the other.
_ELSEWHERE: Final = 1e6


class Surface:
    """A function of the told trials; what it remembers only saves time."""

    def __init__(self, space: Space, seed: int, base: Units | None) -> None:
        """`base`: the place of the base, where it lies in the space."""
        self._space = space
        self._base = np.full(len(space.dimensions), _ELSEWHERE) if base is None else base
        self.places = spread(len(space.dimensions), _PLACES, seed)
        self._shapes: dict[int, Any] = {}
        self._latest: tuple[int, Response] | None = None
        self._top: tuple[Response, Units] | None = None

    def after(self, told: Sequence[Told]) -> Response:
        """The response after these trials."""
        observations = self.observations(told)
        count = len(observations)
        if self._latest is None or self._latest[0] != count:
            shape = self._shape(observations)
            self._latest = count, fit_response(observations, shape, self._base)
        return self._latest[1]

    def observations(self, told: Sequence[Told]) -> list[Observation]:
        """What the trials say."""
        said = [self._observation(one) for one in told]
        return [one for one in said if one is not None]

    def _observation(self, one: Told) -> Observation | None:
        order, found = one.order, one.evidence
        if found is None:
            if one.failed_values is None:
                return None
            return Observation(self._space.units(one.failed_values), self._base, *_FAILED)
        units = self._space.units(order.played)
        if order.opponent is not None:
            return Observation(units, self._space.units(order.opponent), *found.likelihood)
        openings = f"{order.opening_set} {order.first_opening}"
        return Observation(units, self._base, *found.likelihood, openings)

    def _shape(self, observations: Sequence[Observation]) -> Any:
        """Of the first trials, as many as there were at the latest fit."""
        count = latest_fit(len(observations))
        if count not in self._shapes:
            self._shapes[count] = fit_shape(observations[:count], len(self._space.dimensions))
        return self._shapes[count]

    def judgement(
        self, values: Sequence[Values], told: Sequence[Told]
    ) -> list[tuple[float, float]]:
        """Elo of each set of values against the base and its standard error, whatever the shape."""
        places = np.array([self._space.units(one) for one in values])
        elo, error = judged(self.observations(told), places, self._base)
        return list(zip(elo.tolist(), error.tolist(), strict=True))

    def top(self, told: Sequence[Told]) -> Units:
        """Where the posterior mean is highest."""
        response = self.after(told)
        if self._top is None or self._top[0] is not response:
            self._top = response, self._climbed(response)
        return self._top[1]

    def tops(self, told: Sequence[Told], count: int) -> list[Values]:
        """The best sets of values that are apart from each other, best first."""
        means = self.after(told).mean(self.places)
        best = [self.top(told)]
        for i in np.argsort(-means, kind="stable"):
            if len(best) == count:
                break
            if all(np.max(np.abs(self.places[i] - place)) > _APART for place in best):
                best.append(self.places[i])
        return [self._space.values(place) for place in best]

    def _climbed(self, response: Response) -> Units:
        """The best place, after steps of falling length from the best of the places."""
        generator = np.random.default_rng(0)
        best: Units = self.places[int(np.argmax(response.mean(self.places)))]
        for climb in range(_CLIMBS):
            steps = generator.standard_normal((_PLACES // 4, best.size)) * 0.1 / 3**climb
            near = np.vstack([best, np.clip(best + steps, 0.0, 1.0)])
            best = near[int(np.argmax(response.mean(near)))]
        return best


def latest_fit(trials: int) -> int:
    """With how many trials the shape was last fitted, when there are so many now."""
    fitted = _FEWEST
    while int(fitted * _GROWTH) <= trials:
        fitted = int(fitted * _GROWTH)
    return min(fitted, trials)
