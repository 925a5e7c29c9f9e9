"""The page of a tournament: text from tournament_numbers.py, form from tournament.html.j2."""

from __future__ import annotations

from harness.report.numbers import Document, duration, fault_counts, number
from harness.report.page import machine_rows, options_in_words
from harness.report.template import fill
from harness.report.tournament_numbers import (
    ENCOUNTER_HEADS,
    OPPONENT_HEADS,
    STANDING_HEADS,
    encounter_row,
    match_numbers,
    opponent_rows,
    rated_by_anchors,
    standing_row,
    versus_heads,
    versus_rows,
)


def render_tournament(document: Document) -> str:
    """The page as text."""
    anchored = bool(document["anchors"])
    return fill(
        "tournament.html.j2",
        title=document["title"],
        sentence=document["sentence"],
        decision=document["decision"],
        match=match_numbers(document) if document["form"] == "match" else None,
        standings=(STANDING_HEADS, [standing_row(row, anchored) for row in document["standings"]]),
        anchored=anchored,
        versus=(versus_heads(document), versus_rows(document)),
        encounters=(ENCOUNTER_HEADS, [encounter_row(row) for row in document["encounters"]]),
        opponents=[
            (row["name"], OPPONENT_HEADS, opponent_rows(row)) for row in rated_by_anchors(document)
        ],
        endings=sorted(document["terminations"].items(), key=lambda item: -item[1]),
        facts=facts(document),
        provenance=provenance(document),
    )


def facts(document: Document) -> list[tuple[str, str]]:
    """How much was played, and what went wrong."""
    machine = document["machine"]
    return [
        ("games", f"{document['games_played']:,} of {document['games_wanted']:,}"),
        ("pace", f"{number(document['games_per_min'], 0)} games a minute"),
        ("time elapsed", duration(machine["elapsed_s"])),
        ("duplicate pairs", f"{document['duplicates']:,}"),
        ("faults", fault_counts(document["faults"])),
        *(
            (f"nodes/s of {row['name']}", number(nps, 0))
            for row, nps in zip(document["standings"], machine["nps"], strict=True)
        ),
    ]


def provenance(document: Document) -> list[tuple[str, str]]:
    """Everything that has to be known to play the tournament again, then where it was played."""
    return [
        ("form", document["form"]),
        ("limit", document["limit"]),
        ("adjudication", document["adjudication"]),
        ("openings", document["openings"]),
        ("seed", str(document["seed"])),
        *(
            (
                player["name"],
                f"{player['source']}, {options_in_words(player['options'])}, digest"
                f" {player['digest'][:12]}",
            )
            for player in document["players"]
        ),
        ("engine source", document["source_digest"]),
        ("specification", document["spec_hash"]),
        ("numbishop", document["tool_version"]),
        ("run folder", str(document["run_dir"])),
        *machine_rows(document["machine"]),
    ]
