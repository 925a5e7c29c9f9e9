"""Builds of the engine with one rule broken: the short suite finds each, and the very move."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest

from engine.jit import PACKAGE

ROOT = Path(__file__).parents[2]
SUITES = [ROOT / "tests" / "perft" / name for name in ("standard.perft", "chess960.perft")]

#: Module, what stands there, what is put in its place.
BROKEN = {
    "en passant may uncover the king": (
        "position.py",
        "occupied = (position.ours | position.theirs) ^ from_bb ^ captured ^ (ONE << square)",
        "occupied = (position.ours | position.theirs) ^ captured ^ (ONE << square)",
    ),
    "a taken rook leaves its castling right": (
        "make.py",
        "castling = position.castling & ~moved",
        "castling = position.castling & ~(ONE << from_sq)",
    ),
    "no promotion by capture towards the h-file": (
        "movegen.py",
        "            count = _add_promotions(position, rising & RANK_8, U9, moves, count)\n",
        "",
    ),
}
#: What the wrong move is there, as python-chess sees the position.
KINDS: dict[str, Callable[[chess.Board, chess.Move], bool]] = {
    "en passant may uncover the king": chess.Board.is_en_passant,
    "a taken rook leaves its castling right": lambda board, move: (
        board.piece_type_at(move.from_square) == chess.KING
    ),
    "no promotion by capture towards the h-file": lambda board, move: bool(move.promotion),
}


@pytest.fixture(params=BROKEN)
def broken(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """A copy of the engine in which a rule is broken."""
    module, right, wrong = BROKEN[request.param]
    shutil.copytree(PACKAGE, tmp_path / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    source = (tmp_path / "engine" / module).read_text("utf-8")
    assert source.count(right) == 1
    (tmp_path / "engine" / module).write_text(source.replace(right, wrong))
    return request.param, tmp_path


def perft(folder: Path, *arguments: str) -> tuple[int, dict[str, Any], str]:
    """Exit code, JSON and text of `harness perft` with the engine in `folder`."""
    suites = [word for path in SUITES for word in ("--suite", str(path))]
    done = subprocess.run(
        [sys.executable, "-m", "harness.cli", "perft", *suites, *arguments, "--json", "-"],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (folder, ROOT))),
            "NUMBISHOP_CACHE_DIR": str(folder / "cache"),
        },
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout), done.stderr


@pytest.mark.nightly  # each compiles a generator of its own
def test_the_suite_finds_it_and_the_comparison_names_the_move(broken: tuple[str, Path]) -> None:
    rule, folder = broken
    code, document, text = perft(folder, "--max-nodes", "20000")
    assert code == 10
    assert document["wrong"] > 0
    assert "expected" in text

    code, document, _ = perft(folder, "--max-nodes", "20000", "--against", "python-chess")
    assert code == 10
    found = document["difference"]
    board = chess.Board(found["fen"], chess960=found["chess960"])
    missing = [chess.Move.from_uci(move) for move in found["missing"]]
    too_many = [chess.Move.from_uci(move) for move in found["too_many"]]
    assert missing or too_many
    assert all(board.is_legal(move) for move in missing)
    assert not any(board.is_legal(move) for move in too_many)
    assert all(KINDS[rule](board, move) for move in (*missing, *too_many))
