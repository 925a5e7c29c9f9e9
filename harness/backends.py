"""The slider back-ends of our engine. They are compiled in, so each is tried in its own process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from typing import Any, Final

from harness.errors import EngineStartError

BACKENDS: Final = ("pext", "magic", "rays")


def usable_backends() -> list[str]:
    """Those that this machine has."""
    from engine.jit import has_fast_pext

    return [name for name in BACKENDS if name != "pext" or has_fast_pext()]


def document_with(backend: str, arguments: Iterable[str]) -> dict[str, Any]:
    """The JSON document of a command of the harness, run with a back-end.

    Raises EngineStartError if there is none.
    """
    done = subprocess.run(
        [sys.executable, "-m", "harness.cli", *arguments, "--quiet", "--json", "-"],
        env={**os.environ, "NUMBISHOP_SLIDERS": backend},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    try:
        document: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise EngineStartError(
            f"the back-end {backend} could not be tried: exit code {done.returncode}"
        ) from None
    return document
