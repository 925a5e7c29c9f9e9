"""Published and independently computed values, to 1e-5 relative (or the last digit given).

T1-T10 are the cases of fastchess's `sprt_test.cpp`, T22-T24 those of fishtest's `stat_util.py`;
their six decimals and the table come from fishtest's code, executed.
"""

import math

import pytest

from harness.elo import estimate
from harness.score import Counts, Pentanomial, Trinomial
from harness.sprt import Model, SprtBounds, llr

Row = tuple[tuple[int, ...], float, float, float]

NORMALIZED: dict[str, Row] = {
    "T1": ((365, 16618, 36229, 16974, 390), 0, 2, 2.250368),
    "T2": ((127, 4883, 10712, 5150, 104), -1.75, 0.25, 3.010154),
    "T3": ((0, 0, 0, 0, 5550), 0, 5, 111.797555),
    "T6": ((36027, 68692, 36433), 0, 2, 0.923293),
    "T7": ((10650, 20431, 10871), -1.75, 0.25, 2.297500),
    "T8": ((0, 0, 4250), 0, 10, 120.548268),
    "T24": ((39, 2226, 31451, 2412, 40), 0.764, 3.439, 2.162941),
    "no games": ((0, 0, 0, 0, 0), 0, 5, -0.000001),
    "one LL": ((1, 0, 0, 0, 0), 0, 5, -0.020569),
    "one WW": ((0, 0, 0, 0, 1), 0, 5, 0.020153),
    "one DD": ((0, 0, 1, 0, 0), 0, 5, -0.000215),
    "LD and WD": ((0, 1, 0, 1, 0), 0, 5, -0.000415),
    "LL and WW": ((1, 0, 0, 0, 1), 0, 5, -0.000415),
    "ten DD": ((0, 0, 10, 0, 0), 0, 5, -0.002699),
    "even": ((1, 2, 3, 2, 1), 0, 5, -0.001864),
    "even, no extremes": ((0, 3, 14, 3, 0), 0, 5, -0.004143),
    "ahead": ((2, 20, 56, 30, 4), 0, 10, 0.607867),
    "one-sided": ((0, 0, 0, 10, 20), 0, 10, 1.090044),
    "all won": ((0, 0, 0, 0, 100), 0, 5, 2.014380),
    "wide": ((0, 0, 3, 20, 77), 0, 100, 29.576017),
    "wide, lost": ((144, 3, 1, 0, 0), -200, -100, -24.810645),
    "many extremes": ((34, 54, 63, 64, 75), 0, 5, 1.301436),
    "T1 against 5": ((365, 16618, 36229, 16974, 390), 0, 5, -3.143398),
    "millions": ((100000, 1000000, 3000000, 1001000, 100100), 0, 2, -159.038238),
    "ten wins": ((0, 0, 10), 0, 5, 0.142864),
    "twenty draws": ((0, 20, 0), 0, 5, -0.002870),
}

