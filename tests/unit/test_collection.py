"""--pgn-append: each run's games are in the collection once, wherever it was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.collection import append_once
from harness.journal import Journal
from tests.match.runs import null_spec

GAMES = "".join(f'[Event "run"]\n[Round "{pair}.0"]\n\n1. e4 *\n\n' for pair in range(3))
BEFORE = "1. d4 *\n\n"
LATER = '[Event "another"]\n\n*\n\n'

KILLED = """
import os, signal, sys
from pathlib import Path
from harness import collection
from harness.journal import Journal

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

folder, place = Path(sys.argv[1]), sys.argv[2]
if place == "after the games":
    os.fsync = die
with Journal.reopen(folder / "run") as journal:
    if place == "before the games":
        commit = journal.commit
        journal.commit = lambda: (commit(), die())
    collection.append_once(journal, folder / "games.pgn", folder / "all.pgn", print)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run that has ended, and a collection with a game of others."""
    Journal.create(tmp_path / "run", null_spec(1), {}).close()
    (tmp_path / "games.pgn").write_text(GAMES)
    (tmp_path / "all.pgn").write_text(BEFORE)
    return tmp_path


def append(folder: Path) -> list[str]:
    told: list[str] = []
    with Journal.reopen(folder / "run") as journal:
        append_once(journal, folder / "games.pgn", folder / "all.pgn", told.append)
    return told


def kill(folder: Path, place: str) -> None:
    command = [sys.executable, "-c", KILLED, str(folder), place]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL


def test_a_second_time_nothing_is_added(folder: Path) -> None:
    assert append(folder) == []
    (told,) = append(folder)
    assert told.endswith("has the games of this run already")
    assert (folder / "all.pgn").read_text() == BEFORE + GAMES


@pytest.mark.parametrize("place", ["before the games", "after the games"])
def test_killed_between_the_games_and_the_note_of_them(folder: Path, place: str) -> None:
    kill(folder, place)
    assert (folder / "all.pgn").read_text() == BEFORE + (GAMES if place[:5] == "after" else "")
    append(folder)
    append(folder)
    assert (folder / "all.pgn").read_text() == BEFORE + GAMES


@pytest.mark.parametrize("written", [1, 40, len(GAMES) - 1])
def test_killed_within_the_games(folder: Path, written: int) -> None:
    kill(folder, "after the games")
    os.truncate(folder / "all.pgn", len(BEFORE) + written)
    append(folder)
    append(folder)
    assert (folder / "all.pgn").read_text() == BEFORE + GAMES


def test_others_may_have_added_theirs_since(folder: Path) -> None:
    kill(folder, "after the games")
    with (folder / "all.pgn").open("a") as file:
        file.write(LATER)
    (folder / "games.pgn").write_text(GAMES.replace(" *", " { 0.00/1 } *"))  # --pgn full this time
    append(folder)
    assert (folder / "all.pgn").read_text() == BEFORE + GAMES + LATER


def test_what_cannot_be_known_is_told_and_nothing_is_added(folder: Path) -> None:
    kill(folder, "after the games")
    os.truncate(folder / "all.pgn", len(BEFORE) + 40)
    with (folder / "all.pgn").open("a") as file:
        file.write(LATER)
    for _ in range(2):
        (told,) = append(folder)
        assert "may have a part of them; all are in" in told
    assert (folder / "all.pgn").read_text() == BEFORE + GAMES[:40] + LATER


def test_a_collection_that_was_made_anew_gets_them(folder: Path) -> None:
    kill(folder, "after the games")
    (folder / "all.pgn").write_text("")
    append(folder)
    assert (folder / "all.pgn").read_text() == GAMES


def test_a_pipe_is_written_to(folder: Path) -> None:
    (folder / "all.pgn").unlink()
    os.mkfifo(folder / "all.pgn")
    with subprocess.Popen(["cat", folder / "all.pgn"], stdout=subprocess.PIPE, text=True) as reader:
        append(folder)
        assert reader.communicate()[0] == GAMES
