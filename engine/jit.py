"""The one compile policy of every kernel, and the digests that keep its cache honest.

Numba's own cache looks at the file that holds a function and at nothing else: a changed helper or
constant of another module, a codegen flag, another slider back-end all load *stale* code. Here the
stamp of every cached kernel is `build_digest` of the whole package the kernel lives in, so that any
such change compiles anew. Other libraries' caches are left alone.

Nothing else in the project calls `numba.njit`.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import io
import os
import platform
import sys
import tokenize
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
import platformdirs
from numba.core import caching, config
from numba.core.registry import cpu_target

PACKAGE = Path(__file__).resolve().parent

#: Modules that only talk to people; a change in them cannot change a move.
SHELL_MODULES = frozenset({"__main__.py", "uci.py", "server.py", "bench.py"})

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
    "LLVM_PASS_TIMINGS",
    "LLVM_REFPRUNE_PASS",
    "LLVM_REFPRUNE_FLAGS",
    "EXTEND_VARIABLE_LIFETIMES",
)

_LAYOUT_TOKENS = {
    tokenize.COMMENT: None,
    tokenize.NL: None,
    tokenize.ENCODING: None,
    tokenize.INDENT: ">",
    tokenize.DEDENT: "<",
    tokenize.NEWLINE: ";",
}


def cache_root() -> Path:
    """The user's cache folder of this program; `NUMBISHOP_CACHE_DIR` overrides it."""
    override = os.environ.get("NUMBISHOP_CACHE_DIR")
    return Path(override) if override else Path(platformdirs.user_cache_dir("numbishop"))


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


def _docstring_lines(source: str) -> set[int]:
    lines: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        for statement in body:
            value = getattr(statement, "value", None)
            if isinstance(statement, ast.Expr) and isinstance(getattr(value, "value", None), str):
                lines.update(range(statement.lineno, (statement.end_lineno or 0) + 1))
    return lines


def strip_source(source: str) -> str:
    """`source` without comments, docstrings and layout: what the compiler sees, as one string."""
    docstrings = _docstring_lines(source)
    words: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        word = _LAYOUT_TOKENS.get(token.type, token.string)
        if word is None or token.start[0] in docstrings:
            continue
        words.append(word)
    return " ".join(words)


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
    """SHA-256 (hex) of all that decides the machine code: sources, flags, versions, CPU, back-end."""
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


def _notice(text: str) -> None:
    print(f"numbishop: {text}", file=sys.stderr, flush=True)


class _Locator(caching._CacheLocator):
    def __init__(self, function: Callable[..., Any], source_file: str) -> None:
        package = Path(source_file).resolve().parent
        self._py_file = source_file
        self._folder = cache_folder(package, function.__module__.partition(".")[0])
        self._stamp = build_digest(package)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return "k"

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator:
        return cls(py_func, py_file)


class _Implementation(caching.CompileResultCacheImpl):
    _locator_classes = [_Locator]


class KernelCache(caching.FunctionCache):
    """Numba's function cache with our stamp; damage is told and healed, never fatal."""

    _impl_class = _Implementation

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return sig, codegen.magic_tuple(), self._py_func.__qualname__

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # a damaged pickle can raise anything at all
            _notice(
                f"the compile cache of {self._py_func.__qualname__} is damaged "
                f"({type(error).__name__}); compiling it again"
            )
            try:
                self.flush()
            except OSError as denied:
                self._bypass(denied)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as denied:
            self._bypass(denied)

    def _bypass(self, denied: OSError) -> None:
        _tell_unwritable(self.cache_path, denied.strerror or str(denied))
        self.disable()


@functools.cache
def _tell_unwritable(folder: str, reason: str) -> None:
    _notice(f"cannot write the compile cache {folder} ({reason}); compiling in memory only")


def _compile(function: Callable[..., Any], **options: bool) -> Any:
    if config.DISABLE_JIT:
        return function
    dispatcher = numba.njit(**NJIT_OPTIONS, **options)(function)
    dispatcher._cache = KernelCache(function)
    return dispatcher


def _compile(function: Callable[..., Any], **options: bool) -> Any:
    if config.DISABLE_JIT:
        return function
    dispatcher = numba.njit(**NJIT_OPTIONS, **options)(function)
    dispatcher._cache = KernelCache(function)
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
