"""What kernels do by machine instruction, and the whole engine, equal to their Python twins.

(Sets and words of memory: test_engine_bitboard.py.)
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.attacks import SLIDER_TABLE
from engine.jit import cache_root
from engine.shell import Game, Searcher, build_parameters
from engine.state import address_of
from tests.kernels.instructions import (
    prefetch_at,
    slider_entry_of,
    touch_game,
    touch_parameters,
    touch_searcher,
)
from tests.unit.engine_run import whole_run
from tests.unit.toy_package import REPOSITORY, run_python


@pytest.mark.parametrize("address", [0, 1 << 40, (1 << 64) - 1])
def test_prefetch_of_any_address_does_nothing(address):
    assert prefetch_at(np.uint64(address)) == address
    assert prefetch_at.py_func(np.uint64(address)) == address


def test_the_slider_table_is_read_in_place():
    for index in (*range(0, len(SLIDER_TABLE), 997), len(SLIDER_TABLE) - 1):
        entry = slider_entry_of(np.uint64(index))
        assert entry == slider_entry_of.py_func(np.uint64(index)) == SLIDER_TABLE[index]


RECORDS = [
    (touch_game, lambda: Game().record),
    (touch_searcher, lambda: Searcher(hash_mb=1).record),
    (touch_parameters, build_parameters),
]


@pytest.mark.parametrize(("touch", "make"), RECORDS, ids=["game", "searcher", "parameters"])
@pytest.mark.parametrize("index", [0, 7, 63])
def test_records_are_reached_by_address(touch, make, index):
    seen, by_twin = make(), make()
    for record in (seen, by_twin):
        for name in {"plies", "history", "reductions", "pv"} & set(record.dtype.names):
            record[name] = 41
    value = -(1 << 62)
    old = touch(address_of(seen), index, value)
    assert old == touch.py_func(address_of(by_twin), index, value) != 0
    for name in seen.dtype.names:
        if not name.endswith("_address"):
            assert np.array_equal(seen[name], by_twin[name]), name


_WHOLE_RUN = """
import json
from tests.unit.engine_run import whole_run
print(json.dumps(whole_run()))
"""


def test_the_whole_engine_runs_without_the_jit():
    """Same moves, scores, nodes, lines, keys and counts.

    With warnings as errors, so that no uint64 meets an int64 anywhere.
    """
    code = f"import warnings; warnings.simplefilter('error')\n{_WHOLE_RUN}"
    output, errors = run_python(code, REPOSITORY, NUMBA_DISABLE_JIT="1")
    assert errors == ""
    assert json.loads(output) == json.loads(json.dumps(whole_run()))


BUILDS = [
    {"NUMBA_BOUNDSCHECK": "1"},
    {"NUMBA_CPU_NAME": "generic"},
    {"NUMBISHOP_SLIDERS": "magic"},
    {"NUMBISHOP_SLIDERS": "rays"},
]


@pytest.mark.nightly
@pytest.mark.parametrize("build", BUILDS, ids=lambda build: "-".join(*build.items()))
def test_every_build_plays_alike(build):
    """And no index leaves its array."""
    cache = {"NUMBISHOP_CACHE_DIR": str(cache_root())}
    output, _ = run_python(_WHOLE_RUN, REPOSITORY, **cache, **build)
    assert json.loads(output) == json.loads(json.dumps(whole_run()))
