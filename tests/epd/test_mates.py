"""The mates of our own suite are mates, and the only ones."""

import chess

from harness.epd import read_problems
from tests.epd.make_suite import HERE, POSITIONS, key_of

PROBLEMS = read_problems(HERE / "mates.epd")


def test_there_are_as_many_as_promised() -> None:
    assert len({problem.position for problem in PROBLEMS}) == POSITIONS


def test_keys_are_proven_again() -> None:
    """A few of them: python-chess takes a second for each."""
    for problem in PROBLEMS[::20]:
        board = chess.Board(problem.position.fen)
        key = key_of(board)
        assert key is not None
        assert problem.best == {board.uci(key)}
