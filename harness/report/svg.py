"""Graphs as SVG that takes its colours from the page (light and dark).

Matplotlib is told to draw in colours that stand for a role; in the SVG each of them is replaced by
the page's CSS variable of that role, so that one drawing serves both themes. Text stays text.
"""

from __future__ import annotations

import io
import re
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

INK, FAINT, MAIN, GOOD, BAD = "#010101", "#020202", "#030303", "#040404", "#050505"
CSS_VARIABLES = {
    INK: "var(--ink)",
    FAINT: "var(--faint)",
    MAIN: "var(--main)",
    GOOD: "var(--good)",
    BAD: "var(--bad)",
}
#: Inches; drawn at the width of a phone, so that its text is readable there.
SIZE = (5.2, 3.1)
STYLE: dict[Any, Any] = {
    "axes.edgecolor": FAINT,
    "axes.facecolor": "none",
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "none",
    "font.size": 11,
    "svg.fonttype": "none",
    # Fixed, so that the same run gives the same page.
    "svg.hashsalt": "numbishop",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def new_axes(x_label: str, y_label: str) -> tuple[Figure, Axes]:
    """A graph of the usual size; to be drawn within `rc_context(STYLE)`."""
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6))
    return figure, axes


def svg_of(figure: Figure) -> str:
    """The figure as an `<svg>` element in the page's own colours, as wide as its place."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    for role, variable in CSS_VARIABLES.items():
        text = text.replace(role, variable)
    # Nothing refers to the names of groups, and three figures on one page would repeat them.
    return re.sub(r' id="\w+_\d+"', "", text)
