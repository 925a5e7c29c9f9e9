"""The numbers of a tuning as text, the same for the terminal and for report.html.

Reads the document of texel.json (docs/texel.md has its keys).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeVar

from harness.report.numbers import Document, number, percent

HALVES: Final = ("middlegame", "endgame")
_ENDINGS: Final = {
    "converged": "converged",
    "validation": "stopped, since the validation loss got no better",
    "steps": "stopped at the most steps allowed",
    "interrupted": "interrupted",
}


Shown = TypeVar("Shown")


class ScalarRow(NamedTuple):
    """A term of one weight: its name, and of each half before and after with its error."""

    name: str
    cells: tuple[str, str, str, str]


def sentence(document: Document) -> str:
    """What a tuning came to, in one sentence."""
    judged = document["judged_on"]
    losses = document["losses"][judged]
    if document["best_step"] == 0:
        return (
            f"{document['name']}: no weights were better than those of {document['base']} in the"
            f" {judged} loss, {losses['start']:.6f}; they stay as they are."
        )
    moved = sum(
        before != after
        for term in document["terms"]
        for half in HALVES
        for before, after in zip(term["before"][half], term["after"][half], strict=True)
    )
    return (
        f"{document['name']}: {moved:,} weights of {document['base']} changed; the {judged} loss is"
        f" {losses['whole']:.6f} instead of {losses['start']:.6f}"
        f" ({_change(losses)})."
    )


def summary_rows(document: Document) -> list[tuple[str, str]]:
    """Label and value of what a tuning came to, in reading order."""
    counts, path = document["positions"], document["path"]
    return [
        ("positions", f"{counts['train']:,} train, {counts['validation']:,} validation"),
        ("scale", f"K {document['k_400']:.3f} (per 400 cp, base e): {_of_a_pawn(document)}"),
        *_loss_rows(document),
        ("rounding", rounding_sentence(document)),
        (
            "fit",
            f"{document['method']}, {path[-1][0]} steps, {_ENDINGS[document['ending']]};"
            f" kept step {document['best_step']}",
        ),
        ("little support", _support(document)),
    ]


def _of_a_pawn(document: Document) -> str:
    expected = 1.0 / (1.0 + math.exp(-100.0 * document["k"]))
    return f"100 cp are {percent(expected)}"


def _change(losses: Document) -> str:
    gain = 1.0 - losses["whole"] / losses["start"]
    return f"{percent(abs(gain), 2)} {'less' if gain >= 0 else 'MORE'}"


def _loss_rows(document: Document) -> list[tuple[str, str]]:
    rows = []
    for name in ("train", "validation"):
        losses = document["losses"][name]
        if losses is not None:
            rows.append(
                (
                    f"{name} loss",
                    f"{losses['start']:.6f} before, {losses['whole']:.6f} after"
                    f" ({_change(losses)})",
                )
            )
    return rows


def rounding_sentence(document: Document) -> str:
    """What whole centipawns cost, in the loss of the training positions."""
    losses = document["losses"]
    fitted, nearest, whole = (
        losses["train"]["fitted"],
        losses["nearest_whole"],
        losses["train"]["whole"],
    )
    return (
        f"costs {1e6 * (nearest - fitted):+.2f}e-6,"
        f" {1e6 * (whole - fitted):+.2f}e-6 after {losses['repairing_steps']} unit steps"
    )


def _support(document: Document) -> str:
    names = document["little_support"]
    free = sum(any(term["data_share"][half]) for term in document["terms"] for half in HALVES)
    return f"{len(names)} weights stay near their start" if free and names else "none"


def scalar_rows(document: Document) -> list[ScalarRow]:
    """The terms of one weight that are tuned, material first, as the terms come."""
    return [
        ScalarRow(term["name"], _cells(term))
        for term in document["terms"]
        if len(term["before"]["middlegame"]) == 1
    ]


def scalar_lines(document: Document) -> list[str]:
    """The same as lines of text."""
    head = ("", "middlegame", "after", "endgame", "after")
    rows = [head, *((row.name, *row.cells) for row in scalar_rows(document))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    return [
        "  ".join([f"{row[0]:<{widths[0]}}", *(f"{row[i]:>{widths[i]}}" for i in range(1, 5))])
        for row in rows
    ]


def _cells(term: dict[str, Any]) -> tuple[str, str, str, str]:
    cells = []
    for half in HALVES:
        cells.append(number(term["before"][half][0], 0))
        error = term["standard_error"][half][0]
        after = number(term["after"][half][0], 0)
        cells.append(f"{after} ± {error:.1f}" if error else after)
    return (cells[0], cells[1], cells[2], cells[3])


def grid(values: Sequence[Shown]) -> list[list[Shown]]:
    """A table's weights as rows to be printed: a board with rank 8 first, else one row."""
    if len(values) != 64:
        return [list(values)]
    return [list(values[8 * rank : 8 * rank + 8]) for rank in range(7, -1, -1)]
