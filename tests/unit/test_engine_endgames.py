"""Endgame knowledge: king and pawn against king, bare kings, scales of endings hard to win."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from engine.evaluate import evaluate_record, trace_evaluation
from engine.kpk import KPK_WINS, LONE_KING, PAWN_SIDE, is_won_kpk
from engine.shell import Game, Searcher, SearchLimit, Status, build_parameters
from engine.terms import OFFSETS, OURS, WEIGHT_COUNT
from engine.weights import weight_defaults

PARAMETERS = build_parameters()


def scale_pct(fen: str, **search: int) -> int:
    trace = np.zeros((2, WEIGHT_COUNT), np.int64)
    return int(trace_evaluation(Game(fen).record, build_parameters(search), trace)[2])


def test_kpk_has_as_many_wins_as_the_tablebase_says() -> None:
    """White pawns on the files a to d; with white and with black to move. All 165,676 legal
    positions were compared with Syzygy's KPvK once."""
    wins = [sum(int(kings).bit_count() for kings in side.ravel()) for side in KPK_WINS]
    assert wins == [62_480, 48_802]


@pytest.mark.parametrize(
    ("fen", "won"),
    [
        ("8/8/4k3/8/4K3/8/4P3/8 w - - 0 1", True),  # the king is two ranks ahead: opposition
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", True),  # on the sixth rank, whoever moves
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", True),
        ("8/8/4k3/8/4K3/4P3/8/8 w - - 0 1", False),  # black has the opposition
        ("8/8/4k3/8/4K3/4P3/8/8 b - - 0 1", True),
        ("k7/8/K7/P7/8/8/8/8 w - - 0 1", False),  # rook pawn
        ("8/8/7k/8/8/8/P7/K7 w - - 0 1", True),  # out of the square
        ("8/8/8/8/8/5k2/7P/7K w - - 0 1", False),
        ("k7/2K5/8/8/8/8/6P1/8 w - - 0 1", True),  # mirrored to the other wing
        ("8/6k1/8/8/8/8/K5P1/8 w - - 0 1", False),
    ],
)
def test_king_and_pawn_against_king(fen: str, won: bool) -> None:
    board = chess.Board(fen)
    pawn = board.pieces(chess.PAWN, chess.WHITE).pop()
    squares = board.king(chess.WHITE), pawn, board.king(chess.BLACK)
    to_move = PAWN_SIDE if board.turn else LONE_KING
    assert is_won_kpk(*map(np.uint64, squares), to_move) == won
    for twin in (board, board.mirror()):
        value = int(evaluate_record(Game(twin.fen()).record, PARAMETERS))
        ahead = value if twin.occupied_co[twin.turn].bit_count() == 2 else -value
        assert (ahead > 300) if won else (ahead == 0)


@pytest.mark.parametrize(
    ("fen", "percent"),
    [
        ("4k3/8/8/8/8/8/8/4KBN1 w - - 0 1", 100),
        ("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1", 0),  # two knights cannot force mate
        ("4k3/4p3/8/8/8/8/8/3NKN2 w - - 0 1", 100),  # unless there is a pawn left
        ("4k3/4p3/8/8/8/8/8/4KN2 w - - 0 1", 0),  # a piece for a pawn
        ("4kn2/8/8/8/8/8/8/3RK3 w - - 0 1", 12),
        ("3rk3/8/8/8/8/8/8/3RKB2 w - - 0 1", 12),
        ("3rk3/8/8/8/8/8/8/3QK3 w - - 0 1", 100),
        ("4kb2/4p3/8/8/8/8/4P3/4KB2 w - - 0 1", 50),  # f8 dark, f1 light
        ("2b1k3/4p3/8/8/8/8/4P3/4KB2 w - - 0 1", 100),  # c8 and f1 are light
        ("2b1k3/8/8/8/8/8/4P3/4KB2 w - - 0 1", 100),
        ("r3kb2/4p3/8/8/8/8/4P3/R3KB2 w - - 0 1", 85),
        ("k7/8/8/8/8/8/P7/2B1K3 w - - 0 1", 0),  # c1 is dark, a8 light
        ("8/8/2k5/8/8/8/P7/2B1K3 w - - 0 1", 100),  # too far from the corner
        ("k7/8/8/8/8/8/P7/4KB2 w - - 0 1", 100),
        ("k7/8/8/8/8/8/7P/2B1K3 w - - 0 1", 100),  # the king is in another corner
        ("7k/8/8/8/8/8/7P/4KB2 w - - 0 1", 0),
        ("7k/8/8/8/7P/7P/8/4KB2 w - - 0 1", 0),
        ("7k/8/8/8/7P/6P1/8/4KB2 w - - 0 1", 100),
        ("8/1k6/8/8/P7/P7/4K3/8 w - - 0 1", 0),  # several rook pawns, no bishop
        ("8/7p/4k3/8/4K3/4P3/8/8 w - - 0 1", 100),  # drawn but for the other pawn
        ("4k3/4p3/8/8/8/8/3PP3/4K3 w - - 0 1", 100),
    ],
)
def test_scales_of_endings(fen: str, percent: int) -> None:
    assert scale_pct(fen) == percent
    assert scale_pct(chess.Board(fen).mirror().fen()) == percent
    assert scale_pct(fen, endgame_scales=0) == 100


