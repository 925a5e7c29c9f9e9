"""After `warm_up` nothing compiles any more, in this process and in those that come after it.

The engine is compiled once, into a cache of its own; then another process plays, evaluates and
counts with it in every way that the commands do. A kernel with two overloads that calls itself
would abort that process (conventions.md).

It is compiled with magic sliders, which few machines choose by themselves and each must have.
"""

from __future__ import annotations

import json
import textwrap
from typing import Any, NamedTuple

import pytest

from tests.unit.test_bench import DEPTH, report, report_of
from tests.unit.toy_package import REPOSITORY, run_python

#: Evaluation terms are compiled for a sum and for a trace.
TWINS = {
    f"engine.{module}.{name}"
    for module, names in {
        "terms": ("feed", "row", "_feed_pieces", "placement"),
        "pawns": ("_feed_by_rank", "pawn_structure", "passed_pawn_terms"),
        "pieces": ("_survey_kind", "survey", "bishop_terms", "rook_files", "outposts"),
        "threats": ("_feed_victims", "threats", "push_threats"),
        "king_safety": ("king_shelter", "king_attack"),
        "endgames": ("lone_king_terms",),
        "evaluate": ("_terms_of", "positional"),
    }.items()
    for name in names
}

_PREPARE = """
import importlib, json, pkgutil, sys

import engine
from engine.shell import warm_up
from numba.core.registry import CPUDispatcher

def kernels():
    found = {}
    for module in pkgutil.iter_modules(engine.__path__, "engine."):
        if module.name != "engine.__main__":
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, CPUDispatcher):
                    found[f"{value.py_func.__module__}.{value.py_func.__name__}"] = value
    return found

def compiled(kernels):
    return {
        name: [str(signature) for signature in kernel.stats.cache_misses]
        for name, kernel in kernels.items()
        if kernel.stats.cache_misses
    }

kernels = kernels()
steps = []
warm_up(lambda *step: steps.append(step))
"""

_COLD = """
def reference_counts(kernel):
    # Of the kernel itself, not of the wrapper that Python calls.
    (signature,) = kernel.signatures
    symbol = kernel.overloads[signature].fndesc.llvm_func_name
    assembly = kernel.inspect_asm(signature)
    body = assembly.split(f"\\n{symbol}:\\n")[1].split("\\n.Lfunc_end")[0]
    return body.count("NRT_incref") + body.count("NRT_decref")

recursive = ("engine.search.search", "engine.quiescence.quiescence", "engine.perft._count_leaves")
print(json.dumps({
    "steps": steps,
    "overloads": {name: len(kernel.signatures) for name, kernel in kernels.items()},
    "reference_counts": {name: reference_counts(kernels[name]) for name in recursive},
}))
"""

_WARM = """
from tests.unit.toy_package import peak_rss_mb

def loaded():
    return sorted(name for name, kernel in kernels.items() if kernel.signatures)

def play_pair():
    from harness.config import AdjudicationConfig, EngineConfig, Limit
    from harness.game import play_game
    from harness.openings import Opening
    from harness.players import make_player
    from harness.schedule import pair_task

    players = [make_player(EngineConfig(name=name)) for name in ("new", "base")]
    opening = Opening(engine.shell.STARTPOS, (), "start")
    # The clock has much more time than its few moves take: a busy machine must not lose on time.
    timed = Limit(base_ms=2_000, increment_ms=3), AdjudicationConfig(max_plies=12)
    for limit, rules in ((Limit(nodes=100), AdjudicationConfig()), timed):
        for task in pair_task(run_seed=1, pair=0).games:
            record = play_game(task, players, opening, (limit, limit), rules)
            assert not record.detail

def talk():
    from engine.uci import Uci

    program = Uci(sys.stderr)
    position = "position startpos moves e2e4"
    go = ["go nodes 50", "go movetime 5", "go perft 2"]
    program.run(["uci", "isready", position, *go, "d", "quit"])

before = loaded()
from tests.unit.engine_run import whole_run
whole_run()
play_pair()
talk()
print(json.dumps({
    "entry_points": before,
    "later": sorted(set(loaded()) - set(before)),
    "compiled": compiled(kernels),
    "rss_mb": peak_rss_mb(),
}))
"""


_BENCH = f"""
from engine.uci import main
main(["bench", "{DEPTH}"])
"""


class _Runs(NamedTuple):
    cold: dict[str, Any]
    warm: dict[str, Any]
    bench: str


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> _Runs:
    """What a process with an empty cache saw, and then two with a full cache."""
    build = {
        "NUMBISHOP_CACHE_DIR": str(tmp_path_factory.mktemp("cache")),
        "NUMBISHOP_SLIDERS": "magic",
    }
    cold, warm, bench = (
        run_python(code, REPOSITORY, **build)[0]
        for code in (_PREPARE + textwrap.dedent(_COLD), _PREPARE + textwrap.dedent(_WARM), _BENCH)
    )
    return _Runs(json.loads(cold), json.loads(warm), bench)


def test_each_step_is_reported_before_it_starts(runs):
    steps = runs.cold["steps"]
    total = len(steps) - 1
    assert [step[1:] for step in steps] == [[done, total] for done in range(total + 1)]
    assert [step[0] for step in steps] == ["rules", "search", "evaluation", "perft", "done"]


def test_each_kernel_has_one_overload(runs):
    many = {name for name, count in runs.cold["overloads"].items() if count > 1}
    assert many == TWINS
    assert {runs.cold["overloads"][name] for name in TWINS} == {2}


def test_the_tree_is_searched_without_reference_counts(runs):
    assert set(runs.cold["reference_counts"].values()) == {0}


def test_the_next_process_compiles_nothing(runs):
    assert runs.warm["compiled"] == {}


def test_play_loads_nothing_that_warm_up_did_not(runs):
    assert runs.warm["later"] == []
    assert "engine.root.think" in runs.warm["entry_points"]


def test_a_process_that_plays_is_small(runs):
    assert runs.warm["rss_mb"] < 300


def test_the_magic_back_end_has_the_signature(runs):
    assert report_of(runs.bench) == report(DEPTH)
