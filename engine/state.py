"""The records that cross between Python and the kernels, and positions in and out of them.

A kernel takes records and scalars only (10-14 ns a node, no reference counts, and two snapshots of
the engine in one process cannot confuse their `Position` classes). A record is made by
`new_record(DTYPE)`.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel
from .move import MAX_MOVES
from .parameters import SEARCH
from .position import Position
from .terms import WEIGHT_COUNT

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
        ("moves", U64, (MAX_MOVES,)),  # scratch for the legal moves
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


MAX_PLY = 128  # of the search tree, quiescence included
REDUCTION_LIMIT = 64  # depths and move numbers beyond share the last entry

#: What a player's configuration becomes; names as in `parameters.SEARCH`, then derived tables.
PARAMETERS_DTYPE = np.dtype(
    [
        *((parameter.name, I64) for parameter in SEARCH),
        ("weights", I64, (WEIGHT_COUNT,)),  # packed pairs, see terms.py
        ("placement", I64, (6, 64)),  # packed value + square bonus, by piece and owner's square
        ("exchange_values", I64, (7,)),  # centipawns by piece for SEE and delta cuts
        ("reductions", I64, (REDUCTION_LIMIT, REDUCTION_LIMIT)),  # plies, [depth, move number]
    ],
    align=True,
)

#: One player's tables and the running search. `history` is [side][piece][to], in [-2^14, 2^14].
SEARCHER_DTYPE = np.dtype(
    [
        ("nodes", I64),
        ("qnodes", I64),
        ("seldepth", I64),
        ("node_limit", I64),
        ("deadline_ns", I64),
        ("must_finish", I64),  # 1 during the first iteration: always a move to play
        ("stopped", I64),
        ("stop_address", U64),
        ("root_move", U64),
        ("root_score", I64),
        ("tt_address", U64),
        ("tt_shift", U64),
        ("tt_generation", U64),
        ("tt_age", U64),
        ("key_base", I64),
        ("keys", U64, (MAX_KEYS + MAX_PLY + 1,)),
        ("killers", U64, (MAX_PLY + 1, 2)),
        ("history", I64, (2, 6, 64)),
        ("pv_length", I64, (MAX_PLY + 1,)),
        ("pv", U64, (MAX_PLY + 1, MAX_PLY + 1)),
        ("moves", U64, ((MAX_PLY + 1) * MAX_MOVES,)),
    ],
    align=True,
)
