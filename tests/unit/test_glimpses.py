"""Glimpses of running games are few, and nobody waits for them."""

from multiprocessing import Pipe

import pytest

from harness.chunks import Glimpse
from harness.clock import GameClock
from harness.glimpses import PERIOD_NS, Watcher, send_if_room
from harness.limits import Limit
from harness.record import MoveLog, Reply
from harness.schedule import pair_task

GLIMPSE = Glimpse(0, 0, "one", "two", 12, 34, 5, (None, None))


@pytest.fixture
def time_ns(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The time, to be set."""
    now = [0]
    monkeypatch.setattr("harness.glimpses.perf_counter_ns", lambda: now[0])
    return now


def test_a_game_is_seen_every_half_second_and_not_before(time_ns: list[int]) -> None:
    seen: list[Glimpse] = []
    watch = Watcher(pair_task(1, 7).games[1], "base", "new", seen.append)
    log = MoveLog()
    for move in range(1, 25):
        time_ns[0] = move * PERIOD_NS // 10
        log.add(Reply(0, 10 * move, move, 1, 1), 1)
        watch(1 - move % 2, log, None)
    assert [(glimpse.plies, glimpse.depth, glimpse.score_cp) for glimpse in seen] == [
        (10, 10, -100),
        (20, 20, -200),
    ]
    assert {(one.pair, one.game, one.white, one.black, one.left_ms) for one in seen} == {
        (7, 1, "base", "new", (None, None))
    }


def test_scores_are_white_s_and_clocks_those_that_there_are(time_ns: list[int]) -> None:
    seen: list[Glimpse] = []
    watch = Watcher(pair_task(1, 0).games[0], "new", "base", seen.append)
    log = MoveLog()
    log.add(Reply(0, 31, 9, 1, 1), 1)
    clock = GameClock(Limit.parse_tc("65+1"), Limit(nodes=1))
    clock.punch(0, 5_100_000_000)
    time_ns[0] = PERIOD_NS
    watch(0, log, clock)
    assert [(glimpse.score_cp, glimpse.left_ms) for glimpse in seen] == [(31, (60_900, None))]


def test_what_finds_no_room_is_dropped() -> None:
    ours, theirs = Pipe()
    with ours, theirs:
        send_if_room(theirs, GLIMPSE)
        assert ours.recv() == GLIMPSE
        for _ in range(100_000):  # more than any pipe holds
            send_if_room(theirs, GLIMPSE)
        while ours.poll():
            assert ours.recv() == GLIMPSE
        send_if_room(theirs, GLIMPSE)
        assert ours.recv() == GLIMPSE
