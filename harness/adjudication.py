"""Ends a game early, when the players' own scores agree that it is decided.

A pure state machine, one per game, fed after every move of a player. Scores are centipawns from
the view of the side that moved; a move without an evaluation (depth 0) supports no rule. Opening
moves are not fed, but they count for the move number and for the length.

Draw rule, as in cutechess and fastchess: after move number M of the game, once both sides have
scored their last N moves within s; a pawn move or a capture starts the count anew with itself.
Resign rule: one side's last N scores are at or below -s and, unless one-sided, the other side's
last N are at or above s. (fastchess asks both sides only for large scores, whatever their sign;
two sides that each believe in winning do not agree, so here the signs must be opposite.)
A count of 0 moves, or a length of 0 plies, switches that rule off.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from harness.config import AdjudicationConfig


# More moves than any game has (the longest possible has fewer than 12,000 plies).
NEVER: Final = 1 << 30


class Verdict(IntEnum):
    """What the rules say after a move; NONE is 0, so that `if verdict` reads well."""

    NONE = 0
    DRAW = 1
    WHITE_WINS = 2
    BLACK_WINS = 3
    TOO_LONG = 4


class Adjudicator:
    """The three rules over one game. `update` is called once a move, so it only counts."""

    __slots__ = (
        "_draw_plies_needed",
        "_draw_score_cp",
        "_earliest_draw_plies",
        "_max_plies",
        "_quiet_plies",
        "_resign_moves",
        "_resign_score_cp",
        "_streaks",
        "_two_sided",
    )

    def __init__(self, config: AdjudicationConfig) -> None:
        self._earliest_draw_plies = 2 * config.draw_move_number
        self._draw_plies_needed = 2 * config.draw_move_count or NEVER
        self._draw_score_cp = config.draw_score_cp
        self._resign_moves = config.resign_move_count or NEVER
        self._resign_score_cp = config.resign_score_cp
        self._two_sided = config.resign_two_sided
        self._max_plies = config.max_plies or NEVER
        self._quiet_plies = 0  # consecutive plies with a score inside the draw bound
        # Per colour, consecutive decisive scores: positive while winning, negative while losing.
        self._streaks = [0, 0]

    def update(
        self, side: int, score_cp: int, depth: int, irreversible: bool, plies: int
    ) -> Verdict:
        """The verdict after a move of `side` (0 white, 1 black) that made the game `plies` long."""
        if irreversible:
            self._quiet_plies = 0
        if depth == 0:
            self._quiet_plies = 0
            self._streaks[side] = 0
        else:
            self._count(side, score_cp)
        if self._quiet_plies >= self._draw_plies_needed and plies >= self._earliest_draw_plies:
            return Verdict.DRAW
        if self._streaks[side]:
            loser = self._loser()
            if loser is not None:
                return Verdict.BLACK_WINS if loser == 0 else Verdict.WHITE_WINS
        return Verdict.TOO_LONG if plies >= self._max_plies else Verdict.NONE

    def _count(self, side: int, score_cp: int) -> None:
        bound = self._draw_score_cp
        self._quiet_plies = self._quiet_plies + 1 if -bound <= score_cp <= bound else 0
        streak = self._streaks[side]
        if score_cp >= self._resign_score_cp:
            self._streaks[side] = streak + 1 if streak > 0 else 1
        elif score_cp <= -self._resign_score_cp:
            self._streaks[side] = streak - 1 if streak < 0 else -1
        else:
            self._streaks[side] = 0

    def _loser(self) -> int | None:
        needed = self._resign_moves
        for side in (0, 1):
            lost = self._streaks[side] <= -needed
            if lost and (not self._two_sided or self._streaks[1 - side] >= needed):
                return side
        return None


#: What the numbers of a rule are, in the order in which they are written.
_RULE_FIELDS: Final = {
    "draw": ("draw_move_number", "draw_move_count", "draw_score_cp"),
    "resign": ("resign_move_count", "resign_score_cp"),
}
_RULE_EXPECTATIONS: Final = {
    "draw": "expected MOVE/COUNT/CP such as 40/8/10, or none",
    "resign": "expected COUNT/CP such as 3/600, or none",
}


def parse_rule(rule: str, text: str) -> dict[str, int]:
    """The fields of an AdjudicationConfig that `40/8/10` (`draw`), `3/600` (`resign`) or `none` is.

    Raises ValueError with the expectation.
    """
    count = f"{rule}_move_count"
    if text == "none":
        return {count: 0}
    numbers = text.split("/")
    fields = _RULE_FIELDS[rule]
    if len(numbers) != len(fields) or not all(map(_RULE_NUMBER.fullmatch, numbers)):
        raise ValueError(_RULE_EXPECTATIONS[rule])
    values = dict(zip(fields, map(int, numbers), strict=True))
    if not values[count]:
        raise ValueError(f"{_RULE_EXPECTATIONS[rule]}; COUNT is 1 or more")
    return values


_RULE_NUMBER: Final = re.compile("[0-9]{1,5}")


def describe(config: AdjudicationConfig) -> str:
    """The rules in force as one line, for the header of every game."""
    rules = []
    if config.enabled and config.draw_move_count:
        rules.append(
            f"draw: {config.draw_move_count} moves within {config.draw_score_cp} cp"
            f" from move {config.draw_move_number}"
        )
    if config.enabled and config.resign_move_count:
        sides = "both sides" if config.resign_two_sided else "the loser alone"
        rules.append(
            f"resign: {config.resign_move_count} moves at {config.resign_score_cp} cp, {sides}"
        )
    if config.enabled and config.syzygy:
        rules.append("Syzygy tables")
    if config.enabled and config.max_plies:
        rules.append(f"length: {config.max_plies} plies")
    return "; ".join(rules) or "none"
