"""What a UCI engine says of itself, and what it is told."""

import pytest

from harness.clock import Clocks
from harness.limits import Limit
from harness.record import MATE_CP
from harness.uci_options import Greeting, Spin, read_greeting, setoption
from harness.uci_player import go_command, read_info


def test_a_greeting_has_a_name_and_options_with_blanks() -> None:
    greeting = read_greeting(
        [
            "Some engine, version 1",
            "id name  Some   Engine 15.1",
            "id author The Authors",
            "option name Clear Hash type button",
            "option name Skill Level type spin default 20 min 0 max 20",
            "option name Book File type string default <empty>",
            "option name type of draw type combo default a var a var b",
            "option name",
            "uciok",
        ]
    )
    assert greeting.name == "Some Engine 15.1"
    assert greeting.kinds == {
        "clear hash": "button",
        "skill level": "spin",
        "book file": "string",
        "type of draw": "combo",
    }
    assert greeting.spelling[0] == "Clear Hash"
    assert greeting.spins == {"Skill Level": Spin(20, 0, 20)}


@pytest.mark.parametrize("said", ["", "default 1 min 1", "default x min 1 max 2", "max"])
def test_a_spin_without_its_bounds_is_none(said: str) -> None:
    greeting = read_greeting([f"option name Hash type spin {said}"])
    assert greeting.kinds == {"hash": "spin"}
    assert greeting.spins == {}


def test_buttons_are_pressed_and_values_are_said_as_they_are() -> None:
    greeting = Greeting("", {"clear hash": "button", "book file": "string"})
    assert setoption("Clear Hash", "true", greeting) == "setoption name Clear Hash"
    assert setoption("Hash", "16", greeting) == "setoption name Hash value 16"
    told = setoption("Book File", "c:/my books/b.bin", greeting)
    assert told == "setoption name Book File value c:/my books/b.bin"
    assert setoption("Book File", "", greeting) == "setoption name Book File value <empty>"


@pytest.mark.parametrize(
    ("line", "read"),
    [
        (b"info depth 9 score cp -31 nodes 5000 pv e2e4", (-31, 9, 5000)),
        (b"info score cp 7", (7, 1, 0)),
        (b"info depth 0 score cp 7", (7, 1, 0)),
        (b"info depth 12 score mate 3 nodes 1", (MATE_CP - 5, 12, 1)),
        (b"info depth 12 score mate -2 nodes 1", (-(MATE_CP - 4), 12, 1)),
        (b"info depth 1 score mate 0", (-MATE_CP, 1, 0)),
        (b"info depth 30 score cp 999999", (47_999, 30, 0)),
        (b"info depth 30 score mate 9999", (48_000, 30, 0)),
        (b"info depth 7 score cp 1 nodes 1" + 30 * b"0", (1, 7, 2**63 - 1)),
        (b"info depth x score cp 1", (0, 0, 0)),
        (b"info depth 3 score", (0, 0, 0)),
        (b"info depth 3 score cp high", (0, 0, 0)),
        (b"", (0, 0, 0)),
    ],
)
def test_scores_are_read_from_the_view_of_the_mover(
    line: bytes, read: tuple[int, int, int]
) -> None:
    assert read_info(line) == read


CLOCKS = Clocks(0, (61_000, 0), (600, 100), 40)


@pytest.mark.parametrize(
    ("limit", "command"),
    [
        (Limit(nodes=5000), "go nodes 5000"),
        (Limit(depth=8), "go depth 8"),
        (Limit(movetime_ms=100), "go movetime 100"),
        (Limit(nodes=5, depth=3, movetime_ms=2), "go nodes 5 depth 3 movetime 2"),
        (
            Limit.parse_tc("40/60+0.6"),
            "go wtime 61000 btime 1 winc 600 binc 100 movestogo 40",
        ),
    ],
)
def test_limits_are_told(limit: Limit, command: str) -> None:
    assert go_command(limit, CLOCKS) == command
    if not limit.has_clock:
        assert go_command(limit, None) == command
