"""Error rates of the sequential test, from recorded pairs drawn again and again; pure.

The recorded frequencies of the pair classes are tilted exponentially (the nearest distribution) to
the strength of a hypothesis; tests are made of pairs drawn from that, by the code that judges runs.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from harness.likelihood.constants import NORMALIZED_ELO_SCALE
from harness.sprt import Hypotheses, SprtState

_STEPS: Final = 80
_SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)


def tilted_to(counts: Sequence[int], nelo: float) -> list[float]:
    """Frequencies of pair classes for a strength; each class counts as once more than it was."""
    low, high = -40.0, 40.0
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        if nelo_of(_tilted(counts, middle)) < nelo:
            low = middle
        else:
            high = middle
    return _tilted(counts, (low + high) / 2.0)


def _tilted(counts: Sequence[int], tilt: float) -> list[float]:
    weights = [
        (count + 1.0) * math.exp(tilt * (score - 0.5))
        for count, score in zip(counts, _SCORES, strict=True)
    ]
    return [weight / sum(weights) for weight in weights]


def nelo_of(frequencies: Sequence[float]) -> float:
    """Normalized Elo of a distribution over the pair classes."""
    mean = sum(p * a for p, a in zip(frequencies, _SCORES, strict=True))
    variance = sum(p * (a - mean) ** 2 for p, a in zip(frequencies, _SCORES, strict=True))
    return NORMALIZED_ELO_SCALE * (mean - 0.5) / math.sqrt(2.0 * variance)


def share_accepted(test: Hypotheses, frequencies: Sequence[float], tests: int, seed: int) -> float:
    """The share of so many tests that accept H1."""
    generator = random.Random(seed)
    sums = list(accumulate(frequencies))
    accepted = 0
    for _ in range(tests):
        state = SprtState.start(test)
        while state.decision is None:
            for pair_class in generator.choices(range(5), cum_weights=sums, k=64):
                state = state.update(pair_class)
                if state.decision is not None:
                    break
        accepted += state.decision == "H1"
    return accepted / tests


def tolerated(rate: float, tests: int) -> float:
    """A rate and three standard errors of its estimate: one machine in 700 is told off wrongly."""
    return rate + 3.0 * math.sqrt(rate * (1.0 - rate) / tests)
