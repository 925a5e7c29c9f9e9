"""Perft counts of known positions by each generator; a failure shows the divide."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import chess
import pytest

from engine.shell import PERFT_WAYS, Game, PerftCounter
from tests.oracle import Start, oracle_board, wires_of

HERE = Path(__file__).parent
QUICK_LEAVES = 20_000_000  # more is for the nightly run
SLOW_LEAVES = 500_000  # of generators that make every leaf
DIVIDE_LEAVES = 2_000_000  # more would keep the oracle busy for minutes


class Case(NamedTuple):
    """Leaves of a position at one depth."""

    fen: str
    chess960: bool
    depth: int
    leaves: int


def read_cases(name: str, chess960: bool) -> Iterator[Case]:
    """The cases of a file of lines `FEN ;D1 20 ;D2 400`; lines that begin with # are comments."""
    for line in (HERE / name).read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        fen, *counts = (part.strip() for part in line.split(";"))
        for count in counts:
            depth, leaves = count.removeprefix("D").split()
            yield Case(fen, chess960, int(depth), int(leaves))


def all_cases() -> Iterator[Case]:
    yield from read_cases("standard.perft", chess960=False)
    yield from read_cases("chess960.perft", chess960=True)
    yield from read_cases("reached.epd", chess960=False)
    yield from read_cases("reached960.epd", chess960=True)


def deepest(cases: list[Case]) -> list[Case]:
    """The largest depth of each position; it counts every shallower node too."""
    return list({(case.fen, case.chess960): case for case in cases}.values())


def oracle_leaves(board: chess.Board, depth: int) -> int:
    if depth == 0:
        return 1
    leaves = 0
    for move in list(board.legal_moves):
        board.push(move)
        leaves += 1 if depth == 1 else oracle_leaves(board, depth - 1)
        board.pop()
    return leaves


def divide(case: Case) -> str:
    """Leaves below each first move, beside the oracle's where it is not too slow."""
    game, board = Game(case.fen, case.chess960), oracle_board(Start(case.fen, case.chess960))
    ours = {move: child.perft(case.depth - 1) for move, child in game.children()}
    theirs: dict[int, int] = {}
    if case.leaves <= DIVIDE_LEAVES:
        for wire, move in wires_of(board).items():
            board.push(move)
            theirs[wire] = oracle_leaves(board, case.depth - 1)
            board.pop()
    lines = [f"perft {case.depth} of {case.fen}: {case.leaves} expected, move: ours / oracle's"]
    for move in sorted(ours.keys() | theirs.keys()):
        mark = "" if not theirs or ours.get(move) == theirs.get(move) else "  <--"
        counts = f"{ours.get(move, '-')} / {theirs.get(move, '-')}"
        lines.append(f"{game.format_uci(move)}: {counts}{mark}")
    return "\n".join(lines)


def check(case: Case) -> None:
    if Game(case.fen, case.chess960).perft(case.depth) != case.leaves:
        pytest.fail(divide(case), pytrace=False)


QUICK = [case for case in all_cases() if case.leaves <= QUICK_LEAVES]
LONG = [case for case in all_cases() if case.leaves > QUICK_LEAVES]


@pytest.mark.parametrize("case", deepest(QUICK), ids=lambda case: f"{case.fen} D{case.depth}")
def test_perft(case: Case) -> None:
    check(case)


def test_perft_of_small_depths() -> None:
    for case in QUICK:
        if case.leaves <= 10_000:
            check(case)


@pytest.mark.parametrize("way", [way for way in PERFT_WAYS if way != "generator"])
def test_perft_through_the_picker_and_the_oracle(way: str) -> None:
    """They make each leaf, so they are an order slower."""
    counter = PerftCounter(way)
    for case in QUICK:
        if case.leaves <= SLOW_LEAVES:
            assert counter.count(Game(case.fen, case.chess960), case.depth) == case.leaves, case


@pytest.mark.nightly
@pytest.mark.parametrize("case", LONG, ids=lambda case: f"{case.fen} D{case.depth}")
def test_long_perft(case: Case) -> None:
    check(case)


def test_perft_of_depth_zero_is_the_position_itself() -> None:
    assert {PerftCounter(way).count(Game(), 0) for way in PERFT_WAYS} == {Game().perft(0)} == {1}


def test_a_failure_shows_the_divide() -> None:
    wrong = Case(chess.STARTING_FEN, False, 2, 401)
    with pytest.raises(pytest.fail.Exception) as failure:
        check(wrong)
    text = str(failure.value)
    assert "401 expected" in text
    assert "e2e4: 20 / 20" in text
    assert "<--" not in text


def test_the_move_name_of_a_divide_tells_promotions_apart() -> None:
    promotions = Case("8/P7/8/8/8/8/8/K6k w - - 0 1", False, 1, 0)
    assert {f"a7a8{kind}: 1 / 1" for kind in "nbrq"} <= set(divide(promotions).splitlines())
