"""Chess clocks: from a player's limit to what one move may use, and when a flag falls.

Times are kept in nanoseconds of the monotonic performance counter; players are told milliseconds.
A game without any time limit has no clock at all, so that nothing it does depends on time. Sides
are colours: 0 = white, 1 = black.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from harness.limits import Limit

NS_PER_MS: Final = 1_000_000

# How far a player may overstep before it loses on time. An engine that polls its clock every
# 2,048 nodes answers a movetime a little late by design, and a shared machine delays both sides
# alike; a player that hangs is later than this by orders of magnitude. A judgement, not a
# measurement.
TIME_MARGIN_MS: Final = 50


class Clocks(NamedTuple):
    """What both clocks show when `side` is to move; pairs are (white, black).

    `allowance_ns` is how long this move may take before it loses, margin included; None: no limit.
    """

    side: int
    time_left_ms: tuple[int, int]
    increment_ms: tuple[int, int]
    moves_to_go: int
    allowance_ns: int | None = None


class GameClock:
    """The clocks of one game. `show` before a move, `punch` after it."""

    __slots__ = ("_increments_ms", "_left_ns", "_limits", "_margin_ns", "_moves_made")

    def __init__(self, white: Limit, black: Limit, margin_ms: int = TIME_MARGIN_MS) -> None:
        self._limits = (white, black)
        self._left_ns = [white.base_ms * NS_PER_MS, black.base_ms * NS_PER_MS]
        self._increments_ms = (white.increment_ms, black.increment_ms)
        self._moves_made = [0, 0]
        self._margin_ns = margin_ms * NS_PER_MS

    def show(self, side: int) -> Clocks:
        """Both clocks as a player sees them: whole milliseconds left, never more than there are."""
        white_ns, black_ns = self._left_ns
        session = self._limits[side].moves_per_session
        return Clocks(
            side,
            (white_ns // NS_PER_MS, black_ns // NS_PER_MS),
            self._increments_ms,
            session - self._moves_made[side] % session if session else 0,
            self.allowance_ns(side),
        )

    @property
    def left_ms(self) -> tuple[int | None, int | None]:
        """What both clocks show, in whole milliseconds; None for a side that has none."""
        white, black = (
            left_ns // NS_PER_MS if limit.has_clock else None
            for limit, left_ns in zip(self._limits, self._left_ns, strict=True)
        )
        return white, black

    def allowance_ns(self, side: int) -> int | None:
        """What the next move of `side` may use before its flag falls; None: as long as it likes."""
        limit = self._limits[side]
        allowed_ns = []
        if limit.movetime_ms:
            allowed_ns.append(limit.movetime_ms * NS_PER_MS)
        if limit.has_clock:
            allowed_ns.append(self._left_ns[side])
        return min(allowed_ns) + self._margin_ns if allowed_ns else None

    def punch(self, side: int, elapsed_ns: int) -> bool:
        """Book a move of `side`; False when its flag has fallen.

        A move that ends inside the margin empties the clock but does not lose: the increment, or
        the next session's time, is added to zero.
        """
        allowance_ns = self.allowance_ns(side)
        if allowance_ns is not None and elapsed_ns > allowance_ns:
            return False
        limit = self._limits[side]
        self._moves_made[side] += 1
        if limit.has_clock:
            left_ns = max(0, self._left_ns[side] - elapsed_ns) + limit.increment_ms * NS_PER_MS
            session = limit.moves_per_session
            if session and self._moves_made[side] % session == 0:
                left_ns += limit.base_ms * NS_PER_MS
            self._left_ns[side] = left_ns
        return True
