"""EPD suites as they are met, and what is said of a line that is none."""

from pathlib import Path

import pytest

from harness.epd import NO_MOVE, Problem, read_problems
from harness.errors import UsageError

MATE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -"


def problem(tmp_path: Path, line: str) -> Problem:
    path = tmp_path / "suite.epd"
    path.write_text(f"# a suite\n\n{line}\n")
    (one,) = read_problems(path)
    assert one.source == "suite.epd:3"
    return one


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (f'{MATE} bm Rd8#; id "back rank; one";', "back rank; one"),
        (f"{MATE} bm Rd8+", "suite.epd:3"),
        (f"{MATE} ; bm Rd8 + ; id BK.01 ", "BK.01"),
        (f"{MATE} 0 1 ; bm d1d8 ", "suite.epd:3"),
        (f'{MATE} acd 4; bm Rd8!; c9 "x y";', "suite.epd:3"),
    ],
)
def test_best_moves_however_they_are_written(tmp_path: Path, line: str, name: str) -> None:
    one = problem(tmp_path, line)
    assert (one.name, one.best, one.solution()) == (name, {"d1d8"}, "bm d1d8")
    assert one.position.fen == f"{MATE} 0 1"
    assert one.is_solved_by("d1d8")
    assert not one.is_solved_by("d1d7")


def test_several_best_moves(tmp_path: Path) -> None:
    assert problem(tmp_path, f"{MATE} bm Rd8 Rd7, f4;").best == {"d1d8", "d1d7", "f2f4"}


def test_moves_to_avoid(tmp_path: Path) -> None:
    one = problem(tmp_path, f"{MATE} am Rd7 Kh1;")
    assert [one.is_solved_by(move) for move in ("d1d7", "g1h1", "d1d8")] == [False, False, True]
    assert not one.is_solved_by(NO_MOVE), "an engine that finds none has not avoided anything"
    assert one.solution() == "am d1d7 g1h1"


def test_graded_moves(tmp_path: Path) -> None:
    one = problem(tmp_path, f'{MATE} c0 "Rd8=10, Rd7=4,Kh1=10"; c1 "Rd6=99";')
    assert one.points == {"d1d8": 10, "d1d7": 4, "g1h1": 10}
    assert [one.is_solved_by(move) for move in ("d1d8", "d1d7", "g1f1")] == [True, False, False]
    graded = problem(tmp_path, f'{MATE} bm Rd8; c0 "Rd8=10, Kh1=10";')
    assert not graded.is_solved_by("g1h1")


def test_castling_is_named_by_the_position_s_rules(tmp_path: Path) -> None:
    assert problem(tmp_path, "4k3/8/8/8/8/8/8/4K2R w K - bm O-O;").best == {"e1g1"}
    assert problem(tmp_path, "4k3/8/8/8/8/8/8/4K1R1 w G - bm O-O;").best == {"e1g1"}
    assert problem(tmp_path, "4k3/8/8/8/8/8/8/1R2K3 w B - bm O-O-O;").best == {"e1b1"}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("nonsense", "no position; expected"),
        (MATE, "no moves; expected a position with bm, am or graded moves in c0"),
        (f'{MATE} c0 "a comment";', "no moves; expected"),
        (f"{MATE} bm Qd8;", "'Qd8'"),
        (f"{MATE} bm Rh1;", "'Rh1'"),
        ("8/8/8/8/8/8/8/8 w - - bm Ke2;", "a position that cannot be played"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(tmp_path: Path, line: str, told: str) -> None:
    path = tmp_path / "suite.epd"
    path.write_text(f"{MATE} bm Rd8;\n{line}\n")
    with pytest.raises(UsageError) as error:
        read_problems(path)
    assert str(error.value).startswith(f"{path}, line 2: ")
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_suite_without_positions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "suite.epd"
    path.write_text("# nothing\n")
    with pytest.raises(UsageError, match="no positions; expected"):
        read_problems(path)
