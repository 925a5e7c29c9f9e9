"""Searches by the textbook alpha-beta of tests/kernels, with the setting that is to be measured."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.shell import Game, Searcher, Weights
from engine.weights import EVALUATION, weight_defaults
from tests.kernels.alphabeta import COLOURS, EIGHTFOLD, MIRROR, TWO_SLOTS, alphabeta

#: Terms that know neither a left nor a right, nor an up nor a down.
_PLAIN_TERMS = {term.name for term in EVALUATION if term.name.endswith("_value")} | {"tempo"}

Weight = tuple[tuple[int, ...], ...]  # a term's middlegame and endgame


class Counts(NamedTuple):
    """A search's value and what it took, all its iterations together."""

    value: int
    nodes: int
    cutoffs: int
    first_move_cutoffs: int


def _board(values: tuple[int, ...]) -> np.ndarray:
    return np.array(values).reshape(8, 8)


def _is_symmetric(board: np.ndarray, symmetry: int) -> bool:
    images = [board[:, ::-1]]
    if symmetry == EIGHTFOLD:
        images += [board[::-1], board.T]
    return all(np.array_equal(board, image) for image in images)


def require_symmetry(weights: Weights, symmetry: int) -> None:
    """Refuse, by ValueError, weights that tell apart the positions which are to share an entry."""
    if symmetry == COLOURS:
        return
    for term in EVALUATION:
        # Positions with pawns are mirrored at most.
        needed = MIRROR if term.name == "pawn_squares" else symmetry
        for part in weights[term.name]:
            if term.is_board:
                fits = _is_symmetric(_board(part), needed)
            else:
                fits = term.name in _PLAIN_TERMS or not any(part)
            if not fits:
                raise ValueError(f"{term.name} is not symmetric: positions cannot share an entry")


def _nothing(parts: Weight) -> Weight:
    return tuple((0,) * len(part) for part in parts)


def _mirrored(boards: Weight) -> Weight:
    means = [(_board(part) + _board(part)[:, ::-1]) // 2 for part in boards]
    return tuple(tuple(mean.ravel().tolist()) for mean in means)


def symmetric_weights(symmetry: int) -> Weights:
    """The engine's material and, mirrored, its tables; every other term at 0."""
    weights = {name: _nothing(parts) for name, parts in weight_defaults().items()}
    for name, parts in weight_defaults().items():
        if name in _PLAIN_TERMS:
            weights[name] = parts
        elif name.endswith("_squares") and symmetry == MIRROR:
            weights[name] = _mirrored(parts)
    return weights


def textbook_search(
    fen: str,
    depth: int,
    *,
    ordered: bool = True,
    table: int = TWO_SLOTS,
    symmetry: int = COLOURS,
    weights: Weights | None = None,
    hash_mb: int = 16,
) -> Counts:
    """Search to `depth`, iteration by iteration when there is a table to remember the last one."""
    require_symmetry(weights or weight_defaults(), symmetry)
    searcher = Searcher(weights=weights, hash_mb=hash_mb)
    searcher.new_game(fen)
    game = Game(fen)
    plan, counts = np.array([ordered, table, symmetry], np.int64), np.zeros(2, np.int64)
    value = 0
    for iteration in range(1 if table else depth, depth + 1):
        value = int(
            alphabeta(
                game.record, searcher.record, searcher.parameters, plan, counts, np.int64(iteration)
            )
        )
    return Counts(value, int(searcher.record.nodes), *map(int, counts))
