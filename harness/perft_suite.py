"""Perft suites: positions with the number of move sequences that each depth should have.

Three layouts are read, line by line or mixed; lines that begin with # are comments:

    FEN ;D1 20 ;D2 400          as in Ethereal, ROCE and this repository
    FEN; D1 20; D2 400          the same as an EPD
    id NAME / epd FEN / perft 1 20 / perft 2 400      a line each, as in python-chess

Chess960 is told by the castling rights: files of rooks, or rooks that stand elsewhere.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

import chess

from harness.archives import read_file, unpack
from harness.errors import UsageError

#: Suites have positions that no game reaches (three checkers); our generators refuse only these.
_UNPLAYABLE: Final = (
    chess.STATUS_NO_WHITE_KING
    | chess.STATUS_NO_BLACK_KING
    | chess.STATUS_TOO_MANY_KINGS
    | chess.STATUS_TOO_MANY_WHITE_PAWNS
    | chess.STATUS_TOO_MANY_BLACK_PAWNS
    | chess.STATUS_TOO_MANY_WHITE_PIECES
    | chess.STATUS_TOO_MANY_BLACK_PIECES
    | chess.STATUS_PAWNS_ON_BACKRANK
    | chess.STATUS_OPPOSITE_CHECK
    | chess.STATUS_EMPTY
)

#: No count goes deeper (`--depth` neither).
MAX_DEPTH: Final = 100

_COUNT: Final = re.compile(r"D?(\d+)\s+(\d+)")
_EXPECTED: Final = "expected a position and counts, such as `FEN ;D1 20 ;D2 400`"


class Position(NamedTuple):
    """A position and by which castling rules it is played."""

    fen: str
    chess960: bool = False


class Task(NamedTuple):
    """Counts of one position to be made: depth and leaves, the shallowest first.

    What is wrong in a shallow tree is found there: a generator that lets a king be taken may crash
    in the plies after.
    """

    source: str
    position: Position
    counts: tuple[tuple[int, int], ...]

    @property
    def depth(self) -> int:
        return self.counts[-1][0]

    @property
    def expected(self) -> int:
        return self.counts[-1][1]


@dataclass(frozen=True, slots=True)
class Case:
    """A position of a suite; `source` says where it stands, `counts` has leaves by depth."""

    source: str
    position: Position
    counts: Mapping[int, int] = field(hash=False)

    def within(self, max_nodes: int | None, max_depth: int | None = None) -> Task | None:
        """The counts of at most `max_nodes` and `max_depth`; None when there are none."""
        small = tuple(
            (depth, leaves)
            for depth, leaves in sorted(self.counts.items())
            if leaves <= (math.inf if max_nodes is None else max_nodes)
            and depth <= (MAX_DEPTH if max_depth is None else max_depth)
        )
        return Task(self.source, self.position, small) if small else None


def parse_position(fen: str) -> Position:
    """A position from four to six fields. Raises ValueError when it cannot be played."""
    fields = fen.split()
    if not 4 <= len(fields) <= 6:
        raise ValueError(f"{len(fields)} fields")
    if len(fields) == 4:
        fields += ["0", "1"]
    text = " ".join(fields)
    board = chess.Board(text, chess960=True)
    wrong = board.status() & _UNPLAYABLE
    if wrong:
        names = [str(flag.name) for flag in chess.Status if flag & wrong]
        reasons = ", ".join(name.lower().replace("_", " ") for name in names)
        raise ValueError(f"a position that cannot be played ({reasons})")
    return Position(text, board.has_chess960_castling_rights())


def read_suite(path: Path) -> list[Case]:
    """The cases of a file, packed or not. Raises UsageError naming file and line."""
    # Some published suites end their lines with a zero byte.
    text = unpack(path, read_file(path)).replace(b"\0", b"").decode("utf-8", errors="replace")
    cases = list(_cases(path, text.splitlines()))
    if not cases:
        raise UsageError(f"{path}: no positions; {_EXPECTED}")
    return cases


def _cases(path: Path, lines: list[str]) -> Iterator[Case]:
    current: Case | None = None  # of a record of several lines
    for number, line in enumerate(lines, 1):
        word, _, rest = line.strip().partition(" ")
        if not word or word.startswith("#") or word == "id":
            continue
        if word == "epd":
            if current is not None:
                yield current
            current = _case(path, number, rest, {})
        elif word == "perft":
            if current is None:
                _refuse(path, number, line)
            depth, leaves = _count(path, number, rest)
            current = Case(current.source, current.position, {**current.counts, depth: leaves})
        else:
            fen, *counts = (part.strip() for part in line.split(";"))
            found = dict(_count(path, number, count) for count in counts if count)
            if not found:
                _refuse(path, number, line)
            yield _case(path, number, fen, found)
    if current is not None:
        yield current


def _case(path: Path, number: int, fen: str, counts: dict[int, int]) -> Case:
    try:
        return Case(f"{path}:{number}", parse_position(fen.rstrip(" ;")), counts)
    except ValueError as error:
        raise UsageError(f"{path}, line {number}: {fen!r}: {error}; {_EXPECTED}") from None


def _count(path: Path, number: int, text: str) -> tuple[int, int]:
    match = _COUNT.fullmatch(text.strip())
    if match is None:
        _refuse(path, number, text)
    depth = int(match[1])
    if depth > MAX_DEPTH:
        raise UsageError(f"{path}, line {number}: depth {depth}; expected at most {MAX_DEPTH}")
    return depth, int(match[2])


def _refuse(path: Path, number: int, text: str) -> NoReturn:
    raise UsageError(f"{path}, line {number}: {text[:80]!r}: {_EXPECTED}")
