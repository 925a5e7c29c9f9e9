"""Alpha-beta equals plain minimax wherever nothing is pruned that could matter."""

from __future__ import annotations

import random

import chess
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.shell import MATE, MATE_BOUND, STARTPOS, Game, Searcher, SearchLimit
from tests.kernels.minimax import PLAIN_LEAVES, PRUNED_LEAVES, minimax
from tests.kernels.probes import store_entry
from tests.oracle import (
    BUGCATCHER,
    ENDGAMES,
    KIWIPETE,
    MIDDLEGAME,
    NO_MOVES,
    PROMOTIONS,
    ROOK_ENDGAME,
    SEEDS,
    WELL_KNOWN,
    Start,
    legal_fen,
    played,
    random_position,
    wire_of,
)

BARE = {
    "principal_variation_search": 0,
    "aspiration_window_cp": 0,
    "transposition_table": 0,
    "transposition_cutoffs": 0,
    "killers": 0,
    "history": 0,
    "null_move": 0,
    "late_move_reductions": 0,
    "see_ordering": 0,
    "see_pruning": 0,
    "delta_pruning": 0,
    "mate_distance_pruning": 0,
    "reverse_futility": 0,
    "razoring": 0,
    "futility": 0,
    "late_move_pruning": 0,
    "see_search_pruning": 0,
    "internal_iterative_reduction": 0,
}
#: Tables whose entries answer for their own depth alone; no path is longer than the depth asked.
EXACT_ENTRIES = {"exact_depth_entries": 1, "transposition_cutoffs": 1, "check_extension": 0}
#: Whatever only orders moves or narrows windows: the value must stay.
ORDERED = BARE | {
    "principal_variation_search": 1,
    "aspiration_window_cp": 25,
    "aspiration_min_depth": 1,
    "transposition_table": 1,
    "killers": 1,
    "history": 1,
    "see_ordering": 1,
    "mate_distance_pruning": 1,
}
VARIANTS = (
    BARE,
    ORDERED,
    ORDERED | {"aspiration_window_cp": 1, "aspiration_growth_pct": 100},
    ORDERED | {"fail_soft": 0},
    ORDERED | {"check_extension": 0, "draw_score_cp": 15},
    ORDERED | {"see_pruning": 1},
    ORDERED | {"killers_by_depth": 1, "history_fades": 0, "pv_hint": 1, "transposition_table": 0},
    ORDERED | EXACT_ENTRIES,
    ORDERED | EXACT_ENTRIES | {"fail_soft": 0, "aspiration_window_cp": 1},
)
BUDGET_NODES = 20_000_000


def reference_value(
    fen: str,
    variant: dict[str, int],
    depth: int,
    leaves: np.int64,
    moves: list[int] | None = None,
    budget: int = BUDGET_NODES,
) -> int | None:
    """The minimax value after `moves`, or None when it takes too long."""
    game = Game(fen)
    for move in moves or ():
        game.push(move)
    searcher = Searcher(variant, hash_mb=1)
    searcher.record.node_limit = budget
    value = minimax(game.record, searcher.record, searcher.parameters, np.int64(depth), leaves)
    return None if searcher.record.stopped else int(value)


def searched_value(
    fen: str, variant: dict[str, int], depth: int, moves: list[int] | None = None
) -> int:
    searcher = Searcher(variant, hash_mb=1)
    searcher.new_game(fen)
    played = np.array([*(moves or ()), 0], np.uint16)
    result = searcher.go(played, len(played) - 1, SearchLimit(depth=depth))
    return result.score_cp


