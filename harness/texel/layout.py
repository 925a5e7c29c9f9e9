"""The terms of an evaluation, one after another in a weight vector, and groups of them by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.weights import EVALUATION
from harness.errors import UsageError
from harness.ini import nearest

#: A group's name and the patterns of its terms' names.
GROUPS: Final = {
    "material": ("*_value",),
    "piece_square": ("*_squares",),
    "mobility": ("*_mobility",),
    "pawns": ("isolated_*", "doubled_*", "backward_*", "phalanx_*", "supported_*", "*passed_*"),
    "threats": ("threat_*", "hanging", "push_threat"),
    "king": ("king_shield", "king_storm", "king_open_file", "king_attack"),
    "pieces": ("bishop_pair", "bishop_pawn", "rook_*_file", "*_outpost"),
    "endings": ("won_kpk", "lone_king_*"),
}
#: These show the search the way to a mate. Results know nothing of it, since nearly all such games
#: are won: fits have turned their signs.
ENDINGS: Final = "endings"
BOARD_SQUARES: Final = 64


class Layout(NamedTuple):
    """Names of the terms and how many weights each of them has."""

    names: tuple[str, ...]
    lengths: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many weights there are (of the middlegame, and as many of the endgame)."""
        return sum(self.lengths)

    def places(self, name: str) -> slice:
        """Where a term's weights are."""
        number = self.names.index(name)
        first = sum(self.lengths[:number])
        return slice(first, first + self.lengths[number])

    def boards(self) -> list[str]:
        """The terms that have a weight for each square."""
        return [name for name, length in self._items() if length == BOARD_SQUARES]

    def tables(self) -> list[str]:
        """The terms that have more than one weight."""
        return [name for name, length in self._items() if length > 1]

    def term_of(self) -> NDArray[np.int64]:
        """int64[W]: the number of each weight's term."""
        return np.repeat(np.arange(len(self.names)), self.lengths)

    def label(self, place: int) -> str:
        """A weight's name: `bishop_pair`, `passed_pawn[3]`, `knight_squares[f3]`."""
        number = int(self.term_of()[place])
        name, at = self.names[number], place - sum(self.lengths[:number])
        if self.lengths[number] == 1:
            return name
        if self.lengths[number] == BOARD_SQUARES:
            return f"{name}[{'abcdefgh'[at % 8]}{at // 8 + 1}]"
        return f"{name}[{at}]"

    def _items(self) -> Iterable[tuple[str, int]]:
        return zip(self.names, self.lengths, strict=True)


def engine_layout() -> Layout:
    """The layout of the built-in engine's evaluation."""
    return Layout(
        tuple(term.name for term in EVALUATION),
        tuple(len(term.middlegame) for term in EVALUATION),
    )


def chosen_terms(layout: Layout, words: Sequence[str], option: str) -> set[str]:
    """The terms that group names and term names stand for. Raises UsageError."""
    chosen: set[str] = set()
    for word in words:
        patterns = GROUPS.get(word, (word,))
        found = {name for name in layout.names for p in patterns if fnmatchcase(name, p)}
        if not found:
            raise UsageError(
                f"{option} {word}: no such group or term; expected one of"
                f" {', '.join(GROUPS)}, or the name of a term"
                f"{nearest(word, [*GROUPS, *layout.names])}"
            )
        chosen |= found
    return chosen


def tunes_endings(layout: Layout, only: Sequence[str], freeze: Sequence[str]) -> bool:
    """Whether a weight of `ENDINGS` may change."""
    names = [n for n in layout.names if any(fnmatchcase(n, p) for p in GROUPS[ENDINGS])]
    free = free_weights(layout, only, freeze)
    return any(free[layout.places(name)].any() for name in names)


def free_weights(layout: Layout, only: Sequence[str], freeze: Sequence[str]) -> NDArray[np.bool_]:
    """bool[W]: which weights may change: those of `only`, or all but `ENDINGS`, without `freeze`.

    Raises UsageError when none may.
    """
    if only:
        names = chosen_terms(layout, only, "--only")
    else:
        names = {n for n in layout.names if not any(fnmatchcase(n, p) for p in GROUPS[ENDINGS])}
    names -= chosen_terms(layout, freeze, "--freeze")
    if not names:
        raise UsageError("--only and --freeze leave no weight to tune; expected at least one term")
    return np.repeat([name in names for name in layout.names], layout.lengths)
