"""The graphs of a run's report.html."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator

from harness.report.numbers import PAIR_CLASSES
from harness.report.paths import EloPoint
from harness.report.svg import BAD, FAINT, GOOD, MAIN, STYLE, new_axes, svg_of


def llr_figure(path: Sequence[tuple[int, float]], bounds: tuple[float, float]) -> str:
    """LLR after each pair, with the two bounds at which the test stops."""
    with matplotlib.rc_context(STYLE):
        figure, axes = _pairs_axes("LLR")
        low, high = bounds
        _bound(axes, high, GOOD, "H1")
        _bound(axes, low, BAD, "H0")
        axes.plot([at for at, _ in path], [llr for _, llr in path], color=MAIN, linewidth=1.6)
        axes.margins(x=0.01, y=0.12)
        return svg_of(figure)


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
        return svg_of(figure)


def pairs_figure(ptnml: Sequence[int], new: str) -> str:
    """How many pairs ended with each score of NEW, whose name is `new`."""
    with matplotlib.rc_context(STYLE):
        figure, axes = new_axes("", "pairs")
        # A name is no formula: matplotlib would read dollar signs as one.
        axes.set_xlabel(f"score of {new} in a pair", parse_math=False)
        bars = axes.bar(PAIR_CLASSES, ptnml, color=[BAD, BAD, FAINT, GOOD, GOOD], width=0.7)
        axes.bar_label(bars, padding=2)
        axes.margins(y=0.14)
        return svg_of(figure)


def _pairs_axes(y_label: str) -> tuple[Figure, Axes]:
    figure, axes = new_axes("pairs", y_label)
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
