"""The only moves of our own suite: as many as promised, and what makes a move the only one."""

import pytest

from harness.epd import read_problems
from tests.epd.make_tactics import HERE, MARGIN_CP, POSITIONS, WINNING_CP, is_alone

PROBLEMS = read_problems(HERE / "tactics.epd")


def test_there_are_as_many_as_promised_with_one_move_each() -> None:
    assert len({problem.position for problem in PROBLEMS}) == POSITIONS
    assert all(len(problem.best) == 1 for problem in PROBLEMS)


@pytest.mark.parametrize(
    ("best_cp", "second_cp", "alone"),
    [
        (WINNING_CP, WINNING_CP - MARGIN_CP, True),
        (WINNING_CP - 1, -500, False),
        (WINNING_CP + 100, WINNING_CP + 101 - MARGIN_CP, False),
    ],
)
def test_a_move_wins_alone_where_no_other_comes_near(
    best_cp: int, second_cp: int, alone: bool
) -> None:
    assert is_alone(best_cp, second_cp) == alone
