"""Studies of `harness tune search` with real games: killed, resumed, by one worker and by two."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.journal import Journal
from harness.record import GameRecord
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


def test_a_killed_study_ends_as_an_undisturbed_one_and_two_workers_change_nothing(
    tmp_path: Path,
) -> None:
    spec = small_study()
    whole = play(spec, tmp_path / "whole", hire=WorkerHere)
    cut = tmp_path / "cut"
    process = launch(spec, cut, 90)
    wait_until_stopped(process)
    kill_hard(process)
    kept = games_of(cut)
    assert 90 <= len(kept) < len(games_of(tmp_path / "whole"))
    resumed = play(spec, cut, concurrency=2)
    assert answers(resumed) == answers(whole)
    games = games_of(cut)
    assert {key: games[key] for key in kept} == kept  # their times too: none was played again
    assert counted_pairs(cut, resumed) == {one.order.ordinal: one.counts for one in resumed.told}


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
