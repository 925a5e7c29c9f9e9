"""Perft suites in all layouts that are met, and what is said of a line that is none."""

from pathlib import Path

import chess
import pytest

from harness.errors import UsageError
from harness.perft_suite import Case, Position, parse_position, read_suite

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
PYTHON_CHESS = f"""\
# a comment
id start
epd {chess.STARTING_FEN}
perft 1 20
perft 2 400

id kiwipete
epd {KIWIPETE}
perft 1 48
"""


def suite(tmp_path: Path, text: str) -> list[Case]:
    path = tmp_path / "suite.epd"
    path.write_text(text)
    return read_suite(path)


@pytest.mark.parametrize(
    "line",
    [
        f"{KIWIPETE} ;D1 48 ;D2 2039",
        f"{KIWIPETE}; D1 48; D2 2039 ",
        f"{KIWIPETE.removesuffix(' 0 1')}  ;D1 48 ;D2 2039;",
        f"epd {KIWIPETE}\nperft 1 48\nperft 2 2039",
        f"{KIWIPETE}; D1 48; D2 2039\0",
    ],
)
def test_each_layout_means_the_same(tmp_path: Path, line: str) -> None:
    (case,) = suite(tmp_path, f"# a suite\n\n{line}\n")
    assert case.position == Position(KIWIPETE, False)
    assert case.counts == {1: 48, 2: 2039}
    assert case.source == f"{tmp_path / 'suite.epd'}:3"


def test_records_of_several_lines(tmp_path: Path) -> None:
    first, second = suite(tmp_path, PYTHON_CHESS)
    assert (first.position.fen, first.counts) == (chess.STARTING_FEN, {1: 20, 2: 400})
    assert (second.position.fen, second.counts) == (KIWIPETE, {1: 48})


@pytest.mark.parametrize(
    ("fen", "chess960"),
    [
        (KIWIPETE, False),
        ("4k3/8/8/8/8/8/8/rR2K1N1 w B - 0 1", True),
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", False),
        ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", True),
    ],
)
def test_chess960_is_told_by_the_castling_rights(fen: str, chess960: bool) -> None:
    assert parse_position(fen).chess960 is chess960


def test_the_deepest_count_within_a_number_of_nodes() -> None:
    case = Case("s:1", Position(KIWIPETE), {3: 97862, 1: 48, 2: 2039})
    within = [case.within(most) for most in (None, 97_862, 97_861, 48, 47)]
    assert [task and (task.depth, task.expected) for task in within] == [
        (3, 97_862),
        (3, 97_862),
        (2, 2039),
        (1, 48),
        None,
    ]
    deepest = [case.within(None, most) for most in (3, 2, 1)]
    assert [task and task.depth for task in deepest] == [3, 2, 1]
    assert case.within(2039, 3) == case.within(97_862, 2)
    assert within[1] is not None
    assert within[1].counts == ((1, 48), (2, 2039), (3, 97_862)), "the shallowest first"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("nonsense", "'nonsense': expected a position and counts"),
        (KIWIPETE, "expected a position and counts, such as"),
        (f"{KIWIPETE} ;D1 many", "'D1 many': expected"),
        (f"{KIWIPETE} ;D1", "'D1': expected"),
        (
            "8/8/8/8/8/8/8/8 w - - 0 1 ;D1 0",
            "a position that cannot be played (no white king, no black king, empty)",
        ),
        ("8/8/8/8/8/8/8 w - - 0 1 ;D1 0", "expected a position and counts"),
        ("perft 1 20", "expected a position and counts"),
        ("epd x y\nperft 1 20", "'x y': "),
        (f"{KIWIPETE} and more ;D1 48", "8 fields; expected a position and counts"),
        (f"{KIWIPETE} ;D101 48", "depth 101; expected at most 100"),
        ("QQQQQQQQ/QQQQQQQQ/Q7/8/8/k7/8/K7 w - - 0 1 ;D1 1", "a position that cannot be played"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(tmp_path: Path, line: str, told: str) -> None:
    with pytest.raises(UsageError) as error:
        suite(tmp_path, f"{KIWIPETE} ;D1 48\n{line}\n")
    assert str(error.value).startswith(f"{tmp_path / 'suite.epd'}, line 2: ")
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_position_that_no_game_reaches_can_be_counted() -> None:
    """Two bishops check from two corners."""
    fen = "B6b/8/8/8/2K5/5k2/8/b6B b - - 0 1"
    assert parse_position(fen) == Position(fen)


@pytest.mark.parametrize("text", ["", "# nothing\n"])
def test_a_suite_without_positions_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="no positions; expected"):
        suite(tmp_path, text)
