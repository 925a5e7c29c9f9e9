"""Positions in the binary form of bullet, a trainer of networks: 32 bytes each, compiled.

The layout is that of `ChessBoard` in github.com/jw1912/bulletformat. Everything is seen from the
side to move, whose first rank is rank 1, as our positions are anyway:

| bytes | content                                                                     |
|-------|-----------------------------------------------------------------------------|
| 0-7   | occupied squares, a1 = bit 0                                                |
| 8-23  | a nibble for each man in the order of squares, low nibble first: piece      |
|       | (pawn 0, knight, bishop, rook, queen, king 5), 8 added for the other side's |
| 24-25 | score in centipawns, int16                                                  |
| 26    | result: 0 lost, 1 drawn, 2 won                                              |
| 27    | square of our king                                                          |
| 28    | square of their king, seen from their side                                  |
| 29-31 | zeros                                                                       |
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from engine.bitboard import FLIP, ONE, lsb
from engine.jit import kernel
from engine.position import king_square, piece_on
from engine.state import load_position

BULLET_DTYPE = np.dtype(
    [
        ("occupied", "<u8"),
        ("men", np.uint8, (16,)),
        ("score_cp", "<i2"),
        ("result", np.uint8),
        ("our_king", np.uint8),
        ("their_king", np.uint8),
        ("extra", np.uint8, (3,)),
    ]
)
assert BULLET_DTYPE.itemsize == 32

_THEIRS = np.uint64(8)
_NIBBLE = np.uint64(4)


@kernel
def _pack_men(position, men):
    """men : uint8[16], out."""
    men[:] = 0
    left = position.ours | position.theirs
    number = np.uint64(0)
    while left:
        square = lsb(left)
        code = piece_on(position, square)
        if (position.theirs >> square) & ONE:
            code |= _THEIRS
        place = np.int64(number >> ONE)
        men[place] = np.uint64(men[place]) | (code << (_NIBBLE * (number & ONE)))
        left &= left - ONE
        number += ONE


@kernel
def pack_boards(plies, chosen, count, boards):
    """Everything but scores and results of `plies[chosen[:count]]`.

    boards : BULLET_DTYPE[>= count], out.
    """
    for number in range(count):
        position = load_position(plies[chosen[number]])
        board = boards[number]
        board.occupied = position.ours | position.theirs
        _pack_men(position, board.men)
        board.our_king = king_square(position)
        board.their_king = lsb(position.kings & position.theirs) ^ FLIP
