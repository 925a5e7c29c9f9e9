"""Packed weights, the taper between phases, and the bounds of the evaluation."""

from __future__ import annotations

import numpy as np
import pytest

from engine.evaluate import MAX_EVALUATION_CP, evaluate_record
from engine.shell import MATE_BOUND, STARTPOS, Game, Searcher, SearchLimit, build_parameters
from engine.terms import MAX_PHASE
from engine.weights import WEIGHT_LIMIT_CP, weight_defaults
from tests.kernels.probes import packed_parts
from tests.oracle import NO_MOVES

NOTHING = {
    name: tuple((0,) * len(part) for part in parts) for name, parts in weight_defaults().items()
}


def evaluate(fen: str, weights: dict | None = None) -> int:
    return int(evaluate_record(Game(fen).record, build_parameters(weights=weights)))


@pytest.mark.parametrize("middlegame", [0, 1, -1, 999, -999, (1 << 31) - 1, -(1 << 31)])
@pytest.mark.parametrize("endgame", [0, 1, -1, 5, -5, (1 << 30) - 1, -(1 << 30)])
def test_a_packed_pair_gives_both_parts_back(middlegame: int, endgame: int) -> None:
    packed = np.int64(middlegame + (endgame << 32))
    parts = packed_parts(packed, np.int64(0))
    assert parts[:2] == (middlegame, endgame)


def test_sums_and_multiples_of_pairs_are_pairs() -> None:
    rng = np.random.default_rng(3)
    pairs = rng.integers(-WEIGHT_LIMIT_CP, WEIGHT_LIMIT_CP, (200, 2))
    counts = rng.integers(-9, 10, 200)
    packed = sum(
        int(count) * (int(middle) + (int(end) << 32))
        for count, (middle, end) in zip(counts, pairs, strict=True)
    )
    middlegame, endgame, _ = packed_parts(np.int64(packed), np.int64(0))
    assert middlegame == int(counts @ pairs[:, 0])
    assert endgame == int(counts @ pairs[:, 1])


@pytest.mark.parametrize("phase", range(0, 40, 3))
def test_the_taper_is_linear_and_ends_at_the_full_phase(phase: int) -> None:
    middlegame, endgame = 137, -251
    packed = np.int64(middlegame + (endgame << 32))
    share = min(phase, int(MAX_PHASE))
    expected = (middlegame * share + endgame * (24 - share)) // 24
    assert packed_parts(packed, np.int64(phase))[2] == expected


def test_the_start_position_is_worth_the_tempo() -> None:
    middlegame, _ = weight_defaults()["tempo"]
    assert evaluate(STARTPOS) == middlegame[0]
    assert evaluate(STARTPOS.replace(" w ", " b ")) == middlegame[0]


def test_without_weights_everything_is_equal() -> None:
    assert evaluate("QQQ1k3/8/8/8/8/8/8/4K3 b - - 0 1", NOTHING) == 0


def test_a_pawn_is_a_pawn_in_its_phase() -> None:
    pawn = NOTHING | {"pawn_value": ((80,), (120,))}
    assert evaluate("4k3/4p3/8/8/8/8/3PP3/4K3 w - - 0 1", pawn) == 120
    assert evaluate("4k3/4p3/8/8/8/8/3PP3/4K3 b - - 0 1", pawn) == -120
    full = "rnbqkbnr/1ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert evaluate(full, pawn) == 80
    half = "rnb1kb2/1ppp4/8/8/8/8/PPPP4/RNB1KB2 w - - 0 1"  # phase 2 * (2 + 1 + 1 + 1) = 10
    assert evaluate(half, pawn) == (80 * 10 + 120 * 14) // 24


def test_squares_are_seen_from_the_owner_s_side() -> None:
    board = [0] * 64
    board[8 * (8 - 4) + 4] = 50  # e4 as printed, rank 8 first
    weights = NOTHING | {"knight_squares": (tuple(board), tuple(board))}
    assert evaluate("4k3/p7/8/8/4N3/8/P7/4K3 w - - 0 1", weights) == 50
    assert evaluate("4k3/p7/8/4N3/8/8/P7/4K3 w - - 0 1", weights) == 0
    assert evaluate("4k3/p7/8/4n3/8/8/P7/4K3 b - - 0 1", weights) == 50
    assert evaluate("4k3/p7/8/4n3/8/8/P7/4K3 w - - 0 1", weights) == -50


def test_no_evaluation_reaches_the_mate_scores() -> None:
    heavy = NOTHING | {"queen_value": ((WEIGHT_LIMIT_CP,), (WEIGHT_LIMIT_CP,))}
    fen = "7k/8/8/8/QQQ5/8/8/K7 w - - 0 1"
    assert evaluate(fen, heavy) == MAX_EVALUATION_CP < MATE_BOUND
    assert evaluate(fen.replace(" w ", " b "), heavy) == -MAX_EVALUATION_CP
    searcher = Searcher(weights=heavy, hash_mb=1)
    searcher.new_game("7k/8/8/8/8/Q7/8/K7 b - - 0 1")
    assert abs(searcher.go(NO_MOVES, 0, SearchLimit(depth=1)).score_cp) <= MATE_BOUND
