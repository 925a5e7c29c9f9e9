"""Engines of other revisions beside the one that a process plays: `source = builtin@REV`.

The modules of the engine import each other relatively, so its copy (see `harness.snapshot`) can be
loaded a second time under another name, `engine_<digest>`, and both play in one process. Numba
keeps them apart: a kernel is named by its module, a NamedTuple inside kernels by its class. Only
where a NamedTuple crosses from Python into a kernel does Numba look at nothing but the name of its
class and the types of its fields, and would take one engine's for the other's; therefore none
crosses there in play (`engine.shell` hands over addresses and numbers), which a test of two engines
in one process watches. The alternative, a process for each engine, costs 50 µs a move.

The name is a function of the digest, since cached machine code names its modules.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from harness.errors import EngineStartError

if TYPE_CHECKING:
    from engine.parameters import Parameter
    from engine.weights import Term


class Schema(NamedTuple):
    """What an engine can be told, by name."""

    parameters: dict[str, Parameter]
    terms: dict[str, Term]


def sources_root() -> Path:
    """The folder of all copies, one folder each, named by its source digest."""
    from engine.jit import cache_root

    return cache_root() / "src"


def package_name(digest: str) -> str:
    """Under what name the engine with this source digest is loaded beside the run's own."""
    return f"engine_{digest[:12]}"


def add_package(folder: Path) -> str:
    """Make the engine in `folder`, which its digest names, importable; its package's name."""
    name = package_name(folder.name)
    if name not in sys.modules:
        package = folder / "engine"
        spec = importlib.util.spec_from_file_location(
            name, package / "__init__.py", submodule_search_locations=[str(package)]
        )
        if spec is None or spec.loader is None or not package.is_dir():
            raise EngineStartError(f"{folder}: no engine there; expected the copy that a run made")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return name


def engine_module(digest: str, module: str) -> ModuleType:
    """A module of the engine with this source digest; of the process's own where it is ""."""
    if not digest:
        return importlib.import_module(f"engine.{module}")
    return importlib.import_module(f"{add_package(sources_root() / digest)}.{module}")


@functools.cache
def loaded_shell(digest: str) -> Any:
    """`engine.shell` of an engine, its kernels loaded: no game's clock runs while that is done."""
    shell = engine_module(digest, "shell")
    if digest:
        shell.warm_up()
    return shell


@functools.cache
def schema_of(digest: str) -> Schema:
    """The parameters and terms of an engine."""
    parameters = engine_module(digest, "parameters").SEARCH
    terms = engine_module(digest, "weights").EVALUATION
    return Schema({one.name: one for one in parameters}, {one.name: one for one in terms})
