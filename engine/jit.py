"""The one compile policy of every kernel, and the digests that keep its cache honest.

Numba's own cache looks at the file that holds a function and at nothing else: a changed helper or
constant of another module, a codegen flag, another slider back-end all load *stale* code. Here the
folder that caches a kernel is named by `build_digest` of the whole package the kernel lives in, so
that any such change compiles anew. Other libraries' caches are left alone.

Nothing else in the project calls `numba.njit`.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import io
import os
import platform
import sys
import tempfile
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
import platformdirs
from numba.core import config
from numba.core.registry import cpu_target

from .kernel_cache import KernelCache, notice

PACKAGE = Path(__file__).resolve().parent

#: Modules that only talk to people; a change in them cannot change a move.
SHELL_MODULES = frozenset(
    {
        "__main__.py",
        "bench.py",
        "eval_table.py",
        "jobs.py",
        "protocol.py",
        "server.py",
        "syzygy.py",
        "uci.py",
    }
)

NJIT_OPTIONS = {"nogil": True, "error_model": "numpy"}

#: Every setting of Numba's that changes the code it generates.
CODEGEN_SETTINGS = (
    "OPT",
    "BOUNDSCHECK",
    "CPU_NAME",
    "CPU_FEATURES",
    "ENABLE_AVX",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "DEBUGINFO_DEFAULT",
    "DISABLE_INTEL_SVML",
    "LLVM_REFPRUNE_PASS",
    "LLVM_REFPRUNE_FLAGS",
    "EXTEND_VARIABLE_LIFETIMES",
)

_UNSEEN_TOKENS = {tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER}
_INDENTATION = {tokenize.INDENT, tokenize.DEDENT}
_LAYOUT_WORDS = {tokenize.INDENT: ">", tokenize.DEDENT: "<", tokenize.NEWLINE: ";"}
_FSTRING_START = getattr(tokenize, "FSTRING_START", None)
_FSTRING_END = getattr(tokenize, "FSTRING_END", None)


def cache_root() -> Path:
    """The user's cache folder of this program; `NUMBISHOP_CACHE_DIR` overrides it."""
    override = os.environ.get("NUMBISHOP_CACHE_DIR")
    if override:
        return Path(override)
    try:
        return Path(platformdirs.user_cache_dir("numbishop"))
    except RuntimeError:  # no home folder is known
        return _homeless_cache_root()


def _homeless_cache_root() -> Path:
    """A private folder for a user without a name, as in some containers."""
    folder = Path(tempfile.gettempdir()) / f"numbishop-{os.getuid()}"
    notice(f"no home folder; caching in {folder} (NUMBISHOP_CACHE_DIR names another place)")
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.lstat().st_uid != os.getuid():
        # Compiled code is run as it lies there, so nobody else may have put it there.
        raise PermissionError(f"{folder} belongs to someone else; set NUMBISHOP_CACHE_DIR")
    return folder


def has_fast_pext() -> bool:
    """Whether the *code generator* may emit PEXT (LLVM aborts otherwise) and it is not microcoded.

    Asked of the code generator and not of the CPU, so that NUMBA_CPU_NAME and NUMBA_CPU_FEATURES
    are obeyed. znver1 and znver2 have the instruction in microcode, slower than a magic look-up.
    """
    triple, cpu, features = cpu_target.target_context.codegen().magic_tuple()
    return (
        not config.DISABLE_JIT
        and triple.startswith("x86_64")
        and "+bmi2" in features.split(",")
        and cpu not in {"znver1", "znver2"}
    )


def slider_backend() -> str:
    """`pext`, `magic` or `rays`: NUMBISHOP_SLIDERS, or the fastest that this machine has."""
    wanted = os.environ.get("NUMBISHOP_SLIDERS", "")
    if wanted not in {"", "pext", "magic", "rays"}:
        raise ValueError(f"NUMBISHOP_SLIDERS is {wanted!r}; expected pext, magic or rays")
    if wanted == "pext" and not has_fast_pext():
        raise ValueError("NUMBISHOP_SLIDERS is 'pext', which this machine's code cannot use")
    return wanted or ("pext" if has_fast_pext() else "magic")


