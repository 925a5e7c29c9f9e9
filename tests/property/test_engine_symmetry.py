"""A position with its colours changed is the same position: same evaluation, same search tree."""

from __future__ import annotations

import operator

import chess
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.evaluate import evaluate_record
from engine.parameters import SEARCH
from engine.shell import Game, Searcher, SearchLimit, SearchResult, build_parameters
from tests.oracle import (
    NO_MOVES,
    SEEDS,
    STARTS,
    Start,
    flipped_wire,
    legal_fen,
    oracle_board,
    play,
    random_position,
    wire_of,
)

PARAMETERS = build_parameters()

SWITCHES = [parameter.name for parameter in SEARCH if (parameter.low, parameter.high) == (0, 1)]

#: Techniques off or on against the defaults: the symmetry may hang on none of them.
VARIANTS = st.builds(
    operator.or_,
    st.dictionaries(st.sampled_from(SWITCHES), st.integers(0, 1)),
    st.sampled_from([{}, {"aspiration_window_cp": 0}, {"draw_score_cp": -30}]),
)


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_evaluation_is_from_the_side_to_move(start: Start, seed: int, plies: int) -> None:
    for game, board in play(start, seed, plies):
        twin = Game(legal_fen(board.mirror()), start.chess960)
        value = evaluate_record(game.record, PARAMETERS)
        assert evaluate_record(twin.record, PARAMETERS) == value


def _flipped(result: SearchResult) -> SearchResult:
    return result._replace(move=flipped_wire(result.move), time_ns=0)


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 80), variant=VARIANTS)
@settings(max_examples=30, deadline=None)
def test_the_whole_tree_is_flipped(
    start: Start, seed: int, plies: int, variant: dict[str, int]
) -> None:
    """Same score, depths and node counts, the flipped move and the flipped line."""
    _, board = random_position(start, seed, plies)
    if not any(board.legal_moves):
        return
    results, lines = [], []
    for fen in (legal_fen(board), legal_fen(board.mirror())):
        searcher = Searcher(variant, hash_mb=1)
        searcher.new_game(fen, start.chess960)
        results.append(searcher.go(NO_MOVES, 0, SearchLimit(nodes=3_000)))
        lines.append(searcher.principal_variation())
    assert results[0]._replace(time_ns=0) == _flipped(results[1])
    assert lines[0] == [flipped_wire(wire) for wire in lines[1]]


@given(seed=SEEDS, plies=st.integers(1, 40))
@settings(max_examples=15, deadline=None)
def test_the_tree_of_a_whole_game_is_flipped(seed: int, plies: int) -> None:
    """Moves played before the root count too: repetitions, tables that outlive a move."""
    start = Start(chess.STARTING_FEN)
    twin = Start(legal_fen(oracle_board(start).mirror()))
    wires = [0]
    for _, board in play(start, seed, plies):
        wires = [*map(wire_of, board.move_stack), 0]
    if not any(board.legal_moves):
        return
    moves = np.array(wires, np.uint16)
    flipped = np.array([flipped_wire(wire) for wire in wires], np.uint16)
    results: list[list[SearchResult]] = []
    for first, played in ((start, moves), (twin, flipped)):
        searcher = Searcher(hash_mb=1)
        searcher.new_game(first.fen)
        counts = range(len(wires) % 2, len(wires), 2)
        limit = SearchLimit(nodes=400)
        results.append([searcher.go(played, count, limit) for count in counts])
    assert [result._replace(time_ns=0) for result in results[0]] == [*map(_flipped, results[1])]
