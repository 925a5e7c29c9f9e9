"""Space files (`configs/spaces/*.cfg`): read, and refused with place and expectation where wrong.

    [search]                        [options]               [fixed]           [at_most]
    name = LOW to HIGH              Name = LOW to HIGH      name = VALUE      lower = higher
    name = LOW to HIGH step STEP
    name = LOW to HIGH log

[search] names parameters of the built-in engine, [options] the spins of a UCI engine. Numbers are
written as in a config of the engine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from graphlib import CycleError
from typing import Final, NamedTuple

from engine.parameters import SEARCH
from harness.ini import Entry, find_config, nearest, read_entries
from harness.search_tuning.space import Dimension, Section, Space, Values

_SECTIONS: Final = ("search", "options", "fixed", "at_most")
_NUMBER: Final = r"-?\d+(?:\.\d+)?"
_RANGE: Final = re.compile(
    rf"(?P<low>{_NUMBER}) +to +(?P<high>{_NUMBER})(?: +step +(?P<step>{_NUMBER}))?(?P<log> +log)?"
)
_RANGE_FORM: Final = "expected LOW to HIGH, then perhaps `step STEP` or `log`"


class Tunable(NamedTuple):
    """What an engine says of a number that can be set: its bounds and how it is written."""

    name: str
    low: int
    high: int
    scale: int = 1

    def parse(self, text: str) -> int | None:
        """The integer that a number's text means; None when it has more digits than the engine."""
        scaled = float(text) * self.scale
        return round(scaled) if abs(scaled - round(scaled)) < 1e-6 else None

    def format(self, value: int) -> str:
        return f"{value / self.scale:.{len(str(self.scale)) - 1}f}"


def builtin_tunables() -> dict[str, Tunable]:
    """The search parameters of the built-in engine."""
    return {p.name: Tunable(p.name, p.low, p.high, p.scale) for p in SEARCH}


def read_space(path_text: str, options: Mapping[str, Tunable] | None = None) -> Space:
    """The space of a file. `options`: the spins of the engine, when it is a UCI engine.

    Raises UsageError: one sentence with file, line, value and expectation.
    """
    path = find_config(path_text)
    entries = read_entries(path)
    known: dict[Section, Mapping[str, Tunable]] = {
        "search": builtin_tunables() if options is None else {},
        "options": options or {},
    }
    for entry in entries:
        if entry.section not in _SECTIONS:
            raise entry.refusal(f"no such section{nearest(entry.section, _SECTIONS)}")
    dimensions = [
        _dimension(entry, section, known[section])
        for section in known
        for entry in _of(entries, section)
    ]
    if not dimensions:
        from harness.errors import UsageError

        raise UsageError(f"{path}: no parameter to tune; expected a [search] or [options] section")
    names = [one.name for one in dimensions]
    space = Space(
        dimensions=tuple(dimensions),
        fixed=_fixed(_of(entries, "fixed"), {**known["search"], **known["options"]}, names),
        at_most=tuple((e.key, e.text) for e in _of(entries, "at_most")),
    )
    _check_order(_of(entries, "at_most"), space)
    return space


def _of(entries: Iterable[Entry], section: str) -> list[Entry]:
    return [entry for entry in entries if entry.section == section]


def _dimension(entry: Entry, section: Section, known: Mapping[str, Tunable]) -> Dimension:
    tunable = _tunable(entry, known)
    match = _RANGE.fullmatch(entry.text)
    if match is None:
        raise entry.refusal(_RANGE_FORM)
    if match["step"] and match["log"]:
        raise entry.refusal("step and log exclude each other; expected one of them")
    low, high = (_bound(entry, tunable, match[key]) for key in ("low", "high"))
    if low >= high:
        raise entry.refusal("the range is empty; expected LOW below HIGH")
    if match["log"] and low < 1:
        raise entry.refusal(f"a log range begins above 0; expected at least {tunable.format(1)}")
    step = 1 if match["step"] is None else tunable.parse(match["step"])
    if step is None or not 1 <= step <= high - low:
        raise entry.refusal(
            f"step {match['step']}: expected from {tunable.format(1)} to"
            f" {tunable.format(high - low)}"
        )
    return Dimension(
        name=entry.key,
        low=low,
        high=low + (high - low) // step * step,
        step=step,
        log=match["log"] is not None,
        scale=tunable.scale,
        section=section,
    )


def _tunable(entry: Entry, known: Mapping[str, Tunable]) -> Tunable:
    if entry.key not in known:
        raise entry.refusal(f"no such parameter of the engine{nearest(entry.key, known)}")
    return known[entry.key]


def _bound(entry: Entry, tunable: Tunable, text: str) -> int:
    value = tunable.parse(text)
    if value is None or not tunable.low <= value <= tunable.high:
        allowed = f"{tunable.format(tunable.low)} to {tunable.format(tunable.high)}"
        steps = "" if tunable.scale == 1 else f" in steps of {tunable.format(1)}"
        raise entry.refusal(f"{text} is not a value of the engine's; expected {allowed}{steps}")
    return value


def _fixed(entries: Iterable[Entry], known: Mapping[str, Tunable], tuned: Iterable[str]) -> Values:
    fixed = {}
    for entry in entries:
        tunable = _tunable(entry, known)
        if entry.key in tuned:
            raise entry.refusal("it has a range too; expected one of both")
        if not re.fullmatch(_NUMBER, entry.text):
            raise entry.refusal("expected a number")
        fixed[entry.key] = _bound(entry, tunable, entry.text)
    return fixed


def _check_order(entries: Iterable[Entry], space: Space) -> None:
    """Order is between two dimensions of one grid, has no circle, and leaves values over."""
    by_name = {one.name: one for one in space.dimensions}
    for entry in entries:
        for name in (entry.key, entry.text):
            if name not in by_name:
                raise entry.refusal(f"{name} has no range here{nearest(name, by_name)}")
        a, b = by_name[entry.key], by_name[entry.text]
        if (a.step, a.scale) != (b.step, b.scale) or (a.low - b.low) % a.step:
            raise entry.refusal("expected two parameters whose values are in the same steps")
    try:
        floors = space.floors()
    except CycleError:
        last = list(entries)[-1]
        raise last.refusal("the order goes round in a circle; expected one that ends") from None
    for entry in entries:
        if floors[entry.text] > by_name[entry.text].high:
            raise entry.refusal("no values are in this order; expected ranges that leave some")