def test_scales_are_parameters() -> None:
    assert scale_pct("4kn2/8/8/8/8/8/8/3RK3 w - - 0 1", pawnless_scale_pct=37) == 37
    fen = "4kb2/4p3/8/8/8/8/4P3/4KB2 w - - 0 1"
    assert scale_pct(fen, bare_opposite_bishops_scale_pct=41) == 41
    fen = "r3kb2/4p3/8/8/8/8/4P3/R3KB2 w - - 0 1"
    assert scale_pct(fen, opposite_bishops_scale_pct=43) == 43


def test_only_the_endgame_half_is_scaled() -> None:
    """Rook and bishop against rook: phase 5 of 24, a bishop's value in both halves."""
    nothing = {
        name: tuple((0,) * len(part) for part in parts) for name, parts in weight_defaults().items()
    }
    weights = nothing | {"bishop_value": ((240,), (480,))}
    fen = "3rk3/8/8/8/8/8/8/3RKB2 w - - 0 1"
    value = evaluate_record(Game(fen).record, build_parameters(weights=weights))
    assert value == (240 * 5 * 100 + 480 * 19 * 12) // 2400


def count_of(board: str, term: str) -> int:
    """How often a term without a table counts for white, which is to move."""
    trace = np.zeros((2, WEIGHT_COUNT), np.int64)
    trace_evaluation(Game(f"{board} w - - 0 1").record, PARAMETERS, trace)
    return int(trace[OURS, OFFSETS[term]])


@pytest.mark.parametrize(
    ("term", "better", "worse"),
    [
        ("lone_king_edge", "k7/8/8/8/8/8/8/KQ6", "8/8/8/3k4/8/8/8/KQ6"),
        ("lone_king_edge", "4k3/8/8/8/8/8/8/KBB5", "8/4k3/8/8/8/8/8/KBB5"),
        ("lone_king_close", "k7/8/1K6/8/8/8/8/7R", "k7/8/8/8/8/8/8/1K5R"),
        ("lone_king_corner", "k7/8/8/8/8/8/8/KBN5", "7k/8/8/8/8/8/8/KBN5"),  # b1 and a8: light
        ("lone_king_corner", "7k/8/8/8/8/8/8/K1BN4", "k7/8/8/8/8/8/8/K1BN4"),
    ],
)
def test_a_bare_king_is_driven(term: str, better: str, worse: str) -> None:
    best, worst = (count_of(board, term) for board in (better, worse))
    assert best > worst >= 0


@pytest.mark.parametrize("term", ["lone_king_edge", "lone_king_close", "lone_king_corner"])
@pytest.mark.parametrize(
    "board", ["k7/8/8/8/8/8/8/KN6", "k7/p7/8/8/8/8/8/KQ6", "k7/8/8/8/8/8/8/KNN5"]
)
def test_only_a_bare_king_is_driven_and_only_by_who_can_mate(term: str, board: str) -> None:
    assert count_of(board, term) == 0


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/3k4/8/8/KBN5 w - - 0 1",
        "7k/8/5K2/8/8/8/8/1B2N3 w - - 0 1",  # the king stands in the wrong corner
        "8/8/8/8/3k4/8/8/K1BB4 w - - 0 1",
        "8/8/8/4k3/8/8/8/KR6 w - - 0 1",
    ],
)
def test_a_bare_king_is_mated_within_fifty_moves(fen: str) -> None:
    game, searchers = Game(fen), [Searcher(hash_mb=4), Searcher(hash_mb=4)]
    for searcher in searchers:
        searcher.new_game(fen)
    moves = np.zeros(101, np.uint16)
    while not game.status:
        limit = SearchLimit(nodes=40_000)
        result = searchers[game.side_to_move].go(moves, game.ply, limit)
        moves[game.ply] = result.move
        game.push(result.move)
    assert game.status == Status.CHECKMATE
