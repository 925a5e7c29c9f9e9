"""`harness check` as it is installed."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

from tests.e2e.test_commands import harness, refused
from tests.match.engines import SCRIPT


def test_a_program_that_knows_one_line_only_fails_and_says_where(tmp_path: Path) -> None:
    command = shlex.join([sys.executable, "-IS", str(SCRIPT)])
    done = harness("check", command, "--option", "Hash=2", "--json", "out.json", cwd=tmp_path)
    assert done.returncode == 10, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "ok   starts and answers uci"
    failed = next(at for at, line in enumerate(lines) if line.startswith("FAIL "))
    assert "is not legal in" in lines[failed]
    assert any(line.strip().startswith("> go") for line in lines[failed:])
    assert "cannot be relied on in a match" in lines[-1]
    document = json.loads((tmp_path / "out.json").read_text())
    assert document["passed"] is False
    assert sum(document["counts"].values()) == len(document["steps"]) > 20


def test_mistakes_get_a_sentence(tmp_path: Path) -> None:
    assert refused("check", "nosuchengine", cwd=tmp_path) == (
        "nosuchengine: no such program; expected a path, or a name in PATH"
    )
    assert "expected NAME=VALUE" in refused("check", "cat", "--option", "Hash", cwd=tmp_path)
    (tmp_path / "null.cfg").write_text("[engine]\nsource = null\n")
    assert "expected a UCI program" in refused("check", "null.cfg", cwd=tmp_path)
