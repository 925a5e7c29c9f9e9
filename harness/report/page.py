"""Puts the page together: text from numbers.py, graphs from plots.py, form from report.html.j2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from harness.report.numbers import (
    Document,
    duration,
    key_numbers,
    number,
    paste_block,
    speed_ratio,
    speed_warning,
)
from harness.report.paths import elo_path, thin
from harness.report.template import extra_packages, fill


def render(document: Document) -> str:
    """The page as text."""
    with extra_packages():
        from harness.report import plots

    low, high = document["bounds"]
    elo_points = elo_path(document["pairs"])
    return fill(
        "report.html.j2",
        sentence=document["sentence"],
        differences=document["differences"],
        paste="\n".join(paste_block(document)),
        decision=document["decision"],
        sides=sides(document),
        speed_ratio=speed_ratio(document),
        warning=speed_warning(document),
        numbers=key_numbers(document),
        llr_svg=plots.llr_figure(thin(document["llr_path"]), (low, high)),
        elo_svg=plots.elo_figure(elo_points) if elo_points else None,
        pairs_svg=plots.pairs_figure(document["ptnml"], document["new"]["name"]),
        endings=sorted(document["terminations"].items(), key=lambda item: -item[1]),
        provenance=provenance(document),
    )


def sides(document: Document) -> list[dict[str, Any]]:
    """What tells the two players apart: name, speed, depth."""
    machine_nps = document["machine"]["nps"]
    return [
        {
            "role": role.upper(),
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
    new, base = document["new"], document["base"]
    rows = [
        ("hypotheses", f"[{document['elo0']:g}, {document['elo1']:g}], {document['model']} model"),
        ("error rates", f"alpha {document['alpha']:g}, beta {document['beta']:g}"),
        ("most games", f"{document['max_games']:,}"),
        ("limit", document["limit"]),
        *(
            (f"options of {side['name']}", options_in_words(side["options"]))
            for side in (new, base)
        ),
        ("adjudication", document["adjudication"]),
        ("openings", document["openings"]),
        ("seed", str(document["seed"])),
        (f"digest of {new['name']}", new["digest"]),
        (f"digest of {base['name']}", base["digest"]),
        ("engine source", document["source_digest"]),
        ("specification", document["spec_hash"]),
        ("numbishop", document["tool_version"]),
        ("run folder", str(document["run_dir"])),
    ]
    return rows + machine_rows(document["machine"])


def machine_rows(machine: Mapping[str, Any]) -> list[tuple[str, str]]:
    """When and on what a run was played."""
    return [
        (label, _in_words(machine[key], unit))
        for key, label, unit in _MACHINE_ROWS
        if machine.get(key) is not None
    ]


def options_in_words(options: Mapping[str, str]) -> str:
    """A player's options in one line."""
    sizes = {name: f"{value} MB" if name == "Hash" else value for name, value in options.items()}
    return ", ".join(f"{name} {value}" for name, value in sizes.items()) or "none"


def _in_words(value: Any, unit: str) -> str:
    if unit == "s":
        return duration(value)
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


#: Key under "machine", label, unit; the keys that are not here are shown elsewhere on the page.
_MACHINE_ROWS: Final = (
    ("started", "started (UTC)", ""),
    ("elapsed_s", "time elapsed", "s"),
    ("busy_s", "time playing, all workers together", "s"),
    ("concurrency", "games at a time", ""),
    ("sittings", "sittings", ""),
    ("games_beyond", "games beyond the stop, not counted", ""),
    ("git_commit", "git commit", ""),
    ("git_dirty", "changed since that commit", ""),
    ("cpu", "processor", ""),
    ("cores", "cores", ""),
    ("platform", "system", ""),
    ("python", "Python", ""),
    ("numba", "Numba", ""),
    ("numpy", "NumPy", ""),
    ("build_digest", "compiled code", ""),
)
