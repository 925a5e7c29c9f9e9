"""Hunting for inputs that break the program: seeded cases in a process that may crash or hang.

A case is a function of its seed alone, so what a hunt finds, its seed finds again. It fails by any
exception. `python -m tests.fuzz.NAME --seconds 60` hunts for a minute; the exit code is 1 when
something was found.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

_LOOK_EVERY_S = 0.5
_HANG_S = 60.0  # a case takes milliseconds
_FIRST_CASE_S = 600.0  # but the first one may compile
_NEVER = 1 << 62


class Outcome(NamedTuple):
    """The seed of the last case, and how it failed; an empty text if it did not."""

    seed: int
    fault: str


def _run_cases(
    case: Callable[[int], None], seed: Sequence[int], cases: int, seconds: float
) -> None:
    """Run in a process of its own; `seed[0]` is where it stands, for the one that watches it."""
    until = time.monotonic() + seconds
    first = seed[0]
    for number in itertools.islice(itertools.count(first), cases):
        if time.monotonic() >= until:
            return
        seed[0] = number
        case(number)


def _ending(exit_code: int) -> str:
    if exit_code == 0:
        return ""
    return "an exception" if exit_code > 0 else f"the process ended by signal {-exit_code}"


def hunt(
    case: Callable[[int], None],
    first_seed: int = 0,
    cases: int = _NEVER,
    seconds: float = float("inf"),
    hang_s: float = _HANG_S,
) -> Outcome:
    """Run cases until a number or a time is through, or one of them fails."""
    context = multiprocessing.get_context("spawn")
    seed = context.Array("q", [first_seed], lock=False)
    process = context.Process(target=_run_cases, args=(case, seed, cases, seconds))
    process.start()
    last_seed, since = first_seed, time.monotonic()
    patience_s = max(hang_s, _FIRST_CASE_S)
    while process.exitcode is None:
        process.join(_LOOK_EVERY_S)
        if seed[0] != last_seed:
            last_seed, since = seed[0], time.monotonic()
            patience_s = hang_s
        elif process.is_alive() and time.monotonic() - since > patience_s:
            process.kill()
            process.join()
            return Outcome(last_seed, f"no end after {patience_s:.0f} s")
    return Outcome(seed[0], _ending(process.exitcode))


def main(name: str, case: Callable[[int], None], arguments: Sequence[str] | None = None) -> int:
    """The command line of a fuzzer; `name` is its module. Returns the exit code."""
    parser = argparse.ArgumentParser(prog=f"python -m {name}")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to hunt")
    parser.add_argument("--cases", type=int, default=_NEVER, help="how many cases at most")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**9, help="the first case")
    options = parser.parse_args(arguments)
    seed, fault = hunt(case, options.seed, options.cases, options.seconds)
    if not fault:
        sys.stdout.write(f"{name}: seeds {options.seed} to {seed}: nothing found\n")
        return 0
    sys.stdout.write(f"{name}: seed {seed}: {fault}; python -m {name} --seed {seed} --cases 1\n")
    return 1
