"""What the search finds: mates, draws, and that every parameter reaches it."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from engine.parameters import EXHAUSTIVE, SEARCH, Parameter, search_defaults
from engine.shell import MATE, MATE_BOUND, STARTPOS, Game, Searcher, SearchLimit, SearchResult
from tests.oracle import KIWIPETE, MIDDLEGAME
from tests.searching import think

MATES = (
    ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", 1),
    ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "h5f7", 1),
    ("6rk/6pp/8/6N1/8/1Q6/8/6K1 w - - 0 1", "g5f7", 1),
    ("3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1", None, 1),
    ("8/8/8/8/8/1k6/7r/K7 b - - 0 1", "h2h1", 1),
    ("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1", "c4g8", 3),
    ("7k/8/5K2/8/8/8/8/1Q6 w - - 97 90", "f6g6", 3),
)


@pytest.mark.parametrize(("fen", "move", "plies"), MATES)
def test_mates_are_found_with_their_distance(fen: str, move: str | None, plies: int) -> None:
    found, result = think(fen, SearchLimit(depth=plies + 1), EXHAUSTIVE)
    assert result.score_cp == MATE - plies
    assert move in (None, found)
    assert think(fen, SearchLimit(depth=12))[1].score_cp > MATE_BOUND


@pytest.mark.parametrize(
    ("fen", "plies"),
    [("7k/8/5K2/6Q1/8/8/8/8 b - - 0 1", 2), ("8/8/8/8/8/2k5/8/K6q w - - 0 1", 4)],
)
def test_being_mated_is_seen_with_its_distance(fen: str, plies: int) -> None:
    assert think(fen, SearchLimit(depth=plies + 1), EXHAUSTIVE)[1].score_cp == -MATE + plies
    assert think(fen, SearchLimit(depth=12))[1].score_cp < -MATE_BOUND


def test_a_mate_is_played_to_its_end_and_comes_nearer_at_each_move() -> None:
    fen = "7k/8/8/4K3/8/8/8/1Q6 w - - 0 1"
    game, searcher, moves = Game(fen), Searcher(hash_mb=1), []
    searcher.new_game(fen)
    distances = []
    while not game.status:
        played = np.array([*moves, 0], np.uint16)
        result = searcher.go(played, len(moves), SearchLimit(depth=12))
        if game.side_to_move == 0 and result.score_cp > MATE_BOUND:
            distances.append(MATE - result.score_cp)
        moves.append(result.move)
        game.push(result.move)
        assert len(moves) < 40
    assert chess.Board(game.fen).is_checkmate()
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] == 1


@pytest.mark.parametrize(
    ("fen", "score"),
    [
        ("7k/8/8/8/8/8/8/KQ6 w - - 99 90", 0),  # the fiftieth move is next
        ("7k/8/6K1/8/8/8/8/1Q6 w - - 99 90", MATE - 1),  # but mate goes before
        ("7k/8/5K2/8/8/8/8/1Q6 w - - 98 90", 0),  # mate in two comes one ply too late
        ("7k/8/5K2/8/8/8/8/1Q6 w - - 97 90", MATE - 3),
        ("k7/8/8/8/8/8/8/K7 w - - 0 1", 0),
    ],
)
def test_draws_by_rule_in_the_tree(fen: str, score: int) -> None:
    assert think(fen, SearchLimit(depth=6), EXHAUSTIVE)[1].score_cp == score


PERPETUAL = "6k1/6p1/8/7Q/8/8/qq3PPP/6K1 w - - 0 1"


@pytest.mark.parametrize("draw_score_cp", [0, 17, -50])
def test_perpetual_check_saves_the_lost_side(draw_score_cp: int) -> None:
    move, result = think(PERPETUAL, SearchLimit(depth=8), {"draw_score_cp": draw_score_cp})
    assert (move, result.score_cp) == ("h5e8", draw_score_cp)


#: Positions in which, together, every number of the search shows.
SENSITIVE = (
    "r1bq1rk1/pppnn1bp/3p4/3Pp1p1/2P1Pp2/2N2P2/PP2BBPP/R2QNRK1 w - - 0 13",
    "r1b1k2r/1pqnbppp/p2ppn2/6B1/3NPP2/2N2Q2/PPP3PP/2KR1B1R w kq - 5 10",
    KIWIPETE,
    MIDDLEGAME,
    "8/5pk1/4p1p1/R6p/r6P/6P1/5PK1/8 w - - 0 1",
    "7K/8/k1P5/7p/8/8/8/8 w - - 0 1",
    "8/8/8/8/8/2k5/8/K6q w - - 0 1",
    "8/4k3/8/3b4/8/4K3/7R/8 w - - 0 1",
    "8/5k2/4p1p1/3b2P1/3P1P2/3KB3/8/8 w - - 0 1",
    "8/5kr1/4p1p1/3b2P1/3P1P2/3KB3/8/6R1 w - - 0 1",
)
CLOCK = {
    "move_overhead_ms",
    "time_reserve_ms",
    "default_moves_to_go",
    "increment_share_pct",
    "soft_time_pct",
    "hard_time_pct",
    "new_move_time_pct",
    "stable_move_time_pct",
    "stable_move_iterations",
    "score_drop_time_pct",
    "score_drop_max_cp",
}


#: What must be set for a number to have a meaning: of a technique that is off, its switch.
NEEDED = {
    "singular_min_depth": {"singular_extension": 1},
    "singular_margin_cp": {"singular_extension": 1},
    "multi_cut": {"singular_extension": 1},
    "probcut_min_depth": {"probcut": 1},
    "probcut_margin_cp": {"probcut": 1},
    "lmr_history_divisor": {"lmr_history": 1},
    "iir_min_depth": {"internal_iterative_reduction": 1},
    "lazy_margin_cp": {"lazy_evaluation": 1},
    "node_delta_cp": {"node_delta_pruning": 1},
    "node_delta_promotion_cp": {"node_delta_pruning": 1},
    # Where the evaluation allows a pass, it forbids the answer; which also needs some depth.
    "null_move_twice": {"null_move_needs_eval": 0, "null_move_base": 0},
}


def signature(search: dict[str, int]) -> list[SearchResult]:
    limit = SearchLimit(depth=8, nodes=20_000)
    return [think(fen, limit, search)[1]._replace(time_ns=0) for fen in SENSITIVE]


@pytest.fixture(scope="module")
def default_signature() -> list[SearchResult]:
    return signature({})


@pytest.mark.parametrize("parameter", SEARCH, ids=lambda parameter: parameter.name)
def test_every_parameter_but_the_clock_s_changes_the_search(
    parameter: Parameter, default_signature: list[SearchResult]
) -> None:
    needed = NEEDED.get(parameter.name, {})
    before = signature(needed) if needed else default_signature
    changed = [
        signature(needed | {parameter.name: value}) != before
        for value in {parameter.low, parameter.high} - {parameter.default}
    ]
    assert any(changed) == (parameter.name not in CLOCK)


def test_defaults_written_out_are_the_defaults(default_signature: list[SearchResult]) -> None:
    assert signature(search_defaults()) == default_signature


@pytest.mark.parametrize("extreme", ["low", "high"])
def test_all_parameters_at_their_bounds_still_play(extreme: str) -> None:
    search = {parameter.name: getattr(parameter, extreme) for parameter in SEARCH}
    for fen in (*SENSITIVE, STARTPOS):
        move, result = think(fen, SearchLimit(nodes=3_000), search)
        assert Game(fen).parse_uci(move) == result.move
        assert abs(result.score_cp) <= MATE
