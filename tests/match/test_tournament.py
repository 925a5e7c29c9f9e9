"""Tournaments of null players: one specification, one table; files, resumption, a bad player."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

from engine.jit import source_digest
from harness.exports import Output
from harness.journal import Journal
from harness.limits import Limit
from harness.openings import BookOpenings
from harness.playing import RunOptions
from harness.spec import EngineConfig, OpeningSpec
from harness.tournament.crosstable import Crosstable
from harness.tournament.document import standings_of
from harness.tournament.run import read_tournament, run_tournament
from harness.tournament.spec import TournamentSpec
from tests.match.runs import (
    RecordingView,
    comparable,
    finished_games,
    kill_hard,
    launch,
    play,
    session_members,
    wait_until,
    wait_until_stopped,
)

CYCLES = 12
PLAYERS = 4


def tournament(**changes: Any) -> TournamentSpec:
    values: dict[str, Any] = {
        "form": "roundrobin",
        "players": tuple(
            EngineConfig(name=f"null {letter}", source="null", options={"Hash": str(number)})
            for number, letter in enumerate("abcd"[:PLAYERS], 1)
        ),
        "cycles": CYCLES,
        "limit": Limit(nodes=100),
        "openings": OpeningSpec(plies=4, nodes=50),
        "seed": 7,
        "source_digest": source_digest(),
        "tool_version": "test",
    }
    return TournamentSpec(**(values | changes))


SPEC = tournament()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tournament by one worker, without any event."""
    run_dir = tmp_path_factory.mktemp("undisturbed") / "run"
    play(SPEC, run_dir, concurrency=1)
    return run_dir


def test_everyone_plays_everyone_from_the_same_openings(undisturbed: Path) -> None:
    with (undisturbed / "games.pgn").open() as file:
        games = list(iter(lambda: chess.pgn.read_game(file), None))
    assert len(games) == 2 * 6 * CYCLES
    assert not any(game.errors for game in games)
    seats = [(game.headers["White"], game.headers["Black"]) for game in games]
    for white in SPEC.players:
        for black in SPEC.players:
            wanted = CYCLES if white is not black else 0
            assert seats.count((white.name, black.name)) == wanted
    lines = [[move.uci() for move in game.mainline_moves()][:4] for game in games]
    for cycle in range(CYCLES):
        of_cycle = lines[12 * cycle : 12 * (cycle + 1)]
        assert all(line == of_cycle[0] for line in of_cycle)
    assert len({tuple(line) for line in lines}) == CYCLES


def test_the_document_adds_up(undisturbed: Path) -> None:
    document = json.loads((undisturbed / "run.json").read_text())
    assert (document["decision"], document["games_played"]) == ("finished", 12 * CYCLES)
    assert sum(row["games"] for row in document["standings"]) == 24 * CYCLES
    points = sum(row["score"] * row["games"] for row in document["standings"])
    assert points == pytest.approx(12 * CYCLES)
    elos = [row["elo"] for row in document["standings"]]
    assert elos == sorted(elos, reverse=True)
    assert sum(elos) == pytest.approx(0, abs=1e-6)
    assert document["standings"][-1]["los"] is None
    assert document["standings"][0]["name"] in document["sentence"]
    told: list[str] = []
    again = read_tournament(undisturbed, told.append)
    assert told == []
    assert again["standings"] == document["standings"]


def test_number_of_workers_changes_nothing(tmp_path: Path, undisturbed: Path) -> None:
    play(SPEC, tmp_path / "run", concurrency=2)
    assert comparable(tmp_path / "run") == comparable(undisturbed)


def test_kill_9_and_a_resumption_change_nothing(tmp_path: Path, undisturbed: Path) -> None:
    run_dir = tmp_path / "run"
    process = launch(SPEC, run_dir, 40)
    wait_until_stopped(process)
    kill_hard(process)
    wait_until(lambda: not session_members(process.pid))
    kept = finished_games(run_dir)
    assert 40 <= kept < 12 * CYCLES
    assert read_tournament(run_dir, print)["decision"] == "unfinished"
    document = play(SPEC, run_dir, concurrency=1, resume=True)
    assert document["machine"]["games"] == 12 * CYCLES - kept, "only what was missing is played"
    assert comparable(run_dir) == comparable(undisturbed)


