"""`--events`: the lines are those of the golden file, and a run's pairs are all told, in order."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from harness.elo import Estimate
from harness.errors import UsageError
from harness.event_stream import EventView, told_to
from harness.result import RunProgress
from harness.sprt import SprtBounds
from harness.view import RunHeading
from tests.match.runs import RecordingView
from tests.unit.run_document import run_document

GOLDEN = Path(__file__).parent / "golden" / "events.jsonl"
DOCUMENT = Path(__file__).parents[2] / "docs" / "events.md"


def progress(pairs: str) -> RunProgress:
    return RunProgress(
        pairs_done=len(pairs),
        pairs_played=len(pairs) + 1,
        max_games=400,
        ptnml=tuple(pairs.count(digit) for digit in "01234"),
        llr=0.25 * len(pairs),
        bounds=SprtBounds(-2.9, 2.9),
        estimate=Estimate(0.6, 9.0, (-3.0, 21.0), 12.0, 10.0, (-4.0, 24.0), 14.0, 0.9, 0.5, None),
        games_per_min=100.0,
        expected_games_left=120.0,
        chance_to_pass=0.75,
        eta_s=72.0,
        faults=0,
        duplicates=0,
        elapsed_s=1.5,
        pair_classes=pairs.encode(),
        llr_path=[0.25 * (number + 1) for number in range(len(pairs))],
    )


def written() -> str:
    """The stream of a short run by a clock that stands at 0 but for the last update."""
    stream, times = io.StringIO(), iter([0.0, 0.0, 0.0, 0.5, 2.0, 2.0])
    view = EventView(RecordingView(), stream, lambda: next(times))
    view.compiling("search", 1, 4)
    view.message("warning: both sides are identical")
    view.start(
        RunHeading("new", "base", "5000 nodes a move", "[0, 5] nElo", "generated", 1, 2, "r")
    )
    view.update(progress("2"))
    view.update(progress("23"))
    view.update(progress("23"))
    view.finish(run_document(4))
    return stream.getvalue()


def test_the_golden_stream() -> None:
    assert written() == GOLDEN.read_text("utf-8")


def test_each_key_stands_in_the_document() -> None:
    told = DOCUMENT.read_text("utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", told, re.M))
    for line in written().splitlines():
        values = json.loads(line)
        event = values.pop("event")
        if event != "end":
            assert set(values) <= set(re.findall(r"`(\w+)`", rows[event])), event


def test_the_view_inside_hears_everything() -> None:
    inner = RecordingView()
    view = EventView(inner, io.StringIO())
    view.message("a sentence")
    view.update(progress("2"))
    view.finish(run_document(3))
    assert inner.messages == ["a sentence"]
    assert (len(inner.progress), len(inner.documents)) == (1, 1)


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    view = RecordingView()
    with (
        pytest.raises(UsageError, match=r"--events .*expected a file to write"),
        told_to(tmp_path, view),
    ):
        pass
    with told_to(None, view) as same:
        assert same is view
