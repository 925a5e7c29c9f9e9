"""The engine's kernels timed one by one, of whichever revision: `harness bench` names the slow one.

Each module here has a kernel that calls one kernel of the engine many times. They reach into the
engine, and a revision may not have what they call: then that kernel alone is not timed. A package
of its own, since compiled code is cached by the package that it lies in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

#: What is timed, in the order in which it is told: the module that prepares it.
KERNELS: Final = {
    name: f"{__name__}.{name}"
    for name in ("generator", "picker", "make", "evaluation", "exchange", "table")
}
#: The whole search, which is told with them.
SEARCH: Final = "search"


class Work(NamedTuple):
    """`run(rounds)` makes `calls` calls of a kernel in each round; its result says nothing."""

    run: Callable[[int], Any]
    calls: int
