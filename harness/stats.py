"""The offline calculator: counts in, the numbers and the verdict of a run out, as JSON or as text.

Everything is from the point of view of the first-named player, NEW.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from harness.elo import estimate
from harness.report.numbers import (
    FEW_GAMES,
    number,
    pair_counts,
    paste_block,
    percent,
    strength_rows,
    win_counts,
)
from harness.score import Counts, Pentanomial, Trinomial
from harness.sprt import Decision, Hypotheses, guarantee_sentence, llr, verdict_sentence

if TYPE_CHECKING:
    from harness.pgn_pairs import PgnMatch

#: Version of the JSON document; it grows when a key changes its meaning or disappears.
SCHEMA = 1


def count_numbers(counts: Counts, games: Trinomial | None = None) -> dict[str, Any]:
    """What counts say without a test, under the keys of run.json; every number is finite.

    `games` are the single games of pairs, where they are known.
    """
    now = estimate(counts)
    pairs = isinstance(counts, Pentanomial)
    singles = games if isinstance(counts, Pentanomial) else counts
    return {
        "score": now.score,
        "elo": now.elo,
        "elo_ci95": list(now.elo_ci95),
        "nelo": now.nelo,
        "nelo_ci95": list(now.nelo_ci95),
        "los": now.los,
        "draw_ratio": now.draw_ratio,
        "pairs_ratio": now.pairs_ratio,
        "ptnml": list(counts.classes) if pairs else None,
        "wdl": None if singles is None else list(singles.classes[::-1]),
        "games_counted": counts.games,
    }


def sprt_numbers(
    hypotheses: Hypotheses,
    counts: Counts,
    llr_now: float,
    decision: Decision,
    sentence: str,
    games: Trinomial | None = None,
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
        **count_numbers(counts, games),
    }


def stats_report(
    counts: Counts,
    hypotheses: Hypotheses,
    new: str = "new",
    base: str = "base",
    games: Trinomial | None = None,
) -> dict[str, Any]:
    """The document of `harness stats`: the verdict as if the test had stopped at these counts."""
    test = hypotheses
    llr_now = llr(counts, test.elo0, test.elo1, test.model)
    decision = test.bounds.verdict(llr_now) or "undecided"
    sentence = verdict_sentence(decision, test, llr_now, counts.games, new, base)
    return {"schema": SCHEMA, **sprt_numbers(test, counts, llr_now, decision, sentence, games)}


def stats_of_match(match: PgnMatch, hypotheses: Hypotheses) -> dict[str, Any]:
    """The document of a PGN's match: its own names, and what was taken from it, under `notes`."""
    counts = match.games if hypotheses.model == "trinomial" else match.pairs
    report = stats_report(counts, hypotheses, match.new, match.base, match.games)
    names = {"new": {"name": match.new}, "base": {"name": match.base}}
    return {**report, **names, "notes": match.notes()}


def stats_of_run(document: Mapping[str, Any], hypotheses: Hypotheses) -> dict[str, Any]:
    """The document of another test of a run's games; `document` is that of the run."""
    wins, draws, losses = document["wdl"]
    games = Trinomial(losses, draws, wins)
    counts = games if hypotheses.model == "trinomial" else Pentanomial(*document["ptnml"])
    names = document["new"]["name"], document["base"]["name"]
    return stats_report(counts, hypotheses, *names, games)


def render_report(report: dict[str, Any], hypotheses: Hypotheses) -> str:
    """A document of this module, or that of a run, as lines of text."""
    low, high = report["bounds"]
    pairs, games = report["ptnml"] is not None, report["games_counted"]
    rows = [
        ("LLR", f"{number(report['llr'])}  (bounds {number(low)}, {number(high)})"),
        *strength_rows(report, 2),
        ("LOS", percent(report["los"] if games >= FEW_GAMES else None, 2)),
        ("score", f"{percent(report['score'], 2)} of {games} games"),
    ]
    if report["wdl"] is not None:
        rows.append(("W/D/L", win_counts(report["wdl"])))
    if pairs:
        rows += [
            ("ptnml", pair_counts(report["ptnml"])),
            ("even pairs", percent(report["draw_ratio"])),
            ("won/lost pairs", number(report["pairs_ratio"])),
        ]
    else:
        rows.append(("draws", percent(report["draw_ratio"])))
    table = [f"{label:<15} {value}" for label, value in rows]
    taken = report.get("notes", [])
    notes = [guarantee_sentence(hypotheses), *hypotheses.warnings()]
    head = [report["sentence"], *taken, "", *paste_block(report)]
    return "\n".join([*head, "", *table, "", *notes])
