"""Which games of void pairs are played again, whenever they come."""

from harness.record import GameRecord, Termination
from harness.schedule import GameTask, pair_task
from harness.void_pairs import PairGate


def tasks(pair: int) -> tuple[GameTask, GameTask]:
    return pair_task(1, pair).games


def record(task: GameTask) -> GameRecord:
    return GameRecord(
        task.pair,
        task.game,
        "",
        0,
        Termination.STALEMATE,
        0,
        b"",
        b"",
        b"",
        b"",
        b"",
        (0, 0),
        0,
        "",
    )


def test_games_are_counted_with_their_pair() -> None:
    gate = PairGate(2)
    first, second = map(record, tasks(0))
    assert gate.finish(second) == []
    assert gate.finish(first) == [second, first]
    assert gate.rest() == []


def test_a_lone_game_is_counted_at_the_end() -> None:
    gate = PairGate(2)
    lone = record(tasks(3)[1])
    gate.finish(lone)
    assert gate.rest() == [lone]
    assert gate.rest() == []


def test_where_a_pair_is_one_game_it_is_counted_at_once() -> None:
    lone = record(tasks(3)[0])
    assert PairGate(1).finish(lone) == [lone]


def test_the_other_game_is_played_again_when_it_was_finished() -> None:
    gate, (first, second) = PairGate(2), tasks(0)
    gate.hand_out([first, second])
    gate.finish(record(first))
    assert gate.void(second) == ((second, first), ((0, 0),))
    assert gate.rest() == []
    assert gate.voids == {0: 1}


def test_the_other_game_is_played_again_when_it_is_being_played() -> None:
    gate, (first, second) = PairGate(2), tasks(0)
    gate.hand_out([first, second])
    assert gate.void(second) == ((second,), ())
    assert gate.stale(record(first)) == first
    gate.hand_out([first, second])
    assert gate.stale(record(first)) is None, "only once"
    assert gate.finish(record(first)) == []


def test_the_other_game_is_played_as_ever_when_it_has_not_begun() -> None:
    gate, (first, second) = PairGate(2), tasks(0)
    gate.hand_out([first])
    assert gate.void(first) == ((first,), ())
    gate.hand_out([second])
    assert gate.stale(record(second)) is None


def test_a_lost_worker_takes_its_games_back() -> None:
    gate, (first, second) = PairGate(2), tasks(0)
    gate.hand_out([first, second])
    gate.void(second)
    gate.take_back([first])
    gate.hand_out([first])
    assert gate.stale(record(first)) is None


def test_a_game_of_an_earlier_sitting_stays() -> None:
    gate, (first, second) = PairGate(2), tasks(0)
    gate.finish(record(first))
    gate.hand_out([second])
    assert gate.void(second) == ((second,), ())
    assert gate.finish(record(second)) == [record(first), record(second)]
