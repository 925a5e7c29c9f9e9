"""What was compiled before an edit is never run after it, and what was not edited is not compiled.

Each run is a process of its own. The toy package obeys the engine's compile policy; runs with a
copy of the engine itself are nightly.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from engine.jit import has_fast_pext
from tests.unit.toy_package import BACKENDS, REPOSITORY, ToyPackage, run_python

ALL_HITS = (3, 0)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The toy package, compiled. Not to be edited."""
    package = ToyPackage(tmp_path_factory.mktemp("compiled"))
    cold = package.run()
    assert (cold.entry, cold.hits, cold.misses, cold.stderr) == (33, 0, 3, "")
    return package


@pytest.fixture
def toy(compiled, tmp_path):
    """A copy of the compiled toy package. (Where it lies decides nothing.)"""
    return compiled.copy_to(tmp_path)


def test_nothing_edited_nothing_compiled(compiled):
    written = compiled.files()
    assert len(written) == 4, "three entry kernels and the helper"
    warm = compiled.run()
    assert (warm.entry, warm.hits, warm.misses) == (33, *ALL_HITS)
    assert compiled.files() == written


def test_a_constant_of_another_module_is_noticed(toy):
    toy.edit("constants", "int64(3)", "int64(7)")
    edited = toy.run()
    assert (edited.entry, edited.misses) == (77, 3)
    toy.edit("constants", "int64(7)", "int64(3)")
    back = toy.run()
    assert (back.entry, back.hits, back.misses) == (33, *ALL_HITS), "the old code is still there"


def test_a_called_function_of_another_module_is_noticed(toy):
    toy.edit("helper", "x + np.int64(1)", "x + np.int64(100)")
    edited = toy.run()
    assert (edited.entry, edited.misses) == (330, 3)


def test_comments_and_docstrings_compile_nothing(toy):
    toy.edit("helper", "# not two", "# one, and\n    # not two")
    toy.edit("helper", '"""One more."""', '"""The next number.\n\n    Not the one after.\n    """')
    toy.edit("constants", "\n\nFACTOR", "\n# Any number.\n\n\nFACTOR")
    edited = toy.run()
    assert (edited.entry, edited.hits, edited.misses) == (33, *ALL_HITS)


def test_bounds_checks_are_noticed(compiled):
    assert compiled.run().beyond == 5, "without checks it reads on in memory"
    checked = compiled.run(NUMBA_BOUNDSCHECK="1")
    assert (checked.beyond, checked.misses) == ("IndexError", 3)
    assert compiled.run().beyond == 5, "and back"


def test_code_generation_settings_are_noticed(compiled):
    settings = [{"NUMBA_OPT": "1"}, {"NUMBA_CPU_NAME": "generic"}]
    first = [compiled.run(**setting) for setting in settings]
    assert [(run.entry, run.misses) for run in first] == [(33, 3)] * 2
    assert [compiled.run(**setting).misses for setting in settings] == [0, 0]


def test_the_slider_backend_is_noticed(compiled):
    assert compiled.run(NUMBISHOP_SLIDERS="magic").backend == BACKENDS.index("magic")
    assert compiled.run(NUMBISHOP_SLIDERS="rays").backend == BACKENDS.index("rays")
    assert compiled.run().backend == BACKENDS.index("pext" if has_fast_pext() else "magic")


_POSITION = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

_SEARCH = f"""
import json
import numpy as np
from engine.jit import PACKAGE, source_digest
from engine.root import think
from engine.shell import Searcher, SearchLimit

searcher = Searcher(hash_mb=1)
searcher.new_game("{_POSITION}")
result = searcher.go(np.zeros(1, np.uint16), 0, SearchLimit(depth=7))
print(json.dumps({{
    "package": str(PACKAGE),
    "nodes": result.nodes,
    "digest": source_digest(),
    "compiled": sum(think.stats.cache_misses.values()),
}}))
"""


def _copy_engine(package: Path) -> None:
    package.mkdir()
    for source in (REPOSITORY / "engine").glob("*.py"):
        shutil.copy(source, package)


def _replace(path: Path, old: str, new: str) -> None:
    source = path.read_text()
    assert old in source
    path.write_text(source.replace(old, new, 1))


@pytest.mark.nightly
def test_an_edited_engine_plays_as_edited(tmp_path):
    package = tmp_path / "engine"
    _copy_engine(package)

    def search() -> dict[str, Any]:
        output, _ = run_python(_SEARCH, tmp_path, NUMBISHOP_CACHE_DIR=str(tmp_path / "cache"))
        result = json.loads(output)
        assert result.pop("package") == str(package)
        return result

    cold = search()
    assert cold["compiled"] == 1
    assert search() == cold | {"compiled": 0}
    _replace(package / "history.py", '"""', '"""More of it: ')
    _replace(
        package / "search.py", "        depth += 1", "        # Worth a ply.\n\n        depth += 1"
    )
    _replace(package / "bench.py", "DEFAULT_DEPTH = ", "DEFAULT_DEPTH = 1")
    assert search() == cold | {"compiled": 0}, "words, and a module that only talks"
    _replace(package / "terms.py", "MAX_PHASE = np.int64(24)", "MAX_PHASE = np.int64(48)")
    edited = search()
    assert edited["compiled"] == 1
    assert edited["digest"] != cold["digest"]
    assert edited["nodes"] != cold["nodes"]


_PLAY = f"""
import importlib, json, sys
import numpy as np

def play(shell):
    game, searcher = shell.Game("{_POSITION}"), shell.Searcher(hash_mb=1)
    searcher.new_game("{_POSITION}")
    result = searcher.go(np.zeros(1, np.uint16), 0, shell.SearchLimit(nodes=3000))
    game.push(result.move)
    return [*result[:-1], *searcher.principal_variation(), game.key, game.perft(3)]

print(json.dumps([play(importlib.import_module(f"{{name}}.shell")) for name in NAMES]))
"""


@pytest.mark.nightly
def test_two_engines_in_one_process_do_not_mix(tmp_path):
    """Numba knows a NamedTuple by its name and fields alone, and both have a `Position`."""
    _copy_engine(tmp_path / "other")
    _replace(tmp_path / "other" / "parameters.py", '"lmr_base", 75', '"lmr_base", 150')
    _replace(tmp_path / "other" / "zobrist.py", "splitmix64(2026,", "splitmix64(2027,")
    cache = str(tmp_path / "cache")

    def play(*names: str) -> list[list[int]]:
        code = f"NAMES = {names}\n{_PLAY}"
        return json.loads(run_python(code, tmp_path, NUMBISHOP_CACHE_DIR=cache)[0])

    together = play("engine", "other")
    assert together[0] != together[1]
    assert play("engine") + play("other") == together
    assert play("other", "engine") == together[::-1]
