"""EPD suites: positions with the moves that should be found, or not be played.

    bm   best moves: one of them solves the position
    am   avoid moves: any other solves it
    c0   graded moves, such as "f5=100, Bf2=46": points, and a solution is one of the highest

Other operations are passed over; `id` names the position. Suites are not all written as the PGN
standard wants (16.2): the two counters of a FEN, or a semicolon after the position, are read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import chess

from harness.archives import read_file, unpack
from harness.errors import UsageError
from harness.perft_suite import Position, parse_position

#: What an engine plays that finds no move, as UCI writes it.
NO_MOVE: Final = "0000"

_OPERATION: Final = re.compile(r'\s*(\w+)((?:\s+|"[^"]*"|[^";])*);?')
_POSITION: Final = re.compile(r"\s*(\S+\s+[wb]\s+\S+\s+\S+(?:\s+\d+\s+\d+)?)\s*;?")
_GRADE: Final = re.compile(r"([^\s=,;\"]+)\s*=\s*(\d+)")
_EXPECTED: Final = "expected a position with bm, am or graded moves in c0"


@dataclass(frozen=True, slots=True)
class Problem:
    """A position and its solution; moves are UCI texts of its own castling rules."""

    source: str
    name: str
    position: Position
    best: frozenset[str] = frozenset()
    avoid: frozenset[str] = frozenset()
    points: Mapping[str, int] = field(default_factory=dict, hash=False)

    @property
    def most_points(self) -> int:
        return max(self.points.values(), default=0)

    def is_solved_by(self, move: str) -> bool:
        if move == NO_MOVE:
            return False
        if self.best:
            return move in self.best
        if self.avoid:
            return move not in self.avoid
        return self.points.get(move, 0) == self.most_points

    def solution(self) -> str:
        """In the words of the suite."""
        if self.best:
            return "bm " + " ".join(sorted(self.best))
        if self.avoid:
            return "am " + " ".join(sorted(self.avoid))
        top = (move for move, points in self.points.items() if points == self.most_points)
        return "c0 " + " ".join(sorted(top))


def read_problems(path: Path) -> list[Problem]:
    """The positions of a file, packed or not. Raises UsageError naming file and line."""
    # Some published suites end their lines with a zero byte.
    text = unpack(path, read_file(path)).replace(b"\0", b"").decode("utf-8", errors="replace")
    problems = [
        _problem(path, number, line)
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.startswith("#")
    ]
    if not problems:
        raise UsageError(f"{path}: no positions; {_EXPECTED}")
    return problems


def _problem(path: Path, number: int, line: str) -> Problem:
    try:
        match = _POSITION.match(line)
        if match is None:
            raise ValueError("no position")
        position = parse_position(match[1])
        board = chess.Board(position.fen, chess960=position.chess960)
        operations = dict(_operations(line[match.end() :]))
        problem = Problem(
            f"{path.name}:{number}",
            operations.get("id", "").strip('"') or f"{path.name}:{number}",
            position,
            _moves(board, operations.get("bm", "")),
            _moves(board, operations.get("am", "")),
            {
                _uci(board, san): int(points)
                for san, points in _GRADE.findall(operations.get("c0", ""))
            },
        )
        if not (problem.best or problem.avoid or problem.points):
            raise ValueError("no moves")
    except ValueError as error:
        raise UsageError(f"{path}, line {number}: {line[:80]!r}: {error}; {_EXPECTED}") from None
    return problem


def _operations(text: str) -> Iterator[tuple[str, str]]:
    for name, operands in _OPERATION.findall(text):
        yield name, operands.strip()


def _moves(board: chess.Board, text: str) -> frozenset[str]:
    """Moves in SAN, or in UCI's way; signs that stand alone (`Qd1 +`) are passed over."""
    return frozenset(_uci(board, word) for word in re.split(r"[\s,]+", text) if word.strip("+#!?"))


def _uci(board: chess.Board, text: str) -> str:
    try:
        move = board.parse_san(text.rstrip("!?"))
    except ValueError:
        move = board.parse_uci(text)
    return board.uci(move)
