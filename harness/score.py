"""Counts of results, always from the point of view of the first-named player, NEW.

A *pair* is two games from one opening with the colours swapped, the independent unit of all
statistics here. Its class is the number of half points NEW scored in it:

    class  0    1    2          3    4
    name   LL   LD   DD or WL   WD   WW      (`ptnml`: counts in this order)
    score  0    1/4  1/2        3/4  1

Single games have the classes loss, draw, win. A result of a game is -1, 0 or 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self


def pair_class(first: int, second: int) -> int:
    """The class of a pair, from NEW's results (-1, 0, 1) of its two games."""
    return first + second + 2


class _Counts(ABC):
    """What both kinds of counts share: dataclasses whose fields are the classes in order."""

    __slots__ = ()
    games_per_observation: ClassVar[int]

    def __post_init__(self) -> None:
        if min(self.classes) < 0:
            raise ValueError(f"counts {self.classes}: expected no negative number")

    @property
    @abstractmethod
    def classes(self) -> tuple[int, ...]:
        """The counts, lowest score first."""

    @property
    def observations(self) -> int:
        """How many independent results were counted: pairs or games."""
        return sum(self.classes)

    @property
    def games(self) -> int:
        return self.games_per_observation * self.observations

    def __add__(self, other: Self) -> Self:
        return type(self)(*(a + b for a, b in zip(self.classes, other.classes, strict=True)))

    def inverted(self) -> Self:
        """The same results seen by the other player."""
        return type(self)(*reversed(self.classes))


@dataclass(frozen=True, slots=True)
class Pentanomial(_Counts):
    """How many pairs ended in each class."""

    games_per_observation: ClassVar[int] = 2

    ll: int = 0
    ld: int = 0
    dd_wl: int = 0
    wd: int = 0
    ww: int = 0

    @classmethod
    def from_class(cls, number: int) -> Pentanomial:
        """One pair of class 0..4."""
        if not 0 <= number <= 4:
            raise ValueError(f"pair class {number}: expected 0 to 4")
        return cls(*(int(i == number) for i in range(5)))

    @classmethod
    def from_pair(cls, first: int, second: int) -> Pentanomial:
        """One pair, from NEW's results (-1, 0, 1) of its two games."""
        return cls.from_class(pair_class(first, second))

    @property
    def classes(self) -> tuple[int, ...]:
        return (self.ll, self.ld, self.dd_wl, self.wd, self.ww)


@dataclass(frozen=True, slots=True)
class Trinomial(_Counts):
    """How many games ended in each class: cruder than pairs, whose games are correlated."""

    games_per_observation: ClassVar[int] = 1

    losses: int = 0
    draws: int = 0
    wins: int = 0

    @classmethod
    def from_pair(cls, first: int, second: int) -> Trinomial:
        """Both games of a pair, from NEW's results (-1, 0, 1)."""
        results = (first, second)
        return cls(*(results.count(result) for result in (-1, 0, 1)))

    @property
    def classes(self) -> tuple[int, ...]:
        return (self.losses, self.draws, self.wins)


Counts = Pentanomial | Trinomial


def parse_ptnml(text: str) -> Pentanomial:
    """Pairs from `LL,LD,DD+WL,WD,WW`; raises ValueError with the expectation."""
    return Pentanomial(*_parse_counts(text, "five counts LL,LD,DD+WL,WD,WW", 5))


def parse_wdl(text: str) -> Trinomial:
    """Games from `wins,draws,losses`, in this usual order; raises ValueError."""
    wins, draws, losses = _parse_counts(text, "three counts wins,draws,losses", 3)
    return Trinomial(losses, draws, wins)


def _parse_counts(text: str, expected: str, size: int) -> list[int]:
    words = [word.strip() for word in text.split(",")]
    if len(words) != size or not all(word.isascii() and word.isdigit() for word in words):
        raise ValueError(f"{text!r}: expected {expected}, whole numbers from 0")
    return [int(word) for word in words]
