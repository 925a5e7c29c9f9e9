"""Puts the page together: text from numbers.py, graphs from plots.py, form from report.html.j2."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path
from typing import Any

from harness.errors import UsageError
from harness.report.numbers import (
    Document,
    duration,
    key_numbers,
    number,
    speed_ratio,
    speed_warning,
)
from harness.report.paths import elo_path, thin

INSTALL = "report.html needs the extra packages of the report: pip install 'numbishop[report]'"


def write_report(document: Document, path: Path) -> None:
    """Render the run that `document` (run.json) describes to `path`, all of it or nothing.

    Raises UsageError when the optional packages are missing.
    """
    page = render(document)
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_text(page, encoding="utf-8")
    os.replace(unfinished, path)


def render(document: Document) -> str:
    """The page as text."""
    try:
        import jinja2

        from harness.report import plots
    except ImportError as missing:
        raise UsageError(f"{INSTALL} ({missing.name} is missing)") from missing

    template = resources.files("harness.report").joinpath("report.html.j2").read_text("utf-8")
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    low, high = document["bounds"]
    elo_points = elo_path(document["pairs"])
    return environment.from_string(template).render(
        sentence=document["sentence"],
        decision=document["decision"],
        sides=sides(document),
        speed_ratio=speed_ratio(document),
        warning=speed_warning(document),
        numbers=key_numbers(document),
        llr_svg=plots.llr_figure(thin(document["llr_path"]), (low, high)),
        elo_svg=plots.elo_figure(elo_points) if elo_points else None,
        pairs_svg=plots.pairs_figure(document["ptnml"]),
        endings=sorted(document["terminations"].items(), key=lambda item: -item[1]),
        provenance=provenance(document),
    )


def sides(document: Document) -> list[dict[str, Any]]:
    """What tells the two players apart: name, what differs, speed, depth."""
    machine_nps = document["machine"]["nps"]
    return [
        {
            "role": role,
            "name": document[role]["name"],
            "nps": number(nps, 0),
            "depth": number(depth, 1),
        }
        for role, nps, depth in zip(
            ("new", "base"), machine_nps, document["mean_depth"], strict=True
        )
    ]


def provenance(document: Document) -> list[tuple[str, str]]:
    """Everything that has to be known to play the run again, then where it was played."""
    machine = document["machine"]
    rows = [
        ("hypotheses", f"[{document['elo0']:g}, {document['elo1']:g}], {document['model']} model"),
        ("error rates", f"alpha {document['alpha']:g}, beta {document['beta']:g}"),
        ("limit", document["limit"]),
        ("openings", document["openings"]),
        ("seed", str(document["seed"])),
        ("new", document["new"]["digest"]),
        ("base", document["base"]["digest"]),
        ("engine source", document["source_digest"]),
        ("spec hash", document["spec_hash"]),
        ("numbishop", document["tool_version"]),
        ("run", str(document["run_dir"])),
        ("time", duration(machine["elapsed_s"])),
    ]
    shown_above = {"elapsed_s", "games", "interrupted"}
    rows += [
        (name.replace("_", " "), str(value))
        for name, value in machine.items()
        if name not in shown_above and not name.startswith("nps")
    ]
    return rows
