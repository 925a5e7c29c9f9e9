"""`harness tune texel`, from lines of positions to files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.e2e.test_commands import harness, refused

TERMS = "term pawn_value 80 | 90\nterm rook_mobility 0 0 0 0 | 0 0 0 0\n"


def features_text(seed: int, positions: int) -> str:
    """Positions of two terms, results by the weights 100 and -30, -10, 10, 30."""
    rng = np.random.default_rng(seed)
    lines = ["numbishop features 1", TERMS]
    for number in range(positions):
        counts = np.array([rng.integers(-3, 4), *rng.multinomial(1, [0.25] * 4)])
        counts[1:] -= rng.multinomial(1, [0.25] * 4)
        expected = 1 / (1 + np.exp(-0.005 * (counts @ [100, -30, -10, 10, 30])))
        pairs = " ".join(f"{index}:{count}" for index, count in enumerate(counts) if count)
        result = int(rng.random() < expected)
        lines.append(f"{result} {rng.integers(25)} 100 {'wb'[number % 2]} {number // 4} - {pairs}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def features(tmp_path: Path) -> Path:
    path = tmp_path / "features.txt"
    path.write_text(features_text(1, 3000))
    return path


def only_folder(out: Path) -> Path:
    (folder,) = out.iterdir()
    return folder


def test_features_of_another_engine_are_fitted(features: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["--features", str(features), "--scale", "2", "--validation", "0"]
    words += ["--out", str(out), "--json", "-"]
    done = harness("tune", "texel", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    folder = only_folder(out)
    assert json.loads((folder / "texel.json").read_text()) == document
    assert "tuned weights" in (folder / "report.html").read_text()
    assert not (folder / "tuned.cfg").exists()
    value, mobility = document["terms"]
    assert value["name"] == "pawn_value"
    assert abs(value["after"]["middlegame"][0] - 100) < 25
    assert mobility["after"]["endgame"][3] > mobility["after"]["endgame"][0] + 20
    assert document["positions"]["train"] + document["positions"]["validation"] == 3000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "SOURCE and --features: neither given; expected one of them"),
        (["no.pgn"], "no.pgn: no such file; expected games, positions or a run's folder"),
        (["--features", "FILE", "--nodes", "100"], "--nodes cannot be given without --verify"),
        (["--features", "FILE", "--verify"], "--verify cannot be given with --features"),
        (
            ["--features", "FILE", "--monotone", "rook_mobility", "--method", "adam"],
            "--monotone cannot be given with --method adam",
        ),
        (["--only", "pawn", "."], "--only pawn: no such group or term; expected one of material"),
        (["--freeze", "*", "."], "--only and --freeze leave no weight to tune"),
        (["--base", "no.cfg", "."], "no.cfg"),
        (["--resume", "nowhere", "--ridge", "3"], "--ridge cannot be given with --resume"),
    ],
)
def test_bad_usage_is_one_sentence(tmp_path: Path, arguments: list[str], message: str) -> None:
    assert message in refused("tune", "texel", *arguments, cwd=tmp_path)


def test_a_missing_package_is_named(tmp_path: Path) -> None:
    code = """
import importlib.util
importlib.util.find_spec = lambda name: None
from harness.cli import main
main()
"""
    done = harness("tune", "texel", ".", cwd=tmp_path, code=code)
    assert done.returncode == 2
    assert done.stderr == (
        "error: tuning needs the extra packages: pip install 'numbishop[tune,report]'"
        " (scipy is missing)\n"
    )
