"""`--scale-nodes`: what is measured, what becomes of it in a specification, and what is refused."""

from __future__ import annotations

import math
import random
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.jit import source_digest
from engine.parameters import search_defaults
from harness.errors import EngineStartError, Interrupted, UsageError
from harness.journal import Journal
from harness.limits import Limit
from harness.match import read_spec
from harness.node_scaling import (
    check_scalable,
    describe,
    measured_scaling,
    scaled,
    scaled_by_measuring,
)
from harness.record import Reply
from harness.result import limit_of
from harness.spec import EngineConfig, MatchSpec, NodeScaling
from harness.speed_round import MOST_TURNS, Work, in_turn, log_ratio, turns_for
from tests.match.runs import RecordingView

PLAIN = EngineConfig(name="plain")
OTHER = EngineConfig(name="other", search=search_defaults() | {"null_move": 0})
NODES = Limit(nodes=5000)


def spec_of(new: EngineConfig = OTHER, **changes: Any) -> MatchSpec:
    values: dict[str, Any] = {"new": new, "base": PLAIN, "limit": NODES}
    return MatchSpec(**(values | changes))


class Clock:
    """A machine on which each search takes longer than the one before, by `drift` of the first."""

    def __init__(self, drift: float = 0.0) -> None:
        self.drift = drift
        self.searches = 0

    def cost(self) -> float:
        self.searches += 1
        return 1.0 + self.drift * self.searches


class Searcher:
    """Searches the nodes it is told to, each for `node_ns` of the clock."""

    def __init__(self, clock: Clock, node_ns: float, nodes: int | None = None) -> None:
        self._clock, self._node_ns, self._nodes = clock, node_ns, nodes
        self._spent_ns = 0.0
        self.fens: list[str] = []

    def new_game(self, fen: str, chess960: bool, seed: int) -> None:
        self.fens.append(fen)

    def play(self, moves: object, count: int, limit: Limit, clocks: object) -> Reply:
        nodes = limit.nodes if self._nodes is None else self._nodes
        took_ns = limit.nodes * self._node_ns * self._clock.cost()
        self._spent_ns += took_ns
        return Reply(1, 0, 1, nodes, round(took_ns))

    def cpu_ns(self) -> int:
        return round(self._spent_ns)


def round_of(clock: Clock, new_ns: float, base_ns: float, turns: int = 2) -> float:
    sides: list[Any] = [Searcher(clock, new_ns), Searcher(clock, base_ns)]
    return log_ratio(*in_turn(sides, ["a", "b", "c"], NODES, turns), ("new", "base"))


def test_a_planted_slowdown_is_measured() -> None:
    assert math.exp(round_of(Clock(), new_ns=1250.0, base_ns=1000.0)) == pytest.approx(0.8)
    assert round_of(Clock(), 1000.0, 1000.0) == 0.0


def test_a_machine_that_slows_down_slows_both_sides() -> None:
    """In order of the sides, NEW would seem faster by 5 % here."""
    assert round_of(Clock(drift=0.1), 1000.0, 1000.0) == pytest.approx(0.0, abs=1e-6)
    assert math.exp(round_of(Clock(drift=0.1), 1250.0, 1000.0)) == pytest.approx(0.8)


def test_both_sides_search_the_same_positions_equally_often() -> None:
    sides: list[Any] = [Searcher(Clock(), 1.0), Searcher(Clock(), 1.0)]
    in_turn(sides, ["a", "b"], NODES, 4)
    assert sides[0].fens == sides[1].fens == ["a", *["a", "b"] * 4]


@pytest.mark.parametrize("nodes", [1, 500, 5000, 77_777, 10**7])
def test_each_side_begins_as_often_as_the_other(nodes: int) -> None:
    turns = turns_for(nodes, 12)
    assert turns % 2 == 0
    assert 2 <= turns <= MOST_TURNS


@pytest.mark.parametrize(
    ("work", "sentence"),
    [
        (Work(0, 5000, 5000), "quiet does not say how many nodes it searches"),
        (Work(5000, 50, 5000), "quiet is seen to use no processor time"),
        (Work(5000, 0, 0), "quiet is seen to use no processor time"),
    ],
)
def test_a_program_whose_speed_cannot_be_seen_is_refused(work: Work, sentence: str) -> None:
    with pytest.raises(EngineStartError, match=sentence):
        log_ratio(work, Work(5000, 5000, 5000), ("quiet", "base"))
    with pytest.raises(EngineStartError, match=sentence):
        log_ratio(Work(5000, 5000, 5000), work, ("new", "quiet"))


def noisy_rounds(ratio: float, spread: float = 0.02) -> Callable[[], float]:
    chance = random.Random(3)
    return lambda: math.log(ratio) + chance.gauss(0, spread) + (chance.random() < 0.1) * 0.5


def test_rounds_that_were_disturbed_do_not_spoil_the_factor() -> None:
    """One in ten is off by 65 %: the mean would be off by 5 %."""
    scaling = measured_scaling(spec_of(), noisy_rounds(0.9))
    assert scaling.ci95 is not None
    assert scaling.factor == pytest.approx(0.9, rel=0.02)
    assert scaling.ci95[0] < 0.9 < scaling.ci95[1]


