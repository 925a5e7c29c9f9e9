"""The folder of a run: made at once, for this run alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from harness.errors import UsageError


@contextmanager
def new_run_folder(out: Path, label: str) -> Iterator[Path]:
    """A folder of this run alone, named by the time and a label; removed if nothing is in it.

    Made at once, so that of two runs begun in the same second each has its own.
    """
    name = f"{datetime.now():%Y%m%d-%H%M%S}-{re.sub(r'[^A-Za-z0-9._-]+', '_', label)}"
    run_dir, number = out / name, 1
    while not _make_folder(run_dir):
        number += 1
        run_dir = out / f"{name}-{number}"
    try:
        yield run_dir
    finally:
        if not any(run_dir.iterdir()):
            run_dir.rmdir()


def _make_folder(path: Path) -> bool:
    """Make a folder; False when it exists."""
    try:
        path.mkdir(parents=True)
    except FileExistsError:
        return False
    except OSError as error:
        raise UsageError(
            f"{path}: the folder cannot be made ({error.strerror or error}); expected a place"
            " where it can"
        ) from error
    return True
