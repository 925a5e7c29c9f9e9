"""`python -m harness.kernels.child FOLDER DEPTH`: times the kernels of the engine in FOLDER.

Says as JSON what it can time, {name: null, or why not}; then for each name that it is asked for, on
a line of standard input, how long one call took: processor time in nanoseconds of a round that is
long enough to be measured. For the search that is a node of the bench at DEPTH, and its nodes.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from harness.child import die_with_parent, use_snapshot
from harness.kernels import KERNELS, SEARCH, Work

#: A round is doubled until it takes so long.
LEAST_NS: Final = 15_000_000

Timed = dict[str, float]


def main(folder: Path, depth: int) -> None:
    """Answer until there are no more questions."""
    use_snapshot(folder)
    timers, missing = kernel_timers()
    timers[SEARCH] = _search_timer(depth)
    _say({name: missing.get(name) for name in (*KERNELS, SEARCH)})
    for line in sys.stdin:
        _say(timers[line.strip()]())


def _say(document: object) -> None:
    sys.stdout.write(f"{json.dumps(document)}\n")
    sys.stdout.flush()


def kernel_timers() -> tuple[dict[str, Callable[[], Timed]], dict[str, str]]:
    """A timer for each kernel, compiled and warm; and why others cannot be timed."""
    from numba.core.errors import NumbaError

    timers, missing = {}, {}
    for name, module in KERNELS.items():
        # Another revision's engine may lack a function or a field, or want other arguments.
        try:
            from harness.kernels.workload import workload

            timers[name] = _timer(importlib.import_module(module).prepare(workload()))
        except (ImportError, AttributeError, TypeError, ValueError, NumbaError) as error:
            missing[name] = str(error).strip().partition("\n")[0]
    return timers, missing


def _timer(work: Work) -> Callable[[], Timed]:
    """Times rounds of a kernel; how many are timed at once is settled now."""
    rounds = 1
    work.run(rounds)
    while _spent_ns(partial(work.run, rounds)) < LEAST_NS:
        rounds *= 2
    return lambda: {"ns": _spent_ns(partial(work.run, rounds)) / (rounds * work.calls)}


def _search_timer(depth: int) -> Callable[[], Timed]:
    from engine.bench import Bench

    def timed() -> Timed:
        bench = Bench(depth)
        spent_ns = _spent_ns(lambda: list(bench.run()))
        return {"ns": spent_ns / bench.nodes, "nodes": bench.nodes}

    return timed


def _spent_ns(work: Callable[[], object]) -> int:
    """Of processor time: while others have the processor, none is spent."""
    begun_ns = time.process_time_ns()
    work()
    return time.process_time_ns() - begun_ns


if __name__ == "__main__":
    die_with_parent()
    main(Path(sys.argv[1]).resolve(), int(sys.argv[2]))
