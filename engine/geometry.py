"""Sets of squares ahead of, behind and beside others, and distances of kings.

"Up" is the way our pawns go.
"""

from __future__ import annotations

import numpy as np

from .bitboard import FILE_A, NOT_FILE_A, NOT_FILE_H, ONE, U7, U8
from .jit import kernel

U16, U32 = np.uint64(16), np.uint64(32)
LIGHT_SQUARES = np.uint64(0x55AA_55AA_55AA_55AA)

_FILES, _RANKS = np.arange(64) % 8, np.arange(64) // 8
#: int64[64, 64]: moves of a king from square to square.
KING_DISTANCE = np.maximum(
    abs(_FILES[:, None] - _FILES[None, :]), abs(_RANKS[:, None] - _RANKS[None, :])
).astype(np.int64)


@kernel
def fill_up(bb):
    """`bb` and every square above one of its squares."""
    bb |= bb << U8
    bb |= bb << U16
    return bb | (bb << U32)


@kernel
def fill_down(bb):
    """`bb` and every square below one of its squares."""
    bb |= bb >> U8
    bb |= bb >> U16
    return bb | (bb >> U32)


@kernel
def beside(bb):
    """The squares one file to the left or the right of `bb`."""
    return ((bb & NOT_FILE_A) >> ONE) | ((bb & NOT_FILE_H) << ONE)


@kernel
def file_of(square):
    """The whole file of a square."""
    return FILE_A << (square & U7)
