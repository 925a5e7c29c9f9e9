"""The plan, the document and the report of a study, on simulated games."""

from __future__ import annotations

import math
from io import StringIO
from pathlib import Path
from typing import Any

import optuna
import pytest
from rich.console import Console

from harness.errors import UsageError
from harness.journal import Journal
from harness.limits import Limit
from harness.report.search_page import parameter_rows, render, strength_rows
from harness.report.search_plots import importance_figure
from harness.search_tuning.answers import Proposer
from harness.search_tuning.candidate import candidate_config
from harness.search_tuning.course import Course
from harness.search_tuning.document import study_document
from harness.search_tuning.ledger import Ledger
from harness.search_tuning.openings import StudyOpenings, read_openings
from harness.search_tuning.plan import make_plan
from harness.search_tuning.rules import Rules, rules_of
from harness.search_tuning.space import Dimension, Space
from harness.search_tuning.study import StudyResult
from harness.search_tuning.study_spec import StudySpec, pair_number, trial_pair
from harness.search_view import StudyProgress, panel, progress_lines, summary
from harness.spec import EngineConfig
from harness.sprt import Hypotheses

optuna.logging.set_verbosity(optuna.logging.WARNING)

SPEC = StudySpec(
    name="lmr",
    base=EngineConfig(name="base", path="/configs/base.cfg"),
    space=Space(
        dimensions=(
            Dimension(name="lmr_base", low=0, high=200, step=5, scale=100),
            Dimension(name="lmr_divisor", low=150, high=800, log=True, scale=100),
        ),
        fixed={"lmr_pv": 1},
    ),
    rules=Rules(games=1200, trial_pairs=20, batch_pairs=5),
    limit=Limit(nodes=1000),
)


WORSE = {"lmr_base": 80}


@pytest.fixture(scope="module")
def result() -> StudyResult:
    """A study whose pairs are won the more, the nearer `lmr_base` is to 1.20 than the other's."""
    ledger = Ledger(optuna.create_study(direction="maximize"), SPEC.space)
    proposer = Proposer(SPEC.rules, SPEC.space, SPEC.seed, None)
    course = Course(SPEC.rules, proposer, ledger)
    while not course.finished:
        pair = course.next_pair()
        assert pair is not None
        order = course.order(pair.ordinal)
        ours, theirs = (
            abs(side["lmr_base"] - 120) / 40 for side in (order.played, order.opponent or WORSE)
        )
        ahead = math.floor(theirs - ours + pair.place % 3 / 3)
        course.take(pair.ordinal, pair.place, max(0, min(4, 2 + ahead)))
    openings = StudyOpenings([], SPEC.rules)
    told = tuple(ledger.told)
    return StudyResult(told, proposer.conclude(told), proposer, openings)


TEST: dict[str, Any] = {
    "decision": "H1",
    "sentence": "passed",
    "elo": 11.0,
    "elo_ci95": [4.0, 18.0],
    "games_counted": 3000,
    "limit": "1000 nodes a move",
    "run_dir": "reports/search-lmr/verify",
}


def test_claimed_stands_beside_confirmed(result: StudyResult) -> None:
    assert result.conclusion is not None
    assert abs(result.conclusion.values["lmr_base"] - 120) <= 30
    document = study_document(SPEC, result, [TEST, {**TEST, "limit": "2000 nodes a move"}])
    document["folder"] = "here"
    assert "claimed +" in document["sentence"]
    assert "confirmed +11.0 [+4.0, +18.0] in 3,000 games: H1" in document["sentence"]
    assert [label for label, *_ in strength_rows(document)] == [
        "claimed by the search",
        "confirmed, 1000 nodes a move",
        "confirmed with more nodes, 2000 nodes a move",
    ]
    (first, second) = parameter_rows(document)
    assert first[:3] == ("lmr_base", "0.00 to 2.00", "0.75")
    assert second[2] == "2.25"
    importances = document["response"]["importances"]
    assert importances["lmr_base"] > importances["lmr_divisor"]
    page = render(document)
    assert page.count("<svg") == 2 + 1 + 2  # history, importance; contour; two slices
    assert "11.0 [+4.0, +18.0]" in page
    assert '<a href="verify/report.html">H1 after 3,000 games</a>' in page


def test_each_bar_has_its_name_once() -> None:
    figure = importance_figure({"one": 3.0, "two": 2.0, "three": 1.0})
    assert [figure.count(f">{name}<") for name in ("one", "two", "three")] == [1, 1, 1]


def test_without_tests_the_sentence_says_so(result: StudyResult) -> None:
    assert study_document(SPEC, result, [])["sentence"].endswith("not tested")


