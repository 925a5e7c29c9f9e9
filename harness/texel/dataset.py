"""Labelled positions as sparse rows of evaluation terms: what the tuner fits. White's view.

A weight vector is laid out as the engine's terms are, one after another (middlegame and endgame
each); a row says how often each weight counts for white less how often for black.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Dataset(NamedTuple):
    """n positions with m coefficients in all; the arrays may be memory-mapped.

    From the side to move, with w the weights and the sums over the row, a position is worth
    `(phase * 100 * sum(counts * w_mg) + (24 - phase) * scale_pct * sum(counts * w_eg)) * turn`
    centipawns, divided by 2400 and rounded down.
    """

    #: int64[n + 1]: row i has the coefficients starts[i] to starts[i + 1].
    starts: NDArray[np.int64]
    #: uint16[m]: place in the weight vector.
    indices: NDArray[np.uint16]
    #: int8[m]: white's count less black's, never 0.
    counts: NDArray[np.int8]
    #: uint8[n]: 0 (endgame) to 24 (middlegame).
    phase: NDArray[np.uint8]
    #: uint8[n]: what the endgame half counts, 0 to 100.
    scale_pct: NDArray[np.uint8]
    #: int8[n]: 1 when white is to move, -1 when black is.
    turn: NDArray[np.int8]
    #: float32[n]: white's score, 0 to 1; the mean where equal positions were merged.
    result: NDArray[np.float32]
    #: float32[n]: how many positions were merged into this one.
    weight: NDArray[np.float32]
    #: float32[n]: centipawns that a search saw for white; NaN where none is known.
    score_cp: NDArray[np.float32]
    #: int32[n]: number of the game (the first one, where positions were merged).
    game: NDArray[np.int32]
