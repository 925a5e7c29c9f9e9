"""The document and the text of `harness stats`."""

import json

import pytest

from harness.elo import estimate
from harness.score import Pentanomial, parse_ptnml, parse_wdl
from harness.sprt import GAIN, NON_REGRESSION, Hypotheses, llr
from harness.stats import SCHEMA, count_numbers, render_report, stats_report

PAIRS = parse_ptnml("43,61,144,55,37")


def test_the_document_of_pairs() -> None:
    report = stats_report(PAIRS, Hypotheses(*GAIN), "lmr", "main")
    now = estimate(PAIRS)
    assert report == {
        "schema": SCHEMA,
        "decision": "undecided",
        "sentence": report["sentence"],
        "llr": llr(PAIRS, 0, 5),
        "bounds": [pytest.approx(-2.944439), pytest.approx(2.944439)],
        "elo0": 0,
        "elo1": 5,
        "alpha": 0.05,
        "beta": 0.05,
        "model": "normalized",
        "score": (0.25 * 61 + 0.5 * 144 + 0.75 * 55 + 37) / 340,
        "elo": now.elo,
        "elo_ci95": list(now.elo_ci95),
        "nelo": now.nelo,
        "nelo_ci95": list(now.nelo_ci95),
        "los": now.los,
        "draw_ratio": 144 / 340,
        "pairs_ratio": 92 / 104,
        "ptnml": [43, 61, 144, 55, 37],
        "wdl": None,
        "games_counted": 680,
    }
    assert report["sentence"].startswith("lmr against main is undecided")
    assert report["sentence"].endswith("LLR -0.39 [-2.94, 2.94], 680 games).")


def test_the_document_of_games_keeps_wins_first() -> None:
    report = stats_report(parse_wdl("30,20,10"), Hypotheses(0, 5, model="trinomial"))
    assert report["wdl"] == [30, 20, 10]
    assert report["ptnml"] is None
    assert report["pairs_ratio"] is None
    assert report["score"] == 40 / 60
    assert report["games_counted"] == 60


@pytest.mark.parametrize(
    ("counts", "bounds", "decision", "claim"),
    [
        ("100,2000,5000,2600,200", GAIN, "H1", "new is stronger than base"),
        ("200,2600,5000,2000,100", GAIN, "H0", "new shows no gain of 5 nElo or more over base"),
        ("100,2400,5000,2400,100", NON_REGRESSION, "undecided", "new against base is undecided"),
        ("400,9600,20000,9700,400", NON_REGRESSION, "H1", "new shows no loss of 5 nElo or more"),
    ],
)
def test_the_verdict_is_that_of_a_test_stopped_here(
    counts: str, bounds: tuple[float, float], decision: str, claim: str
) -> None:
    report = stats_report(parse_ptnml(counts), Hypotheses(*bounds))
    assert report["decision"] == decision
    assert report["sentence"].startswith(claim)


@pytest.mark.parametrize("counts", ["0,0,0,0,0", "0,0,0,0,9", "9,0,0,0,0", "0,0,100,0,0"])
def test_the_document_is_json_for_any_counts(counts: str) -> None:
    report = stats_report(parse_ptnml(counts), Hypotheses(-150, 150))
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_the_text_says_what_the_document_says() -> None:
    hypotheses = Hypotheses(*GAIN)
    lines = render_report(stats_report(PAIRS, hypotheses), hypotheses).splitlines()
    assert lines[0].startswith("new against base is undecided")
    assert lines[2:10] == [
        "LLR             -0.39  (bounds -2.94, 2.94)",
        "Elo             -9.20  [-30.16, +11.69]",
        "nElo            -11.50  [-37.64, +14.65]",
        "LOS             19.41 %",
        "score           48.68 % of 680 games",
        "ptnml           [43, 61, 144, 55, 37]",
        "even pairs      42.4 %",
        "won/lost pairs  0.88",
    ]
    assert lines[-1].startswith("With a gain of 0 nElo or less a patch passes this test")


def test_the_text_of_games_and_of_wide_bounds() -> None:
    hypotheses = Hypotheses(0, 150)
    text = render_report(stats_report(parse_wdl("30,20,10"), hypotheses), hypotheses)
    assert "WDL             [30, 20, 10]\ndraws           33.3 %\n\n" in text
    assert text.splitlines()[-1].startswith("a bound of 150 nElo is beyond +-100")


def test_counts_alone_have_no_verdict() -> None:
    numbers = count_numbers(Pentanomial(0, 0, 100, 0, 0))
    assert "llr" not in numbers
    assert (numbers["elo"], numbers["draw_ratio"], numbers["pairs_ratio"]) == (0.0, 1.0, None)
