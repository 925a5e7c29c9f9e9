"""Two engines in one process: each plays as it plays alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.weights import weight_defaults
from harness.match import read_spec
from harness.revisions import PREFIX
from tests.checkout import ROOT, Checkout

TEMPO = weight_defaults()["tempo"]

#: A constant in a kernel, a default, and the order of a NamedTuple's fields of equal types: Numba
#: tells both engines' `Army` apart by its class alone.
PATCHES = (
    ("engine/king_safety.py", "WEAK_SQUARE_UNITS = np.int64(2)", "WEAK_SQUARE_UNITS = np.int64(9)"),
    ("engine/weights.py", f'Term("tempo", {TEMPO[0]}, {TEMPO[1]}', 'Term("tempo", (30,), (20,)'),
    (
        "engine/army.py",
        "    rooks: np.uint64\n    queens: np.uint64\n    king: np.uint64\n    men",
        "    queens: np.uint64\n    rooks: np.uint64\n    king: np.uint64\n    men",
    ),
    (
        "engine/army.py",
        "(position.orthogonals ^ queens) & men,\n        queens & men,",
        "queens & men,\n        (position.orthogonals ^ queens) & men,",
    ),
    (
        "engine/army.py",
        "flip(army.rooks),\n        flip(army.queens),",
        "flip(army.queens),\n        flip(army.rooks),",
    ),
)

SEARCH = """
import json, sys
import numpy as np
from harness.config import revision_config
from harness.engines import loaded_shell
from harness.spec import EngineConfig
from engine.bench import POSITIONS

configs = [revision_config(sys.argv[1])] if sys.argv[1:] else []
configs.append(EngineConfig(name="own"))
shells = [loaded_shell(config.source_digest) for config in configs]
searchers = [
    shell.Searcher(config.search, config.weights, 1)
    for shell, config in zip(shells, configs, strict=True)
]
found = [[] for _ in configs]
for fen in POSITIONS[:8]:
    for answers, shell, searcher in zip(found, shells, searchers, strict=True):
        searcher.new_game(fen, False)
        result = searcher.go(np.zeros(1, np.uint16), 0, shell.SearchLimit(nodes=3000))
        answers.append(list(result[:5]))
print(json.dumps(found))
"""


def searched(folder: Path, *revision: str) -> list[Any]:
    """Move, score, depth, selective depth, nodes in some positions, by each engine."""
    done = subprocess.run(
        [sys.executable, "-c", SEARCH, *revision],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """This tree's engine as HEAD~1, a patched one as HEAD and in the working tree."""
    checkout = Checkout(tmp_path_factory.mktemp("repository"), 1)
    for patch in PATCHES:
        checkout.edit(*patch)
    checkout.commit("Patched")
    return checkout


@pytest.mark.nightly  # compiles the engine twice
def test_two_engines_in_one_process_play_as_alone(checkout: Checkout) -> None:
    (before,), (patched,) = searched(ROOT), searched(checkout.folder)
    assert before != patched
    assert searched(checkout.folder, "HEAD~1") == [before, patched]


@pytest.mark.nightly
def test_a_test_against_a_revision(checkout: Checkout, tmp_path: Path) -> None:
    line = f"sprt --rev HEAD~1 --max-games 4 --nodes 500 --out {tmp_path} --json -"
    done = checkout.harness(*line.split())
    assert done.returncode == 11, done.stderr
    document = json.loads(done.stdout)
    commit = checkout.git("rev-parse", "HEAD~1")
    assert document["base"]["source"] == f"{PREFIX}{commit}"
    spec = read_spec(Path(document["run_dir"]))
    assert spec.base.source_digest
    assert spec.base.weights["tempo"] == TEMPO
    assert spec.new.weights["tempo"] == ((30,), (20,))
