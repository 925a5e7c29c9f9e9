"""Cases of other engines' bug reports, as far as they concern the search.

The rows of the collection they come from are named in comments; each stands for its whole kind.
"""

from __future__ import annotations

import numpy as np
import pytest

from engine.parameters import EXHAUSTIVE
from engine.quiescence import UNKNOWN
from engine.shell import (
    MATE,
    MATE_BOUND,
    STARTPOS,
    Game,
    Searcher,
    SearchLimit,
    SearchResult,
    Status,
)
from engine.state import MAX_PLY
from engine.weights import weight_defaults
from tests.kernels.probes import answer_of, quiet_value, settled
from tests.oracle import NO_MOVES, ROOK_ENDGAME, WELL_KNOWN
from tests.searching import think


def go_straight_to_the_deepest(searcher: Searcher) -> SearchResult:
    searcher.deepen(NO_MOVES, 0, SearchLimit(nodes=20_000))
    searcher.step(1)
    return searcher.step(125)


# Row 42.
@pytest.mark.parametrize(
    "fen",
    [
        "8/6p1/KP3bRp/4p2P/4P3/5k2/8/8 b - - 0 70",
        "6k1/8/2R3P1/1PK5/6P1/8/8/1r6 w - - 0 1",
        *WELL_KNOWN,
    ],
)
@pytest.mark.parametrize("search", [{}, EXHAUSTIVE | {"transposition_table": 0}])
def test_the_deepest_iteration_stays_within_its_tables(fen: str, search: dict[str, int]) -> None:
    """Straight to depth 125, with extensions beyond: every array is indexed by ply."""
    searcher = Searcher(search, hash_mb=1)
    searcher.new_game(fen)
    result = go_straight_to_the_deepest(searcher)
    assert result.move in Game(fen).legal_moves()
    assert result.seldepth <= MAX_PLY - 1


def test_lines_do_reach_the_last_ply() -> None:
    """A guard of the test above."""
    searcher = Searcher(EXHAUSTIVE, hash_mb=1)
    searcher.new_game(ROOK_ENDGAME)
    assert go_straight_to_the_deepest(searcher).seldepth == MAX_PLY - 1


@pytest.mark.parametrize("depth", [127, 250, 1_000_000])
@pytest.mark.parametrize(
    "fen",
    ["8/6p1/KP3bRp/4p2P/4P3/5k2/8/8 b - - 0 70", "6k1/8/2R3P1/1PK5/6P1/8/8/1r6 w - - 0 1"],
)
def test_any_depth_may_be_asked_for(fen: str, depth: int) -> None:
    _, result = think(fen, SearchLimit(depth=depth, nodes=3_000))
    assert 0 < result.depth < MAX_PLY


def test_bare_kings_are_searched_to_the_last_depth() -> None:
    _, result = think("k7/8/8/8/8/8/8/K7 w - - 0 1", SearchLimit(depth=1_000_000))
    assert result.depth == MAX_PLY - 1


# Row 44.
@pytest.mark.parametrize("depth", [1, 2, 5])
@pytest.mark.parametrize(
    ("fen", "score"),
    [
        ("7k/8/8/8/8/8/8/KQ6 w - - 99 90", 0),  # any move is the hundredth ply
        ("7k/8/6K1/8/8/8/8/1Q6 w - - 99 90", MATE - 1),  # but mate goes before
        ("7k/8/8/8/8/8/1q6/K7 w - - 99 90", 0),  # in check, and the king takes
    ],
)
def test_the_hundredth_ply_draws_also_at_the_leaves(fen: str, score: int, depth: int) -> None:
    assert think(fen, SearchLimit(depth=depth), EXHAUSTIVE)[1].score_cp == score


def test_the_ninety_ninth_ply_does_not_draw() -> None:
    fen = "7k/8/8/8/8/8/8/KQ6 w - - 98 90"
    assert think(fen, SearchLimit(depth=1), EXHAUSTIVE)[1].score_cp > 500
    assert think(fen, SearchLimit(depth=2), EXHAUSTIVE)[1].score_cp == 0


def test_quiescence_sees_the_hundredth_ply() -> None:
    """The one evasion is a quiet move, and with it the clock runs out."""
    for clock, drawn in ((98, False), (99, True)):
        game = Game(f"6k1/8/8/8/8/7P/5PP1/r5K1 w - - {clock} 90")
        searcher = Searcher(hash_mb=1)
        value = quiet_value(game.record, searcher.record, searcher.parameters)
        assert (value == 0) == drawn


# Row 45.
def test_no_mate_is_claimed_that_the_fifty_moves_prevent() -> None:
    fen = "4K3/1p3P2/1p6/1Pp3q1/2P5/N1Pp1k2/3P4/1N6 b - - 78 41"
    _, result = think(fen, SearchLimit(nodes=100_000), hash_mb=16)
    assert abs(result.score_cp) < MATE_BOUND


@pytest.mark.parametrize(("clock", "answered"), [(0, True), (89, True), (90, False), (99, False)])
def test_the_table_does_not_answer_near_the_fiftieth_move(clock: int, answered: bool) -> None:
    """Its entry was made with another clock, and may promise a win that comes too late."""
    game, searcher = Game(f"7k/8/8/8/8/8/8/KQ6 w - - {clock} 90"), Searcher(hash_mb=1)
    window = np.int64(0), np.int64(1)
    answer = answer_of(game.record, searcher.record, searcher.parameters, np.int64(500), *window)
    assert answer == (500 if answered else UNKNOWN)


