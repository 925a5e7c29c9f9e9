"""The records that cross between Python and the kernels, and positions in and out of them.

A kernel takes records and scalars only (10-14 ns a node, no reference counts, and two snapshots of
the engine in one process cannot confuse their `Position` classes). A record is made by
`new_record(DTYPE)`.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel
from .position import Position

U64 = np.uint64
I64 = np.int64

POSITION_FIELDS = [(name, I64 if name == "halfmove" else U64) for name in Position._fields]

MAX_KEYS = 512  # of the current run of reversible moves; the fifty-move rule needs 101

#: The game so far: the position, and the keys since the last irreversible move, oldest first.
GAME_DTYPE = np.dtype(
    [
        *POSITION_FIELDS,
        ("plies", I64),
        ("irreversible", I64),  # 1 if the last move was a pawn move or a capture
        ("status", I64),
        ("key_count", I64),
        ("keys", U64, (MAX_KEYS,)),
        ("moves", U64, (256,)),  # scratch for the legal moves
        ("move_count", I64),
    ],
    align=True,
)


def new_record(dtype: np.dtype) -> np.recarray:
    """One zeroed record; `np.recarray` so that its attributes also work without the JIT."""
    return np.zeros(1, dtype).view(np.recarray)[0]


@kernel
def load_position(record):
    """The position held in a record."""
    return Position(
        record.pawns,
        record.knights,
        record.diagonals,
        record.orthogonals,
        record.kings,
        record.ours,
        record.theirs,
        record.en_passant,
        record.castling,
        record.key,
        record.halfmove,
        record.side,
    )


@kernel
def store_position(record, position):
    """Put a position into a record."""
    record.pawns = position.pawns
    record.knights = position.knights
    record.diagonals = position.diagonals
    record.orthogonals = position.orthogonals
    record.kings = position.kings
    record.ours = position.ours
    record.theirs = position.theirs
    record.en_passant = position.en_passant
    record.castling = position.castling
    record.key = position.key
    record.halfmove = position.halfmove
    record.side = position.side
