"""How exact the clock of a match is: time that we measured less time that the engine took.

The engine sleeps a while over each move and says how long that was, from its reading of `go` to its
answer. What we measure more is the way there and back, which its clock is charged for: issue 7 asks
for a 99th percentile below 2 ms, two games at once. It needs a machine that has nothing else to do.
"""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from harness.journal import Journal
from harness.limits import Limit
from tests.match.engines import OFF, scripted, start_book
from tests.match.runs import null_spec, play

PAIRS = 200
THINK_MS = 20


def test_clock(tmp_path: Path) -> None:
    engine = scripted(f"think={THINK_MS}")
    spec = null_spec(
        PAIRS,
        new=engine.model_copy(update={"name": "new"}),
        base=engine.model_copy(update={"name": "base"}),
        limit=Limit(movetime_ms=1000),
        openings=start_book(tmp_path),
        adjudication=OFF,
    )
    play(spec, tmp_path / "run", concurrency=2)
    with Journal.read(tmp_path / "run") as journal:
        columns = [record.columns() for record in journal.games()]
    measured_us = np.concatenate([one.times_us for one in columns]).astype(np.int64)
    true_us = np.concatenate([one.nodes for one in columns]).astype(np.int64)
    more_ms = (measured_us - true_us) / 1000
    assert true_us.min() >= THINK_MS * 1000
    low, median, high, most = np.percentile(more_ms, [1, 50, 99, 100])
    click.echo(
        f"\n{more_ms.size} moves of {THINK_MS} ms, measured less true: median {median:.3f} ms,"
        f" 1 % below {low:.3f}, 99 % below {high:.3f}, at most {most:.3f}"
    )
    assert low > 0