#: The well-known positions, each with the depth that minimax reaches within the budget.
KNOWN_DEPTHS = {
    STARTPOS: 4,
    ROOK_ENDGAME: 4,
    KIWIPETE: 2,
    BUGCATCHER: 2,
    MIDDLEGAME: 2,
    PROMOTIONS: 1,
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("fen", KNOWN_DEPTHS)
def test_search_equals_minimax_on_known_positions(fen: str, variant: dict[str, int]) -> None:
    for depth in range(1, KNOWN_DEPTHS[fen] + 1):
        expected = reference_value(fen, variant, depth, PRUNED_LEAVES)
        assert searched_value(fen, variant, depth) == expected


@given(
    fen=st.sampled_from(WELL_KNOWN),
    seed=SEEDS,
    plies=st.integers(0, 80),
    depth=st.integers(1, 3),
    variant=st.sampled_from(VARIANTS),
)
@settings(max_examples=50, deadline=None)
def test_search_equals_minimax_on_random_positions(
    fen: str, seed: int, plies: int, depth: int, variant: dict[str, int]
) -> None:
    _, board = random_position(Start(fen), seed, plies)
    assume(any(board.legal_moves))
    expected = reference_value(legal_fen(board), variant, depth, PRUNED_LEAVES, budget=300_000)
    assume(expected is not None)
    assert searched_value(legal_fen(board), variant, depth) == expected


#: Positions in which mates of several lengths are at hand, for both sides.
MATING = (
    "7k/8/5K2/8/8/8/8/1Q6 w - - 0 1",
    "8/8/8/8/8/2k5/8/K6q w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/R2r2K1 w - - 0 1",
    "k7/8/2K5/8/8/8/7R/6R1 b - - 94 1",
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
    "5rk1/5Npp/8/3Q4/8/8/6q1/K7 w - - 0 1",
)


@given(
    fen=st.sampled_from(ENDGAMES + MATING),
    seed=SEEDS,
    plies=st.one_of(st.integers(0, 3), st.integers(0, 60)),
    depth=st.integers(1, 4),
    variant=st.sampled_from(VARIANTS),
)
@settings(max_examples=50, deadline=None)
def test_with_few_pieces_quiescence_is_plain_too(
    fen: str, seed: int, plies: int, depth: int, variant: dict[str, int]
) -> None:
    """Here not even the leaves of the reference know a window; mates and draws are near."""
    _, board = random_position(Start(fen), seed, plies)
    assume(any(board.legal_moves))
    expected = reference_value(legal_fen(board), variant, depth, PLAIN_LEAVES, budget=300_000)
    assume(expected is not None)
    assert searched_value(legal_fen(board), variant, depth) == expected


@given(fen=st.sampled_from(ENDGAMES), seed=SEEDS, plies=st.integers(4, 40), turns=st.integers(1, 3))
@settings(max_examples=25, deadline=None)
def test_repetitions_of_the_game_count_in_the_tree(
    fen: str, seed: int, plies: int, turns: int
) -> None:
    """The game goes on with moves to and fro, so that the tree can repeat what was played."""
    board = played(Start(fen), seed, plies)
    for _ in range(4 * turns):
        legal = sorted(map(wire_of, board.legal_moves))
        assume(legal)
        last = board.move_stack[-2]
        back = [w for w in legal if w == last.to_square | last.from_square << 6]
        wire = back[0] if back else legal[seed % len(legal)]
        board.push(next(move for move in board.legal_moves if wire_of(move) == wire))
    assume(any(board.legal_moves))
    moves = [wire_of(move) for move in board.move_stack]
    for variant in (BARE, ORDERED):
        expected = reference_value(fen, variant, 3, PLAIN_LEAVES, moves, 300_000)
        assume(expected is not None)
        assert searched_value(fen, variant, 3, moves) == expected


#: The proof mode of seed 002, with a table of two buckets, in which all collide, and a large one.
PROOF = ORDERED | EXACT_ENTRIES
TABLES_MB = (0, 1)


def proven_position(fen: str, seed: int, plies: int, depth: int) -> tuple[str, int]:
    """A position that is not over, and its minimax value."""
    _, board = random_position(Start(fen), seed, plies)
    assume(any(board.legal_moves))
    expected = reference_value(legal_fen(board), PROOF, depth, PRUNED_LEAVES, budget=300_000)
    assume(expected is not None)
    return legal_fen(board), expected


def fill_with_hints(searcher: Searcher, fen: str, seed: int) -> None:
    """A legal move, good or bad, for the position and for each that follows."""
    rng = random.Random(seed)
    root = Game(fen)
    for game in (root, *(child for _, child in root.children())):
        if game.record.move_count:
            move = game.record.moves[rng.randrange(int(game.record.move_count))]
            numbers = (np.int64(0), np.int64(0))
            store_entry(
                searcher.record, np.uint64(game.key), move, *numbers, np.uint64(1), np.int64(0)
            )


def prove(fen: str, seed: int, plies: int, depth: int, nodes: int) -> None:
    """The value is minimax's in every table, with any hint, and after a search that was stopped."""
    fen, expected = proven_position(fen, seed, plies, depth)
    for hash_mb in TABLES_MB:
        searcher = Searcher(PROOF, hash_mb=hash_mb)
        searcher.new_game(fen)
        stopped = searcher.go(NO_MOVES, 0, SearchLimit(depth=depth + 1, nodes=nodes))
        assert stopped.move in Game(fen).legal_moves()
        assert searcher.go(NO_MOVES, 0, SearchLimit(depth=depth)).score_cp == expected
        hinted = Searcher(ORDERED | {"check_extension": 0}, hash_mb=hash_mb)
        hinted.new_game(fen)
        fill_with_hints(hinted, fen, seed)
        assert hinted.go(NO_MOVES, 0, SearchLimit(depth=depth)).score_cp == expected


@given(
    fen=st.sampled_from(WELL_KNOWN + ENDGAMES + MATING),
    seed=SEEDS,
    plies=st.integers(0, 60),
    depth=st.integers(1, 3),
    nodes=st.integers(1, 3_000),
)
@settings(max_examples=50, deadline=None)
def test_tables_hints_and_stopped_searches_change_no_value(
    fen: str, seed: int, plies: int, depth: int, nodes: int
) -> None:
    prove(fen, seed, plies, depth, nodes)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@given(
    fen=st.sampled_from(WELL_KNOWN + ENDGAMES + MATING),
    seed=SEEDS,
    plies=st.integers(0, 80),
    depth=st.integers(1, 4),
    nodes=st.integers(1, 30_000),
)
@settings(max_examples=1_000, deadline=None)
def test_tables_hints_and_stopped_searches_change_no_value_in_many_positions(
    fen: str, seed: int, plies: int, depth: int, nodes: int
) -> None:
    prove(fen, seed, plies, depth, nodes)


def few_pieces(seed: int) -> chess.Board:
    """A legal position of king, queen, rook and another piece against king and piece."""
    rng = random.Random(seed)
    while True:
        letters = ["K", "k", "Q", "R", rng.choice("NB"), rng.choice("nbr")]
        board = chess.Board(None)
        for square, letter in zip(rng.sample(range(64), 6), letters, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        if board.is_valid() and any(board.legal_moves):
            return board


@given(seed=SEEDS, variant=st.sampled_from(VARIANTS))
@settings(max_examples=40, deadline=None)
def test_the_shortest_mate_is_found_among_many(seed: int, variant: dict[str, int]) -> None:
    """Half of these positions hold a mate within three plies, often several of other lengths."""
    fen = few_pieces(seed).fen()
    expected = reference_value(fen, variant, 3, PRUNED_LEAVES, budget=500_000)
    assume(expected is not None)
    assert searched_value(fen, variant, 3) == expected


#: Late moves are reduced at the root alone, the only node that deep.
REDUCED_ROOT = ORDERED | {
    "late_move_reductions": 1,
    "lmr_min_moves": 1,
    "lmr_base": 200,
    "check_extension": 0,
    "aspiration_window_cp": 0,
}


@given(
    fen=st.sampled_from(WELL_KNOWN + ENDGAMES),
    seed=SEEDS,
    plies=st.integers(0, 60),
    depth=st.integers(3, 4),
)
@settings(max_examples=40, deadline=None)
def test_the_best_move_is_searched_in_full_however_late_it_came(
    fen: str, seed: int, plies: int, depth: int
) -> None:
    """A reduction may overlook a move; the value of the one played is never a reduced one."""
    _, board = random_position(Start(fen), seed, plies)
    assume(any(board.legal_moves))
    variant = REDUCED_ROOT | {"lmr_min_depth": depth}
    searcher = Searcher(variant, hash_mb=1)
    searcher.new_game(legal_fen(board))
    result = searcher.go(NO_MOVES, 0, SearchLimit(depth=depth))
    assume(abs(result.score_cp) < MATE_BOUND)
    expected = reference_value(
        legal_fen(board), variant, depth - 1, PRUNED_LEAVES, [result.move], 500_000
    )
    assume(expected is not None)
    assert result.score_cp == -expected


def test_the_reference_knows_what_is_known() -> None:
    """A guard of the guard: values found by hand."""
    mate_in_one = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
    assert reference_value(mate_in_one, BARE, 1, PLAIN_LEAVES) == MATE - 1
    fifty_moves_next = "7k/8/8/8/8/8/8/KQ6 w - - 99 90"
    assert reference_value(fifty_moves_next, BARE, 2, PLAIN_LEAVES) == 0
    mate_goes_before = "7k/8/6K1/8/8/8/8/1Q6 w - - 99 90"
    assert reference_value(mate_goes_before, BARE, 2, PLAIN_LEAVES) == MATE - 1
