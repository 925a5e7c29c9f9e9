"""Where compiled kernels lie on disk: one file for each kernel and signature, checked when read.

A file is the SHA-256 of the rest, then the pickled compile result. Numba's own layout (an index of
numbered data files beside a stamp) is not used: the folder's name already says all that the code
depends on (see jit.py), two processes that fill one index at a time can swap two signatures' code,
and a flipped bit in machine code would be run. Damage is told and healed, an unwritable folder told
and done without; neither is fatal.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import shutil
import sys
import time
import uuid
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import caching, compiler, serialize

#: How many folders stay, the last used first, of one package; any used lately stays as well.
KEPT_FOLDERS = 8
KEPT_SECONDS = 2 * 24 * 3600

_CHECKSUM_BYTES = hashlib.sha256().digest_size


class DamagedFileError(Exception):
    """A cache file whose content is not what was written."""


@functools.cache
def notice(text: str) -> None:
    """Tell the user, once in a process."""
    print(f"numbishop: {text}", file=sys.stderr, flush=True)


def read_checked(path: Path) -> bytes:
    """What `write_checked` wrote. Raises DamagedFileError, or OSError as `Path.read_bytes` does."""
    content = path.read_bytes()
    data = content[_CHECKSUM_BYTES:]
    if hashlib.sha256(data).digest() != content[:_CHECKSUM_BYTES]:
        raise DamagedFileError(path)
    return data


def write_checked(path: Path, data: bytes) -> None:
    """Put `data` and its checksum at `path` in one step, whatever other processes do there."""
    unfinished = path.with_suffix(f".{uuid.uuid4().hex}")
    try:
        unfinished.write_bytes(hashlib.sha256(data).digest() + data)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


@functools.cache
def mark_used(folder: Path) -> None:
    """Note, once in a process, that `folder` is in use, for `prune`."""
    if os.access(folder, os.W_OK):
        os.utime(folder)


def prune(folder: Path) -> None:
    """Remove old neighbours of `folder`: every change of the sources leaves a folder behind."""
    package_suffix = folder.name[folder.name.index("-") :]
    used = {
        path: path.stat().st_mtime
        for path in folder.parent.glob(f"*{package_suffix}")
        if path != folder
    }
    newest_first = sorted(used, key=used.__getitem__, reverse=True)
    for old in newest_first[KEPT_FOLDERS - 1 :]:
        if time.time() - used[old] > KEPT_SECONDS:
            # What cannot be removed now (another process may be at it) is tried again next time.
            shutil.rmtree(old, ignore_errors=True)


class KernelCache(caching._Cache):
    """The cache of one kernel, in the form that Numba's dispatcher asks for."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._folder = folder
        self._enabled = True

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        """Forget every signature of this kernel."""
        for path in self._folder.glob(f"{self._file_stem()}-*.nbc"):
            path.unlink()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        data = self._read(self._path(sig)) if self._enabled else None
        if data is None:
            return None
        mark_used(self._folder)
        return compiler.CompileResult._rebuild(target_context, *pickle.loads(data))

    def save_overload(self, sig: Any, data: Any) -> None:
        if not self._enabled:
            return
        if data.lifted or data.library.has_dynamic_globals:
            # A pointer of ctypes or a global array above 1 MB; all code with NUMBA_OPT=0.
            message = f"kernel {self._name} cannot be cached: every process compiles it"
            warnings.warn(message, RuntimeWarning, stacklevel=2)
            return
        try:
            if not self._folder.is_dir():
                self._folder.mkdir(parents=True, exist_ok=True)
                prune(self._folder)
            write_checked(self._path(sig), serialize.dumps(data._reduce()))
        except OSError as error:
            self._do_without(error)

    def _file_stem(self) -> str:
        return self._name.replace("<", "").replace(">", "")

    def _path(self, signature: Any) -> Path:
        digest = hashlib.sha256(str(signature).encode()).hexdigest()
        return self._folder / f"{self._file_stem()}-{digest[:16]}.nbc"

    def _read(self, path: Path) -> bytes | None:
        try:
            return read_checked(path)
        except FileNotFoundError:
            return None
        except DamagedFileError:
            notice(f"the compile cache {self._folder} is damaged; compiling again what is")
        except OSError as error:
            self._do_without(error)
        return None

    def _do_without(self, error: OSError) -> None:
        reason = error.strerror or str(error)
        notice(f"cannot use the compile cache {self._folder} ({reason}); compiling in memory only")
        self.disable()
