"""King and pawn against king, known exactly: a table made when the module is imported.

The pawn's side moves up the board and the pawn is on the files a to d (else all is mirrored). For a
pawn and its king there is one bitboard: the squares of the lone king where the pawn's side wins.
So retrograde analysis is set operations on all 24 x 64 pairs at once, a few milliseconds in all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .attacks import KING_ATTACKS
from .bitboard import NOT_FILE_A, NOT_FILE_H, ONE, U7, U8, U9
from .jit import kernel

_Sets = NDArray[np.uint64]  # lone kings, by pawn and by its king

_PAWN_SQUARES = np.array([8 * rank + file for rank in range(1, 7) for file in range(4)], np.uint64)
_PAWNS = (ONE << _PAWN_SQUARES)[:, None]
_KINGS = (ONE << np.arange(64, dtype=np.uint64))[None, :]
_GUARDED = KING_ATTACKS[None, :]
_STEPS = [np.flatnonzero(_KINGS[0] & attacks) for attacks in KING_ATTACKS]
_PUSH = 4  # from a pawn to the one a rank ahead
_SECOND_RANK, _SEVENTH_RANK = slice(0, 4), slice(20, 24)


def _king_steps(squares: _Sets) -> _Sets:
    """Where a king gets in one move from `squares`."""
    sideways = ((squares & NOT_FILE_A) >> ONE) | ((squares & NOT_FILE_H) << ONE)
    column = squares | sideways
    return sideways | (column << U8) | (column >> U8)


def _pawn_checks() -> _Sets:
    """Squares that the pawn attacks."""
    return ((_PAWNS & NOT_FILE_A) << U7) | ((_PAWNS & NOT_FILE_H) << U9)


def _promotes() -> _Sets:
    """Wins by a promotion that the lone king cannot answer by taking the piece."""
    targets = _PAWNS[_SEVENTH_RANK] << U8
    safe = np.where(targets & _GUARDED, ~np.uint64(0), ~_king_steps(targets)) & ~targets
    wins = np.zeros((24, 64), np.uint64)
    wins[_SEVENTH_RANK] = np.where(targets & _KINGS, np.uint64(0), safe)
    return wins


def _pushes_win(wins: _Sets) -> _Sets:
    """Wins by a single or a double push; `wins` are those with the lone king to move."""
    ahead = _PAWNS[:-_PUSH] << U8
    after_push = wins[_PUSH:] & ~ahead
    won = np.zeros_like(wins)
    won[:-_PUSH] = np.where(ahead & _KINGS, np.uint64(0), after_push)
    ahead = ahead[_SECOND_RANK]
    after_double = wins[2 * _PUSH : 3 * _PUSH] & ~ahead
    won[_SECOND_RANK] |= np.where(ahead & _KINGS, np.uint64(0), after_double)
    return won


def _king_moves_win(wins: _Sets) -> _Sets:
    """Wins by a move of the pawn's king."""
    return np.stack([np.bitwise_or.reduce(wins[:, steps], axis=1) for steps in _STEPS], axis=1)


def _analyse() -> _Sets:
    """uint64[2, 24, 64]: lone kings that lose, with the pawn's side and with the lone king to move.

    Wins are added until there are no more; the lone king loses where it has a move or is in check
    and every move leads to a win. It may take an unguarded pawn, which draws.
    """
    checks = _pawn_checks()
    apart = np.where(_PAWNS & _KINGS, np.uint64(0), ~(_GUARDED | _KINGS | _PAWNS))
    quiet = apart & ~checks
    takes = np.where(_PAWNS & _GUARDED, np.uint64(0), _PAWNS)
    can_move = _king_steps(quiet | takes)
    promotes = _promotes()
    strong = quiet & promotes
    while True:
        escapes = _king_steps((quiet & ~strong) | takes)
        lone = apart & ~escapes & (can_move | checks)
        grown = quiet & (promotes | _pushes_win(lone) | _king_moves_win(lone))
        if np.array_equal(grown, strong):
            return np.stack([strong, lone])
        strong = grown


KPK_WINS = _analyse()

_FILE_D = np.uint64(3)


PAWN_SIDE, LONE_KING = np.uint64(0), np.uint64(1)  # who is to move


@kernel
def is_won_kpk(strong_king, pawn, lone_king, to_move):
    """Whether the pawn's side, which moves up, wins; squares, PAWN_SIDE or LONE_KING to move."""
    mirror = U7 if pawn & U7 > _FILE_D else np.uint64(0)
    pawn ^= mirror
    row = ((pawn >> np.uint64(3)) - ONE) * np.uint64(4) + (pawn & _FILE_D)
    kings = KPK_WINS[to_move, row, strong_king ^ mirror]
    return (kings >> (lone_king ^ mirror)) & ONE != np.uint64(0)
