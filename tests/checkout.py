"""A repository of its own with the engine, harness and suites of this working tree, to change."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = (
    ".gitignore",
    "engine",
    "harness",
    "configs",
    "tests/perft",
    "tests/epd",
    "pyproject.toml",
)
WHO = {f"GIT_{role}_{what}": "t" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


class Checkout:
    """The repository in `folder`; its first commit notes the signature `nodes`."""

    def __init__(self, folder: Path, nodes: int) -> None:
        self.folder = folder
        for part in PARTS:
            (folder / part).parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / part).is_dir():
                ignore = shutil.ignore_patterns("__pycache__")
                shutil.copytree(ROOT / part, folder / part, ignore=ignore)
            else:
                shutil.copy(ROOT / part, folder / part)
        self.git("init", "-q")
        self.commit(f"As it is\n\nBench: {nodes}")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ("git", *arguments),
            cwd=self.folder,
            env=os.environ | WHO,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def commit(self, message: str) -> str:
        """Commit everything; the new commit."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace the only `old` of a file."""
        path = self.folder / file
        text = path.read_text("utf-8")
        assert text.count(old) == 1, f"{text.count(old)} times {old!r} in {file}"
        path.write_text(text.replace(old, new), "utf-8")

    def harness(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command of this repository's harness, with its engine."""
        return subprocess.run(
            [sys.executable, "-m", "harness.cli", *arguments],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": str(self.folder), "PYTHONWARNINGS": "error"},
            capture_output=True,
            text=True,
            check=False,
        )
