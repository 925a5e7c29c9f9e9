"""Printed commands run as printed, however the program was called."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness.invocation import program, resume_command


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "my env" / "bin" / "harness"
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\necho called\n")
    path.chmod(0o755)
    return path


def test_a_script_called_by_its_path(script, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(sys, "argv", ["my env/bin/harness", "sprt"])
    assert program() == "'my env/bin/harness'"
    done = subprocess.run(
        program(), shell=True, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "called\n"


def test_a_script_that_the_shell_finds_by_its_name(script, monkeypatch):
    monkeypatch.setenv("PATH", f"{script.parent}:/usr/bin:/bin")
    monkeypatch.setattr(sys, "argv", [str(script), "sprt"])
    assert program() == "harness"


@pytest.mark.parametrize("called", ["-c", "/somewhere/harness/cli.py", "/nowhere/harness"])
def test_what_is_no_script_is_called_as_a_module(called, monkeypatch):
    monkeypatch.setattr(sys, "argv", [called])
    assert program() == f"{sys.executable} -m harness.cli"


def test_the_folder_is_quoted_for_the_shell(script, monkeypatch):
    monkeypatch.setenv("PATH", f"{script.parent}:/usr/bin:/bin")
    monkeypatch.setattr(sys, "argv", [str(script)])
    assert resume_command("reports/a b") == "harness sprt --resume 'reports/a b'"