def test_intervals_do_not_answer_near_the_fiftieth_move() -> None:
    """The same position, looked at with a fresh clock before, is drawn when the clock runs out."""
    searcher = Searcher(EXHAUSTIVE | {"exact_depth_entries": 1}, hash_mb=1)
    scores = []
    for clock in (0, 97):
        searcher.set_position(f"8/8/8/3k4/8/8/8/KQ6 w - - {clock} 90")
        scores.append(searcher.go(NO_MOVES, 0, SearchLimit(depth=5)).score_cp)
    assert scores[0] > 500
    assert scores[1] == 0


# Row 53.
def test_no_evaluation_looks_like_a_mate() -> None:
    weights = weight_defaults() | {"queen_value": ((30_000,), (30_000,))}
    searcher = Searcher(weights=weights, hash_mb=1)
    for fen in ("6rk/6pp/8/8/8/8/8/KQQQ4 w - - 0 1", "6rk/6pp/8/8/8/8/8/KQQQ4 b - - 0 1"):
        searcher.new_game(fen)
        for depth in (1, 2):
            result = searcher.go(NO_MOVES, 0, SearchLimit(depth=depth))
            distance = MATE - abs(result.score_cp)
            assert distance >= MATE - MATE_BOUND or distance <= MAX_PLY


# Row 54.
@pytest.mark.parametrize("growth", [100, 150, 100_000])
@pytest.mark.parametrize(
    "fen",
    [
        "7k/8/8/4K3/8/8/8/1Q6 w - - 0 1",
        "8/8/8/8/8/2k5/8/K6q w - - 0 1",
        "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
        STARTPOS,
    ],
)
def test_windows_that_fail_are_widened_and_the_same_depth_searched_again(
    fen: str, growth: int
) -> None:
    search = EXHAUSTIVE | {"aspiration_min_depth": 1, "aspiration_growth_pct": growth}
    narrow = think(fen, SearchLimit(depth=5), search | {"aspiration_window_cp": 1})[1]
    full = think(fen, SearchLimit(depth=5), search | {"aspiration_window_cp": 0})[1]
    assert (narrow.depth, narrow.score_cp) == (full.depth, full.score_cp)


# Row 56.
def test_a_rook_is_not_given_for_a_pawn_the_table_mistrusts() -> None:
    move, _ = think("8/N4r2/1p2R3/pP6/1k6/8/8/6K1 w - - 6 50", SearchLimit(nodes=20_000))
    assert move != "e6b6"


# Row 58.
MORPHY = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"


def test_a_quiet_key_move_into_zugzwang_is_found() -> None:
    """Morphy's problem: after Ra6 black must move and be mated; passing would save him."""
    move, result = think(MORPHY, SearchLimit(depth=3), EXHAUSTIVE)
    assert (move, result.score_cp) == ("a1a6", MATE - 3)
    move, result = think(MORPHY, SearchLimit(depth=14))
    assert (move, result.score_cp) == ("a1a6", MATE - 3)


# Row 60.
@pytest.mark.parametrize(
    "fen",
    [
        "8/8/3k4/8/8/7K/6pP/4b3 b - - 1 4",  # black promotes
        "8/8/8/8/3kb3/8/8/KB5q b - - 0 1",
    ],
)
def test_material_that_can_win_is_no_draw(fen: str) -> None:
    assert think(fen, SearchLimit(depth=4))[1].score_cp > 300


def test_a_likely_draw_is_not_a_certain_one() -> None:
    assert Game("8/8/3N4/8/3K4/1B6/1n6/2k5 b - - 22 86").status == Status.ONGOING


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/3k4/8/8/7K/8/8 b - - 1 4",
        "8/8/3k4/8/8/7K/8/4b3 b - - 1 4",
        "8/8/3k4/8/8/7K/8/4n3 b - - 1 4",
        "8/8/3k4/8/8/7K/1B6/4b3 w - - 1 4",  # bishops of one colour
    ],
)
def test_material_that_cannot_mate_is_a_draw(fen: str) -> None:
    assert think(fen, SearchLimit(depth=4))[1].score_cp == 0


def test_a_capture_into_a_dead_draw_is_one_in_quiescence_too() -> None:
    fen = "8/8/3k4/8/8/4K3/3p4/8 w - - 0 1"
    assert think(fen, SearchLimit(depth=1), EXHAUSTIVE)[1].score_cp == 0


# The window narrowed to the mates still possible: one ply more or less is one mate wrong.
@pytest.mark.parametrize("ply", [1, 2, 9])
def test_the_window_ends_at_the_mates_still_possible(ply: int) -> None:
    searcher, record = Searcher(hash_mb=1), Game(STARTPOS).record
    window = np.int64(-MATE), np.int64(MATE)
    known, _, alpha, beta = settled(
        record, searcher.record, searcher.parameters, *window, np.int64(ply)
    )
    assert not known
    assert alpha == -MATE + ply  # mated here
    assert beta == MATE - ply - 1  # mating by the next move
