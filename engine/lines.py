"""Iterative deepening seen from outside: the best lines after each step, one or several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .transposition import EXACT, LOWER, UPPER

if TYPE_CHECKING:
    from .shell import Searcher, SearchResult


class Line(NamedTuple):
    """What a search says of a root move: its rank from 1, the result, the wire moves expected."""

    rank: int
    result: SearchResult
    moves: list[int]


def search_lines(
    searcher: Searcher, among: Sequence[int], count: int, last_depth: int
) -> Iterator[Line]:
    """Deepen a search that has been started, telling the best `count` lines of each iteration.

    `among` are the legal wire moves to choose from. The second line is the best without the move
    of the first, and so on. A line whose window failed is told at once, with its bound.
    """
    codes = searcher.game.codes()
    excluded = [move for move in codes if move not in among]
    count = searcher.record.line_count = min(count, len(among))
    best: list[Line] = []
    for depth in range(1, last_depth + 1):
        found: list[Line] = []
        for rank in range(1, count + 1):
            taken = [line.result.move for line in found]
            known = next((line for line in best if line.result.move not in taken), None)
            _enter_line(searcher, rank, [codes[move] for move in excluded + taken])
            if known:
                searcher.record.root_move = codes[known.result.move]
                searcher.record.root_score = known.result.score_cp
            line = yield from _search_line(searcher, rank, known, depth)
            if line.result.depth == depth or rank == 1:
                found.append(line)
            if searcher.is_finished:
                break
        best = _ranked(found, best)
        yield from best
        if searcher.is_finished:
            return


def _enter_line(searcher: Searcher, rank: int, left_out: list[int]) -> None:
    record = searcher.record
    record.line = rank - 1
    record.root_move = record.root_score = 0
    record.left_out[: len(left_out)] = left_out
    record.left_out_count = len(left_out)


def _search_line(searcher: Searcher, rank: int, known: Line | None, depth: int) -> Iterator[Line]:
    """Search until a window holds or the search ends; the line then. Yields those that failed."""
    while True:
        result = searcher.step(depth)
        if result.depth == depth or result.bound == LOWER:
            moves = searcher.principal_variation()
        else:
            moves = known.moves if known else [result.move]
        line = Line(rank, result, moves)
        if result.bound == EXACT or searcher.is_finished:
            return line
        if known or result.bound != UPPER:  # else no move is known yet
            yield line


def _ranked(found: list[Line], before: list[Line]) -> list[Line]:
    """An iteration's lines by score, then those that it did not reach as they were."""
    moves = {line.result.move for line in found}
    lines = sorted(found, key=lambda line: -line.result.score_cp)
    lines += [line for line in before if line.result.move not in moves]
    count = max(len(found), len(before))
    return [line._replace(rank=rank) for rank, line in enumerate(lines[:count], 1)]
