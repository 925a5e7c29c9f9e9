"""Which games of void pairs are played again, whenever they come."""

from pathlib import Path
from typing import ClassVar

import pytest

from harness.chunks import Done, Event, Void
from harness.errors import Interrupted
from harness.journal import Journal
from harness.match import RunOptions, run_match
from harness.record import GameRecord, Termination
from harness.schedule import GameTask, pair_task
from harness.search_tuning.study_spec import StudySpec
from harness.spec import OpeningSpec
from harness.void_pairs import PairGate
from tests.match.engines import WorkerHere
from tests.match.runs import RecordingView, null_spec


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
    assert gate.void(second, first) == ((second, first), ((0, 0),))
    assert gate.rest() == []
    assert gate.voids == {0: 1}


def test_the_other_game_is_played_again_when_it_is_being_played() -> None:
    gate, (first, second) = PairGate(2), tasks(0)
    gate.hand_out([first, second])
    assert gate.void(second, first) == ((second,), ())
    assert gate.stale(record(first)) == first
    gate.hand_out([first, second])
    assert gate.stale(record(first)) is None, "only once"
    assert gate.finish(record(first)) == []


def test_the_other_game_is_played_as_ever_when_it_has_not_begun() -> None:
    gate, (first, second) = PairGate(2), tasks(0)
    gate.hand_out([first])
    assert gate.void(first, second) == ((first,), ())
    gate.hand_out([second])
    assert gate.stale(record(second)) is None


def test_a_lost_worker_takes_its_games_back() -> None:
    gate, (first, second) = PairGate(2), tasks(0)
    gate.hand_out([first, second])
    gate.void(second, first)
    gate.take_back([first])
    gate.hand_out([first])
    assert gate.stale(record(first)) is None


def test_a_game_of_an_earlier_sitting_is_played_again_too() -> None:
    gate, (first, second) = PairGate(2), tasks(0)
    gate.finish(record(first))
    gate.hand_out([second])
    assert gate.void(second, first) == ((second, first), ((0, 0),))
    gate.hand_out([second, first])
    assert gate.finish(record(second)) == []
    assert gate.finish(record(first)) == [record(second), record(first)]


def test_the_other_game_of_a_pair_is_the_one_that_the_queue_has_handed_out() -> None:
    for game in pair_task(7, 3, 5).games:
        match = null_spec(10, seed=7, openings=OpeningSpec(start=5))
        assert match.other_game(match.other_game(game)) == game
    study = StudySpec.model_construct(seed=7)
    first, second = study.games_of(1_000_003, 4)
    assert (first.game, second.game, first.opening) == (0, 1, 4)
    assert study.other_game(first) == second
    assert study.other_game(second) == first


class OneGame(WorkerHere):
    """Is interrupted after its first game."""

    def events(self, timeout_s: float) -> list[Event]:
        if self._chunks and self._chunks[0].games[0].game == 1:
            raise Interrupted
        return super().events(timeout_s)


class OneVoid(WorkerHere):
    """The machine fails it once."""

    played: ClassVar[list[tuple[int, int]]] = []

    def events(self, timeout_s: float) -> list[Event]:
        (chunk,) = self._chunks
        (game,) = chunk.games
        self.played.append((game.pair, game.game))
        if len(self.played) > 1:
            return super().events(timeout_s)
        self._chunks.clear()
        return [Done(chunk.number, (), 0, (Void(game, "machine", "as wanted"),))]


def test_a_resumed_run_plays_both_games_of_a_void_pair(tmp_path: Path) -> None:
    spec = null_spec(1)
    with pytest.raises(Interrupted):
        run_match(spec, RunOptions(tmp_path / "run", 1, hire=OneGame), RecordingView())
    again = RunOptions(tmp_path / "run", 1, resume=True, hire=OneVoid)
    document = run_match(spec, again, RecordingView())
    assert OneVoid.played == [(0, 1), (0, 1), (0, 0)]
    assert document["games_played"] == 2
    with Journal.read(tmp_path / "run") as journal:
        assert sum(event.detail.get("games", 0) for event in journal.events()) == 2
