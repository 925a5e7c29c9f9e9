"""Every ending that a player can cause, by scripted players made from configs, as in a run."""

import numpy as np
import pytest

from harness.config import AdjudicationConfig, EngineConfig, Limit
from harness.game import GameRecord, Termination, play_game
from harness.openings import Opening
from harness.players import make_player
from harness.schedule import pair_task

STARTPOS = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
NODES = Limit(nodes=1_000)
OFF = AdjudicationConfig(enabled=False)


def play_pair(
    new_fault: str = "",
    base_fault: str = "",
    limit: Limit = NODES,
    adjudication: AdjudicationConfig = OFF,
    pair: int = 0,
) -> tuple[GameRecord, GameRecord]:
    players = tuple(
        make_player(
            EngineConfig(name="x", source="null", options={"Fault": fault} if fault else {})
        )
        for fault in (new_fault, base_fault)
    )
    opening = Opening(STARTPOS, (), "start")
    first, second = (
        play_game(task, (players[0], players[1]), opening, (limit, limit), adjudication)
        for task in pair_task(run_seed=11, pair=pair).games
    )
    return first, second


@pytest.mark.parametrize(
    ("fault", "termination"),
    [
        ("illegal", Termination.ILLEGAL_MOVE),
        ("crash", Termination.CRASH),
        ("hang", Termination.HANG),
    ],
)
def test_the_player_at_fault_loses_both_games(fault: str, termination: Termination) -> None:
    first, second = play_pair(new_fault=f"{fault}@3")
    assert (first.termination, second.termination) == (termination, termination)
    assert (first.new_result, second.new_result) == (-1, -1)
    assert (first.result, second.result) == (-1, 1)
    assert (first.plies, second.plies) == (4, 5)
    assert (first.detail.split(":")[0], second.detail.split(":")[0]) == ("white", "black")

    first, second = play_pair(base_fault=f"{fault}@3")
    assert (first.new_result, second.new_result) == (1, 1)


def test_overstepping_the_clock_loses() -> None:
    first, second = play_pair(base_fault="overstep@2", limit=Limit(movetime_ms=500))
    assert first.termination is second.termination is Termination.TIME_FORFEIT
    assert (first.new_result, second.new_result) == (1, 1)
    assert "where 550.0 ms were left" in first.detail  # the margin is part of what is left


def test_time_is_no_fault_without_a_time_limit() -> None:
    first, _ = play_pair(base_fault="overstep@2")
    assert first.termination is not Termination.TIME_FORFEIT


def test_adjudicated_null_games_are_short_and_decided_by_the_seed() -> None:
    rules = AdjudicationConfig(draw_move_number=1, draw_move_count=2)
    records = [record for pair in range(20) for record in play_pair(adjudication=rules, pair=pair)]
    assert {record.new_result for record in records} == {-1, 0, 1}
    assert {record.termination for record in records} <= {
        Termination.ADJUDICATED_WIN,
        Termination.ADJUDICATED_DRAW,
    }
    assert sum(record.plies for record in records) < 30 * len(records)
    assert len({record.moves for record in records}) == len(records)


def test_null_games_end_by_the_rules_when_nothing_stops_them() -> None:
    records = [record for pair in range(10) for record in play_pair(pair=pair)]
    natural = {
        Termination.CHECKMATE,
        Termination.STALEMATE,
        Termination.THREEFOLD,
        Termination.FIFTY_MOVES,
        Termination.INSUFFICIENT_MATERIAL,
    }
    endings = {record.termination for record in records}
    assert endings <= natural
    assert len(endings) >= 3
    assert max(record.plies for record in records) > 256  # beyond the first size of the columns
    for record in records:
        assert len(np.frombuffer(record.moves, "<u2")) == record.plies == len(record.depths)


def test_a_pair_is_a_function_of_its_task() -> None:
    assert [record.moves for record in play_pair(pair=3)] == [
        record.moves for record in play_pair(pair=3)
    ]
