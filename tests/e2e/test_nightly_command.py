"""`harness nightly` in a repository of its own: the steps that take seconds, and planted faults."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.checkout import Checkout
from tests.e2e.test_commands import refused

SKIPPED = ("--skip", "bench", "--skip", "benchmarks", "--skip", "tests")
FILES = ("--history", "h.sqlite", "--page", "h.html", "--json", "x.json")
#: The position with the fewest leaves: whatever the budget, it is counted.
SMALLEST = "3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1"


def night(checkout: Checkout, *arguments: str) -> tuple[int, list[str], dict[str, Any]]:
    """Exit code, lines and document."""
    done = checkout.harness("nightly", *SKIPPED, *arguments, "--budget", "0.5", *FILES)
    assert done.stderr == ""
    document = json.loads((checkout.folder / "x.json").read_text("utf-8"))
    return done.returncode, done.stdout.splitlines(), document


def test_nights_are_added_and_compared_and_a_wrong_count_is_told(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path, nodes=1)
    good = checkout.git("rev-parse", "HEAD")
    code, lines, document = night(checkout)
    assert lines == ["perft ...", "epd ...", f"nothing is wrong or worse at commit {good[:12]}"]
    assert (code, document["findings"], document["faults"]) == (0, [], [])
    assert document["commit"] == good
    assert document["provenance"]["git_dirty"] is False
    assert document["counts"]["perft positions wrong"] == 0
    assert document["counts"]["positions solved"] > 50
    assert document["measures"]["perft"]["value"] > 0

    right = f"{SMALLEST} ;D1 218 "
    checkout.edit("tests/perft/standard.perft", right, right.replace("218", "219"))
    bad = checkout.commit("A count that is wrong")
    code, lines, document = night(checkout, "--skip", "epd")
    assert code == 10
    fault = f"perft 1 of {SMALLEST}: expected 219, got 218 (tests/perft/standard.perft:75)"
    assert any(line.startswith(fault) for line in lines)
    assert f"perft positions wrong has changed: 1 after 0 of {good[:12]}" in lines
    assert lines[-1].endswith(f"wrong or worse at commit {bad[:12]}")
    assert [fault in one for one in document["faults"]] == [False, True]
    page = (tmp_path / "h.html").read_text("utf-8")
    assert "2 records; the last of " in page
    assert fault in page


def test_mistakes(tmp_path: Path) -> None:
    (tmp_path / "h.sqlite").write_bytes(b"no history " * 200)
    line = ("nightly", *SKIPPED)
    assert "expected a history of nightly" in refused(*line, "--history", "h.sqlite", cwd=tmp_path)
    assert refused("nightly", "--history", "nil/h", cwd=tmp_path).startswith("nil/h: nil does not")
    assert "'--skip'" in refused("nightly", "--skip", "all", cwd=tmp_path)