def _logical_lines(source: str) -> Iterator[list[tuple[int, str]]]:
    """The words of each logical line as (token type, text); an f-string is one STRING word.

    (It is several tokens from Python 3.12 on; the digest must not depend on that.)
    """
    lines = source.splitlines(keepends=True)
    words: list[tuple[int, str]] = []
    fstring_starts: list[tuple[int, int]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == _FSTRING_START:
            fstring_starts.append(token.start)
        elif token.type == _FSTRING_END:
            start = fstring_starts.pop()
            if not fstring_starts:
                words.append((tokenize.STRING, _text_between(lines, start, token.end)))
        elif not fstring_starts and token.type not in _UNSEEN_TOKENS:
            words.append((token.type, _LAYOUT_WORDS.get(token.type, token.string)))
        if token.type == tokenize.NEWLINE:
            yield words
            words = []
    yield words


def _text_between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    text = "".join(lines[start[0] - 1 : end[0]])
    return text[start[1] : len(text) - len(lines[end[0] - 1]) + end[1]]


@functools.cache
def strip_source(source: str) -> str:
    """`source` without comments, docstrings and layout: what the compiler sees, as one string.

    Remembered by the text itself: the copies of an engine that a run looks at are mostly equal.
    """
    kept: list[str] = []
    for words in _logical_lines(source):
        content = {kind for kind, _ in words} - _LAYOUT_WORDS.keys()
        is_docstring = content == {tokenize.STRING}
        kept += [text for kind, text in words if not is_docstring or kind in _INDENTATION]
    return " ".join(kept)


@functools.cache
def source_digest(package: Path = PACKAGE) -> str:
    """SHA-256 (hex) of a package's modules, shell excepted, comments and docstrings stripped.

    It decides whether two engines are the same engine.
    """
    digest = hashlib.sha256()
    for path in sorted(package.glob("*.py")):
        if path.name not in SHELL_MODULES:
            digest.update(f"{path.name}\n{strip_source(path.read_text('utf-8'))}\n".encode())
    return digest.hexdigest()


@functools.cache
def build_digest(package: Path = PACKAGE) -> str:
    """SHA-256 (hex) of all that decides machine code: sources, flags, versions, CPU, back-end."""
    parts = [
        source_digest(package),
        source_digest(PACKAGE),
        repr(sorted(NJIT_OPTIONS.items())),
        repr([(name, getattr(config, name, None)) for name in CODEGEN_SETTINGS]),
        slider_backend(),
        repr((numba.__version__, llvmlite.__version__, np.__version__)),
        repr((sys.version_info[:3], sys.implementation.name, platform.machine())),
        repr(cpu_target.target_context.codegen().magic_tuple()),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def cache_folder(package: Path, package_name: str) -> Path:
    """Where a package's compiled kernels lie. Cached code names its modules, hence the name."""
    return cache_root() / "jit" / f"{build_digest(package)[:24]}-{package_name}"


def _compile(function: Callable[..., Any], **options: bool | str) -> Any:
    if config.DISABLE_JIT:
        return function
    dispatcher = numba.njit(**NJIT_OPTIONS, **options)(function)
    package = Path(inspect.getfile(function)).resolve().parent
    folder = cache_folder(package, function.__module__.partition(".")[0])
    dispatcher._cache = KernelCache(function, folder)
    return dispatcher


def kernel(function: Callable[..., Any]) -> Any:
    """Compile `function` under the project's policy, cached on disk under `build_digest`.

    With NUMBA_DISABLE_JIT=1 the function itself is returned (each intrinsic has a Python twin).
    """
    return _compile(function)


def inlined(function: Callable[..., Any]) -> Any:
    """A kernel that LLVM must inline into its callers: for what takes a whole position by value.

    A call pushes a position's twelve words and reads them back; without the calls perft runs 1.36
    times as fast. Each call site pays compile time, so only where a caller has one or two.
    """
    return _compile(function, forceinline=True)


def step(function: Callable[..., Any]) -> Any:
    """A step of a recursive kernel, spliced into it before types are inferred.

    So it may call the kernel it is a step of: kernels that call each other in a circle cannot be
    cached.
    """
    return _compile(function, inline="always")
