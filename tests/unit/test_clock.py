import pytest

from harness.clock import NS_PER_MS, TIME_MARGIN_MS, GameClock
from harness.limits import Limit

FAST = Limit.parse_tc("10+0.1")


def ms(milliseconds: float) -> int:
    return round(milliseconds * NS_PER_MS)


def test_each_side_pays_from_its_own_clock_and_gets_its_increment() -> None:
    clock = GameClock(FAST, FAST)
    assert clock.punch(0, ms(1_500))
    assert clock.punch(1, ms(40))
    shown = clock.show(0)
    assert shown.side == 0
    assert shown.time_left_ms == (8_600, 10_060)
    assert shown.increment_ms == (100, 100)
    assert shown.moves_to_go == 0


def test_players_may_have_different_clocks() -> None:
    clock = GameClock(Limit(base_ms=1_000), Limit(base_ms=5_000, increment_ms=50))
    assert clock.punch(1, ms(1_000))
    assert clock.show(1) == (1, (1_000, 4_050), (0, 50), 0, ms(4_050 + TIME_MARGIN_MS))


def test_a_session_ends_with_new_time_and_a_new_count() -> None:
    clock = GameClock(Limit.parse_tc("3/60"), Limit.parse_tc("3/60"))
    to_go = []
    for _ in range(4):
        to_go.append(clock.show(0).moves_to_go)
        assert clock.punch(0, ms(10_000))
    assert to_go == [3, 2, 1, 3]
    assert clock.show(0).time_left_ms[0] == 60_000 - 30_000 + 60_000 - 10_000


@pytest.mark.parametrize(("elapsed_ms", "in_time"), [(99, True), (150, True), (150.001, False)])
def test_the_flag_falls_beyond_the_margin(elapsed_ms: float, in_time: bool) -> None:
    clock = GameClock(Limit(base_ms=100), Limit(base_ms=100), margin_ms=50)
    assert clock.punch(0, ms(elapsed_ms)) is in_time


def test_time_inside_the_margin_is_no_debt() -> None:
    clock = GameClock(FAST, FAST, margin_ms=50)
    assert clock.punch(0, ms(10_020))
    assert clock.show(0).time_left_ms[0] == 100


def test_shown_time_is_rounded_down() -> None:
    clock = GameClock(Limit(base_ms=100), Limit(base_ms=100))
    assert clock.punch(0, 1)
    assert clock.show(0).time_left_ms[0] == 99


def test_time_a_move_does_not_add_up() -> None:
    limit = Limit(movetime_ms=100)
    clock = GameClock(limit, limit, margin_ms=10)
    assert all(clock.punch(0, ms(105)) for _ in range(50))
    assert not clock.punch(0, ms(111))


def test_a_player_limited_by_nodes_may_think_for_ever() -> None:
    clock = GameClock(Limit(nodes=1_000), FAST)
    assert clock.allowance_ns(0) is None
    assert clock.punch(0, ms(3_600_000))
    assert clock.show(1).time_left_ms == (0, 10_000)


def test_a_move_time_within_a_clock_takes_the_stricter() -> None:
    limit = Limit(movetime_ms=500, base_ms=1_000)
    clock = GameClock(limit, limit, margin_ms=0)
    assert clock.allowance_ns(0) == ms(500)
    assert clock.punch(0, ms(400))
    assert clock.punch(0, ms(400))
    assert clock.allowance_ns(0) == ms(200)
