"""The graphs of report.html as SVG that takes its colours from the page (light and dark).

Matplotlib is told to draw in colours that stand for a role; in the SVG each of them is replaced by
the page's CSS variable of that role, so that one drawing serves both themes. Text stays text.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator

from harness.report.numbers import PAIR_CLASSES
from harness.report.paths import EloPoint

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


def llr_figure(path: Sequence[tuple[int, float]], bounds: tuple[float, float]) -> str:
    """LLR after each pair, with the two bounds at which the test stops."""
    with matplotlib.rc_context(STYLE):
        figure, axes = _pairs_axes("LLR")
        low, high = bounds
        _bound(axes, high, GOOD, "H1")
        _bound(axes, low, BAD, "H0")
        axes.plot([at for at, _ in path], [llr for _, llr in path], color=MAIN, linewidth=1.6)
        axes.margins(x=0.01, y=0.12)
        return _svg(figure)


def elo_figure(path: Sequence[EloPoint]) -> str:
    """The Elo estimate along the run within its 95 % band."""
    with matplotlib.rc_context(STYLE):
        figure, axes = _pairs_axes("Elo")
        pairs = [point.pairs for point in path]
        low, high = [point.low for point in path], [point.high for point in path]
        axes.fill_between(pairs, low, high, color=MAIN, alpha=0.2, linewidth=0)
        axes.plot(pairs, [point.elo for point in path], color=MAIN, linewidth=1.6)
        axes.margins(x=0.01)
        # The first tenth may leave the picture: its wide band would flatten all that follows.
        settled = range(len(path) // 10, len(path))
        axes.set_ylim(min(low[i] for i in settled) - 5, max(high[i] for i in settled) + 5)
        return _svg(figure)


def pairs_figure(ptnml: Sequence[int], new: str) -> str:
    """How many pairs ended with each score of NEW, whose name is `new`."""
    with matplotlib.rc_context(STYLE):
        figure, axes = _axes("", "pairs")
        # A name is no formula: matplotlib would read dollar signs as one.
        axes.set_xlabel(f"score of {new} in a pair", parse_math=False)
        bars = axes.bar(PAIR_CLASSES, ptnml, color=[BAD, BAD, FAINT, GOOD, GOOD], width=0.7)
        axes.bar_label(bars, padding=2)
        axes.margins(y=0.14)
        return _svg(figure)


def _axes(x_label: str, y_label: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6))
    return figure, axes


def _pairs_axes(y_label: str) -> tuple[Figure, Axes]:
    figure, axes = _axes("pairs", y_label)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.axhline(0, color=FAINT, linewidth=0.8)
    return figure, axes


def _bound(axes: Axes, llr: float, color: str, hypothesis: str) -> None:
    axes.axhline(llr, color=color, linewidth=1.2, linestyle="--")
    axes.annotate(
        f"{hypothesis}  {llr:+.2f}".replace("-", "−"),
        (0, llr),
        xytext=(4, 3 if llr > 0 else -3),
        textcoords="offset points",
        va="bottom" if llr > 0 else "top",
        color=color,
    )


def _svg(figure: Figure) -> str:
    """The figure as an `<svg>` element in the page's own colours, as wide as its place."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    for role, variable in CSS_VARIABLES.items():
        text = text.replace(role, variable)
    # Nothing refers to the names of groups, and three figures on one page would repeat them.
    return re.sub(r' id="\w+_\d+"', "", text)
