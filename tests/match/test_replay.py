"""`harness replay`: recorded pairs played again, and any difference from the record found."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from harness.chunks import Chunk, Done, Event, Void
from harness.errors import EngineStartError, UsageError
from harness.journal import Journal
from harness.playing import hire_here
from harness.record import GameRecord, Termination
from harness.replay import first_difference, is_exact, plies_of, replay
from harness.spec import EngineConfig
from tests.match.runs import null_spec, play

NOTHING = lambda *_: None  # noqa: E731


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pairs of null players."""
    run_dir = tmp_path_factory.mktemp("replay") / "run"
    play(null_spec(3), run_dir)
    return run_dir


@pytest.fixture
def game(run: Path) -> GameRecord:
    with Journal.read(run) as journal:
        return next(journal.games())


def test_pairs_are_equal_when_played_again(run: Path) -> None:
    before = sorted(path.name for path in run.iterdir())
    counted: list[int] = []
    assert replay(run, [0, 2], 2, hire_here, NOTHING, counted.append) == []
    assert counted == [1, 2, 3, 4]
    assert sorted(path.name for path in run.iterdir()) == before


def test_a_pair_that_was_not_played_is_refused(run: Path) -> None:
    with pytest.raises(UsageError, match=r"pair 7: .*no game of it; expected one that was played"):
        replay(run, [0, 7], 1, hire_here, NOTHING)


class SpoiltWorkers:
    """Every game is the machine's fault."""

    capacity = 1

    def __init__(self, spec_json: str, snapshot: Path, count: int) -> None:
        self._submitted: list[Chunk] = []

    def start(self) -> None: ...

    def submit(self, chunk: Chunk) -> None:
        self._submitted.append(chunk)

    def events(self, timeout_s: float) -> list[Event]:
        chunk = self._submitted.pop(0)
        return [Done(chunk.number, (), 1, tuple(Void(g, "machine", "full") for g in chunk.games))]

    def stop(self) -> None: ...


def test_a_game_that_is_void_ends_it(run: Path) -> None:
    with pytest.raises(EngineStartError, match="pair 0, game 0: a fault of the machine, full"):
        replay(run, [0], 1, SpoiltWorkers, NOTHING)


def test_equal_games_may_differ_in_their_times(game: GameRecord) -> None:
    later = dataclasses.replace(game, times_us=bytes(len(game.times_us)), wall_ns=1)
    assert first_difference(game, later) is None


def test_another_move_is_named_with_its_ply(game: GameRecord) -> None:
    ply = game.plies - 1  # counted from 0
    moves = game.columns().moves.copy()
    moves[ply] = 8 << 6  # a1a2
    difference = first_difference(game, dataclasses.replace(game, moves=moves.tobytes()))
    assert difference is not None
    assert (difference.pair, difference.game, difference.ply) == (game.pair, game.game, ply + 1)
    assert "a1a2 (" in difference.now
    assert str(difference).startswith(f"pair 0, game 0: ply {ply + 1}: recorded ")


def test_another_score_is_a_difference(game: GameRecord) -> None:
    scores = game.columns().scores_cp.copy()
    scores[1] += 1
    difference = first_difference(game, dataclasses.replace(game, scores_cp=scores.tobytes()))
    assert difference is not None
    assert difference.ply == game.book_plies + 2
    assert f"({scores[1]:+d} cp" in difference.now


def test_a_longer_game_and_another_end_are_differences(game: GameRecord) -> None:
    shorter = dataclasses.replace(
        game,
        plies=game.plies - 1,
        moves=game.moves[:-2],
        scores_cp=game.scores_cp[:-4],
        depths=game.depths[:-1],
        nodes=game.nodes[:-4],
    )
    difference = first_difference(game, shorter)
    assert difference is not None
    assert (difference.ply, difference.now) == (game.plies, "no move")
    crashed = dataclasses.replace(game, termination=Termination.CRASH)
    difference = first_difference(game, crashed)
    assert difference is not None
    assert (difference.ply, difference.now.split()[0]) == (0, "crash")


def test_the_opening_s_moves_say_nothing(game: GameRecord) -> None:
    plies = list(plies_of(game))
    assert len(plies) == game.plies
    assert all(ply.depth is None for ply in plies[: game.book_plies])
    assert np.array_equal([ply.nodes for ply in plies[game.book_plies :]], game.columns().nodes)


def test_only_untimed_games_of_our_engine_are_exact() -> None:
    from harness.limits import Limit

    assert is_exact(null_spec(1))
    assert not is_exact(null_spec(1, limit=Limit(movetime_ms=5)))
    handicap = EngineConfig(name="new", source="null", limit=Limit(movetime_ms=5))
    assert not is_exact(null_spec(1, new=handicap))
