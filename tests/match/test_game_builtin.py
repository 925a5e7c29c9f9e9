"""The compiled engine through the real game loop."""

import chess
import numpy as np
import pytest

from harness.clock import GameClock
from harness.config import AdjudicationConfig, EngineConfig, Limit
from harness.game import play_game
from harness.openings import Opening
from harness.players import make_player
from harness.record import MATE_CP, GameRecord, Termination
from harness.schedule import pair_task

STARTPOS = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
RULES = AdjudicationConfig()
OFF = AdjudicationConfig(enabled=False)


def opening_of(pair: int) -> Opening:
    """A different quiet line for each pair: two of white's moves and two of black's."""
    board = chess.Board()
    for choice in (pair % 20, pair // 20 + 3, pair % 7, pair % 11):
        legal = list(board.legal_moves)
        board.push(legal[choice % len(legal)])
    moves = tuple(move.from_square | move.to_square << 6 for move in board.move_stack)
    return Opening(STARTPOS, moves, f"line {pair}")


def play_pair(
    pair: int,
    limit: Limit,
    adjudication: AdjudicationConfig = RULES,
    opening: Opening | None = None,
    base_limit: Limit | None = None,
) -> tuple[GameRecord, GameRecord]:
    """A pair of the default engine against itself, by two players with tables of their own."""
    players = (make_player(EngineConfig(name="new")), make_player(EngineConfig(name="base")))
    limits = (limit, base_limit or limit)
    first, second = (
        play_game(task, players, opening or opening_of(pair), limits, adjudication)
        for task in pair_task(run_seed=1, pair=pair).games
    )
    assert not first.detail  # two equal failures would look like an even pair
    assert not second.detail
    return first, second


def assert_moves_are_legal(record: GameRecord) -> None:
    board = chess.Board(record.fen, chess960=True)
    for move in record.columns().moves.tolist():
        promotion = move >> 12
        board.push(chess.Move(move & 63, move >> 6 & 63, promotion + 1 if promotion else None))
        before = board.copy()
        before.pop()
        assert board.peek() in before.legal_moves
    assert (record.termination is Termination.CHECKMATE) == board.is_checkmate()
    assert (record.termination is Termination.STALEMATE) == board.is_stalemate()
    if record.termination is Termination.THREEFOLD:
        assert board.is_repetition(3)


@pytest.mark.parametrize("limit", [Limit(nodes=400), Limit(depth=3)])
def test_an_engine_against_itself_scores_one_all_in_each_pair(limit: Limit) -> None:
    for pair in range(6):
        first, second = play_pair(pair, limit)
        assert first.new_result + second.new_result == 0
        assert first.moves == second.moves
        assert first.scores_cp == second.scores_cp
        assert first.nodes == second.nodes


def test_a_game_does_not_depend_on_the_games_before_it() -> None:
    limit = Limit(nodes=400)
    players = (make_player(EngineConfig(name="new")), make_player(EngineConfig(name="base")))
    for pair in range(3):
        for task, fresh in zip(pair_task(1, pair).games, play_pair(pair, limit), strict=True):
            record = play_game(task, players, opening_of(pair), (limit, limit), RULES)
            assert (record.moves, record.scores_cp, record.depths, record.nodes) == (
                fresh.moves,
                fresh.scores_cp,
                fresh.depths,
                fresh.nodes,
            )


def test_whole_games_are_legal_and_their_ends_are_right() -> None:
    for pair in range(4):
        record, _ = play_pair(pair, Limit(nodes=200), OFF)
        assert_moves_are_legal(record)


def test_more_nodes_win() -> None:
    """Not a measurement: forty times the nodes must show in a few pairs, or something is off."""
    results = [
        record.new_result
        for pair in range(4)
        for record in play_pair(pair, Limit(nodes=4_000), base_limit=Limit(nodes=100))
    ]
    assert sum(results) >= 5


def test_a_won_ending_is_mated_and_the_score_says_when() -> None:
    opening = Opening("8/8/8/3k4/8/8/8/R3K2R w KQ - 0 1", (), "two rooks")
    record, _ = play_pair(0, Limit(nodes=20_000), OFF, opening)
    assert (record.termination, record.result) == (Termination.CHECKMATE, 1)
    assert record.columns().scores_cp[-1] == MATE_CP - 1
    assert_moves_are_legal(record)


def test_a_won_ending_is_adjudicated_with_the_same_result() -> None:
    opening = Opening("8/8/8/3k4/8/8/8/R3K2R w KQ - 0 1", (), "two rooks")
    record, _ = play_pair(0, Limit(nodes=2_000), RULES, opening)
    assert (record.termination, record.result) == (Termination.ADJUDICATED_WIN, 1)
    assert record.plies == 2 * RULES.resign_move_count


@pytest.mark.parametrize("limit", [Limit.parse_tc("1+0.01"), Limit(movetime_ms=20)])
def test_timed_games_keep_their_time(limit: Limit, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the middle one of their moves: a busy machine may hold up single ones."""
    monkeypatch.setattr(
        "harness.game.GameClock", lambda white, black, _: GameClock(white, black, 10_000)
    )
    first_move_ms = limit.movetime_ms or limit.base_ms / 10
    for record in play_pair(0, limit, AdjudicationConfig(max_plies=60)):
        assert record.plies > 20
        assert np.median(record.columns().times_us) < 1_000 * first_move_ms


def test_most_of_the_time_is_search() -> None:
    """A coarse guard for a shared machine; tests/benchmarks measures the ratio."""
    records = [record for pair in range(3) for record in play_pair(pair, Limit(nodes=5_000))]
    search_ns = sum(sum(record.search_ns) for record in records)
    assert search_ns > 0.8 * sum(record.wall_ns for record in records)
