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

#: And so is one within so many standard deviations of the nights before. (The best of ten nights is
#: itself 1.5 of them above their mean, and the deviation of ten is known to a quarter: with 3, one
#: measure in ten would be worse in a night like any other; with 5, one in 150 is.)
DEVIATIONS: Final = 5.0

#: Of fewer nights the spread is not known; then this is taken for it.
FEWEST: Final = 6
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
    beside = f"{_percent(loss)} worse than {tell(best.measures[name])} of {revision(best)}"
    last = nights[-1]
    if last is not best:
        since_last = goodness(last.measures[name]) - value
        word = "worse" if since_last >= 0 else "better"
        beside += f", {_percent(abs(since_last))} {word} than the last record ({revision(last)})"
    yield Finding(
        f"{name} is worse: {tell(now.measures[name])}, {beside}; the noise is {_percent(noise)}",
        True,
        best.commit,
        name,
    )


def goodness(measure: Measure) -> float:
    """A logarithm that grows as the measure gets better: differences are ratios."""
    x = math.log(max(measure.value, 1e-300))
    return x if measure.more_is_better else -x


def spread(values: Sequence[float]) -> float:
    """The standard deviation over nights: a bad night among them makes the next ones milder."""
    return statistics.stdev(values) if len(values) >= FEWEST else SPREAD_UNKNOWN


def _of_counts(now: Record, earlier: Sequence[Record]) -> Iterator[Finding]:
    """Exact numbers that are other ones than in the last record that has them."""
    for name in sorted(now.counts):
        nights = [record for record in earlier if name in record.counts]
        if nights and nights[-1].counts[name] != now.counts[name]:
            last = nights[-1]
            yield Finding(
                f"{name} has changed: {now.counts[name]} after {last.counts[name]}"
                f" of {revision(last)}",
                False,
                last.commit,
            )


def tell(measure: Measure) -> str:
    """A measure in four digits, or as a whole number where it has more; times in a handy unit."""
    value, unit = measure.value, measure.unit
    if unit == "s":
        value, unit = _handy(value)
    digits = ",.0f" if value >= 1000 else ".4g"
    return f"{value:{digits}} {unit}"


def _handy(seconds: float) -> tuple[float, str]:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return seconds / size, unit
    return seconds * 1e9, "ns"


def _percent(log_ratio: float) -> str:
    return f"{100 * -math.expm1(-log_ratio):.1f} %"


def revision(record: Record) -> str:
    """Its commit, or where there is no git, its time."""
    return record.commit[:12] if record.commit else record.at
