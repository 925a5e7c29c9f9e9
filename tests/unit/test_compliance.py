"""The UCI examination: what its steps object to, and what becomes of a program that fails."""

from __future__ import annotations

from typing import Any

import pytest

from harness.compliance import examiner
from harness.compliance.examination import Result, document_of, examine
from harness.compliance.examiner import Objection, board_of, read_move
from harness.compliance.steps import STEPS, Step
from harness.uci_options import Greeting
from tests.match.engines import scripted

BY_TITLE = {step.title: step for step in STEPS}
READY = BY_TITLE["answers isready"]
NODES = BY_TITLE["searches the start position by nodes"]
DEFAULTS = BY_TITLE["accepts the defaults of its options"]
QUITS = BY_TITLE["ends after quit"]


def examined(*arguments: str, steps: tuple[Step, ...] = (NODES, READY, QUITS)) -> list[Result]:
    """The scripted engine asked the steps, after the one that greets it."""
    program = scripted(*arguments).program
    assert program is not None
    reported: list[Result] = []
    results = examine(program, {"Hash": "2"}, reported.append, steps)
    assert reported == results
    return results


def outcomes(results: list[Result]) -> list[str]:
    return [result.outcome for result in results]


def test_a_good_program_passes_and_its_talk_is_kept() -> None:
    results = examined()
    assert outcomes(results) == ["passed"] * 4
    assert "> setoption name Hash value 2" in results[0].talk
    assert results[1].talk[-3:] == (
        "> go nodes 1000",
        "< info depth 5 score cp 12 nodes 1234 time 3 pv g1f3",
        "< bestmove g1f3",
    )
    assert document_of("scripted", "script", results)["passed"]


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("illegal@go", "'bestmove e2e5': this move is not legal in rnbqkbnr/pppppppp/"),
        ("none@go", "'bestmove (none)': expected bestmove and a move such as e2e4"),
        ("exit@go", "no bestmove: "),
    ],
)
def test_a_fault_fails_its_step_and_no_other(fault: str, told: str) -> None:
    results = examined(fault, "move=1")
    assert outcomes(results) == ["passed", "failed", "passed", "passed"]
    assert results[1].detail.startswith(told)
    document = document_of("scripted", "script", results)
    assert not document["passed"]
    assert document["counts"] == {"passed": 3, "failed": 1, "skipped": 0}


def test_no_answer_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examiner, "START_MS", 1_000)
    results = examined("hang@uci")
    assert outcomes(results) == ["failed"]
    assert results[0].detail == "no uciok in time"


def test_nothing_is_asked_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examiner, "TOTAL_MS", -1)
    assert outcomes(examined()) == ["skipped"] * 4


def test_a_program_that_stays_after_quit_fails() -> None:
    results = examined("ignore@quit", steps=(QUITS,))
    assert results[1].detail.startswith("it runs on 2 s after quit")


def test_the_options_that_were_asked_for_stand_after_the_defaults() -> None:
    defaults = examined(steps=(DEFAULTS, READY))[1]
    assert [line for line in defaults.talk if line.startswith("> setoption")] == [
        "> setoption name Hash value 1",
        "> setoption name Hash value 2",
    ]


def test_a_default_of_several_words_is_set_as_a_whole() -> None:
    said: list[str] = []
    page: Any = Page("option name Style type combo default Very Solid var Very Solid var Wild")
    page.say, page.ready, page.configure = said.append, lambda: None, lambda: None
    page.greeting = Greeting("", {})
    assert DEFAULTS.ask(page) is None
    assert said == ["setoption name Style value Very Solid"]


class Page:
    """As much of an examiner as the steps on options need."""

    def __init__(self, *lines: str) -> None:
        self.greeting_lines = lines


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("option Hash spin", "expected `option name N type T"),
        ("option name Hash type number default 1", "T one of check, spin"),
        ("option name Hash type spin default 1 min 2 max 4", "the default is not from min to max"),
        ("option name Hash type spin default 1", "expected default, min and max, integers"),
        ("option name Ponder type check default yes", "expected default true or false"),
        ("option name Style type combo default Wild var Calm", "none of the values"),
        ("option name Style type combo default Quick var Quickest var Calm", "none of the values"),
        ("option name Style type combo default Solid var Very Solid", "none of the values"),
        ("option name Style type combo default Calm", "none of the values"),
        ("option name Style type combo var Calm", "none of the values"),
    ],
)
def test_badly_declared_options_are_objected_to(line: str, told: str) -> None:
    page: Any = Page("id name x", line)
    with pytest.raises(Objection, match=told):
        BY_TITLE["declares its options well"].ask(page)


def test_well_declared_options_are_not() -> None:
    page: Any = Page(
        "option name Hash type spin default 16 min 1 max 64",
        "option name Clear Hash type button",
        "option name Style type combo default Very Solid var Very Solid var Wild",
        "option name Book File type string default <empty>",
        "option name Ponder type check default false",
    )
    assert BY_TITLE["declares its options well"].ask(page) is None
    page = Page("option name A type button", "option name a type button")
    with pytest.raises(Objection, match="declared twice"):
        BY_TITLE["declares its options well"].ask(page)


def test_a_program_without_a_name_or_options() -> None:
    page: Any = Page("id name x")
    with pytest.raises(Objection, match="no `id author`"):
        BY_TITLE["tells its name and author"].ask(page)
    assert BY_TITLE["declares its options well"].ask(page) == "it has no options"


def test_moves_are_read_in_the_position_that_was_given() -> None:
    board = board_of("startpos moves e2e4 c7c5")
    assert read_move(board, "bestmove g1f3 ponder d7d6").uci() == "g1f3"
    with pytest.raises(Objection, match="not legal"):
        read_move(board, "bestmove e7e5")
    board = board_of("fen 4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", chess960=True)
    assert read_move(board, "bestmove e1g1").uci() == "e1g1"


def test_every_position_of_the_steps_can_be_set_up() -> None:
    from harness.compliance import steps

    for name, position in vars(steps).items():
        if isinstance(position, str) and position.startswith(("fen ", "startpos ")):
            assert board_of(position, chess960=name == "_CHESS960").is_valid()
