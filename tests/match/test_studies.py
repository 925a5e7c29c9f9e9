"""Studies of `harness tune search` with real games: killed, resumed, by one worker and by two."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli import main
from harness.journal import Journal
from harness.record import GameRecord
from harness.replay import replay
from harness.search_tuning.rules import Rules
from harness.search_tuning.study import StudyResult
from tests.match.engines import WorkerHere
from tests.match.runs import kill_hard, wait_until_stopped
from tests.match.studies import counted_pairs, launch, play, small_study

pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")


def games_of(run_dir: Path) -> dict[tuple[int, int], GameRecord]:
    with Journal.read(run_dir) as journal:
        records = list(journal.games())
    games = {(record.pair, record.game): record for record in records}
    assert len(games) == len(records)
    return games


def answers(result: StudyResult) -> tuple[object, ...]:
    return result.told, result.conclusion


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the small study is, uninterrupted."""
    run_dir = tmp_path_factory.mktemp("studies") / "whole"
    play(small_study(), run_dir, hire=WorkerHere)
    return run_dir


def test_a_killed_study_ends_as_an_undisturbed_one_and_two_workers_change_nothing(
    tmp_path: Path, folder: Path
) -> None:
    spec = small_study()
    whole = play(spec, folder, hire=WorkerHere)  # which plays no more than there is
    cut = tmp_path / "cut"
    process = launch(spec, cut, 90)
    wait_until_stopped(process)
    kill_hard(process)
    kept = games_of(cut)
    assert 90 <= len(kept) < len(games_of(folder))
    resumed = play(spec, cut, concurrency=2)
    assert answers(resumed) == answers(whole)
    games = games_of(cut)
    assert {key: games[key] for key in kept} == kept  # their times too: none was played again
    assert counted_pairs(cut, resumed) == {one.order.ordinal: one.counts for one in resumed.told}


def test_every_pair_of_a_study_is_equal_when_played_again(folder: Path) -> None:
    pairs = sorted({pair for pair, _ in games_of(folder)})
    files = sorted(path.name for path in folder.iterdir())
    assert replay(folder, pairs, 1, WorkerHere, lambda *_: None) == []
    assert sorted(path.name for path in folder.iterdir()) == files


def test_a_trial_is_played_again_by_its_number(folder: Path) -> None:
    again = CliRunner().invoke(main, ["replay", str(folder), "--trial", "20", "--quiet"])
    assert (again.exit_code, again.output) == (
        0,
        "3 pairs played again: every game equal, move for move\n",
    )
    again = CliRunner().invoke(main, ["replay", str(folder), "1-2", "--trial", "20", "--quiet"])
    assert again.output.startswith("2 pairs played again: every game equal")
    again = CliRunner().invoke(main, ["replay", str(folder), "--trial", "99"])
    assert again.exit_code == 2
    assert "--trial 99: " in again.output


@pytest.mark.nightly
@pytest.mark.parametrize("sampler", ["spsa", "cma-es", "tpe", "random"])
def test_a_study_of_any_sampler_may_be_killed_again_and_again(tmp_path: Path, sampler: str) -> None:
    spec = small_study(rules=Rules(sampler=sampler, games=200, trial_pairs=3, batch_pairs=1))
    whole = play(spec, tmp_path / "whole", hire=WorkerHere)
    cut = tmp_path / "cut"
    for stop in (10, 50, 100):
        process = launch(spec, cut, stop)
        wait_until_stopped(process)
        kill_hard(process)
    assert answers(play(spec, cut)) == answers(whole)
