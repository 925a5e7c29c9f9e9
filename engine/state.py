"""The records that cross between Python and the kernels, and positions in and out of them.

A kernel takes records and scalars only (10-14 ns a node, no reference counts, and two snapshots of
the engine in one process cannot confuse their `Position` classes). A record is made by
`new_record(DTYPE)`. The entry points called at every move take a record's *address* instead, as an
int, and see it through `game_at`, `parameters_at` or `searcher_at`: handing over three records
costs 7 us a call, three ints 0.3 us.
"""

from __future__ import annotations

import ctypes

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from .jit import kernel
from .move import MAX_MOVES
from .parameters import SEARCH
from .position import Position
from .statistics import COUNTERS
from .terms import WEIGHT_COUNT

U64 = np.uint64
I64 = np.int64

POSITION_FIELDS = [(name, I64 if name == "halfmove" else U64) for name in Position._fields]

MAX_PLY = 128  # of the search tree, quiescence included
REDUCTION_LIMIT = 64  # depths and move numbers beyond share the last entry
MAX_KEYS = 512  # of the current run of reversible moves; the fifty-move rule needs 101

# An array's length is part of its type: with one length in all records, the generator and the
# repetition count are compiled once and not once for each record.
KEYS = ("keys", U64, (MAX_KEYS + MAX_PLY + 1,))
MOVES = ("moves", U64, ((MAX_PLY + 1) * MAX_MOVES,))

#: The game so far: the position, and the keys since the last irreversible move, oldest first.
GAME_DTYPE = np.dtype(
    [
        *POSITION_FIELDS,
        ("plies", I64),
        ("status", I64),
        ("key_count", I64),
        KEYS,
        MOVES,  # the legal moves
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

#: The picker's place in a node's moves, by ply; see picker.py.
PICKER_FIELDS = ("stage", "noisy_cursor", "noisy_end", "quiet_cursor", "list_end")
MAX_TRIED = 64  # quiets remembered at a node for its history update

MOVE_KINDS = 6 * 64  # a moving piece and its target
CORRECTION_SIZE = 1 << 14

#: One player's tables and the running search. `history` is [side][piece][to], in [-2^14, 2^14].
SEARCHER_DTYPE = np.dtype(
    [
        ("nodes", I64),
        ("qnodes", I64),
        ("seldepth", I64),
        ("node_limit", I64),
        ("started_ns", I64),
        ("clock_started_ns", I64),  # the clock's own start: `go`, or `ponderhit`
        ("soft_ns", I64),  # from there, for an average move; 0: no clock
        ("deadline_ns", I64),
        ("mate_plies", I64),  # a mate within so many ends the search; 0: none does
        ("stopped", I64),
        ("finished", I64),  # 1 when a limit, not the caller's last iteration, ended the search
        ("stop_address", U64),
        ("root_depth", I64),
        ("counting", I64),  # 1 to keep the counts of statistics.py
        ("counts", I64, (len(COUNTERS),)),
        ("root_move", U64),  # the best so far
        ("root_score", I64),
        ("root_bound", U64),  # what the last window proved; EXACT when an iteration is through
        ("root_alpha", I64),
        ("root_beta", I64),
        ("window_centre", I64),
        ("window_cp", I64),
        ("best_score", I64),  # of the best line's last iteration that is through
        ("settled_move", U64),  # its move
        ("stable_iterations", I64),  # how many in a row had it
        ("score_drop", I64),  # how much lower the last one's score was than that before
        ("line", I64),  # of `line_count` lines, which is searched; 0 is the best
        ("line_count", I64),
        ("left_out", U64, (MAX_MOVES,)),  # root moves that are not searched
        ("left_out_count", I64),
        ("current_move", U64),  # the root move being searched
        ("current_number", I64),
        ("tt_address", U64),
        ("tt_shift", U64),
        ("tt_generation", U64),
        ("tt_age", U64),
        ("key_base", I64),
        KEYS,
        ("killers", U64, (MAX_PLY + 1, 2)),
        ("killer_slot", I64, (MAX_PLY + 1,)),  # by ply, the row of its killers
        ("history", I64, (2, 6, 64)),
        ("continuation", np.int16, (2, MOVE_KINDS + 1, MOVE_KINDS)),  # [distance - 1][before][move]
        ("capture_history", I64, (MOVE_KINDS, 7)),  # [move][captured, NO_PIECE of a promotion]
        ("pawn_correction", np.int32, (CORRECTION_SIZE,)),
        ("piece_correction", np.int32, (2, CORRECTION_SIZE)),  # ours, theirs
        ("last_line", U64, (MAX_PLY + 1,)),  # of the iteration before
        ("on_last_line", I64, (MAX_PLY + 1,)),  # by ply, 1 where that line led here
        ("moved", I64, (MAX_PLY + 1,)),  # by ply, the move kind made there; MOVE_KINDS for none
        ("excluded", U64, (MAX_PLY + 1,)),  # the move a singular search leaves out
        *((name, I64, (MAX_PLY + 1,)) for name in PICKER_FIELDS),
        ("given", U64, (MAX_PLY + 1,)),  # the hint, once it was handed out
        ("tried", U64, (MAX_PLY + 1, MAX_TRIED)),  # quiets searched at the node that did not cut
        ("tried_count", I64, (MAX_PLY + 1,)),
        ("tried_captures", U64, (MAX_PLY + 1, MAX_TRIED)),
        ("tried_captures_count", I64, (MAX_PLY + 1,)),
        ("static_evals", I64, (MAX_PLY + 1,)),  # by ply, NO_EVALUATION in check
        ("pv_length", I64, (MAX_PLY + 1,)),
        ("pv", U64, (MAX_PLY + 1, MAX_PLY + 1)),
        MOVES,  # of all plies, one after the other
    ],
    align=True,
)


def address_of(record: np.recarray) -> int:
    """Where a record lies in memory, which it must outlive."""
    return int(record.__array_interface__["data"][0])


def _python_view(address, dtype):
    """The record at `address`, without the JIT."""
    raw = (ctypes.c_char * dtype.itemsize).from_address(int(address))
    return np.frombuffer(raw, dtype).view(np.recarray)[0]


def game_at(address):
    """The GAME_DTYPE record at `address`."""
    return _python_view(address, GAME_DTYPE)


def parameters_at(address):
    """The PARAMETERS_DTYPE record at `address`."""
    return _python_view(address, PARAMETERS_DTYPE)


def searcher_at(address):
    """The SEARCHER_DTYPE record at `address`."""
    return _python_view(address, SEARCHER_DTYPE)


def _cast_to_record(context, builder, signature, args):
    return builder.inttoptr(args[0], context.get_value_type(signature.return_type))


_GAME = numba.from_dtype(GAME_DTYPE)
_PARAMETERS = numba.from_dtype(PARAMETERS_DTYPE)
_SEARCHER = numba.from_dtype(SEARCHER_DTYPE)


@intrinsic
def _game_at(typingctx, address):
    return _GAME(types.int64), _cast_to_record


@intrinsic
def _parameters_at(typingctx, address):
    return _PARAMETERS(types.int64), _cast_to_record


@intrinsic
def _searcher_at(typingctx, address):
    return _SEARCHER(types.int64), _cast_to_record


@overload(game_at)
def _game_at_overload(address):
    return lambda address: _game_at(address)


@overload(parameters_at)
def _parameters_at_overload(address):
    return lambda address: _parameters_at(address)


@overload(searcher_at)
def _searcher_at_overload(address):
    return lambda address: _searcher_at(address)
