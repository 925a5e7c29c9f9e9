"""report.html of a tuning: numbers, graphs, and heat maps of every table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from harness.files import write_whole
from harness.report.numbers import Document
from harness.report.template import extra_packages, fill
from harness.report.texel_numbers import HALVES, grid, scalar_rows, summary_rows

#: The strongest colour still lets the number in the cell be read.
_STRONGEST: Final = 0.75


class Cell(NamedTuple):
    """A weight as it is shown: colour `good` or `bad`, and how strong, 0 to 1."""

    text: str
    color: str
    strength: float
    title: str


class Map(NamedTuple):
    """One table: `after`, and so on, of a half."""

    caption: str
    rows: list[list[Cell]]


class Table(NamedTuple):
    """A term of several weights: its maps, those of a half beside each other."""

    name: str
    is_board: bool
    maps: list[Map]


def write_texel_report(document: Document, path: Path) -> None:
    """Render the tuning that `document` (texel.json) describes to `path`, all of it or nothing.

    Raises UsageError when the optional packages are missing.
    """
    write_whole(path, render(document))


def render(document: Document) -> str:
    """The page as text."""
    with extra_packages():
        from harness.report import texel_plots as plots

    calibration, phases = document["calibration"], document["phases"]
    return fill(
        "texel.html.j2",
        name=document["name"],
        sentence=document["sentence"],
        verdict=document["verify"],
        summary=summary_rows(document),
        census=document["census"],
        scalars=scalar_rows(document),
        tables=[_table(term) for term in document["terms"] if len(_values(term)) > 1],
        little_support=document["little_support"],
        judged_on=document["judged_on"],
        loss_svg=plots.loss_figure(document["path"], document["best_step"]),
        calibration_svg=plots.calibration_figure(calibration["before"], calibration["after"]),
        phase_svg=plots.phase_figure(phases["before"], phases["after"]),
        provenance=provenance(document),
    )


def provenance(document: Document) -> list[tuple[str, str]]:
    """What has to be known to tune again."""
    groups = [f"only {g}" for g in document["only"]] + [f"without {g}" for g in document["freeze"]]
    gauges = [f"{table} to {scalar or 'nothing'}" for table, scalar in document["gauges"]]
    return [
        ("sources", ", ".join(document["sources"])),
        ("base", f"{document['base']}, digest {document['base_digest']}"),
        ("weights", ", ".join(groups) or "all"),
        ("loss", f"{document['loss']}, lambda {document['lambda']:g}"),
        ("pull to the start", f"{document['ridge']:g} positions a weight"),
        ("pull of neighbouring squares", f"{document['smoothness']:g} positions"),
        ("boards equal left and right", "yes" if document["mirror"] else "no"),
        ("tables in order", ", ".join(document["monotone"]) or "none"),
        ("means moved from", ", ".join(gauges) or "none"),
        ("seed", str(document["seed"])),
        ("numbishop", document["tool_version"]),
        ("folder", document["folder"]),
    ]


def _values(term: dict[str, Any]) -> list[float]:
    values: list[float] = term["before"]["middlegame"]
    return values


def _table(term: dict[str, Any]) -> Table:
    maps = []
    for half in HALVES:
        before, after = term["before"][half], term["after"][half]
        change = [new - old for new, old in zip(after, before, strict=True)]
        known = list(zip(term["standard_error"][half], term["positions"][half], strict=True))
        most = max(1.0, *map(abs, before), *map(abs, after))
        maps += [
            Map(f"{half}, before", _cells(before, most, known)),
            Map("after", _cells(after, most, known)),
            Map("change", _cells(change, max(1.0, *map(abs, change)), known, signed=True)),
        ]
    return Table(term["name"], len(_values(term)) == 64, maps)


def _cells(
    values: Sequence[float],
    most: float,
    known: Sequence[tuple[float, int]],
    *,
    signed: bool = False,
) -> list[list[Cell]]:
    cells = [
        Cell(
            f"{value:+.0f}" if signed and value else f"{value:.0f}",
            "good" if value > 0 else "bad",
            round(_STRONGEST * abs(value) / most, 3),
            f"± {error:.1f} cp, {positions:,} positions" if positions else "never seen",
        )
        for value, (error, positions) in zip(values, known, strict=True)
    ]
    return grid(cells)