def test_games_go_where_they_are_wanted_and_only_once(tmp_path: Path) -> None:
    spec = tournament(cycles=2)
    collection, ends = tmp_path / "all.pgn", tmp_path / "ends.epd"
    collection.write_text("before\n\n")
    output = Output(comments=False, pgn_append=collection, final_epd=ends)
    for resume in (False, True):
        options = RunOptions(tmp_path / "run", 1, resume, output=output)
        run_tournament(spec, options, RecordingView())
    games = (tmp_path / "run" / "games.pgn").read_text()
    assert "{" not in games
    assert collection.read_text() == "before\n\n" + games
    results = [chess.Board.from_epd(line)[1]["c9"] for line in ends.read_text().splitlines()]
    with io.StringIO(games) as file:
        headers = list(iter(lambda: chess.pgn.read_headers(file), None))
    assert results == [header["Result"] for header in headers]
    assert len(results) == 24


def test_a_player_that_always_fails_makes_no_rating_list(tmp_path: Path) -> None:
    crashes = EngineConfig(name="crashes", source="null", options={"Fault": "crash@1"})
    spec = tournament(form="gauntlet", players=(SPEC.players[0], crashes), cycles=50)
    document = play(spec, tmp_path / "run", concurrency=1)
    assert document["decision"] == "invalid"
    assert document["sentence"].startswith("Invalid: of crashes ")
    assert document["games_played"] < 100


def test_names_and_paths_do_not_count_but_anchors_do() -> None:
    renamed = tuple(
        player.model_copy(update={"name": f"other {number}", "path": "elsewhere"})
        for number, player in enumerate(SPEC.players)
    )
    assert tournament(players=renamed).spec_hash() == SPEC.spec_hash()
    anchored = tournament(anchors={"null b": 2500.0})
    assert anchored.spec_hash() != SPEC.spec_hash()
    renamed_anchor = tournament(players=renamed, anchors={"other 1": 2500.0})
    assert renamed_anchor.spec_hash() == anchored.spec_hash()
    assert tournament(form="gauntlet").spec_hash() != SPEC.spec_hash()


def test_a_test_s_folder_holds_no_tournament(undisturbed: Path) -> None:
    from harness.errors import UsageError
    from harness.spec import MatchSpec

    with (
        Journal.read(undisturbed) as journal,
        pytest.raises(UsageError, match="holds a tournament; expected a match"),
    ):
        journal.spec_of(MatchSpec)


def test_games_name_their_book_s_opening(tmp_path: Path) -> None:
    book = tmp_path / "b.epd"
    lines = ["8/5k2/8/8/8/4K3/4P3/8 w - -", "8/5k2/8/8/8/3K4/3P4/8 w - -"]
    book.write_text("".join(f'{line} id "n{at}";\n' for at, line in enumerate(lines)))
    openings = OpeningSpec(
        kind="book",
        path=str(book),
        sha256=BookOpenings(book, "sequential", 1).sha256,
        order="sequential",
    )
    play(tournament(cycles=2, openings=openings), tmp_path / "run", concurrency=1)
    tags = [
        line
        for line in (tmp_path / "run" / "games.pgn").read_text().splitlines()
        if line.startswith("[Opening ")
    ]
    assert tags == ["[Opening \"b.epd:1 id 'n0'\"]"] * 12 + ["[Opening \"b.epd:2 id 'n1'\"]"] * 12


def test_only_anchors_say_what_a_player_is_worth(undisturbed: Path) -> None:
    spec = tournament(anchors={"null a": 2000.0, "null b": 2100.0})
    table = Crosstable(PLAYERS, spec.pairings, spec.pairs)
    with Journal.read(undisturbed) as journal:
        for record in journal.games():
            table.add(record)
    rows = {row["name"]: row for row in standings_of(spec, table)}
    assert {one["name"] for one in rows["null c"]["opponents"]} == {"null a", "null b"}
    assert rows["null c"]["spread_elo"] is not None
    free = {row["name"]: row for row in standings_of(SPEC, table)}
    assert len(free["null c"]["opponents"]) == PLAYERS - 1
