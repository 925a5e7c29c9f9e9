"""Which cores the games of a run get, and what is said when there are too few."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from harness import run_start
from harness.config import load_engine_config
from harness.cores import cores_per_game, dealt, default_threads, spread, threads_of
from harness.errors import UsageError
from harness.limits import Limit
from harness.run_start import crowding, games_at_a_time
from harness.spec import EngineConfig, MatchSpec
from harness.uci_options import read_greeting
from tests.match.engines import scripted
from tests.match.runs import null_spec

CLOCK = Limit(base_ms=10_000, increment_ms=100)


def timed(limit: Limit = CLOCK, **options: str) -> MatchSpec:
    return null_spec(1, new=scripted(**options), limit=limit)


def given(concurrency: int | None, force: bool = False) -> dict[str, Any]:
    return {"concurrency": concurrency, "force_concurrency": force}


@pytest.fixture
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_start, "usable_cores", lambda: (0, 1, 2, 3))


def test_threads_are_the_programs_option_in_any_case() -> None:
    assert threads_of(scripted(threads="3")) == threads_of(scripted(THREADS="3")) == 3
    assert threads_of(scripted()) == threads_of(scripted(Threads="max")) == 1
    assert threads_of(EngineConfig(name="new")) == 1
    assert cores_per_game(timed(Threads="2")) == 2


def test_threads_are_the_programs_default_where_nobody_says_otherwise() -> None:
    greeting = read_greeting(["option name Number of Threads type spin default 3 min 1 max 8"])
    assert default_threads(greeting) == 3
    assert default_threads(read_greeting(["option name Hash type spin default 3 min 1 max 8"])) == 1
    glaurung = scripted().model_copy(update={"name": "glaurung", "default_threads": 2})
    assert threads_of(glaurung) == 2
    assert threads_of(glaurung.model_copy(update={"options": {"threads": "1"}})) == 1
    assert glaurung.digest() == scripted().digest()


@pytest.mark.usefixtures("four_cores")
def test_who_has_the_threads_is_named() -> None:
    glaurung = scripted().model_copy(update={"name": "glaurung", "default_threads": 2})
    spec = null_spec(1, new=glaurung, limit=CLOCK)
    assert games_at_a_time(spec, given(None)) == 2
    assert list(crowding(spec, 2, None)) == ["glaurung searches with 2 threads, as is its default"]
    with pytest.raises(UsageError, match=r"3 at a time with 2 threads each \(those of glaurung\)"):
        games_at_a_time(spec, given(3))


def test_a_program_is_asked_for_its_threads(tmp_path: Path) -> None:
    program = scripted("option=Threads", "default=3").program
    assert program is not None
    words = shlex.join(program.arguments)
    config = tmp_path / "x.cfg"
    config.write_text(f"[engine]\nsource = uci\ncommand = {program.command}\narguments = {words}\n")
    assert load_engine_config(str(config)).default_threads == 3


def test_twins_of_a_physical_core_come_last() -> None:
    assert spread({0: "0-1", 1: "0-1", 2: "2-3", 3: "2-3"}) == (0, 2, 1, 3)
    assert spread({4: "0,4", 5: "1,5"}) == (4, 5)


def test_cores_are_dealt_and_go_round_when_there_are_too_few() -> None:
    assert dealt((0, 2, 1, 3), 2, 2) == ({0, 2}, {1, 3})
    assert dealt((5, 7), 3, 1) == ({5}, {7}, {5})
    assert dealt((5,), 1, 2) == ({5},)


@pytest.mark.usefixtures("four_cores")
def test_as_many_games_at_a_time_as_there_are_cores_for_their_threads() -> None:
    assert games_at_a_time(timed(), given(None)) == 4
    assert games_at_a_time(timed(Threads="2"), given(None)) == 2
    assert games_at_a_time(timed(Threads="3"), given(1)) == 1


@pytest.mark.usefixtures("four_cores")
def test_too_many_games_with_clocks_are_refused() -> None:
    with pytest.raises(
        UsageError, match="games with clocks, 5 at a time, need 5 cores, and there are 4;"
    ):
        games_at_a_time(timed(), given(5))
    with pytest.raises(
        UsageError,
        match=r"clocks, 3 at a time with 2 threads each .*, need 6 cores, .* 4; expected no more,",
    ):
        games_at_a_time(timed(Threads="2"), given(3))
    with pytest.raises(UsageError, match=r"1 at a time with 8 threads each .*, need 8 cores"):
        games_at_a_time(timed(Threads="8"), given(None))


@pytest.mark.usefixtures("four_cores")
def test_unless_they_are_forced_with_a_warning_or_have_no_clock() -> None:
    assert games_at_a_time(timed(), given(5, force=True)) == 5
    (warning,) = crowding(timed(), 5, None)
    assert warning.startswith("warning: games with clocks, 5 at a time")
    assert not list(crowding(timed(), 4, None))
    untimed = timed(Limit(nodes=100), Threads="2")
    assert games_at_a_time(untimed, given(5)) == 5
    assert not list(crowding(untimed, 5, None))