LOGISTIC: dict[str, Row] = {
    "T4": ((223, 9863, 21279, 10037, 246), 0.5, 2.5, -3.074126),
    "T5": ((871, 26175, 55983, 26678, 821), 0, 2, -4.978673),
    "T9": ((21184, 40708, 21404), 0.5, 2.5, -1.571889),
    "T10": ((57030, 106593, 57433), 0, 2, -2.593024),
    "T22": ((10789, 19328, 33806, 19402, 10543), -3, 1, 2.131068),
    "T23": ((39, 2226, 31451, 2412, 40), 0.2, 0.9, 2.162543),
    "no games": ((0, 0, 0, 0, 0), 0, 5, -0.000001),
    "one LL": ((1, 0, 0, 0, 0), 0, 5, -0.014524),
    "one WW": ((0, 0, 0, 0, 1), 0, 5, 0.014316),
    "one DD": ((0, 0, 1, 0, 0), 0, 5, -0.011282),
    "LD and WD": ((0, 1, 0, 1, 0), 0, 5, -0.000828),
    "LL and WW": ((1, 0, 0, 0, 1), 0, 5, -0.000208),
    "ten DD": ((0, 0, 10, 0, 0), 0, 5, -0.139428),
    "even": ((1, 2, 3, 2, 1), 0, 5, -0.002795),
    "even, no extremes": ((0, 3, 14, 3, 0), 0, 5, -0.027528),
    "ahead": ((2, 20, 56, 30, 4), 0, 10, 0.943505),
    "one-sided": ((0, 0, 0, 10, 20), 0, 10, 0.851065),
    "all won": ((0, 0, 0, 0, 100), 0, 5, 1.428789),
    "many extremes": ((34, 54, 63, 64, 75), 0, 5, 1.337374),
    "T1 against 5": ((365, 16618, 36229, 16974, 390), 0, 5, -33.817023),
    "millions": ((100000, 1000000, 3000000, 1001000, 100100), 0, 2, -614.197192),
    "ten wins": ((0, 0, 10), 0, 5, 0.142876),
    "twenty draws": ((0, 20, 0), 0, 5, -0.283938),
    "far from the truth": ((144, 3, 1, 0, 0), -1500, -500, 4.867799),
}

#: Where fishtest's iteration raises and fastchess's gives NaN; values by facts 2.4's own method.
NOT_NAN: dict[str, tuple[Row, float]] = {
    "lost": (((144, 3, 1, 0, 0), -1500, -500, -6.7213), 5e-5),
    "mixed": (((508, 0, 173, 317, 2), 40.7, 234.2, -631.15), 5e-3),
    "one pair": (((1, 0, 0, 0, 0), -1500, -500, -0.0438), 5e-5),
    "draws": (((73, 50, 822, 55, 0), 60.6, 94.2, -75.425), 5e-4),
}


def counts_of(classes: tuple[int, ...]) -> Counts:
    return Pentanomial(*classes) if len(classes) == 5 else Trinomial(*classes)


@pytest.mark.parametrize("row", NORMALIZED.values(), ids=NORMALIZED)
def test_normalized_llr(row: Row) -> None:
    classes, elo0, elo1, expected = row
    assert llr(counts_of(classes), elo0, elo1) == pytest.approx(expected, rel=1e-5, abs=6e-7)


@pytest.mark.parametrize("row", LOGISTIC.values(), ids=LOGISTIC)
def test_logistic_llr(row: Row) -> None:
    classes, elo0, elo1, expected = row
    model: Model = "logistic" if len(classes) == 5 else "trinomial"
    value = llr(counts_of(classes), elo0, elo1, model)
    assert value == pytest.approx(expected, rel=1e-5, abs=6e-7)


@pytest.mark.parametrize(("row", "rounding"), NOT_NAN.values(), ids=NOT_NAN)
def test_bounds_too_wide_for_the_usual_iteration(row: Row, rounding: float) -> None:
    classes, elo0, elo1, expected = row
    assert llr(counts_of(classes), elo0, elo1) == pytest.approx(expected, rel=0, abs=rounding)


@pytest.mark.parametrize(
    ("classes", "elo", "elo_error", "los"),
    [
        ((0, 0, 0, 0, 0), 0, 1199.83, 0.5),
        ((1, 0, 0, 0, 0), -1041.0844, 395.5919, 0.0),
        ((0, 0, 0, 0, 1), 1041.0844, 395.5919, 1.0),
        ((0, 0, 1, 0, 0), 0, 34.0207, 0.5),
        ((0, 1, 0, 1, 0), 0, 296.8057, 0.5),
        ((1, 0, 0, 0, 1), 0, 1199.8262, 0.5),
        ((0, 0, 10, 0, 0), 0, 3.4036, 0.5),
        ((1, 2, 3, 2, 1), 0, 137.8574, 0.5),
        ((0, 3, 14, 3, 0), 0, 41.9261, 0.5),
        ((2, 20, 56, 30, 4), 21.7431, 25.9903, 0.950227),
        ((0, 0, 0, 10, 20), 416.4055, 104.9453, 1.0),
        ((0, 0, 0, 0, 100), 1199.8262, 0.0, 1.0),
        ((34, 54, 63, 64, 75), 55.5798, 27.6534, 0.999970),
        ((365, 16618, 36229, 16974, 390), 0.9993, 0.9231, 0.983078),
        ((100000, 1000000, 3000000, 1001000, 100100), 0.0401, 0.1096, 0.763300),
    ],
)
def test_elo_of_pairs(classes: tuple[int, ...], elo: float, elo_error: float, los: float) -> None:
    now = estimate(counts_of(classes))
    assert now.elo == pytest.approx(elo, abs=5.1e-5)
    assert now.elo_error == pytest.approx(elo_error, abs=5e-3 if elo_error == 1199.83 else 5.1e-5)
    assert now.los == pytest.approx(los, abs=5.1e-7)


