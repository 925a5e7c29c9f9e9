"""What a night's record says beside those of earlier nights: pure, records in, findings out."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from harness.history import Measure, Record

#: A record is compared with the last one and with the best of so many before it.
LATEST: Final = 10

#: A smaller loss is passed over, however quiet the machine: layouts of code cost as much.
TRIFLE: Final = 0.03

#: And so is one within so many standard deviations of the nights before.
DEVIATIONS: Final = 3.0

#: Of fewer nights the spread is not known; then this is taken for it.
FEWEST: Final = 4
SPREAD_UNKNOWN: Final = 0.05


class Finding(NamedTuple):
    """A sentence, whether it makes the night a bad one, and the commit and measure it is about."""

    sentence: str
    bad: bool
    since: str | None = None
    measure: str | None = None


def findings(now: Record, earlier: Sequence[Record]) -> list[Finding]:
    """Everything that is wrong or has changed, the worst first."""
    same_cpu = [record for record in earlier if record.cpu == now.cpu]
    found = [Finding(fault, True) for fault in now.faults]
    for name in sorted(now.measures):
        found.extend(_of_measure(name, now, same_cpu))
    found.extend(_of_counts(now, earlier))
    return sorted(found, key=lambda finding: not finding.bad)


def _of_measure(name: str, now: Record, earlier: Sequence[Record]) -> Iterator[Finding]:
    """Whether a measure is worse than the best of the latest nights by more than their noise."""
    nights = [record for record in earlier if name in record.measures][-LATEST:]
    if not nights:
        return
    value = goodness(now.measures[name])
    best = max(nights, key=lambda record: goodness(record.measures[name]))
    loss = goodness(best.measures[name]) - value
    noise = spread([goodness(record.measures[name]) for record in nights])
    if loss <= max(TRIFLE, DEVIATIONS * noise):
        return
    last = nights[-1]
    yield Finding(
        f"{name} is worse: {tell(now.measures[name])},"
        f" {_percent(loss)} worse than {tell(best.measures[name])} of {_revision(best)}"
        f" and {_percent(goodness(last.measures[name]) - value)} than the last record"
        f" ({_revision(last)}), where the noise is {_percent(noise)}",
        True,
        best.commit,
        name,
    )


def goodness(measure: Measure) -> float:
    """A logarithm that grows as the measure gets better: differences are ratios."""
    x = math.log(max(measure.value, 1e-300))
    return x if measure.more_is_better else -x


def spread(values: Sequence[float]) -> float:
    """The standard deviation by the median deviation, which single bad nights do not move."""
    if len(values) < FEWEST:
        return SPREAD_UNKNOWN
    middle = statistics.median(values)
    return 1.4826 * statistics.median(abs(value - middle) for value in values)


def _of_counts(now: Record, earlier: Sequence[Record]) -> Iterator[Finding]:
    """Exact numbers that are other ones than in the last record that has them."""
    for name in sorted(now.counts):
        nights = [record for record in earlier if name in record.counts]
        if nights and nights[-1].counts[name] != now.counts[name]:
            last = nights[-1]
            yield Finding(
                f"{name} has changed: {now.counts[name]} after {last.counts[name]}"
                f" of {_revision(last)}",
                False,
                last.commit,
            )


def tell(measure: Measure) -> str:
    """A measure in four digits, or as a whole number where it has more."""
    digits = ",.0f" if measure.value >= 1000 else ".4g"
    return f"{measure.value:{digits}} {measure.unit}"


def _percent(log_ratio: float) -> str:
    return f"{100 * -math.expm1(-log_ratio):.1f} %"


def _revision(record: Record) -> str:
    return record.commit[:12] if record.commit else record.at
