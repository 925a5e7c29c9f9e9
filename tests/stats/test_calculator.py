"""The document and the text of `harness stats`."""

import json

import pytest

from harness.elo import estimate
from harness.pgn_pairs import PgnMatch
from harness.score import Pentanomial, Trinomial, parse_ptnml, parse_wdl
from harness.sprt import GAIN, NON_REGRESSION, Hypotheses, llr
from harness.stats import (
    SCHEMA,
    count_numbers,
    render_report,
    stats_of_match,
    stats_report,
)
from harness.stopped import estimate_stopped

PAIRS = parse_ptnml("43,61,144,55,37")


def test_the_document_of_pairs() -> None:
    report = stats_report(PAIRS, Hypotheses(*GAIN), "lmr", "main")
    now = estimate(PAIRS)
    found = estimate_stopped(Hypotheses(*GAIN), PAIRS, llr(PAIRS, 0, 5), "undecided")
    assert found is not None
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
        "overshoot": False,
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
        "elo_unbiased": found.elo,
        "elo_unbiased_ci95": list(found.elo_ci95),
        "nelo_unbiased": found.nelo,
        "nelo_unbiased_ci95": list(found.nelo_ci95),
        "los_unbiased": found.los,
    }
    assert report["sentence"].startswith(
        "Inconclusive after 680 games: lmr against main, LLR -0.39 in [-2.94, 2.94]; neither"
    )


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
        ("100,2400,5000,2400,100", NON_REGRESSION, "undecided", "Inconclusive after 20000 games"),
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
    assert lines[0].startswith("Inconclusive after 680 games: new against base")
    assert lines[2:7] == [
        "Elo   | -9.20  [-30.16, +11.69]",
        "nElo  | -11.50  [-37.64, +14.65]",
        "LLR   | -0.39 (-2.94, 2.94) [0.00, 5.00] nElo",
        "Games | N: 680",
        "Penta | [43, 61, 144, 55, 37]",
    ]
    assert lines[8:18] == [
        "LLR             -0.39  (bounds -2.94, 2.94)",
        "Elo             -9.20  [-30.16, +11.69]",
        "nElo            -11.50  [-37.64, +14.65]",
        "Elo, unbiased   -9.19  [-30.15, +11.71]",
        "nElo, unbiased  -11.48  [-37.59, +14.63]",
        "LOS             19.41 %",
        "score           48.68 % of 680 games",
        "ptnml           [43, 61, 144, 55, 37]",
        "even pairs      42.4 %",
        "won/lost pairs  0.88",
    ]
    assert lines[-1].startswith("What this test promises: a change that is really a gain of 0 nElo")


def test_the_text_of_games_and_of_wide_bounds() -> None:
    hypotheses = Hypotheses(0, 150)
    text = render_report(stats_report(parse_wdl("30,20,10"), hypotheses), hypotheses)
    assert "W/D/L           30 / 20 / 10\ndraws           33.3 %\n\n" in text
    assert "Games | N: 60 W: 30 D: 20 L: 10\n" in text
    assert text.splitlines()[-1].startswith("a bound of 150 nElo is beyond +-100")


def test_a_handful_of_games_has_no_interval() -> None:
    hypotheses = Hypotheses(*GAIN)
    text = render_report(stats_report(Pentanomial(0, 0, 1, 2, 1), hypotheses), hypotheses)
    assert "Elo             –  [–, –]\n" in text
    assert "LOS             –\n" in text


MATCH = PgnMatch("dev", "main", Pentanomial(1, 2, 8, 4, 1), Trinomial(9, 11, 12), ("game 33",))


def test_a_pgn_keeps_its_names_and_tells_who_is_new() -> None:
    hypotheses = Hypotheses(*GAIN)
    report = stats_of_match(MATCH, hypotheses)
    assert (report["new"], report["base"]) == ({"name": "dev"}, {"name": "main"})
    assert report["wdl"] == [12, 11, 9]
    lines = render_report(report, hypotheses).splitlines()
    assert "dev against main" in lines[0]
    assert lines[1:3] == [
        "NEW is dev, BASE is main (as the PGN names them)",
        "1 game without partner ignored: game 33",
    ]


def test_a_pgn_holds_each_game() -> None:
    report = stats_of_match(MATCH, Hypotheses(0, 5, model="trinomial"))
    assert report["llr"] == llr(MATCH.games, 0, 5, "trinomial")
    assert (report["ptnml"], report["wdl"]) == (None, [12, 11, 9])
    assert stats_of_match(MATCH, Hypotheses(*GAIN))["ptnml"] == [1, 2, 8, 4, 1]


def test_counts_alone_have_no_verdict() -> None:
    numbers = count_numbers(Pentanomial(0, 0, 100, 0, 0))
    assert "llr" not in numbers
    assert (numbers["elo"], numbers["draw_ratio"], numbers["pairs_ratio"]) == (0.0, 1.0, None)
