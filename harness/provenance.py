"""What a run was made of and played on, noted before its first game."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from harness.spec import RunSpec

_CPU_INFO: Final = Path("/proc/cpuinfo")
_PROGRAM: Final = Path(__file__).resolve().parents[1]
#: What has a say in a run's games.
_SOURCES: Final = ("engine", "harness", "configs")


def collect_provenance(spec: RunSpec) -> dict[str, Any]:
    """Digests of everything that decides the games, and the machine with its versions."""
    from engine.jit import build_digest

    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "tool_version": spec.tool_version,
        "engine_digests": [engine.digest() for engine in spec.engines],
        "book_sha256": spec.openings.sha256,
        "source_digest": spec.source_digest,
        "build_digest": build_digest(),
        "python": platform.python_version(),
        "numba": version("numba"),
        "numpy": version("numpy"),
        "platform": platform.platform(),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        **working_tree(),
    }


def working_tree(folder: Path = _PROGRAM) -> dict[str, Any]:
    """The commit that the program's folder is at and whether it has changes; None where no git."""
    answers = []
    for arguments in (("rev-parse", "HEAD"), ("status", "--porcelain")):
        command = ("git", "-C", str(folder), *arguments)
        try:
            answer = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
        except (OSError, subprocess.SubprocessError):
            return {"git_commit": None, "git_dirty": None}
        answers.append(answer.stdout.strip())
    return {"git_commit": answers[0], "git_dirty": bool(answers[1])}


def tree_changes(folder: Path = _PROGRAM) -> str:
    """What the program's sources and configs have that their commit has not, as a git diff.

    Files that git does not know yet are in it. "" where nothing was changed, or there is no git.
    """
    from harness.revisions import git

    if not working_tree(folder)["git_dirty"]:
        return ""
    changed = git("diff", "--binary", "HEAD", "--", *_SOURCES, folder=folder)
    listed = git("ls-files", "--others", "--exclude-standard", "-z", "--", *_SOURCES, folder=folder)
    new = [_new_file_diff(folder, name) for name in listed.decode().split("\0") if name]
    return "".join((changed.decode(errors="replace"), *new))


def _new_file_diff(folder: Path, name: str) -> str:
    command = ("git", "-C", str(folder), "diff", "--binary", "--no-index", "--", os.devnull, name)
    # Its exit code is 1, since the files differ.
    return subprocess.run(command, capture_output=True, check=False).stdout.decode(errors="replace")


def cpu_model(cpu_info: Path = _CPU_INFO) -> str:
    """The processor's name, as far as the system tells."""
    if cpu_info.exists():
        for line in cpu_info.read_text("utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()
