"""SplitMix64: the generator behind every seeded choice of the harness.

Our own few lines, because a run must give the same games for ever: the streams of
`numpy.random.Generator` methods and of `random` may change between versions, these cannot.
Algorithm: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014), with the
constants of the reference implementation by Sebastiano Vigna (https://prng.di.unimi.it).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

MASK: Final = (1 << 64) - 1
_GOLDEN: Final = 0x9E3779B97F4A7C15
_MULTIPLIER_1: Final = 0xBF58476D1CE4E5B9
_MULTIPLIER_2: Final = 0x94D049BB133111EB


def mix64(value: int) -> int:
    """A bijection of 64-bit integers that scatters neighbours (the output step of SplitMix64)."""
    value &= MASK
    value = ((value ^ (value >> 30)) * _MULTIPLIER_1) & MASK
    value = ((value ^ (value >> 27)) * _MULTIPLIER_2) & MASK
    return value ^ (value >> 31)


def derive_seed(seed: int, *path: int) -> int:
    """The seed at `path` below `seed`: equal paths give equal seeds, siblings always differ."""
    for step in path:
        seed = mix64(mix64(seed + _GOLDEN) ^ (step & MASK))
    return seed & MASK


class SplitMix64:
    """A stream of 64-bit integers that is a pure function of its seed."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & MASK

    def next(self) -> int:
        """The next integer, uniform on [0, 2**64)."""
        self._state = (self._state + _GOLDEN) & MASK
        return mix64(self._state)

    def below(self, bound: int) -> int:
        """An integer uniform on [0, bound), exactly: draws beyond a multiple of it are redrawn."""
        limit = (1 << 64) - (1 << 64) % bound
        while (draw := self.next()) >= limit:
            pass
        return draw % bound


def hashes(numbers: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """uint64[n]: a hash of each number under `seed`, different for different numbers."""
    with np.errstate(over="ignore"):
        keys = numbers * np.uint64(_GOLDEN) + np.uint64(seed & MASK)
        keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(_MULTIPLIER_1)
        keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(_MULTIPLIER_2)
        keys ^= keys >> np.uint64(31)
    return keys


def permutation(size: int, seed: int) -> NDArray[np.intp]:
    """A uniformly random order of range(size): the places sorted by their hash under `seed`."""
    return np.argsort(hashes(np.arange(1, size + 1, dtype=np.uint64), seed), kind="stable")
