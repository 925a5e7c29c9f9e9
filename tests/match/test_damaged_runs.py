"""Runs whose journal is damaged, or is a newer program's: what each command makes of them."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from harness.cli import main
from harness.texel.census import Census
from harness.texel.pgn_games import UNREADABLE
from harness.texel.played import recorded_games
from harness.texel.sources import blocks_of
from tests.match.runs import null_spec, play

#: Commands that read a run, and one that goes on with it.
READERS = ("stats RUN", "stats RUN --elo0 0 --elo1 10", "plan RUN", "report RUN", "replay RUN 0-1")
GOING_ON = ("sprt --resume RUN",)
PAIRS = 30


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run_dir = tmp_path_factory.mktemp("sound") / "run"
    play(null_spec(PAIRS), run_dir)
    (run_dir / "report.html").unlink()
    return run_dir


@pytest.fixture
def run(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "run"))


def harness(line: str, run: Path) -> Result:
    return CliRunner().invoke(main, [str(run) if word == "RUN" else word for word in line.split()])


def change(run: Path, statement: str) -> None:
    with sqlite3.connect(run / "run.sqlite") as connection:
        connection.execute(statement)
    connection.close()


def cut_short(run: Path) -> None:
    content = (run / "run.sqlite").read_bytes()
    (run / "run.sqlite").write_bytes(content[: len(content) * 3 // 4])


@pytest.mark.parametrize("line", [*READERS, *GOING_ON])
def test_a_newer_program_s_run_is_refused_and_left_as_it_is(run: Path, line: str) -> None:
    change(run, "PRAGMA user_version = 99")
    before = (run / "run.sqlite").read_bytes()
    done = harness(line, run)
    assert done.exit_code == 2
    assert f"{run}/run.sqlite: journal version 99, written by a newer Numbishop" in done.stderr
    assert (run / "run.sqlite").read_bytes() == before
    assert not (run / "report.html").exists()


@pytest.mark.parametrize("line", READERS)
def test_a_journal_cut_short_is_read_as_far_as_it_goes(run: Path, line: str) -> None:
    cut_short(run)
    done = harness(line, run)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 0, done.stderr
    (warning,) = [line for line in done.stderr.splitlines() if "could be read" in line]
    assert warning.startswith(f"warning: {run}/run.sqlite is damaged: database disk image")


def test_a_journal_cut_short_is_not_gone_on_with(run: Path) -> None:
    cut_short(run)
    before = (run / "run.sqlite").read_bytes()
    done = harness("sprt --resume RUN", run)
    assert done.exit_code == 2
    assert f"error: {run}/run.sqlite is damaged: database disk image" in done.stderr
    assert (run / "run.sqlite").read_bytes() == before


@pytest.mark.parametrize("line", READERS)
def test_a_game_with_flipped_bits_is_left_out_and_named(run: Path, line: str) -> None:
    change(run, "UPDATE games SET wall_ns = wall_ns + 1 WHERE pair = 1 AND game = 0")
    done = harness(line, run)
    assert done.exit_code == 0, done.stderr
    (warning,) = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    assert "of table games is not what was written; it is left out" in warning


def test_a_pair_that_cannot_be_read_is_not_replayed_and_the_damage_named(run: Path) -> None:
    change(run, "UPDATE games SET result = -result, wall_ns = 1 WHERE pair = 1")
    done = harness("replay RUN 1", run)
    assert done.exit_code == 2
    assert "pair 1: " in done.stderr
    assert "of table games is not what was written)" in done.stderr


def test_the_tuner_counts_games_with_flipped_bits_and_names_them(run: Path) -> None:
    change(run, "UPDATE games SET wall_ns = wall_ns + 1 WHERE pair = 1 AND game = 0")
    census = Census()
    for block in blocks_of(run):
        for _ in recorded_games(block, None, census):  # type: ignore[arg-type]
            pass
    assert census.games == 2 * PAIRS
    assert census.games_dropped[UNREADABLE] == 1
    (place,) = census.places
    assert "of table games is not what was written" in place
