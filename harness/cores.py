"""Processor cores: how many a run's games need, and which of them each game gets.

A core is what Linux numbers as a processor. Only one of a game's players thinks at a time, so a
game needs as many cores as the player with the most threads has.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from harness.spec import EngineConfig, RunSpec
    from harness.uci_options import Greeting

_SIBLINGS: Final = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


def threads_of(config: EngineConfig) -> int:
    """The threads that a player searches with: as its options say, else its own default."""
    return asked_threads(config) or config.default_threads


def asked_threads(config: EngineConfig) -> int | None:
    """The threads that its options ask for."""
    given = [value for name, value in config.options.items() if _means_threads(name)]
    return max(1, int(given[0])) if given and given[0].isdecimal() else None


def default_threads(greeting: Greeting) -> int:
    """The threads that a program searches with when it is not told."""
    found = [spin.default for name, spin in greeting.spins.items() if _means_threads(name)]
    return max([1, *found])


def _means_threads(option: str) -> bool:
    """As most engines call it, and as Toga and Komodo do."""
    return option.lower() in ("threads", "number of threads", "cores")


def most_threads(spec: RunSpec) -> EngineConfig:
    """The player that decides how many cores a game of a run needs."""
    return max(spec.engines, key=threads_of)


def cores_per_game(spec: RunSpec) -> int:
    """What the most demanding game of a run needs."""
    return threads_of(most_threads(spec))


def usable_cores() -> tuple[int, ...]:
    """The cores that this process may use, the first of each physical core before their twins."""
    cores = sorted(os.sched_getaffinity(0))
    return spread({core: _siblings(core) for core in cores})


def _siblings(core: int) -> str:
    """The name of a physical core: the processors in it. A core of its own where none is told."""
    try:
        return Path(_SIBLINGS.format(core)).read_text().strip()
    except OSError:
        return str(core)


def spread(physical: Mapping[int, str]) -> tuple[int, ...]:
    """Cores, given with their physical ones, so that the next is on another one where it can be."""
    seen: dict[str, int] = {}
    turns = []
    for core, name in physical.items():
        seen[name] = seen.get(name, 0) + 1
        turns.append((seen[name], core))
    return tuple(core for _, core in sorted(turns))


def dealt(cores: Sequence[int], games: int, each: int) -> tuple[frozenset[int], ...]:
    """`each` cores for each of so many games; they go round when there are not enough."""
    count = len(cores)
    return tuple(
        frozenset(cores[place % count] for place in range(game * each, (game + 1) * each))
        for game in range(games)
    )
