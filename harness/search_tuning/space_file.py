"""Space files (`configs/spaces/*.cfg`): read, and refused with place and expectation where wrong.

    [search]                        [fixed]           [at_most]
    name = LOW to HIGH              name = VALUE      lower = higher
    name = LOW to HIGH step STEP
    name = LOW to HIGH log

Names are those of what the base can be tuned in, and numbers are written as in its configs; the
section is called as it is there: [options] for a UCI program.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from graphlib import CycleError
from typing import Final, NamedTuple

from engine.parameters import Parameter
from harness.errors import UsageError
from harness.ini import Entry, find_config, nearest, read_entries
from harness.search_tuning.space import Dimension, Space, Values
from harness.search_tuning.tunables import tunables_of
from harness.spec import EngineConfig

_NUMBER: Final = r"-?\d+(?:\.\d+)?"
_RANGE: Final = re.compile(
    rf"(?P<low>{_NUMBER}) +to +(?P<high>{_NUMBER})(?: +step +(?P<step>{_NUMBER}))?(?P<log> +log)?"
)
#: Up to here every integer has a place in its range.
_LARGEST: Final = 2**53
_RANGE_FORM: Final = "expected LOW to HIGH, then perhaps `step STEP` or `log`"


class _Known(NamedTuple):
    """What the engine has, and what one of it is called."""

    parameters: Mapping[str, Parameter]
    called: str

    def of(self, entry: Entry) -> Parameter:
        """The parameter that an entry names."""
        if entry.key not in self.parameters:
            hint = nearest(entry.key, self.parameters)
            raise entry.refusal(f"no such {self.called} of the engine{hint}")
        return self.parameters[entry.key]


def read_space(path_text: str, base: EngineConfig) -> Space:
    """The space of a file, of an engine like `base`.

    Raises UsageError: one sentence with file, line, value and expectation; and EngineStartError.
    """
    path = find_config(path_text)
    entries = read_entries(path)
    tunables = tunables_of(base)
    sections = (tunables.section, "fixed", "at_most")
    for entry in entries:
        if entry.section not in sections:
            raise entry.refusal(f"no such section{nearest(entry.section, sections)}")
    known = _Known(tunables.declared(base), tunables.called)
    dimensions = tuple(_dimension(entry, known) for entry in _of(entries, tunables.section))
    if not dimensions:
        raise UsageError(f"{path}: no parameter to tune; expected a [{tunables.section}] section")
    space = Space(
        dimensions=dimensions,
        fixed=_fixed(_of(entries, "fixed"), known, [one.name for one in dimensions]),
        at_most=tuple((e.key, e.text) for e in _of(entries, "at_most")),
    )
    _check_order(_of(entries, "at_most"), space)
    return space


def _of(entries: Iterable[Entry], section: str) -> list[Entry]:
    return [entry for entry in entries if entry.section == section]


def _dimension(entry: Entry, known: _Known) -> Dimension:
    parameter = known.of(entry)
    match = _RANGE.fullmatch(entry.text)
    if match is None:
        raise entry.refusal(_RANGE_FORM)
    if match["step"] and match["log"]:
        raise entry.refusal("step and log exclude each other; expected one of them")
    low, high = (_value(entry, parameter, match[key]) for key in ("low", "high"))
    if max(abs(low), abs(high)) > _LARGEST:
        raise entry.refusal(f"expected values between -{_LARGEST} and {_LARGEST}")
    if low >= high:
        raise entry.refusal("the range is empty; expected LOW below HIGH")
    if match["log"] and low < 1:
        raise entry.refusal(f"a log range begins above 0; expected at least {parameter.format(1)}")
    step = 1 if match["step"] is None else _step(entry, parameter, match["step"], high - low)
    return Dimension(
        name=entry.key,
        low=low,
        high=low + (high - low) // step * step,
        step=step,
        log=match["log"] is not None,
        scale=parameter.scale,
    )


def _value(entry: Entry, parameter: Parameter, text: str) -> int:
    try:
        return parameter.parse(text)
    except ValueError as error:
        raise entry.refusal(f"{text} is not a value of the engine's; {error}") from None


def _step(entry: Entry, parameter: Parameter, text: str, width: int) -> int:
    """A step is written as a value is, but has the range's width for its bound."""
    try:
        return parameter._replace(low=1, high=width).parse(text)
    except ValueError as error:
        raise entry.refusal(f"step {text}: {error}") from None


def _fixed(entries: Iterable[Entry], known: _Known, tuned: Container[str]) -> Values:
    fixed = {}
    for entry in entries:
        parameter = known.of(entry)
        if entry.key in tuned:
            raise entry.refusal("it has a range too; expected one of both")
        fixed[entry.key] = _value(entry, parameter, entry.text)
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
