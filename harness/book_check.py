"""Checks whole books of positions at once: 150,000 lines in a fraction of a second.

A book is checked before the first game, so that a damaged line stops the run at its start and not
hours later; python-chess or the engine, line by line, would need 10 seconds for it. Boards are
arrays of 64 codes, rank 8 first (square 0 is a8), one row a position.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint8]
Flags = NDArray[np.bool_]

EMPTY: Final = 0
_PIECES: Final = "PNBRQKpnbrqk"  # codes 1 to 12
_PAWN, _KNIGHT, _BISHOP, _ROOK, _QUEEN, _KING = range(1, 7)
_BLACK: Final = 6  # a black piece's code is the white one's plus this
_BORDER: Final = 13
_WIDTH: Final = 12  # of the padded board: two border squares on each side

# For each byte of a placement field: what it puts on the board and on how many squares.
_CODE: Final = np.zeros(256, dtype=np.uint8)
_COUNT: Final = np.zeros(256, dtype=np.intp)
for _code, _piece in enumerate(_PIECES, 1):
    _CODE[ord(_piece)] = _code
    _COUNT[ord(_piece)] = 1
for _digit in range(1, 9):
    _COUNT[ord("0") + _digit] = _digit

# The code of the same piece in the other colour.
_SWAPPED: Final = np.array([0, *range(7, 13), *range(1, 7)], dtype=np.uint8)

_STRAIGHT: Final = (-_WIDTH, -1, 1, _WIDTH)
_DIAGONAL: Final = (-_WIDTH - 1, -_WIDTH + 1, _WIDTH - 1, _WIDTH + 1)
_KNIGHT_JUMPS: Final = tuple(
    up * _WIDTH + right for up in (-2, -1, 1, 2) for right in (3 - abs(up), abs(up) - 3)
)

RANKS = "ranks of 8 squares"
KINGS = "one king of each colour"
MEN = "at most 16 men and 8 pawns a side"
PAWNS = "no pawn on the first or last rank"
CHECK = "a king that cannot be taken by the side to move"


def first_fault(
    placements: Sequence[bytes], black_to_move: Sequence[bool]
) -> tuple[int, str] | None:
    """The first position that no game can start from, and what was expected of it.

    placements : first fields of FENs, each with 8 ranks between slashes
    """
    text = np.frombuffer(b"/".join([*placements, b""]), dtype=np.uint8)
    counts = _COUNT[text]
    sound = _ranks_of_8(text, counts)
    if not sound.all():
        return int(np.argmin(sound)), RANKS
    boards = np.repeat(_CODE[text], counts).reshape(-1, 8, 8)
    black = np.asarray(black_to_move, dtype=bool)
    # Seen by the side to move: a board with black to move is turned and its colours swapped.
    boards[black] = _SWAPPED[boards[black][:, ::-1]]
    faults = [
        (_wrong_kings(boards), KINGS),
        (_too_many_men(boards), MEN),
        (np.isin(boards[:, (0, 7)], (_PAWN, _PAWN + _BLACK)).any(axis=(1, 2)), PAWNS),
    ]
    sound = ~np.any([fault for fault, _ in faults], axis=0)
    if sound.any():
        in_check = np.zeros(len(boards), dtype=bool)
        in_check[sound] = _can_take_king(boards[sound])
        faults.append((in_check, CHECK))
    found = [(int(np.argmax(fault)), what) for fault, what in faults if fault.any()]
    return min(found, default=None)


def may_be_over(placements: Sequence[bytes], black_to_move: Sequence[bool]) -> list[int]:
    """The sound positions for which rules must tell whether a game can start there.

    No game is over while the side to move has a pawn that may go forward: it is not in check, and
    the pawn is not pinned, since it stays on the line to its king or stands on none. Nearly all
    positions of a book are of this kind.
    """
    text = np.frombuffer(b"/".join([*placements, b""]), dtype=np.uint8)
    boards = np.repeat(_CODE[text], _COUNT[text]).reshape(-1, 8, 8)
    black = np.asarray(black_to_move, dtype=bool)
    # Here the side that does *not* move has the white codes, for `_can_take_king`.
    boards[~black] = _SWAPPED[boards[~black][:, ::-1]]
    ours = boards == _KING + _BLACK
    row = ours.any(axis=2).argmax(axis=1)[:, None, None] - np.arange(8)[:, None]
    column = ours.any(axis=1).argmax(axis=1)[:, None, None] - np.arange(8)
    may_be_pinned = (row == 0) | (abs(row) == abs(column))
    free = (boards == _PAWN + _BLACK) & ~may_be_pinned
    free[:, :-1] &= boards[:, 1:] == EMPTY  # our pawns go down here
    goes_on = free.any(axis=(1, 2)) & ~_can_take_king(boards)
    return [int(index) for index in np.flatnonzero(~goes_on)]


def _ranks_of_8(text: Codes, counts: NDArray[np.intp]) -> Flags:
    """Which positions have ranks of 8 squares only; `text` has a slash after every rank."""
    squares_so_far = np.cumsum(counts)[text == ord("/")]
    sound: Flags = (np.diff(squares_so_far, prepend=0).reshape(-1, 8) == 8).all(axis=1)
    return sound


def _wrong_kings(boards: Codes) -> Flags:
    ours = (boards == _KING).sum(axis=(1, 2))
    theirs = (boards == _KING + _BLACK).sum(axis=(1, 2))
    wrong: Flags = (ours != 1) | (theirs != 1)
    return wrong


def _too_many_men(boards: Codes) -> Flags:
    excess = np.zeros(len(boards), dtype=bool)
    for low, high in ((_PAWN, _KING), (_PAWN + _BLACK, _KING + _BLACK)):
        excess |= ((boards >= low) & (boards <= high)).sum(axis=(1, 2)) > 16
        excess |= (boards == low).sum(axis=(1, 2)) > 8
    return excess


def _can_take_king(boards: Codes) -> Flags:
    """Which positions let the side to move (the white codes here) take the other king."""
    rows = np.arange(len(boards))
    padded = np.full((len(boards), _WIDTH, _WIDTH), _BORDER, dtype=np.uint8)
    padded[:, 2:10, 2:10] = boards
    squares = padded.reshape(len(boards), -1)
    king = np.argmax(squares == _KING + _BLACK, axis=1)
    taken = np.zeros(len(boards), dtype=bool)
    for offset in (_WIDTH - 1, _WIDTH + 1):  # a white pawn takes towards rank 8
        taken |= squares[rows, king + offset] == _PAWN
    for offset in _KNIGHT_JUMPS:
        taken |= squares[rows, king + offset] == _KNIGHT
    for offsets, slider in ((_STRAIGHT, _ROOK), (_DIAGONAL, _BISHOP)):
        for offset in offsets:
            taken |= squares[rows, king + offset] == _KING
            taken |= _slides_to(squares, king, offset, slider)
    return taken


def _slides_to(squares: Codes, king: NDArray[np.intp], offset: int, slider: int) -> Flags:
    """Whether the first man seen from `king` along `offset` is a queen or the slider."""
    rows = np.arange(len(squares))
    square = king + offset
    for _ in range(6):
        square = np.where(squares[rows, square] == EMPTY, square + offset, square)
    first = squares[rows, square]
    sees_attacker: Flags = (first == slider) | (first == _QUEEN)
    return sees_attacker
