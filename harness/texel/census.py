"""What was read, what was left out and why: counts that add up, and the places of what is bad."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

#: Places of bad games or lines that are remembered.
MAX_PLACES: Final = 20


@dataclass(slots=True)
class Census:
    """Counts of games and positions; `places` names the first bad ones, a sentence each."""

    games: int = 0
    games_dropped: Counter[str] = field(default_factory=Counter)
    positions: int = 0
    positions_dropped: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)  # of the games: white's
    places: list[str] = field(default_factory=list)
    train: int = 0  # different positions, as `validation`
    validation: int = 0
    validation_twins: int = 0  # positions of validation that are in train too, before they went

    def add(self, other: Census) -> None:
        """Take the counts of another part of the data, which comes after this one."""
        self.games += other.games
        self.games_dropped += other.games_dropped
        self.positions += other.positions
        self.positions_dropped += other.positions_dropped
        self.results += other.results
        self.places += other.places[: MAX_PLACES - len(self.places)]

    def drop_game(self, reason: str, place: str = "") -> None:
        """Count a game (or a line) that is left out as a whole."""
        self.games_dropped[reason] += 1
        if place and len(self.places) < MAX_PLACES:
            self.places.append(place)

    def note_split(self, train: int, validation: int, validation_twins: int, merged: int) -> None:
        """Note how many different positions the parts have, twins taken out."""
        self.train, self.validation = train, validation
        self.validation_twins = validation_twins
        if merged:
            self.positions_dropped["duplicates, merged"] += merged
        if validation_twins:
            self.positions_dropped["of validation, in train too"] += validation_twins

    @property
    def leak_share(self) -> float:
        """The share of validation's positions that would have been in train too."""
        return self.validation_twins / max(1, self.validation + self.validation_twins)

    @property
    def positions_kept(self) -> int:
        return self.positions - self.positions_dropped.total()

    def rows(self) -> Iterator[tuple[str, int]]:
        """The lines of a table, in the order in which things are dropped."""
        yield "games and single positions read", self.games
        for reason, count in self.games_dropped.most_common():
            yield f"  {reason}", -count
        yield "positions in the others", self.positions
        for reason, count in self.positions_dropped.most_common():
            yield f"  {reason}", -count
        yield "positions kept", self.positions_kept
        yield "  for training", self.train
        yield "  for validation", self.validation

    def document(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
            "games": self.games,
            "games_dropped": dict(self.games_dropped),
            "positions": self.positions,
            "positions_dropped": dict(self.positions_dropped),
            "positions_kept": self.positions_kept,
            "train": self.train,
            "validation": self.validation,
            "leak_share": self.leak_share,
            "results": dict(self.results),
            "places": list(self.places),
        }
