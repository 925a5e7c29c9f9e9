"""Reads a file, whole or piece by piece, whether it is plain or packed by gzip, zip or Zstandard.

The first bytes decide, not the name. Every failure is a UsageError of one sentence.
"""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO, Final, cast

import zstandard

from harness.errors import UsageError

_UTF8_BOM = b"\xef\xbb\xbf"
_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")

#: What a damaged archive raises.
_DAMAGE: Final = (
    EOFError,
    gzip.BadGzipFile,
    zlib.error,
    zipfile.BadZipFile,
    zstandard.ZstdError,
)


def read_file(path: Path) -> bytes:
    """The bytes of a file as they lie on the disk."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from None


def unpack(path: Path, data: bytes) -> bytes:
    """The contents of a file, unpacked when it is an archive, without a byte order mark."""
    try:
        if data.startswith(_GZIP):
            data = gzip.decompress(data)
        elif data.startswith(_ZIP):
            data = _unzip(path, data)
        elif data.startswith(_ZSTANDARD):
            data = _unpack_zstandard(data)
    except (OSError, *_DAMAGE) as error:
        raise UsageError(f"{path}: the archive is damaged ({error})") from None
    return data.removeprefix(_UTF8_BOM)


def _unzip(path: Path, data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive, _open_member(path, archive) as member:
        return member.read()


def _open_member(path: Path, archive: zipfile.ZipFile) -> IO[bytes]:
    """The one file of an archive."""
    members = [
        info
        for info in archive.infolist()
        if not info.is_dir() and not info.filename.startswith("__MACOSX/")
    ]
    if len(members) != 1:
        raise UsageError(f"{path}: expected one file in the archive, found {len(members)}")
    if members[0].flag_bits & 1:
        raise UsageError(f"{path}: expected an archive without a password")
    try:
        return archive.open(members[0])
    except RuntimeError as error:  # a compression method that zipfile, or this Python, lacks
        raise UsageError(f"{path}: the archive cannot be read ({error})") from None


def _unpack_zstandard(data: bytes) -> bytes:
    """All frames of the data; a frame that is cut short is an error, as in gzip."""
    parts = []
    while data:
        frame = zstandard.ZstdDecompressor().decompressobj()
        parts.append(frame.decompress(data))
        if not frame.eof:
            raise EOFError("the compressed data ends early")
        data = frame.unused_data
    return b"".join(parts)


#: What a stream reads at a time.
_PIECE_BYTES = 1 << 20


def unpacked_pieces(path: Path) -> Iterator[bytes]:
    """The contents of a file piece by piece, unpacked as by `unpack`, however long it is.

    What is damaged is told where it is met, after the pieces before it.
    """
    try:
        with path.open("rb") as file, ExitStack() as opened:
            first = file.read(4)
            file.seek(0)
            yield from _without_mark(_pieces(path, file, first, opened))
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except _DAMAGE as error:
        raise UsageError(f"{path}: the archive is damaged ({error})") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror or error})") from None


def _pieces(path: Path, file: BinaryIO, first: bytes, opened: ExitStack) -> Iterator[bytes]:
    if first.startswith(_ZSTANDARD):
        return _zstandard_pieces(file)
    stream: IO[bytes] = file
    if first.startswith(_GZIP):
        stream = cast("IO[bytes]", opened.enter_context(gzip.GzipFile(fileobj=file)))
    elif first in _ZIP:
        archive = opened.enter_context(zipfile.ZipFile(file))
        stream = opened.enter_context(_open_member(path, archive))
    return iter(partial(stream.read, _PIECE_BYTES), b"")


def _without_mark(pieces: Iterator[bytes]) -> Iterator[bytes]:
    start = b""
    while len(start) < len(_UTF8_BOM) and (piece := next(pieces, b"")):
        start += piece
    yield start.removeprefix(_UTF8_BOM)
    yield from pieces


def _zstandard_pieces(file: BinaryIO) -> Iterator[bytes]:
    """All frames; one that is cut short is an error (zstandard's reader takes it for the end)."""
    frame = None
    while data := file.read(_PIECE_BYTES):
        while data:
            frame = frame or zstandard.ZstdDecompressor().decompressobj()
            if piece := frame.decompress(data):
                yield piece
            data = frame.unused_data if frame.eof else b""
            frame = None if frame.eof else frame
    if frame is not None:
        raise EOFError("the compressed data ends early")
