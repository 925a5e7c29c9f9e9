"""The graphs of a tuning's report.html."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from harness.report.svg import BAD, FAINT, INK, MAIN, STYLE, new_axes, svg_of

Rows = Sequence[Sequence[float]]


def loss_figure(path: Sequence[tuple[int, float, float, float | None]], best_step: int) -> str:
    """Mean loss of train and validation after each step, with the step that was kept."""
    with matplotlib.rc_context(STYLE):
        figure, axes = new_axes("step", "mean loss")
        steps = [step for step, *_ in path]
        axes.plot(steps, [train for _, _, train, _ in path], color=FAINT, label="train")
        judged = [(step, loss) for step, _, _, loss in path if loss is not None]
        if judged:
            axes.plot([at for at, _ in judged], [loss for _, loss in judged], color=MAIN)
            axes.plot([], [], color=MAIN, label="validation")
        axes.axvline(best_step, color=INK, linewidth=0.8, linestyle=":", label="kept")
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
        _legend(axes)
        return svg_of(figure)


def calibration_figure(before: Rows, after: Rows) -> str:
    """Actual against expected score, a point for each bin (expected, actual, weight)."""
    with matplotlib.rc_context(STYLE):
        figure, axes = new_axes("expected score of white", "actual score")
        axes.plot([0, 1], [0, 1], color=FAINT, linewidth=0.8)
        for bins, color, label in ((before, BAD, "before"), (after, MAIN, "after")):
            expected, actual = [one[0] for one in bins], [one[1] for one in bins]
            axes.plot(expected, actual, "o-", color=color, markersize=3, linewidth=1, label=label)
        _legend(axes)
        return svg_of(figure)


def phase_figure(before: Rows, after: Rows) -> str:
    """Mean error of the side that is ahead by phase, with two standard errors either way.

    Rows: phase, mean, standard error, weight.
    """
    with matplotlib.rc_context(STYLE):
        figure, axes = new_axes("phase (24: all pieces)", "score less expected score")
        axes.axhline(0, color=FAINT, linewidth=0.8)
        for rows, color, label in ((before, BAD, "before"), (after, MAIN, "after")):
            phase, mean = [row[0] for row in rows], [row[1] for row in rows]
            low = [row[1] - 2 * row[2] for row in rows]
            high = [row[1] + 2 * row[2] for row in rows]
            axes.fill_between(phase, low, high, color=color, alpha=0.2, linewidth=0)
            axes.plot(phase, mean, color=color, linewidth=1.4, label=label)
        axes.set_xlim(24, 0)
        _legend(axes)
        return svg_of(figure)


def _legend(axes: Axes) -> None:
    axes.legend(frameon=False, labelcolor=INK)
