"""The positions of the made suites are what their comments say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from tests.perft.make_suite import CHESS960, STANDARD, Rule

HERE = Path(__file__).parent


def commented(name: str) -> Iterator[tuple[str, chess.Board]]:
    """Each position with the comment above it."""
    comment = ""
    for line in (HERE / name).read_text("utf-8").splitlines():
        if line.startswith("#"):
            comment = line.removeprefix("# ")
        else:
            yield comment, chess.Board(line.partition(" ;")[0], chess960=name == "reached960.epd")


@pytest.mark.parametrize(
    ("name", "rules"), [("reached.epd", STANDARD), ("reached960.epd", CHESS960)]
)
def test_each_position_shows_its_rule(name: str, rules: dict[str, Rule]) -> None:
    found = list(commented(name))
    for rule, board in found:
        assert rules[rule].shows(board), (rule, board.fen())
    assert len({board.fen() for _, board in found}) == len(found)
    assert {rule for rule, _ in found} == set(rules)
