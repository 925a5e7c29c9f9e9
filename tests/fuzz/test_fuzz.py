"""The fuzzers, a moment each in the gate and a minute each at night; and that they find faults."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

from tests.fuzz import faults, fen, hunt, tcp, uci

GATE_CASES = {fen: 300, uci: 60, tcp: 40}
NIGHT_S = 60.0


@pytest.mark.parametrize("fuzzer", GATE_CASES, ids=lambda fuzzer: fuzzer.__name__)
def test_a_few_cases(fuzzer: ModuleType) -> None:
    outcome = hunt.hunt(fuzzer.case, first_seed=0, cases=GATE_CASES[fuzzer])
    assert outcome == (GATE_CASES[fuzzer] - 1, "")


@pytest.mark.nightly
@pytest.mark.parametrize("fuzzer", GATE_CASES, ids=lambda fuzzer: fuzzer.__name__)
def test_a_minute_of_new_cases(fuzzer: ModuleType, capfd: pytest.CaptureFixture[str]) -> None:
    code = hunt.main(fuzzer.__name__, fuzzer.case, ["--seconds", str(NIGHT_S)])
    assert code == 0, capfd.readouterr()


@pytest.mark.parametrize(
    ("case", "fault"),
    [
        (faults.raises, "an exception"),
        (faults.crashes, "the process ended by signal 9"),
        (faults.hangs, "no end after 1 s"),
    ],
)
def test_a_fault_is_found_with_its_seed(
    case: Callable[[int], None], fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hunt, "_FIRST_CASE_S", 1.0)
    outcome = hunt.hunt(case, first_seed=3, cases=50, hang_s=1.0)
    assert outcome == (faults.FAULTY_SEED, fault)


def test_a_hunt_ends_with_its_cases_or_its_time() -> None:
    assert hunt.hunt(faults.holds, first_seed=3, cases=4) == (6, "")
    seed, fault = hunt.hunt(faults.holds, seconds=0.2)
    assert seed > 4
    assert not fault


def test_the_command_tells_how_to_see_the_fault_again(capsys: pytest.CaptureFixture[str]) -> None:
    name = "tests.fuzz.faults"
    assert hunt.main(name, faults.raises, ["--seed", "10", "--cases", "9"]) == 1
    assert f"python -m {name} --seed 13 --cases 1" in capsys.readouterr().out
    assert hunt.main(name, faults.holds, ["--seed", "10", "--cases", "9"]) == 0
    assert "seeds 10 to 18: nothing found" in capsys.readouterr().out
