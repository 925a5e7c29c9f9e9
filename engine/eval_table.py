"""The evaluation as a table: what each term is worth to white and to black, in centipawns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .evaluate import trace_evaluation
from .shell import Game
from .terms import LENGTHS, MAX_PHASE, OFFSETS, WEIGHT_COUNT


class TermRow(NamedTuple):
    """A term's weights times its counts: (middlegame, endgame) by side, and what they come to.

    `total_cp` is white's less black's, blended by the phase and scaled as the evaluation is.
    """

    name: str
    white_cp: tuple[int, int]
    black_cp: tuple[int, int]
    total_cp: float


class EvaluationTable(NamedTuple):
    """One row for each term; `value_cp` is the evaluation from white's view, their sum rounded."""

    rows: list[TermRow]
    phase: int  # of 24
    scale_pct: int
    value_cp: int


def _halves(packed: np.int64) -> tuple[int, int]:
    """Middlegame and endgame of a packed pair (terms.py), without a kernel."""
    middlegame = int(packed.astype(np.int32))
    return middlegame, int(packed) - middlegame >> 32


def evaluation_table(game: Game, parameters: np.recarray) -> EvaluationTable:
    """The terms of the position that `game` has reached."""
    trace = np.zeros((2, WEIGHT_COUNT), np.int64)
    value_cp, phase, scale_pct = map(int, trace_evaluation(game.record, parameters, trace))
    black_to_move = game.side_to_move
    white, black = trace[::-1] if black_to_move else trace
    middlegame_share = phase / int(MAX_PHASE)
    endgame_share = (1 - middlegame_share) * scale_pct / 100
    rows = []
    for name, offset in OFFSETS.items():
        term = slice(offset, offset + LENGTHS[name])
        weights = parameters.weights[term]
        white_cp, black_cp = _halves(white[term] @ weights), _halves(black[term] @ weights)
        total_cp = (white_cp[0] - black_cp[0]) * middlegame_share
        total_cp += (white_cp[1] - black_cp[1]) * endgame_share
        rows.append(TermRow(name, white_cp, black_cp, total_cp))
    return EvaluationTable(rows, phase, scale_pct, -value_cp if black_to_move else value_cp)
