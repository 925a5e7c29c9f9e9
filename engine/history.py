"""What the search remembers of quiet moves that cut: killers by ply, history by piece and target.

History uses the bounded update h += bonus - h * |bonus| / 2^14, so it stays within +-2^14 and old
evidence fades.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel
from .move import moving_piece, to_square

HISTORY_LIMIT = np.int64(1 << 14)


@kernel
def history_of(searcher, side, move):
    return searcher.history[side, moving_piece(move), to_square(move)]


@kernel
def _add_history(searcher, side, move, bonus):
    piece, square = moving_piece(move), to_square(move)
    old = searcher.history[side, piece, square]
    searcher.history[side, piece, square] = old + bonus - old * abs(bonus) // HISTORY_LIMIT


@kernel
def update_on_cutoff(searcher, parameters, side, move, depth, ply, tried):
    """Quiet `move` cut; the quiets `searcher.tried[ply, :tried]` before it did not."""
    if parameters.killers and searcher.killers[ply, 0] != move:
        searcher.killers[ply, 1] = searcher.killers[ply, 0]
        searcher.killers[ply, 0] = move
    if not parameters.history:
        return
    bonus = min(parameters.history_bonus_max, parameters.history_bonus_slope * depth)
    _add_history(searcher, side, move, bonus)
    if parameters.history_malus:
        for index in range(tried):
            _add_history(searcher, side, searcher.tried[ply, index], -bonus)


@kernel
def clear_tables(searcher):
    """Forget killers and history: a new game."""
    searcher.killers[:] = 0
    searcher.history[:] = 0
