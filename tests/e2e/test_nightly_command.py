"""`harness nightly` with the steps that take seconds, twice."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.test_commands import harness, refused

LINE = ("nightly", "--skip", "bench", "--skip", "benchmarks", "--skip", "tests", "--budget", "1")


def test_each_night_is_added_and_compared(tmp_path: Path) -> None:
    files = ("--history", "h.sqlite", "--page", "h.html", "--json", "x.json")
    for night in (1, 2):
        done = harness(*LINE, *files, cwd=tmp_path)
        document = json.loads((tmp_path / "x.json").read_text("utf-8"))
        assert done.stderr == ""
        assert done.returncode == (10 if any(one["bad"] for one in document["findings"]) else 0)
        assert document["faults"] == []
        assert document["counts"]["perft positions wrong"] == 0
        assert document["counts"]["positions solved"] > 50
        assert document["measures"]["perft"]["value"] > 0
        page = (tmp_path / "h.html").read_text("utf-8")
        assert f"{night} records; the last of " in page
        assert done.stdout.startswith("perft ...\nepd ...\n")


def test_mistakes(tmp_path: Path) -> None:
    (tmp_path / "h.sqlite").write_bytes(b"no history " * 200)
    assert "expected a history of nightly" in refused(*LINE, "--history", "h.sqlite", cwd=tmp_path)
    assert refused("nightly", "--history", "nil/h", cwd=tmp_path).startswith("nil/h: nil does not")
    assert "'--skip'" in refused("nightly", "--skip", "all", cwd=tmp_path)
