"""Files that are either as they were before, or complete; and whether they are the same."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """A text file to write, which takes its name when everything is in it.

    What fails leaves nothing. A link is followed. What is no regular file (a device, a pipe) is
    written to, not replaced.
    """
    with whole_bytes(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="\n")
        try:
            yield text
        finally:
            text.detach()  # which writes what is left, and leaves the file open


@contextmanager
def whole_bytes(path: Path) -> Iterator[BinaryIO]:
    """The same for bytes."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    unfinished = path.with_name(path.name + ".part")
    try:
        with unfinished.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def write_whole(path: Path, text: str) -> None:
    """Write a file, all of it or nothing."""
    with whole_file(path) as file:
        file.write(text)


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, which is read again only when it was written since."""
    status = path.stat()
    return _file_sha256(path, status.st_mtime_ns, status.st_size, status.st_ino)


@lru_cache
def _file_sha256(path: Path, *_version: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