def test_the_candidate_extends_the_base(result: StudyResult, tmp_path: Path) -> None:
    from harness.config import load_engine_config

    (tmp_path / "base.cfg").write_text("[engine]\nname = base\n")
    spec = SPEC.model_copy(
        update={"base": EngineConfig(name="base", path=str(tmp_path / "base.cfg"))}
    )
    values = {"lmr_base": 120, "lmr_divisor": 300}
    path = tmp_path / "lmr.cfg"
    path.write_text(candidate_config(spec, values, tmp_path, "found"))
    loaded = load_engine_config(str(path))
    assert loaded.name == "lmr"
    assert loaded.search == spec.base.search | values | {"lmr_pv": 1}


def test_a_base_outside_the_space_has_no_place_in_it() -> None:
    assert SPEC.base_values() == {"lmr_base": 75, "lmr_divisor": 225}
    other = SPEC.base.model_copy(update={"search": SPEC.base.search | {"lmr_pv": 0}})
    outside = SPEC.model_copy(update={"base": other})
    assert outside.base_values() is None
    assert outside.own_values() == SPEC.base_values()


def test_openings_other_than_those_of_the_study_are_refused(tmp_path: Path) -> None:
    rules = Rules(games=100, trial_pairs=1)
    wanted = rules.search_openings + rules.fresh_openings
    fens = [f"fen {i}" for i in range(wanted)]
    with Journal.create(tmp_path / "run", SPEC, {}) as journal:
        StudyOpenings(fens, rules).check_same(journal, tmp_path)
        StudyOpenings(fens, rules).check_same(journal, tmp_path)
        with pytest.raises(UsageError, match="not the positions that the study began with"):
            StudyOpenings(fens[::-1], rules).check_same(journal, tmp_path)
    (tmp_path / "openings.epd").write_text("fen 0\n")
    with pytest.raises(UsageError, match=f"1 positions; expected the study's {wanted}"):
        read_openings(tmp_path, rules)


def test_with_few_games_trials_are_short() -> None:
    assert rules_of("gp", 20_000).trial_pairs == 100
    few = rules_of("gp", 400)
    assert few.search_pairs // few.trial_pairs >= 32
    assert rules_of("gp", 400, 50).trial_pairs == 50


def test_pairs_are_numbered_by_trial() -> None:
    assert trial_pair(pair_number(17, 3)) == (17, 3)


def test_progress_is_told_with_the_best_by_their_lower_bounds(result: StudyResult) -> None:
    progress = StudyProgress(SPEC, result.told, 300, 600, 60.0)
    head, *best = progress_lines(progress).splitlines()
    assert "600 of 1,200 games · 600 games/min · about 1 min 00 s to go" in head
    assert len(best) == 3
    assert all("lmr_base" in line for line in best)
    console = Console(width=120, record=True, file=StringIO())
    console.print(panel(progress))
    half, *rows, pace = console.export_text().splitlines()
    assert half.count("█") == half.count("░")
    assert pace == head
    for row, line in zip(rows, best, strict=True):
        assert row.split() == line.replace(";", "").split()


def test_spsa_shows_where_it_is(result: StudyResult) -> None:
    incumbent = {"lmr_base": 85, "lmr_divisor": 300}
    spec = SPEC.model_copy(update={"rules": rules_of("spsa", 1200)})
    progress = StudyProgress(spec, [], 300, 600, 60.0, incumbent)
    assert progress_lines(progress).endswith("theta: lmr_base 0.85, lmr_divisor 3.00")
    progress = StudyProgress(SPEC, [], 300, 600, 60.0, incumbent, (12.0, 5.0))
    assert progress_lines(progress).endswith(
        "by all trials: +12 ± 10 Elo; lmr_base 0.85, lmr_divisor 3.00"
    )


def test_the_end_of_a_study_says_where_its_files_are(result: StudyResult) -> None:
    document = {**study_document(SPEC, result, []), "folder": "reports/search-lmr"}
    console = Console(width=120, record=True, file=StringIO())
    console.print(summary(document))
    told = console.export_text()
    assert document["sentence"] in " ".join(told.split())
    assert "in reports/search-lmr: lmr.cfg, search.json, report.html" in told


def test_a_plan_grows_with_the_games_and_says_when_it_is_hopeless() -> None:
    test = Hypotheses(0.0, 5.0, 0.05, 0.05, "normalized")
    small, large = (make_plan(8, games, test, 20_000, 3600.0) for games in (300, 100_000))
    assert small.is_hopeless
    assert "hopeless" in small.lines[-1]
    assert not large.is_hopeless
    assert large.hours == pytest.approx(100_000 / 3600)
    for one, other in zip(small.expectations, large.expectations, strict=True):
        assert one.gain_elo < other.gain_elo < one.attainable_elo
        assert one.pass_chance < other.pass_chance


def test_a_plan_is_better_where_more_games_are_drawn() -> None:
    test = Hypotheses(0.0, 5.0, 0.05, 0.05, "normalized")
    few, many = (make_plan(4, 20_000, test, 20_000, draw_ratio=share) for share in (0.1, 0.7))
    assert many.claim_error_elo < few.claim_error_elo
    assert many.expectations[0].gain_elo > few.expectations[0].gain_elo
