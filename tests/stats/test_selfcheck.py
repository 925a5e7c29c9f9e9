"""`harness selfcheck`: its arithmetic, and that its checks can fail."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import chi2, chi2_contingency

from harness.selfcheck import checks as checks_module
from harness.selfcheck.checks import Bench, checks, error_rates
from harness.selfcheck.homogeneity import chi_square_tail, homogeneity
from harness.selfcheck.resampling import nelo_of, share_accepted, tilted_to
from harness.spec import EngineConfig
from harness.sprt import Hypotheses, SprtState


@pytest.mark.parametrize("freedom", [1, 2, 3, 8, 15])
@pytest.mark.parametrize("statistic", [0.0, 0.1, 3.0, 40.0])
def test_the_tail_of_chi_square(statistic: float, freedom: int) -> None:
    assert math.isclose(
        chi_square_tail(statistic, freedom), chi2.sf(statistic, freedom), rel_tol=1e-10
    )


def test_homogeneity_as_scipy_has_it() -> None:
    table = [[20, 30, 25], [25, 28, 22], [15, 40, 30]]
    found, expected = homogeneity(table), chi2_contingency(table)
    assert found.statistic == pytest.approx(expected.statistic)
    assert (found.freedom, found.p) == (expected.dof, pytest.approx(expected.pvalue))


def test_a_worker_that_loses_is_found_and_small_ones_are_left_out() -> None:
    assert homogeneity([[10, 40, 50], [50, 40, 10]]).p < 0.001
    assert homogeneity([[10, 40, 50], [3, 0, 0]]).p == 1.0
    assert homogeneity([[10, 0, 50], [12, 0, 48]]).freedom == 1, "nobody drew"
    assert homogeneity([[10, 40, 50]]).p == 1.0


@pytest.mark.parametrize("nelo", [-30.0, 0.0, 50.0])
def test_tilting_gives_the_strength(nelo: float) -> None:
    frequencies = tilted_to([1, 9, 40, 30, 6], nelo)
    assert nelo_of(frequencies) == pytest.approx(nelo, abs=1e-9)
    assert sum(frequencies) == pytest.approx(1.0)


def test_rates_are_found_to_be_kept_and_to_be_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks_module, "RESAMPLED_TESTS", 60)
    recorded = [2, 22, 52, 22, 2]
    assert all(check.passed for check in error_rates(recorded, 5))

    def hasty(state: SprtState) -> str | None:
        """A rule that stops at the first sign of a gain."""
        return "H1" if state.llr > 0.05 else "H0" if state.llr < -2.9 else None

    monkeypatch.setattr(SprtState, "decision", property(hasty))
    alpha, _ = error_rates(recorded, 5)
    assert not alpha.passed
    assert share_accepted(Hypotheses(0.0, 50.0), tilted_to(recorded, 0.0), 40, 1) > 0.3


@pytest.mark.parametrize(
    ("ptnml", "duplicates", "passed"),
    [
        ([0, 0, 30, 0, 0], 0, True),
        ([0, 0, 27, 0, 0], 3, True),
        ([0, 0, 29, 1, 0], 0, False),
        ([0, 1, 28, 1, 0], 0, False),
        ([0, 0, 29, 0, 0], 0, False),  # the run was broken off
    ],
)
def test_a_single_uneven_pair_is_found(
    monkeypatch: pytest.MonkeyPatch, ptnml: list[int], duplicates: int, passed: bool
) -> None:
    document = {"ptnml": ptnml, "duplicates": duplicates}
    monkeypatch.setattr(Bench, "play", lambda *_: document)
    bench = Bench(EngineConfig(name="x"), Path(), 1, 1, "", print, lambda *_: None)
    check = checks_module._exact(bench)
    assert check.passed == passed
    assert check.found == f"{30 - ptnml[2] - duplicates} of 30 pairs uneven"


@pytest.mark.parametrize(
    ("ci95", "forfeits", "passed"),
    [
        ([-40.0, 50.0], 0, True),
        ([0.1, 90.0], 0, False),
        ([-90.0, -0.1], 0, False),
        ([-40.0, 50.0], 1, False),
    ],
)
def test_a_difference_by_the_clock_is_found_and_so_is_a_lost_clock(
    ci95: list[float], forfeits: int, passed: bool
) -> None:
    faults = {"time_forfeit": forfeits}
    document = {"elo": 5.0, "elo_ci95": ci95, "faults": faults, "games_played": 120}
    check = checks_module._no_difference(document)
    assert check.passed == passed
    assert f"{forfeits} losses on time in 120 games" in check.found


@pytest.mark.parametrize(
    ("table", "passed", "found"),
    [
        ([[20, 30, 25], [25, 28, 22]], True, "2 workers, chi-square"),
        ([[10, 40, 50], [50, 40, 10]], False, "p = 0.000"),
        ([[20, 30, 25]], True, "1 workers, nothing to compare"),
        ([[1, 4, 1], [2, 3, 1]], False, "2 workers, nothing to compare"),
    ],
)
def test_a_worker_that_differs_is_found_and_too_few_results_do_not_pass(
    table: list[list[int]], passed: bool, found: str
) -> None:
    check = checks_module._alike(table)
    assert check.passed == passed
    assert found in check.found


def test_all_checks_with_null_players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Null players toss for each game and know no nodes: two checks of real games have to fail.

    Twelve games are too few to compare workers by, which does not pass either.
    """
    from engine.jit import source_digest

    for name, size in (("EXACT_PAIRS", 4), ("CLOCK_PAIRS_PER_WORKER", 3), ("HANDICAP_PAIRS", 6)):
        monkeypatch.setattr(checks_module, name, size)
    monkeypatch.setattr(checks_module, "RESAMPLED_TESTS", 40)
    said: list[str] = []
    null = EngineConfig(name="null", source="null")
    bench = Bench(null, tmp_path, 2, 3, source_digest(), said.append, lambda *_: None)
    found: dict[str, Any] = {check.name: check for check in checks(bench)}
    assert len(found) == 6
    assert not found["an opponent with half the nodes is found to be weaker"].passed
    assert not found["against itself at fixed nodes, every pair is even"].passed
    assert not found["no worker's results differ from the others'"].passed
    assert found["alpha is at most what the test promises"].passed
    assert said == ["exact ...", "clocks ...", "handicap ..."]
    document = json.loads((tmp_path / "clocks" / "run.json").read_text())
    assert document["games_played"] == 12
