"""Reads a file whole, whether it is plain or packed by gzip, zip or Zstandard.

The first bytes decide, not the name. Every failure is a UsageError of one sentence.
"""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from pathlib import Path

import zstandard

from harness.errors import UsageError

_UTF8_BOM = b"\xef\xbb\xbf"


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
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        elif data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            data = _unzip(path, data)
        elif data.startswith(b"\x28\xb5\x2f\xfd"):
            data = _unpack_zstandard(data)
    except (EOFError, OSError, zlib.error, zipfile.BadZipFile, zstandard.ZstdError) as error:
        raise UsageError(f"{path}: the archive is damaged ({error})") from None
    return data.removeprefix(_UTF8_BOM)


def _unzip(path: Path, data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
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
            return archive.read(members[0])
        except NotImplementedError as error:  # a compression method that zipfile lacks
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
