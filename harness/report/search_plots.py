"""The graphs of a study's report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

from harness.report.svg import BAD, FAINT, GOOD, INK, MAIN, STYLE, new_axes, svg_of

Document = Mapping[str, Any]


def history_figure(trials: Sequence[Document], incumbents: Sequence[Document]) -> str:
    """Each trial's Elo with its 95 % interval, in order; re-evaluations and the race stand out.

    Over them the incumbents on the way, as the response has them at the end, with a 95 % band.
    """
    with matplotlib.rc_context(STYLE):
        figure, axes = new_axes("trial", "Elo")
        axes.axhline(0, color=FAINT, linewidth=0.8)
        for kind, color in (("search", FAINT), ("re-evaluation", MAIN), ("race", GOOD)):
            shown = [one for one in trials if one["kind"] == kind and "elo" in one]
            if not shown:
                continue
            elo = [one["elo"] for one in shown]
            errors = [
                [one["elo"] - one["low"] for one in shown],
                [one["high"] - one["elo"] for one in shown],
            ]
            axes.errorbar(
                [one["ordinal"] for one in shown],
                elo,
                errors,
                fmt="o",
                color=color,
                markersize=3,
                linewidth=0.8,
                label=kind,
            )
        if incumbents:
            x = [one["ordinal"] for one in incumbents]
            low, high = ([one[side] for one in incumbents] for side in ("low", "high"))
            axes.fill_between(x, low, high, color=INK, alpha=0.12, linewidth=0)
            axes.plot(
                x, [one["elo"] for one in incumbents], color=INK, label="incumbents, by all trials"
            )
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
        axes.legend(frameon=False, labelcolor=INK, fontsize=9)
        return svg_of(figure)


def importance_figure(importances: Mapping[str, float]) -> str:
    """How far the mean moves along each dimension, in Elo."""
    with matplotlib.rc_context(STYLE):
        figure, axes = new_axes("Elo from worst to best value", "")
        names = sorted(importances, key=lambda name: importances[name])
        places = range(len(names))
        widths = [importances[name] for name in names]
        bars = axes.barh(places, widths, color=MAIN, height=0.6)
        axes.set_yticks(places, names)  # one label a bar, whatever the locator thinks
        axes.bar_label(bars, fmt="%.1f", padding=3)
        axes.margins(x=0.14)
        return svg_of(figure)


def slice_figure(
    name: str,
    log: bool,
    curve: Document,
    found: float,
    base: float | None,
    trials: Sequence[Document],
) -> str:
    """The mean along one dimension through the answer, its 95 % band, and the trials' results.

    `log` gives equal room to equal ratios, as the space does. `found` and `base` are values of the
    dimension; `trials` have `x` and `elo`.
    """
    with matplotlib.rc_context(STYLE):
        figure, axes = new_axes(name, "Elo")
        x = curve["values"]
        mean, error = curve["mean"], curve["error"]
        low = [m - 2 * e for m, e in zip(mean, error, strict=True)]
        high = [m + 2 * e for m, e in zip(mean, error, strict=True)]
        axes.axhline(0, color=FAINT, linewidth=0.8)
        axes.fill_between(x, low, high, color=MAIN, alpha=0.2, linewidth=0)
        axes.plot(x, mean, color=MAIN, linewidth=1.6)
        axes.plot([one["x"] for one in trials], [one["elo"] for one in trials], ".", color=FAINT)
        axes.axvline(found, color=GOOD, linewidth=1.0, linestyle="--", label="found")
        if base is not None:
            axes.axvline(base, color=INK, linewidth=0.8, linestyle=":", label="base")
        axes.set_ylim(min(low) - 15, max(high) + 15)
        if log:
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            axes.xaxis.set_minor_formatter(NullFormatter())
        axes.legend(frameon=False, labelcolor=INK, fontsize=9)
        return svg_of(figure)


def contour_figure(contour: Document, found: tuple[float, float]) -> str:
    """The mean over two dimensions as lines of equal Elo; shaded where it is uncertain."""
    with matplotlib.rc_context(STYLE):
        first, second = contour["names"]
        figure, axes = new_axes(first, second)
        x, y = contour["values"]
        highest = max(max(row) for row in contour["error"])
        doubt = [[error / highest for error in row] for row in contour["error"]]
        for level, strength in ((0.5, 0.12), (0.75, 0.12)):
            axes.contourf(x, y, doubt, levels=[level, 1.01], colors=[FAINT], alpha=strength)
        lines = axes.contour(x, y, contour["mean"], levels=8, colors=[MAIN], linewidths=1.0)
        axes.clabel(lines, fmt="%.0f", fontsize=8)
        axes.plot(*found, "x", color=BAD, markersize=8, markeredgewidth=2)
        return svg_of(figure)
