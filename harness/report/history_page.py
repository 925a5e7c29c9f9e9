"""history.html: speed and counts over the revisions, on one self-contained page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from harness.files import write_whole
from harness.history import Record
from harness.nightly import Finding, goodness, tell
from harness.report.template import fill

_WIDTH: Final = 240
_HEIGHT: Final = 36
_MARGIN: Final = 3
#: So many revisions stand side by side in the table of counts.
_COLUMNS: Final = 6


def write_history(records: Sequence[Record], found: Sequence[Finding], path: Path) -> None:
    """Render the history, the latest record last. Raises UsageError without the extra package."""
    same_cpu = [record for record in records if record.cpu == records[-1].cpu]
    page = fill(
        "history.html.j2",
        records=records,
        findings=found,
        measures=[measure_row(name, same_cpu) for name in sorted(records[-1].measures)],
        counts=sorted(records[-1].counts),
        latest=records[-_COLUMNS:],
    )
    write_whole(path, page)


def measure_row(name: str, records: Sequence[Record]) -> dict[str, Any]:
    """A measure's last and best value, and its way there."""
    values = [record.measures[name] for record in records if name in record.measures]
    best = max(values, key=goodness)
    return {
        "name": name,
        "last": tell(values[-1]),
        "best": tell(best),
        "points": polyline([one.value for one in values]),
    }


def polyline(values: Sequence[float]) -> str:
    """Points of an SVG polyline through the values, from zero at the bottom."""
    top = max([*values, 1e-300])
    step = (_WIDTH - 2 * _MARGIN) / max(1, len(values) - 1)
    scale = (_HEIGHT - 2 * _MARGIN) / top
    return " ".join(
        f"{_MARGIN + number * step:.1f},{_HEIGHT - _MARGIN - value * scale:.1f}"
        for number, value in enumerate(values)
    )
