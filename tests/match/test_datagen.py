"""Productions of games: reproducible, resumable, one game from each opening."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.jit import source_digest
from harness.datagen import Document, generate
from harness.errors import Interrupted, UsageError
from harness.journal import Journal
from harness.playing import RunOptions
from harness.spec import MatchSpec
from tests.match.runs import null_spec

GAMES = 200


def spec(**changes: object) -> MatchSpec:
    return null_spec(GAMES, sprt=None, **changes)


def produce(run_dir: Path, workers: int = 2, resume: bool = False, stop_at: int = -1) -> Document:
    """Play a production, interrupted when `stop_at` games are done."""

    def update(production, session):
        if production.games >= stop_at >= 0:
            raise Interrupted("enough for now")

    options = RunOptions(run_dir, workers, resume)
    return generate(spec(), options, lambda text: None, lambda *step: None, update)


def games_of(run_dir: Path) -> list[tuple[int, int, str, bytes, int]]:
    with Journal.read(run_dir) as journal:
        return [(g.pair, g.game, g.fen, g.moves, g.result) for g in journal.games()]


def test_each_opening_is_played_once_and_the_same_by_any_number_of_workers(tmp_path: Path) -> None:
    document = produce(tmp_path / "one", workers=1)
    produce(tmp_path / "two", workers=2)
    games = games_of(tmp_path / "one")
    assert games_of(tmp_path / "two") == games
    assert [(pair, game) for pair, game, *_ in games] == [(pair, 0) for pair in range(GAMES)]
    assert len({moves for *_, moves, _ in games}) == GAMES
    assert document["games"] == sum(document["results"].values()) == GAMES
    assert document["results"]["1-0"] == sum(result == 1 for *_, result in games)
    assert document["plies"] == sum(len(moves) // 2 for *_, moves, _ in games)


def test_an_interrupted_production_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.playing.TICK_SECONDS", 0.0)  # updated with every message
    produce(tmp_path / "whole")
    with pytest.raises(Interrupted):
        produce(tmp_path / "parts", stop_at=5)
    half = games_of(tmp_path / "parts")
    assert 5 <= len(half) < GAMES
    document = produce(tmp_path / "parts", resume=True)
    assert games_of(tmp_path / "parts") == games_of(tmp_path / "whole")
    assert document["games"] == GAMES
    assert document["machine"]["games"] == GAMES - len(half)
    again = produce(tmp_path / "parts", resume=True)
    assert again["machine"]["games"] == 0


def test_a_test_is_no_production(tmp_path: Path) -> None:
    options = RunOptions(tmp_path / "run", 1)
    with pytest.raises(UsageError, match="the run is a test"):
        generate(null_spec(2), options, print, print, print)
    assert not (tmp_path / "run").exists()


def test_a_production_of_another_engine_is_not_gone_on_with(tmp_path: Path) -> None:
    produce(tmp_path / "run")
    options = RunOptions(tmp_path / "run", 1, resume=True)
    other = spec(seed=8)
    assert other.source_digest == source_digest()
    with pytest.raises(UsageError, match="begun with specification"):
        generate(other, options, print, print, print)
