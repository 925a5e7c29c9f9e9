"""The bench signature: one number, the same in every process and for every slider back-end."""

import os
import re
import subprocess
import sys

import chess
import pytest

from engine.bench import HASH_MB, POSITIONS, Bench
from engine.protocol import format_score
from engine.shell import MATE, MATE_BOUND, Game, Searcher, SearchLimit
from tests.oracle import NO_MOVES

DEPTH = 4


def report(depth: int = DEPTH, **search: int) -> list[str]:
    """A line for each position with its nodes, move and score, and last the signature."""
    bench = Bench(depth, search)
    lines = list(bench.run())
    assert len(lines) == len(POSITIONS)
    assert sum(int(line.split()[1]) for line in lines) == bench.nodes
    return [*lines, f"Nodes searched: {bench.nodes}"]


def report_of(output: str) -> list[str]:
    """The same of what the command `bench` says."""
    return re.findall(r"^ ?\d+/.*|^Nodes searched: .*", output, re.MULTILINE)


def signature(lines: list[str]) -> int:
    return int(lines[-1].split()[-1])


@pytest.fixture(scope="module")
def expected() -> list[str]:
    return report()


def run(*arguments: str, **environment: str) -> str:
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | environment,
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    ).stdout


def test_the_positions_are_distinct_and_can_be():
    assert 16 <= len(POSITIONS) <= 50
    assert len(set(POSITIONS)) == len(POSITIONS)
    for fen in POSITIONS:
        board = chess.Board(fen)
        assert board.is_valid(), fen
        assert board.legal_moves.count() > 1, fen
        assert board.fen(en_passant="legal") == fen


def test_twice_in_one_process(expected):
    assert report() == expected


def test_the_signature_depends_on_depth_and_search(expected):
    assert signature(report(DEPTH - 1)) < signature(expected)
    assert signature(report(transposition_table=0)) != signature(expected)


def test_each_line_tells_the_move_and_the_score_that_are_found():
    searcher = Searcher(hash_mb=HASH_MB)
    for fen, line in zip(POSITIONS, report(), strict=False):
        searcher.new_game(fen)
        result = searcher.go(NO_MOVES, 0, SearchLimit(depth=DEPTH))
        score = format_score(result.score_cp, MATE, MATE_BOUND)
        told = line.split(fen)[0].split()
        assert told[1:] == [
            str(result.nodes),
            "nodes",
            Game(fen).format_uci(result.move),
            *score.split(),
        ]


def test_the_summary_names_signature_and_speed(expected):
    bench = Bench(1)
    assert not bench.nodes
    list(bench.run())
    assert f"\nNodes searched: {bench.nodes}\n" in bench.summary
    assert f"\nNodes/second  : {bench.nps}" in bench.summary
    assert bench.nps > 0


@pytest.mark.parametrize("backend", ["rays", ""])
def test_in_another_process_with_each_slider_back_end(backend, expected):
    """An empty name means this machine's fastest. Each back-end is compiled code of its own.

    test_warm_up.py has the third, magic, since it compiles an engine anyhow.
    """
    output = run("-m", "engine", "bench", str(DEPTH), NUMBISHOP_SLIDERS=backend)
    assert report_of(output) == expected


def test_each_back_end_has_a_build_of_its_own():
    code = "from engine import jit; print(jit.slider_backend(), jit.build_digest())"
    builds = [run("-c", code, NUMBISHOP_SLIDERS=name).split() for name in ("magic", "rays")]
    assert [name for name, _ in builds] == ["magic", "rays"]
    assert builds[0][1] != builds[1][1]
