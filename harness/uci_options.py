"""What a UCI engine says of itself when it is greeted, and how its options are set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from time import perf_counter_ns
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from harness.uci_process import NS_PER_MS

if TYPE_CHECKING:
    from harness.uci_process import UciProcess


class Spin(NamedTuple):
    """An option that is an integer from `low` to `high`."""

    default: int
    low: int
    high: int


class Greeting(NamedTuple):
    """Its name (`id name`), and the kind of each of its options by its name in lower case.

    Names of options are compared without case, as the protocol says. `spins` are by the names as
    the engine spells them.
    """

    name: str
    kinds: Mapping[str, str]
    spelling: tuple[str, ...] = ()
    spins: Mapping[str, Spin] = MappingProxyType({})


def greet(process: UciProcess, timeout_ms: int) -> Greeting:
    """Say `uci` and hear the answer. Raises EngineFault."""
    deadline_ns = perf_counter_ns() + timeout_ms * NS_PER_MS
    process.begin()
    process.send("uci", deadline_ns)
    return read_greeting(
        line.decode(errors="replace") for line in process.lines_until(b"uciok", deadline_ns)
    )


def read_greeting(lines: Iterable[str]) -> Greeting:
    """The sense of the lines between `uci` and `uciok`; what is malformed is passed over."""
    name = ""
    kinds: dict[str, str] = {}
    spelling = []
    spins = {}
    for line in lines:
        words = line.split()
        if words[:2] == ["id", "name"]:
            name = " ".join(words[2:])
        elif words[:2] == ["option", "name"] and "type" in words:
            # The first `type` after a word of the name: the defaults of strings may hold it too.
            at = words.index("type", 3) if "type" in words[3:] else len(words)
            option = " ".join(words[2:at])
            kinds[option.lower()] = words[at + 1] if at + 1 < len(words) else ""
            spelling.append(option)
            spin = _read_spin(words[at + 1 :])
            if spin is not None:
                spins[option] = spin
    return Greeting(name, kinds, tuple(spelling), spins)


def _read_spin(words: Sequence[str]) -> Spin | None:
    """The sense of `spin default 1 min 0 max 9`; None where it has none."""
    if words[:1] != ["spin"]:
        return None
    said = dict(pairwise(words))
    try:
        return Spin(int(said["default"]), int(said["min"]), int(said["max"]))
    except (KeyError, ValueError):
        return None


def setoption(name: str, value: str, greeting: Greeting) -> str:
    """The command that sets an option; a button is pressed, whatever its value."""
    if greeting.kinds.get(name.lower()) == "button":
        return f"setoption name {name}"
    return f"setoption name {name} value {value or '<empty>'}"
