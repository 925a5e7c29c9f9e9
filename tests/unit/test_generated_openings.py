"""Generated openings: pure in (seed, i), legal, level, without end."""

from __future__ import annotations

import chess
import numpy as np
import pytest

import harness.openings
from engine.parameters import search_defaults
from engine.shell import Game, Searcher, SearchLimit
from engine.weights import weight_defaults
from harness.book_check import first_fault
from harness.errors import UsageError
from harness.openings import GeneratedOpenings, Opening, open_source
from harness.spec import OpeningSpec

PLIES, BOUND_CP, NODES = 8, 100, 500


def source(seed: int = 1, **changes: int) -> GeneratedOpenings:
    values = {"plies": PLIES, "bound_cp": BOUND_CP, "nodes": NODES} | changes
    return GeneratedOpenings(seed, **values)


def played(opening: Opening) -> chess.Board:
    """The position after the opening's moves, played by python-chess."""
    board = chess.Board(opening.fen, chess960=True)
    for wire in opening.moves:
        assert wire >> 12 == 0, "no promotion within eight plies"
        board.push(board.parse_uci(chess.Move(wire & 63, wire >> 6 & 63).uci()))
    return board


def test_opening_i_depends_on_seed_and_i_alone():
    forward = source()
    first = [forward.opening(i) for i in range(20)]
    backward = source()
    assert [backward.opening(i) for i in range(19, -1, -1)] == first[::-1]
    assert source(seed=2).opening(0) != first[0]


def test_lines_are_legal_of_the_given_length_and_leave_a_game():
    for i in range(50):
        opening = source().opening(i)
        assert opening.fen == chess.STARTING_FEN
        assert len(opening.moves) == PLIES
        assert not played(opening).is_game_over()


def test_positions_are_level_by_the_search():
    searcher = Searcher(search_defaults(), weight_defaults(), 1)
    openings = source()
    for i in range(20):
        line = np.array(openings.opening(i).moves, dtype=np.uint16)
        searcher.new_game(chess.STARTING_FEN)
        assert abs(searcher.go(line, PLIES, SearchLimit(nodes=NODES)).score_cp) <= BOUND_CP


def test_openings_differ():
    openings = source()
    assert len({openings.opening(i).moves for i in range(300)}) == 300


def test_a_narrow_bound_is_given_up(monkeypatch):
    monkeypatch.setattr(harness.openings, "_MAX_ATTEMPTS", 3)
    openings = source(plies=60, bound_cp=0)
    with pytest.raises(UsageError, match="no position within 0 cp after 60 random plies in 3"):
        openings.opening(0)


def test_the_spec_describes_the_source():
    spec = OpeningSpec(plies=PLIES, bound_cp=BOUND_CP, nodes=NODES)
    described = open_source(spec, 1)
    assert described.size is None
    assert described.opening(3) == source().opening(3)


def test_distinct_fens_are_the_openings_positions():
    openings = source()
    fens = list(openings.distinct_fens(30))
    assert len({fen.rsplit(" ", 2)[0] for fen in fens}) == 30
    assert fens[0].split()[0] == played(openings.opening(0)).board_fen()
    assert chess.Board(fens[0]).is_valid()


def test_positions_that_a_book_may_hold_are_positions_of_the_engine():
    lines = [
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        "4k3/8/8/8/8/8/8/4K2R w KQkq e6 9999 9999",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b HAha - 0 1",
        "4k3/8/8/8/8/8/8/4K2R w - - 3 1",
    ]
    for line in lines:
        assert first_fault([line.split()[0].encode()], [" b " in line]) is None
        Game(line)
