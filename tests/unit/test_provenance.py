"""What a run notes of the tree it was started from."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from harness.provenance import tree_changes
from tests.checkout import WHO


def git(folder: Path, *arguments: str, given: str | None = None) -> None:
    subprocess.run(
        ("git", *arguments),
        cwd=folder,
        env=os.environ | WHO,
        input=given,
        text=True,
        check=True,
        capture_output=True,
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "engine").mkdir(parents=True)
    (folder / "engine" / "search.py").write_text("DEPTH = 1\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "As it is")
    return folder


def test_the_diff_of_a_changed_tree_makes_the_tree_again(repository: Path, tmp_path: Path) -> None:
    (repository / "engine" / "search.py").write_text("DEPTH = 2\n")
    (repository / "engine" / "extra.py").write_text("NEW = 1\n")
    (repository / "notes.txt").write_text("no part of the program\n")
    changes = tree_changes(repository)
    assert "notes.txt" not in changes
    git(tmp_path, "clone", "-q", "repository", "copy")
    git(tmp_path / "copy", "apply", given=changes)
    for name in ("search.py", "extra.py"):
        path = Path("engine") / name
        assert (tmp_path / "copy" / path).read_text() == (repository / path).read_text()


def test_no_changes_or_no_git_is_no_diff(repository: Path, tmp_path: Path) -> None:
    assert tree_changes(repository) == ""
    assert tree_changes(tmp_path) == ""
