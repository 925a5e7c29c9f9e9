"""What run.json says of the games and of the settings, and of a run that has not ended."""

from pathlib import Path

import pytest

from harness.config import differences
from harness.journal import Journal
from harness.match import read_run
from harness.pgn_pairs import read_match
from harness.provenance import collect_provenance
from harness.spec import EngineConfig
from tests.match.runs import null_spec, play


def test_wins_draws_and_losses_are_those_of_the_pgn(tmp_path: Path) -> None:
    document = play(null_spec(30), tmp_path / "run")
    games = read_match(tmp_path / "run" / "games.pgn", document["new"]["name"]).games
    assert document["duplicates"] == 0
    assert document["wdl"] == [games.wins, games.draws, games.losses]
    assert sum(document["wdl"]) == document["games_counted"] == 60


def test_every_setting_that_differs_is_named() -> None:
    base = EngineConfig(name="base", options={"Hash": "16"})
    search = base.search | {"null_move": 0}
    new = EngineConfig(name="new", search=search, options={"Hash": "32", "Threads": "2"})
    assert differences(new, base) == [
        "search.null_move: 0 against 1",
        "options.Hash: 32 against 16",
        "options.Threads: 2 against –",
    ]
    assert differences(base, base) == []


def test_a_run_that_has_not_ended_does_not_look_undecided(tmp_path: Path) -> None:
    spec = null_spec(30)
    with Journal.create(tmp_path / "run", spec, collect_provenance(spec)) as journal:
        journal.add_event("started", concurrency=1, finished_games=0)
        journal.commit()
        assert read_run(tmp_path / "run", pytest.fail)["sentence"].startswith(
            "Unfinished after 0 of 60 games, no verdict yet: "
        )
        journal.add_event("interrupted", games=0, elapsed_s=0.0, busy_s=0.0)
        journal.commit()
    document = read_run(tmp_path / "run", pytest.fail)
    assert document["sentence"].startswith("Interrupted after 0 of 60 games, no verdict yet: ")
    assert document["machine"]["interrupted"]
