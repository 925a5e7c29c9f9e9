"""How this program was called, for commands that are printed to be typed as they stand."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

NAME = "harness"


def program() -> str:
    """What to type to call this program again from the same folder.

    `harness` where the shell finds this very script by that name, else the path it was called by,
    or the module when it was no script.
    """
    called = Path(sys.argv[0])
    if called.name != NAME or not called.is_file():
        return f"{shlex.quote(sys.executable)} -m harness.cli"
    found = shutil.which(NAME)
    if found is not None and Path(found).absolute() == called.absolute():
        return NAME
    return shlex.quote(sys.argv[0])


def reproduce_command(bundle: str | Path) -> str:
    """What to type to see an engine's fault again."""
    return f"{program()} reproduce {shlex.quote(str(bundle))}"


def resume_command(run_dir: str | Path, command: str = "sprt") -> str:
    """What to type to go on with the run in a folder."""
    return f"{program()} {command} --resume {shlex.quote(str(run_dir))}"
