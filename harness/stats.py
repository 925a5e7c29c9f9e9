"""The offline calculator: counts in, the numbers and the verdict of a run out, as JSON or as text.

Everything is from the point of view of the first-named player, NEW.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.elo import estimate
from harness.report.numbers import (
    FEW_GAMES,
    number,
    pair_counts,
    paste_block,
    percent,
    strength_rows,
    unbiased_rows,
    win_counts,
)
from harness.score import Counts, Pentanomial, Trinomial
from harness.sprt import (
    GAME_MODELS,
    Decision,
    Hypotheses,
    SprtState,
    guarantee_sentence,
    llr,
    verdict_sentence,
)
from harness.stopped import StoppedEstimate, estimate_stopped

if TYPE_CHECKING:
    from harness.pgn_pairs import PgnMatch
    from harness.tally import Tally

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
    state: SprtState,
    counts: Counts,
    decision: Decision,
    sentence: str,
    games: Trinomial | None = None,
) -> dict[str, Any]:
    """The outcome of a test and the numbers beside it, under the keys of run.json.

    `counts` are told of; those of `state` are single games where the test is about them.
    """
    hypotheses, bounds = state.hypotheses, state.bounds
    return {
        "decision": decision,
        "sentence": sentence,
        "llr": state.llr,
        "bounds": [bounds.lower, bounds.upper],
        "elo0": hypotheses.elo0,
        "elo1": hypotheses.elo1,
        "alpha": hypotheses.alpha,
        "beta": hypotheses.beta,
        "model": hypotheses.model,
        "overshoot": hypotheses.overshoot,
        **count_numbers(counts, games),
        **_unbiased_numbers(estimate_stopped(hypotheses, state.counts, state.llr, decision)),
    }


def _unbiased_numbers(found: StoppedEstimate | None) -> dict[str, Any]:
    """The estimates that know of the stop rule, null without results."""
    return {
        "elo_unbiased": found and found.elo,
        "elo_unbiased_ci95": found and list(found.elo_ci95),
        "nelo_unbiased": found and found.nelo,
        "nelo_unbiased_ci95": found and list(found.nelo_ci95),
        "los_unbiased": found and found.los,
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
    state = SprtState(test, counts, llr(counts, test.elo0, test.elo1, test.model))
    decision = state.decision or "undecided"
    sentence = verdict_sentence(decision, test, state.llr, counts.games, new, base)
    return {"schema": SCHEMA, **sprt_numbers(state, counts, decision, sentence, games)}


def stats_of_tally(tally: Tally, new: str, base: str, own: str) -> dict[str, Any]:
    """The document of another test of a run's pairs, up to where it would have stopped.

    Chosen when the results were known, so its error rates are not those of a test: it is marked as
    after the fact. `own` tells of the run's own test.
    """
    decision, test = tally.decision or "undecided", tally.hypotheses
    sentence = verdict_sentence(
        decision,
        test,
        tally.state.llr,
        tally.pentanomial.games,
        new,
        base,
        tally.reason_against(new, base) or "",
        tally.state.bounds,
    )
    return {
        "schema": SCHEMA,
        **sprt_numbers(
            tally.state, tally.pentanomial, decision, f"After the fact: {sentence}", tally.games
        ),
        "after_the_fact": True,
        "new": {"name": new},
        "base": {"name": base},
        "notes": [
            f"the run's own test: {own}",
            "a test chosen after its games were seen does not have the error rates it names",
        ],
    }


def stats_of_match(match: PgnMatch, hypotheses: Hypotheses) -> dict[str, Any]:
    """The document of a PGN's match: its own names, and what was taken from it, under `notes`."""
    counts = match.games if hypotheses.model in GAME_MODELS else match.pairs
    report = stats_report(counts, hypotheses, match.new, match.base, match.games)
    names = {"new": {"name": match.new}, "base": {"name": match.base}}
    return {**report, **names, "notes": match.notes()}


def render_report(report: dict[str, Any], hypotheses: Hypotheses) -> str:
    """A document of this module, or that of a run, as lines of text."""
    low, high = report["bounds"]
    pairs, games = report["ptnml"] is not None, report["games_counted"]
    rows = [
        ("LLR", f"{number(report['llr'])}  (bounds {number(low)}, {number(high)})"),
        *strength_rows(report, 2),
        *unbiased_rows(report, 2),
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
