"""Deepening at the root: what is played among equals, and when there is no need to go on."""

from __future__ import annotations

import numpy as np
import pytest

from engine.shell import Game, Searcher, SearchLimit, SearchResult
from engine.state import GAME_DTYPE, new_record
from tests.kernels.picking import pick_all
from tests.oracle import NO_MOVES, WELL_KNOWN

NO_HINT, ROOT = np.uint64(0), np.int64(0)
MATE_IN_ONE = "7k/8/6K1/8/8/8/8/R7 w - - 0 1"


def searched(fen: str, depth: int) -> SearchResult:
    searcher = Searcher(hash_mb=1)
    searcher.new_game(fen)
    return searcher.go(NO_MOVES, 0, SearchLimit(depth=depth))


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_among_equal_moves_the_first_is_played(depth: int) -> None:
    """With bare kings every move is worth the same: a draw."""
    game, scratch = Game("8/8/4k3/8/8/3K4/8/8 w - - 0 1"), new_record(GAME_DTYPE)
    searcher = Searcher(hash_mb=1)
    pick_all(game.record, searcher.record, searcher.parameters, NO_HINT, ROOT, scratch)
    first = int(scratch.moves[0])
    assert searched(game.fen, depth).move == first & 0o7777


def test_deepening_ends_at_a_forced_mate() -> None:
    assert searched(MATE_IN_ONE, 60).depth == searched(MATE_IN_ONE, 1).depth == 1


def test_nodes_of_quiescence_are_counted_apart() -> None:
    """They are among all nodes, and there are none where nothing can be captured."""
    without = searched("8/8/4k3/8/8/3K4/8/7R w - - 0 1", 3)
    assert without.qnodes == 0 < without.nodes
    for fen in WELL_KNOWN:
        result = searched(fen, 3)
        assert 0 < result.qnodes < result.nodes


def test_the_line_goes_on_in_quiescence() -> None:
    """The king must leave the fork, and the leaf of the search takes the queen."""
    fork = Game("6k1/8/8/8/8/8/5n2/3Q3K w - - 0 1")
    searcher = Searcher({"check_extension": 0}, hash_mb=1)
    searcher.new_game(fork.fen)
    result = searcher.go(NO_MOVES, 0, SearchLimit(depth=1))
    line = searcher.principal_variation()
    fork.push(result.move)
    assert line == [result.move, fork.parse_uci("f2d1")]


@pytest.mark.parametrize("fen", WELL_KNOWN)
def test_a_search_that_was_stopped_leaves_nothing_wrong_behind(fen: str) -> None:
    """Entries answer for one depth only here, so the value cannot depend on what came before."""
    plain = {"exact_depth_entries": 1, "check_extension": 0, "null_move": 0, "razoring": 0}
    pruning = ("reverse_futility", "futility", "late_move_pruning", "late_move_reductions")
    plain |= dict.fromkeys((*pruning, "see_search_pruning", "internal_iterative_reduction"), 0)
    expected = Searcher(plain, hash_mb=1)
    expected.new_game(fen)
    value = expected.go(NO_MOVES, 0, SearchLimit(depth=3)).score_cp
    for nodes in range(10, 2_000, 131):
        searcher = Searcher(plain, hash_mb=1)
        searcher.new_game(fen)
        searcher.go(NO_MOVES, 0, SearchLimit(nodes=nodes))
        assert searcher.go(NO_MOVES, 0, SearchLimit(depth=3)).score_cp == value, nodes
