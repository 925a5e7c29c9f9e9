"""How long a move may take: from a clock to a soft and a hard bound in nanoseconds."""

from __future__ import annotations

from collections.abc import Mapping

_MS = 1_000_000
_LARGEST_SHARE = 0.7  # of the clock on one move; a rule of thumb, not measured


def time_bounds_ns(
    search: Mapping[str, int],
    movetime_ms: int = 0,
    time_left_ms: int = 0,
    increment_ms: int = 0,
    moves_to_go: int = 0,
) -> tuple[int, int]:
    """(soft, hard) bounds in ns, 0 meaning none; the nearer ones if both kinds of limit are given.

    No new iteration starts after the soft bound; the search is cut off at the hard one. Both are at
    least 1 ms and otherwise never beyond the time given less the overhead.
    """
    bounds_ms: list[tuple[float, float]] = []
    if movetime_ms:
        fixed = movetime_ms - search["move_overhead_ms"]
        bounds_ms.append((fixed, fixed))
    if time_left_ms:
        bounds_ms.append(_clock_bounds_ms(search, time_left_ms, increment_ms, moves_to_go))
    if not bounds_ms:
        return 0, 0
    soft, hard = (max(1.0, min(bound)) for bound in zip(*bounds_ms, strict=True))
    return int(soft * _MS), int(hard * _MS)


def _clock_bounds_ms(
    search: Mapping[str, int], time_left_ms: int, increment_ms: int, moves_to_go: int
) -> tuple[float, float]:
    """(soft, hard): shares of what is left; all of it only if the clock is refilled next."""
    usable = time_left_ms - search["move_overhead_ms"]
    moves = moves_to_go or search["default_moves_to_go"]
    share = usable / moves + increment_ms * search["increment_share_pct"] / 100
    hard_limit = usable if moves == 1 else usable * _LARGEST_SHARE
    soft = min(share * search["soft_time_pct"] / 100, hard_limit)
    return soft, min(share * search["hard_time_pct"] / 100, hard_limit)
