"""Simulated landscapes: a strength for every place, and pairs of games as noisy as real ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from harness.elo import score_from_elo
from harness.search_tuning.space import Dimension, Space, Units

#: Share of drawn games between equal engines.
_DRAWS: Final = 0.4
#: Standard deviation of what an opening gives: 12 % of a pair's variance, as in real studies.
_OPENING_ELO: Final = 75.0
_STEPS: Final = 200


@dataclass(frozen=True, slots=True)
class Landscape:
    """`elo` of a place against the base, which has 0 and stands at `base`, or outside: None."""

    name: str
    dimensions: int
    base: Units | None
    elo: Callable[[Units], float]

    @property
    def space(self) -> Space:
        """Dimensions of so many steps that their grid costs nothing."""
        return Space(
            dimensions=tuple(
                Dimension(name=f"x{i}", low=0, high=_STEPS) for i in range(self.dimensions)
            )
        )


def opening_gifts(openings: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """float64[openings]: the Elo that each one gives to whoever plays the base from it."""
    return generator.normal(0.0, _OPENING_ELO, openings)


def pair_classes(elos: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.int64]:
    """int64[pairs]: classes 0 to 4 of pairs at differences of `elos`, of independent games each."""
    score = np.array([score_from_elo(elo) for elo in elos])[:, None]
    draws = np.minimum(_DRAWS, 2 * np.minimum(score, 1 - score))
    win = score - draws / 2
    games = generator.random((len(elos), 2))
    half_points: NDArray[np.int64] = np.where(games < win, 2, np.where(games < win + draws, 1, 0))
    pairs_of_games: NDArray[np.int64] = half_points.sum(axis=1)
    return pairs_of_games


#: What can be gained from the base, in Elo.
ATTAINABLE_ELO: Final = 15.0
NAMES: Final = ("smooth", "ridged", "flat", "off-centre", "dead", "outside")


def make(name: str, seed: int, dimensions: int = 4) -> Landscape:
    """A random landscape of a kind, scaled so that `ATTAINABLE_ELO` is to be gained.

    smooth      a quadratic peak, near the middle
    ridged      a narrow ridge, slanting through all dimensions
    flat        a plateau with soft edges, the base outside it
    off-centre  a quadratic peak near the border of every range
    dead        as smooth, but half of the dimensions change nothing
    outside     as smooth, but the base is no place of the space (a switch of it is another)
    """
    generator = np.random.default_rng([seed, NAMES.index(name)])
    top = generator.uniform(0.3, 0.7, dimensions)
    if name == "off-centre":
        top = np.where(generator.random(dimensions) < 0.5, 0.1, 0.9) + generator.uniform(
            -0.05, 0.05, dimensions
        )
    away = generator.choice([-1.0, 1.0], dimensions) * generator.uniform(0.1, 0.3, dimensions)
    base = np.clip(top + np.where(np.abs(top + away - 0.5) < 0.5, away, -away), 0.0, 1.0)
    loss = _loss(name, dimensions, generator)
    scale = ATTAINABLE_ELO / loss(base - top)
    return Landscape(
        name,
        dimensions,
        None if name == "outside" else base,
        lambda units: ATTAINABLE_ELO - scale * loss(units - top),
    )


def _loss(name: str, dimensions: int, generator: np.random.Generator) -> Callable[[Units], float]:
    """How much a distance from the top costs, before scaling."""
    weights = generator.uniform(0.4, 2.5, dimensions)
    if name == "dead":
        weights[: dimensions // 2] = 0.0
    if name == "ridged":
        ridge = generator.standard_normal(dimensions)
        ridge /= np.linalg.norm(ridge)
        across = np.eye(dimensions) - 0.95 * np.outer(ridge, ridge)
        matrix = across
    else:
        turn = generator.standard_normal((dimensions, dimensions)) * 0.15
        root = np.diag(np.sqrt(weights)) @ (np.eye(dimensions) + turn)
        matrix = np.diag(weights) if name == "dead" else root.T @ root

    def quadratic(distance: Units) -> float:
        return float(distance @ matrix @ distance)

    def plateau(distance: Units) -> float:
        beyond = quadratic(distance) / 0.03
        return beyond**2 / (1.0 + beyond)

    return plateau if name == "flat" else quadratic
