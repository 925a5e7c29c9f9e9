"""How long a move may take: from a clock to a soft and a hard bound in nanoseconds."""

from __future__ import annotations

from collections.abc import Mapping

_MS = 1_000_000


def time_bounds_ns(
    search: Mapping[str, int],
    movetime_ms: int = 0,
    time_left_ms: int = 0,
    increment_ms: int = 0,
    moves_to_go: int = 0,
) -> tuple[int, int]:
    """(soft, hard) bounds in ns, 0 meaning none; at least 1 ms, never beyond clock less overhead.

    No new iteration starts after the soft bound; the search is cut off at the hard one.
    """
    overhead = search["move_overhead_ms"]
    if movetime_ms:
        hard = max(1, movetime_ms - overhead)
        return hard * _MS, hard * _MS
    if not time_left_ms:
        return 0, 0
    usable = max(1, time_left_ms - overhead)
    moves = moves_to_go or search["default_moves_to_go"]
    share = usable / moves + increment_ms * search["increment_share_pct"] / 100
    soft = min(share * search["soft_time_pct"] / 100, usable)
    hard = min(share * search["hard_time_pct"] / 100, usable * (1.0 if moves == 1 else 0.7))
    return max(_MS, int(soft * _MS)), max(_MS, int(hard * _MS))
