"""A kernel that has become a fifth slower is found beside the revision before, and named."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from engine.bench import Bench
from harness.kernels.workload import workload
from harness.nightly_steps import STEPS
from tests.checkout import Checkout

#: One call in so many, by the low bits of its position's key, waits; longer than a clock needs.
WAITING_SHARE = 64
SLOWER_BY = 0.20


class Slowed(NamedTuple):
    """A kernel: its module, its name among the measures, and where its body begins."""

    module: str
    kernel: str
    start: str


KERNELS = (
    Slowed("movegen.py", "generator", "    king = king_square(position)\n    wanted = EMPTY\n"),
    Slowed("make.py", "make", "    if move & CASTLING:\n        return _make_castling"),
    Slowed("evaluate.py", "evaluation", "    packed = accumulator.score + positional("),
)

WAIT = """
from .machine import clock_ns


@kernel
def _dawdle(key):
    if key & np.uint64({mask}) == np.uint64(0):
        end_ns = clock_ns() + np.int64({wait_ns})
        while clock_ns() < end_ns:
            pass


"""


def waiting_share(kernel: str) -> float:
    """The share of the timed calls that wait: of positions, or of moves made in them."""
    places = workload().places
    waits = places["key"] % np.uint64(WAITING_SHARE) == 0
    calls = places["end"] - places["start"] if kernel == "make" else np.ones(len(places))
    return float(calls[waits].sum() / calls.sum())


def slow_down(checkout: Checkout, slowed: Slowed, ns: float) -> None:
    """Let a kernel that takes `ns` wait now and then, a fifth of its time on the average."""
    wait_ns = round(SLOWER_BY * ns / waiting_share(slowed.kernel))
    file = f"engine/{slowed.module}"
    text = (checkout.folder / file).read_text("utf-8")
    decorator = text.rindex("\n@", 0, text.index(slowed.start)) + 1
    wait = WAIT.format(mask=WAITING_SHARE - 1, wait_ns=wait_ns).lstrip()
    text = text[:decorator] + wait + text[decorator:]
    text = text.replace(slowed.start, f"    _dawdle(position.key)\n{slowed.start}")
    (checkout.folder / file).write_text(text, "utf-8")


def night(checkout: Checkout) -> tuple[int, dict[str, Any]]:
    """The bench of a night: exit code and document."""
    others = (name for name in STEPS if name != "bench")
    skipped = [word for name in others for word in ("--skip", name)]
    files = ("--history", "h.sqlite", "--json", "-")
    done = checkout.harness("nightly", *skipped, *files, "--quiet")
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.mark.nightly  # each compiles an engine
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("slowed", KERNELS, ids=lambda slowed: slowed.kernel)
def test_the_night_names_the_kernel_that_is_a_fifth_slower(
    slowed: Slowed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = Bench()
    list(bench.search())
    checkout = Checkout(tmp_path, bench.nodes)
    good = checkout.git("rev-parse", "HEAD")
    code, document = night(checkout)
    assert (code, document["findings"]) == (0, [])

    slow_down(checkout, slowed, document["measures"][f"kernel {slowed.kernel}"]["value"])
    checkout.commit("Slower")
    code, document = night(checkout)
    assert code == 10
    assert document["faults"] == [], "the signature is as it was"
    (told,) = (one for one in document["findings"] if one["sentence"].startswith("measured in"))
    with capsys.disabled():
        print(f"{os.linesep}{slowed.kernel}: {told['sentence']}")  # noqa: T201  # the figures
    assert told["bad"]
    assert told["since"] == good
    slower = told["sentence"].partition("slower: ")[2].partition("; faster")[0]
    assert f"{slowed.kernel} 0." in slower