def test_the_factor_is_used_as_measured_where_its_interval_holds_1() -> None:
    scaling = measured_scaling(spec_of(), noisy_rounds(0.998))
    assert scaling.ci95 is not None
    assert scaling.ci95[0] < 1.0 < scaling.ci95[1]
    assert scaling.factor != 1.0


def test_one_engine_against_itself_is_not_measured_and_stays_itself() -> None:
    def never() -> float:
        raise AssertionError("measured")

    control = spec_of(PLAIN.model_copy(update={"name": "new"}))
    found = scaled(control, measured_scaling(control, never))
    assert found.node_scaling == NodeScaling(factor=1.0, ci95=(1.0, 1.0))
    assert found.new == control.new
    assert found.spec_hash() == control.spec_hash()


def test_new_gets_the_nodes_and_base_keeps_its_own() -> None:
    found = scaled(spec_of(), NodeScaling(factor=0.9312))
    assert (found.new.limit, found.base.limit, found.limit) == (Limit(nodes=4656), None, NODES)
    assert limit_of(found) == "5000 nodes a move; other: 4656 nodes a move"
    assert describe(found) == "other has 0.9312 times the nodes of plain, 4656 against 5000"


def test_a_measured_factor_given_by_hand_is_the_same_test() -> None:
    measured = scaled(spec_of(), NodeScaling(factor=0.9312, ci95=(0.92, 0.94)))
    assert "(measured, 95 % interval 0.9200 to 0.9400;" in describe(measured)
    assert "the same again: --scale-nodes-by 0.9312" in describe(measured)
    by_hand = scaled(spec_of(), NodeScaling(factor=0.9312))
    assert measured.spec_hash() == by_hand.spec_hash() != spec_of().spec_hash()


def test_a_run_keeps_its_factor(tmp_path: Path) -> None:
    spec = scaled(spec_of(), NodeScaling(factor=0.5, ci95=(0.4, 0.6)))
    Journal.create(tmp_path / "run", spec, {}).close()
    assert read_spec(tmp_path / "run") == spec


@pytest.mark.parametrize("factor", [1e-3, 999.0])
def test_nodes_that_no_limit_has_are_refused(factor: float) -> None:
    nodes = Limit(nodes=1 if factor < 1 else 900_000_000)
    with pytest.raises(UsageError, match=rf"times {factor:g} are \d+; expected 1 to 1000000000"):
        scaled(spec_of(limit=nodes), NodeScaling(factor=factor))


@pytest.mark.parametrize(
    ("limit", "new", "sentence"),
    [
        (Limit(depth=8), OTHER, "--scale-nodes cannot be given with depth 8; expected --nodes"),
        (Limit(movetime_ms=9), OTHER, "--scale-nodes cannot be given with 9 ms a move; "),
        (Limit.parse_tc("1+0.1"), OTHER, "cannot be given with a clock of 1"),
        (
            NODES,
            OTHER.model_copy(update={"limit": Limit(nodes=7)}),
            "other has a limit of its own, 7 nodes a move; expected no",
        ),
        (NODES, EngineConfig(name="n", source="null"), "n is a null player"),
    ],
)
def test_what_cannot_be_scaled_is_refused(limit: Limit, new: EngineConfig, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        check_scalable(limit, (new, PLAIN))
    with pytest.raises(UsageError, match=sentence.replace("expected no", ".*")):
        check_scalable(limit, (PLAIN, new))


@pytest.fixture
def measured_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], float]], MatchSpec]:
    """A specification whose rounds are what a function says, by an engine that is compiled."""

    def prepare(one_round: Callable[[], float]) -> MatchSpec:
        monkeypatch.setattr("harness.node_scaling.round_here", lambda *_: one_round())
        monkeypatch.setattr("harness.playing.warm_engines", lambda *_: None)
        return spec_of(source_digest=source_digest())

    return prepare


@pytest.mark.parametrize(("spread", "warned"), [(0.001, False), (0.1, True)])
def test_a_wide_interval_is_warned_of(
    tmp_path: Path, measured_by: Any, spread: float, warned: bool
) -> None:
    view = RecordingView()
    spec = measured_by(noisy_rounds(0.9, spread))
    found, told = scaled_by_measuring(spec, tmp_path, view)
    assert told[0] == describe(found)
    assert any("is known within" in sentence for sentence in told) == warned
    assert view.messages == ["the speeds of both sides are measured in 20 rounds"]


def test_ctrl_c_ends_the_measuring_after_the_round(tmp_path: Path, measured_by: Any) -> None:
    rounds = []

    def interrupted_round() -> float:
        rounds.append(0.1)
        if len(rounds) == 3:
            signal.raise_signal(signal.SIGINT)
        return rounds[-1]

    view = RecordingView()
    with pytest.raises(Interrupted):
        scaled_by_measuring(measured_by(interrupted_round), tmp_path, view)
    assert len(rounds) == 3
    assert view.messages[-1] == "interrupted before the first game"
