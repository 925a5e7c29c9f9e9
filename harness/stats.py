"""The offline calculator: counts in, the numbers and the verdict of a run out, as JSON or as text.

Everything is from the point of view of the first-named player, NEW.
"""

from __future__ import annotations

from typing import Any

from harness.elo import estimate
from harness.report.numbers import interval, number, pair_counts, percent
from harness.score import Counts, Pentanomial
from harness.sprt import Decision, Hypotheses, guarantee_sentence, llr, verdict_sentence

#: Version of the JSON document; it grows when a key changes its meaning or disappears.
SCHEMA = 1


def count_numbers(counts: Counts) -> dict[str, Any]:
    """What counts say without a test, under the keys of run.json; every number is finite."""
    now = estimate(counts)
    pairs = isinstance(counts, Pentanomial)
    classes = list(counts.classes)
    return {
        "score": now.score,
        "elo": now.elo,
        "elo_ci95": list(now.elo_ci95),
        "nelo": now.nelo,
        "nelo_ci95": list(now.nelo_ci95),
        "los": now.los,
        "draw_ratio": now.draw_ratio,
        "pairs_ratio": now.pairs_ratio,
        "ptnml": classes if pairs else None,
        "wdl": None if pairs else classes[::-1],
        "games_counted": counts.games,
    }


def sprt_numbers(
    hypotheses: Hypotheses,
    counts: Counts,
    llr_now: float,
    decision: Decision,
    sentence: str,
) -> dict[str, Any]:
    """The outcome of a test and the numbers beside it, under the keys of run.json."""
    bounds = hypotheses.bounds
    return {
        "decision": decision,
        "sentence": sentence,
        "llr": llr_now,
        "bounds": [bounds.lower, bounds.upper],
        "elo0": hypotheses.elo0,
        "elo1": hypotheses.elo1,
        "alpha": hypotheses.alpha,
        "beta": hypotheses.beta,
        "model": hypotheses.model,
        **count_numbers(counts),
    }


def stats_report(
    counts: Counts, hypotheses: Hypotheses, new: str = "new", base: str = "base"
) -> dict[str, Any]:
    """The document of `harness stats`: the verdict as if the test had stopped at these counts."""
    test = hypotheses
    llr_now = llr(counts, test.elo0, test.elo1, test.model)
    decision = test.bounds.verdict(llr_now) or "undecided"
    sentence = verdict_sentence(decision, test, llr_now, counts.games, new, base)
    return {"schema": SCHEMA, **sprt_numbers(test, counts, llr_now, decision, sentence)}


def render_report(report: dict[str, Any], hypotheses: Hypotheses) -> str:
    """The document of `stats_report` as lines of text."""
    low, high = report["bounds"]
    pairs = report["ptnml"] is not None
    rows = [
        ("LLR", f"{number(report['llr'])}  (bounds {number(low)}, {number(high)})"),
        ("Elo", f"{number(report['elo'], signed=True)}  {interval(report['elo_ci95'], 2)}"),
        ("nElo", f"{number(report['nelo'], signed=True)}  {interval(report['nelo_ci95'], 2)}"),
        ("LOS", percent(report["los"], 2)),
        ("score", f"{percent(report['score'], 2)} of {report['games_counted']} games"),
        ("ptnml", pair_counts(report["ptnml"])) if pairs else ("WDL", pair_counts(report["wdl"])),
        ("even pairs" if pairs else "draws", percent(report["draw_ratio"])),
    ]
    if pairs:
        rows.append(("won/lost pairs", number(report["pairs_ratio"])))
    table = [f"{label:<15} {value}" for label, value in rows]
    notes = [guarantee_sentence(hypotheses), *hypotheses.warnings()]
    return "\n".join([report["sentence"], "", *table, "", *notes])
