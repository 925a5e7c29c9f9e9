"""history.html: speed and counts over the revisions, on one self-contained page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from harness.files import write_whole
from harness.history import Record
from harness.nightly import Finding, goodness, revision, tell
from harness.report.template import fill

_WIDTH: Final = 300
_HEIGHT: Final = 56
_MARGIN: Final = 5
#: A chart shows speeds as parts of the best one, from here to 1.
LOWEST: Final = 0.7
#: So many nights have a place in the charts, and so many stand side by side in the table of counts.
_NIGHTS: Final = 60
_COLUMNS: Final = 6

_OTHERS: Final = "Search and perft"
_HEADINGS: Final = {"kernel": "Kernels, one call", "benchmark": "Benchmarks, the fastest round"}


class Point(NamedTuple):
    """A night in a chart, and what is told when it is pointed at."""

    x: float
    y: float
    label: str


class Row(NamedTuple):
    """A measure: its last and its best value, how much slower the last is, and its way there."""

    name: str
    last: str
    best: str
    best_revision: str
    slower: str
    is_bad: bool
    points: Sequence[Point]

    @property
    def polyline(self) -> str:
        """For SVG."""
        return " ".join(f"{point.x:.1f},{point.y:.1f}" for point in self.points)


def write_history(
    records: Sequence[Record], found: Sequence[Finding], sentence: str, path: Path
) -> None:
    """Render the history, the latest record last. Raises UsageError without the extra package."""
    now = records[-1]
    same_cpu = [record for record in records if record.cpu == now.cpu][-_NIGHTS:]
    bad = {finding.measure for finding in found if finding.bad}
    page = fill(
        "history.html.j2",
        sentence=sentence,
        is_bad=any(finding.bad for finding in found),
        now=now,
        count=len(records),
        findings=found,
        groups=grouped([row_of(name, same_cpu, name in bad) for name in sorted(now.measures)]),
        width=_WIDTH,
        height=_HEIGHT,
        top=_MARGIN,
        lowest=f"{LOWEST:.0%}",
        counts=sorted({name for record in records[-_COLUMNS:] for name in record.counts}),
        latest=records[: -_COLUMNS - 1 : -1],
        revision=revision,
    )
    write_whole(path, page)


def grouped(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows by the first word of their names, which the heading then says."""
    groups: dict[str, list[Row]] = {heading: [] for heading in (_OTHERS, *_HEADINGS.values())}
    for row in rows:
        kind, _, rest = row.name.partition(" ")
        shown = row._replace(name=rest) if kind in _HEADINGS else row
        groups[_HEADINGS.get(kind, _OTHERS)].append(shown)
    return {heading: some for heading, some in groups.items() if some}


def row_of(name: str, records: Sequence[Record], is_bad: bool = False) -> Row:
    """A measure of the last record, which has it, over the records of one processor."""
    known = [record for record in records if name in record.measures]
    best = max(known, key=lambda record: goodness(record.measures[name]))
    peak = goodness(best.measures[name])
    last = known[-1].measures[name]
    speeds = {
        number: math.exp(goodness(record.measures[name]) - peak)
        for number, record in enumerate(records)
        if name in record.measures
    }
    return Row(
        name,
        tell(last),
        tell(best.measures[name]),
        revision(best),
        f"{100 * (1 - math.exp(goodness(last) - peak)):.1f} %",
        is_bad,
        [
            _point(number, len(records), speed, f"{_when(records[number])}: {100 * speed:.1f} %")
            for number, speed in speeds.items()
        ],
    )


def _point(number: int, count: int, speed: float, label: str) -> Point:
    step = (_WIDTH - 2 * _MARGIN) / max(1, count - 1)
    share = (max(LOWEST, speed) - LOWEST) / (1 - LOWEST)
    y = _HEIGHT - _MARGIN - share * (_HEIGHT - 2 * _MARGIN)
    return Point(_MARGIN + number * step, y, label)


def _when(record: Record) -> str:
    return f"{revision(record)}, {record.at[:10]}"
