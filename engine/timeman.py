"""How long a move may take: from a clock to a soft and a hard bound in nanoseconds."""

from __future__ import annotations

from collections.abc import Mapping

_MS = 1_000_000
_LARGEST_SHARE = 0.7  # of the clock on one move; a rule of thumb, not measured


def time_bounds_ns(
    search: Mapping[str, int],
    movetime_ms: int | None = None,
    time_left_ms: int | None = None,
    increment_ms: int = 0,
    moves_to_go: int = 0,
) -> tuple[int, int]:
    """(soft, hard) bounds in ns, 0 meaning none; the nearer hard one if both limits are given.

    The soft one, of a clock only, is for an average move: the search makes it shorter or longer,
    and starts no new iteration after it; it is cut off at the hard one. Both are at least 1 ms and
    otherwise never beyond the time given less the overhead.
    """
    soft_ns, hard_ns = 0, []
    if movetime_ms is not None:
        hard_ns.append(_ns(movetime_ms - search["move_overhead_ms"]))
    if time_left_ms is not None:
        soft, hard = _clock_bounds_ms(search, time_left_ms, increment_ms, moves_to_go)
        soft_ns = _ns(soft)
        hard_ns.append(_ns(hard))
    return soft_ns, min(hard_ns, default=0)


def _ns(milliseconds: float) -> int:
    return int(max(1.0, milliseconds) * _MS)


def _clock_bounds_ms(
    search: Mapping[str, int], time_left_ms: int, increment_ms: int, moves_to_go: int
) -> tuple[float, float]:
    """(soft, hard): shares of what is left; all of it only if the clock is refilled next.

    Before that a reserve is left alone, and moves are made on the increment: else a long game ends
    with so little on the clock that one late wake-up by the system loses it.
    """
    usable = time_left_ms - search["move_overhead_ms"]
    moves = moves_to_go or search["default_moves_to_go"]
    planned = usable if moves == 1 else max(0, usable - search["time_reserve_ms"])
    share = planned / moves + increment_ms * search["increment_share_pct"] / 100
    hard_limit = usable if moves == 1 else usable * _LARGEST_SHARE
    soft = min(share * search["soft_time_pct"] / 100, hard_limit)
    return soft, min(share * search["hard_time_pct"] / 100, hard_limit)
