"""report.html of a study: claimed beside confirmed, history, importances, slices, contours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from harness.errors import UsageError
from harness.files import write_whole
from harness.report.numbers import Document
from harness.report.template import extra_packages, fill

#: The document of a study, in its folder.
STUDY: Final = "search.json"


def read_study(folder: Path) -> Document:
    """The document of a study that has been played. Raises UsageError."""
    path = folder / STUDY
    if not path.exists():
        raise UsageError(f"{path}: no such file; expected a study that came to its race")
    document: Document = json.loads(path.read_text(encoding="utf-8"))
    return document


def write_search_report(document: Document, path: Path) -> None:
    """Render the study that `document` (search.json) describes to `path`, all of it or nothing.

    Raises UsageError when the optional packages are missing.
    """
    write_whole(path, render(document))


def render(document: Document) -> str:
    """The page as text."""
    with extra_packages():
        from harness.report import search_plots as plots

    response = document.get("response")
    return fill(
        "search.html.j2",
        name=document["name"],
        sentence=document["sentence"],
        parameters=parameter_rows(document),
        strengths=strength_rows(document),
        history_svg=plots.history_figure(_against_base(document), document.get("incumbents", [])),
        importance_svg=response and plots.importance_figure(response["importances"]),
        slices=_slices(document),
        contour_svg=_contour(document),
        failed=[one for one in document["trials"] if one["reason"]],
        provenance=provenance(document),
    )


def parameter_rows(document: Document) -> list[tuple[str, str, str, str]]:
    """Name, range, the base's value and the one that was found."""
    base, found = document["base_values"] or {}, document["values"] or {}
    return [
        (
            one["name"],
            f"{_shown(one, one['low'])} to {_shown(one, one['high'])}",
            _shown(one, base.get(one["name"])),
            _shown(one, found.get(one["name"])),
        )
        for one in document["space"]["dimensions"]
    ]


def strength_rows(document: Document) -> list[tuple[str, str, str, str]]:
    """What was claimed, and what each test has found: label, Elo, verdict, and the test's page."""
    rows = []
    claimed = document["claimed"]
    if claimed is not None:
        rows.append(
            ("claimed by the search", _elo(claimed["elo"], claimed["low"], claimed["high"]), "", "")
        )
    for number, test in enumerate(document["confirmed"]):
        label = "confirmed" if number == 0 else "confirmed with more nodes"
        rows.append(
            (
                f"{label}, {test['limit']}",
                _elo(test["elo"], *test["elo_ci95"]),
                f"{test['decision']} after {test['games_counted']:,} games",
                f"{Path(test['run_dir']).name}/report.html",
            )
        )
    return rows


def provenance(document: Document) -> list[tuple[str, str]]:
    """What has to be known to search again."""
    rules = document["rules"]
    return [
        ("sampler", document["sampler"]),
        ("games of the search", f"{document['games']:,} of {rules['games']:,}"),
        ("pairs of a trial", f"at most {rules['trial_pairs']}, in steps of {rules['batch_pairs']}"),
        ("trials open at a time", str(rules["in_flight"])),
        ("limit", document["limit"]),
        ("seed", str(document["seed"])),
        ("base", f"{document['base']}, digest {document['base_digest']}"),
        ("engine source", document["source_digest"]),
        ("specification", document["spec_hash"]),
        ("numbishop", document["tool_version"]),
        ("folder", document["folder"]),
    ]


def _elo(elo: float, low: float, high: float) -> str:
    return f"{elo:+.1f} [{low:+.1f}, {high:+.1f}] Elo"


def _shown(dimension: dict[str, Any], value: int | None) -> str:
    scale = dimension["scale"]
    return "" if value is None else f"{value / scale:.{len(str(scale)) - 1}f}"


def _against_base(document: Document) -> list[dict[str, Any]]:
    return [one for one in document["trials"] if one["opponent"] is None and "elo" in one]


def _slices(document: Document) -> list[tuple[str, str]]:
    """Name and graph of each dimension's slice."""
    from harness.report.search_plots import slice_figure

    if "response" not in document:
        return []
    base, shown = document["base_values"] or {}, []
    for one in document["space"]["dimensions"]:
        name, scale = one["name"], one["scale"]
        trials = [
            {"x": trial["values"][name] / scale, "elo": trial["elo"]}
            for trial in _against_base(document)
        ]
        figure = slice_figure(
            name,
            one["log"],
            document["response"]["slices"][name],
            document["values"][name] / scale,
            base[name] / scale if name in base else None,
            trials,
        )
        shown.append((name, figure))
    return shown


def _contour(document: Document) -> str | None:
    from harness.report.search_plots import contour_figure

    contour = document.get("response", {}).get("contour")
    if contour is None:
        return None
    scales = {one["name"]: one["scale"] for one in document["space"]["dimensions"]}
    first, second = (document["values"][name] / scales[name] for name in contour["names"])
    return contour_figure(contour, (first, second))
