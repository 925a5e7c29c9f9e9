"""What a run was made of and played on, noted before its first game."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from harness.spec import MatchSpec

_CPU_INFO: Final = Path("/proc/cpuinfo")


def collect_provenance(spec: MatchSpec) -> dict[str, Any]:
    """Digests of everything that decides the games, and the machine with its versions."""
    from engine.jit import build_digest

    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "tool_version": spec.tool_version,
        "new_digest": spec.new.digest(),
        "base_digest": spec.base.digest(),
        "book_sha256": spec.openings.sha256,
        "source_digest": spec.source_digest,
        "build_digest": build_digest(),
        "python": platform.python_version(),
        "numba": version("numba"),
        "numpy": version("numpy"),
        "platform": platform.platform(),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
    }


def cpu_model(cpu_info: Path = _CPU_INFO) -> str:
    """The processor's name, as far as the system tells."""
    if cpu_info.exists():
        for line in cpu_info.read_text("utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()
