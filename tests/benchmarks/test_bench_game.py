"""What a game costs beside the search: the loop's own time per ply, search over wall, PGN text.

`extra_info` of each benchmark holds the derived figures; pytest-benchmark's own rows are the
times of one round.
"""

from collections.abc import Callable
from statistics import median
from time import perf_counter_ns
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.shell import Game
from harness.clock import Clocks
from harness.config import AdjudicationConfig, EngineConfig, Limit, MatchSpec
from harness.game import GameRecord, Reply, play_game
from harness.openings import Opening
from harness.pgn import format_game
from harness.players import make_player
from harness.schedule import GameTask, pair_task
from harness.splitmix import SplitMix64

STARTPOS = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
NODES = Limit(nodes=1_000)


def long_line(plies: int) -> list[int]:
    """Legal wire moves of a random game that lasts at least so long."""
    for seed in range(1_000):
        random, game, line = SplitMix64(seed), Game(), []
        while not game.status and len(line) < plies:
            legal = game.legal_moves()
            line.append(legal[random.below(len(legal))])
            game.push(line[-1])
        if len(line) == plies:
            return line
    raise AssertionError("no such line")


class LinePlayer:
    """Answers from a list, with a reply made anew as a real player makes it."""

    def __init__(self, line: list[int]) -> None:
        self.line = line

    def new_game(self, fen: str, chess960: bool, seed: int) -> None:
        pass

    def play(
        self, moves: NDArray[np.uint16], count: int, limit: Limit, clocks: Clocks | None
    ) -> Reply:
        return Reply(self.line[count], 100, 9, 1_000, 0)

    def close(self) -> None:
        pass


@pytest.mark.parametrize("limit", [NODES, Limit.parse_tc("10+0.1")], ids=["nodes", "clock"])
def test_the_loop_per_ply(benchmark: Any, limit: Limit) -> None:
    """The loop with the referee, and without it (whose calls are timed alone)."""
    line = long_line(200)
    players = (LinePlayer(line), LinePlayer(line))
    rules = AdjudicationConfig(max_plies=len(line))
    task, opening = GameTask(0, 0, 0, 0), Opening(STARTPOS, (), "start")

    def game() -> GameRecord:
        return play_game(task, players, opening, (limit, limit), rules)

    def referee() -> None:
        judge = Game(STARTPOS)
        for move in line:
            status = judge.push(move)
            if not status:
                judge.last_move_irreversible  # noqa: B018 - read as the loop reads it

    assert game().plies == len(line)
    benchmark(game)
    whole_us, referee_us = best_us(game) / len(line), best_us(referee) / len(line)
    benchmark.extra_info["ply_us"] = round(whole_us, 2)
    benchmark.extra_info["referee_us"] = round(referee_us, 2)
    benchmark.extra_info["loop_us"] = round(whole_us - referee_us, 2)


def best_us(function: Callable[[], object], rounds: int = 30) -> float:
    """The fastest of some rounds: the machine is shared, and delays only ever add."""
    times = []
    for _ in range(rounds):
        begun_ns = perf_counter_ns()
        function()
        times.append(perf_counter_ns() - begun_ns)
    return min(times) / 1_000


@pytest.mark.parametrize("nodes", [1_000, 5_000])
def test_search_over_wall(benchmark: Any, nodes: int) -> None:
    """The issue asks for 0.90 at 1,000 nodes a move and for 0.97 at 5,000."""
    players = (make_player(EngineConfig(name="new")), make_player(EngineConfig(name="base")))
    limit, opening = Limit(nodes=nodes), Opening(STARTPOS, (), "start")
    records: list[GameRecord] = []

    def pair() -> None:
        records.extend(
            play_game(task, players, opening, (limit, limit), AdjudicationConfig())
            for task in pair_task(1, 0).games
        )

    pair()
    records.clear()
    benchmark.pedantic(pair, rounds=10)
    # The median game: other processes may interrupt a game anywhere, inside the search or not.
    ratios = [sum(record.search_ns) / record.wall_ns for record in records]
    other_us = [
        (record.wall_ns - sum(record.search_ns)) / record.plies / 1_000 for record in records
    ]
    search_us = [sum(record.search_ns) / record.plies / 1_000 for record in records]
    benchmark.extra_info["search_over_wall"] = round(median(ratios), 4)
    benchmark.extra_info["search_us_per_ply"] = round(median(search_us), 1)
    benchmark.extra_info["other_us_per_ply"] = round(median(other_us), 2)


def test_null_pair(benchmark: Any) -> None:
    """A pair of null players under adjudication: what the coordinator benchmark is made of."""
    players = tuple(make_player(EngineConfig(name=name, source="null")) for name in "ab")
    rules = AdjudicationConfig(draw_move_number=1, draw_move_count=2)
    opening = Opening(STARTPOS, (), "start")
    pairs = iter(range(1_000_000))

    def pair() -> list[GameRecord]:
        return [
            play_game(task, (players[0], players[1]), opening, (NODES, NODES), rules)
            for task in pair_task(1, next(pairs)).games
        ]

    benchmark(pair)


def test_pgn_of_a_game_of_a_hundred_plies(benchmark: Any) -> None:
    line = long_line(100)
    rules = AdjudicationConfig(max_plies=len(line))
    record = play_game(
        GameTask(0, 0, 0, 0),
        (LinePlayer(line), LinePlayer(line)),
        Opening(STARTPOS, (), "start"),
        (NODES, NODES),
        rules,
    )
    spec = MatchSpec(new=EngineConfig(name="new"), base=EngineConfig(name="base"), limit=NODES)
    assert record.plies == 100
    benchmark(format_game, record, spec)
