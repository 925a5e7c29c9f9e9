"""Clocks of programs: what is measured, who is to blame for a loss on time, and the margin."""

from __future__ import annotations

import numpy as np
import pytest

from harness.errors import MachineFault
from harness.game import play_game
from harness.limits import Limit
from harness.openings import Opening
from harness.players import NullPlayer
from harness.record import GameRecord, MoveTimes, Reply, Termination
from harness.result import noise
from harness.schedule import pair_task
from harness.tally import SideSums, digest_game
from harness.uci_process import longest_delay_ns
from tests.match.engines import OFF, SHORT, STARTPOS, play_pair, scripted

MS = 1_000_000
MOVETIME = Limit(movetime_ms=10_000)


class Stopwatch(NullPlayer):
    """Says that each of its moves took so long."""

    def __init__(self, times: MoveTimes) -> None:
        self._times = times

    def play(self, *arguments: object) -> Reply:
        return super().play(*arguments)._replace(times=self._times)  # type: ignore[arg-type]


def game_with(times: MoveTimes, margin_ms: int = 50) -> GameRecord:
    """A game with 100 ms a move, of a player with these times against one that needs none."""
    players = Stopwatch(times), Stopwatch(MoveTimes(0, 0, 0))
    limit = Limit(movetime_ms=100)
    (task, _) = pair_task(1, 0).games
    return play_game(
        task, players, Opening(STARTPOS, (), ""), (limit, limit), OFF, margin_ms=margin_ms
    )


def test_the_margin_is_an_option() -> None:
    late = MoveTimes(130 * MS, 1, 0)
    assert game_with(late, margin_ms=30).termination is not Termination.TIME_FORFEIT
    record = game_with(late, margin_ms=29)
    assert record.termination is Termination.TIME_FORFEIT
    assert "used 130.0 ms where 129.0 ms were left, margin included" in record.detail


def test_a_loss_on_time_is_the_machines_when_waiting_explains_it() -> None:
    assert game_with(MoveTimes(200 * MS, 1, 49 * MS)).termination is Termination.TIME_FORFEIT
    with pytest.raises(MachineFault, match=r"white used 200\.0 ms .* waited 50\.0 ms of them for"):
        game_with(MoveTimes(200 * MS, 1, 50 * MS))


def test_delays_are_the_callers_and_the_longest_of_the_threads() -> None:
    assert longest_delay_ns({0: 5, 1: 10, 2: 20}, {0: 7, 1: 11, 2: 50, 3: 4}) == 2 + 30
    assert longest_delay_ns({0: 5, 1: 10}, {0: 6}) == 1
    assert longest_delay_ns({}, {}) == 0


def test_processor_time_stands_beside_the_clock() -> None:
    busy, _ = play_pair(scripted("spin=30"), scripted("think=30"), MOVETIME)
    columns = busy.columns()
    cpus_us = np.frombuffer(busy.cpus_us, "<u4")
    assert len(busy.delays_us) == len(busy.cpus_us) == 4 * busy.plies
    assert columns.times_us.min() >= 30_000
    assert cpus_us[0::2].min() > 20_000 > 10_000 > np.median(cpus_us[1::2])
    new, base = digest_game(busy).sides
    assert new.cpu_us > base.cpu_us
    assert new.clock_us == columns.times_us[0::2].sum()


def test_untimed_games_have_no_times_of_the_processor() -> None:
    first, _ = play_pair(scripted(), scripted())
    assert (first.cpus_us, first.delays_us) == (b"", b"")


def test_an_engine_that_sleeps_too_long_is_to_blame_itself() -> None:
    engine = scripted("late@go", timeouts=SHORT.model_copy(update={"stop_ms": 20_000}))
    first, second = play_pair(engine, scripted(), Limit(movetime_ms=300))
    assert first.termination is second.termination is Termination.TIME_FORFEIT
    assert first.new_result == second.new_result == -1


def test_a_noisy_machine_is_told() -> None:
    calm, busy = SideSums(clock_us=1_000, delay_us=10), SideSums(clock_us=1_000, delay_us=200)
    assert noise((calm, calm)) is None
    assert noise((SideSums(), SideSums())) is None
    sentence = noise((calm, busy))
    assert sentence is not None
    assert "waited for a processor 10% of their time" in sentence
