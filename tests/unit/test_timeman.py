"""Time for a move: never more than there is, whatever the GUI says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.parameters import search_defaults
from engine.timeman import time_bounds_ns

SEARCH = search_defaults()
OVERHEAD_MS = SEARCH["move_overhead_ms"]
MS = 1_000_000


def clock_bounds(time_left_ms: int, increment_ms: int = 0, moves_to_go: int = 0):
    return time_bounds_ns(SEARCH, None, time_left_ms, increment_ms, moves_to_go)


def test_without_a_limit_there_are_no_bounds():
    assert time_bounds_ns(SEARCH) == (0, 0)


@pytest.mark.parametrize(
    ("movetime_ms", "expected_ms"),
    [(1000, 1000 - OVERHEAD_MS), (OVERHEAD_MS, 1), (1, 1), (0, 1), (-5, 1)],
)
def test_a_fixed_time_is_used_but_for_the_overhead(movetime_ms, expected_ms):
    """To its end: there is nothing to save for later moves."""
    assert time_bounds_ns(SEARCH, movetime_ms) == (0, expected_ms * MS)


@given(
    time_left_ms=st.integers(-(10**12), 10**12),
    increment_ms=st.integers(0, 10**12),
    moves_to_go=st.integers(0, 10**12),
    overhead_ms=st.integers(0, 5000),
)
def test_no_bound_is_beyond_the_clock(time_left_ms, increment_ms, moves_to_go, overhead_ms):
    search = SEARCH | {"move_overhead_ms": overhead_ms}
    soft, hard = time_bounds_ns(search, None, time_left_ms, increment_ms, moves_to_go)
    assert 0 < MS <= soft <= hard < 2**63
    assert hard <= max(MS, (time_left_ms - overhead_ms) * MS)


@given(movetime_ms=st.integers(1, 100_000), time_left_ms=st.integers(1, 100_000))
def test_of_two_limits_the_nearer_counts(movetime_ms, time_left_ms):
    soft, hard = time_bounds_ns(SEARCH, movetime_ms, time_left_ms)
    by_clock = clock_bounds(time_left_ms)
    assert hard == min(by_clock[1], time_bounds_ns(SEARCH, movetime_ms)[1])
    assert soft == by_clock[0]


def test_the_last_move_of_a_session_may_use_all_but_the_overhead():
    _, hard = clock_bounds(900, moves_to_go=1)
    assert hard <= (900 - OVERHEAD_MS) * MS
    assert hard > clock_bounds(900, moves_to_go=2)[1]


def test_the_reserve_is_left_alone_until_the_session_ends():
    reserve_ms = SEARCH["time_reserve_ms"]
    assert clock_bounds(OVERHEAD_MS + reserve_ms)[0] == MS
    assert clock_bounds(OVERHEAD_MS + reserve_ms + 3000)[0] > MS
    last = clock_bounds(OVERHEAD_MS + reserve_ms, moves_to_go=1)
    assert last[1] == reserve_ms * MS


def test_the_clock_does_not_sink_below_the_reserve_on_an_increment():
    left_ms = 1000.0
    for _ in range(400):
        left_ms += 10 - clock_bounds(int(left_ms), 10)[0] / MS
    assert left_ms > SEARCH["time_reserve_ms"]


def test_an_increment_lengthens_a_move():
    assert clock_bounds(60_000, 1000)[0] > clock_bounds(60_000)[0]


@pytest.mark.parametrize(
    ("base_ms", "increment_ms", "session"), [(1000, 10, 0), (10_000, 100, 0), (5000, 0, 40)]
)
def test_a_long_game_at_the_hard_bound_never_oversteps(base_ms, increment_ms, session):
    """Every move takes its hard bound and the whole overhead: the worst case."""
    overhead_ns = OVERHEAD_MS * MS
    left_ns = base_ms * MS
    for ply in range(300):
        to_go = session - ply % session if session else 0
        _, hard = clock_bounds(max(1, left_ns // MS), increment_ms, to_go)
        used_ns = hard + overhead_ns
        assert used_ns <= left_ns or left_ns <= overhead_ns + MS  # lost only if overhead alone does
        left_ns = max(0, left_ns - used_ns) + increment_ms * MS
        if to_go == 1:
            left_ns += base_ms * MS