@pytest.mark.parametrize(
    ("classes", "nelo", "nelo_error"),
    [
        ((1, 0, 0, 0, 0), -2833.0187, 55330.87),
        ((0, 0, 10, 0, 0), 0, 152.2371),
        ((2, 20, 56, 30, 4), 38.2349, 45.8529),
        ((0, 0, 0, 10, 20), 866.9777, 207.5868),
        ((34, 54, 63, 64, 75), 57.9356, 29.2329),
        ((365, 16618, 36229, 16974, 390), 1.9623, 1.8125),
    ],
)
def test_normalized_elo_of_pairs(classes: tuple[int, ...], nelo: float, nelo_error: float) -> None:
    now = estimate(counts_of(classes))
    assert now.nelo == pytest.approx(nelo, abs=5.1e-5)
    assert now.nelo_error == pytest.approx(nelo_error, rel=1e-7, abs=5.1e-5)


@pytest.mark.parametrize(
    ("classes", "nelo", "elo", "elo_error", "los", "score"),
    [
        # T13-T18, fastchess's `elo_test.cpp`, whose own tolerance is 1 %.
        ((34, 54, 63, 64, 75), 57.94, 55.58, 27.65, 1.0, 0.579),
        ((332, 433, 498, 333, 334), -9.17, -8.64, 10.33, 0.0505, 0.488),
        ((7895, 8757, 5685, 568, 9999), -19.01, -21.04, 2.95, 0.0, 0.470),
        ((89, 123, 76), -20.76, None, None, 0.1553, 0.477),
        ((96, 111, 136), 49.77, 40.70, 30.43, 0.9960, 0.558),
        ((356, 0, 34), -508.44, None, None, None, 0.087),
    ],
)
def test_estimates_of_fastchess(
    classes: tuple[int, ...],
    nelo: float,
    elo: float | None,
    elo_error: float | None,
    los: float | None,
    score: float,
) -> None:
    now = estimate(counts_of(classes))
    assert now.nelo == pytest.approx(nelo, rel=5e-3)
    assert now.score == pytest.approx(score, abs=6e-4)
    if elo is not None:
        assert now.elo == pytest.approx(elo, rel=1e-3)
        assert now.elo_error == pytest.approx(elo_error, rel=2e-3)
    if los is not None:
        assert now.los == pytest.approx(los, abs=5.1e-5)


@pytest.mark.parametrize(
    ("alpha", "beta", "lower", "upper"),
    [
        (0.05, 0.05, -2.94443898, 2.94443898),
        (0.05, 0.10, -2.25129180, 2.89037176),
        (0.1, 0.1, -2.19722458, 2.19722458),
        (0.01, 0.01, -4.59511985, 4.59511985),
    ],
)
def test_stopping_bounds(alpha: float, beta: float, lower: float, upper: float) -> None:
    bounds = SprtBounds.from_error_rates(alpha, beta)
    assert math.isclose(bounds.lower, lower, abs_tol=5.1e-9)
    assert math.isclose(bounds.upper, upper, abs_tol=5.1e-9)
