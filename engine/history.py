"""What the search remembers: which moves cut, and how wrong the static evaluation was.

Killers by ply or by remaining depth; history by side and move kind (piece and target);
continuation history by the kinds of the moves one and two plies before; capture history by kind and
captured piece. All use the bounded update h += bonus - h * |bonus| / 2^14, so they stay within
+-2^14 and old evidence fades; history alone can be a plain sum instead (`history_fades` off).
Correction history keeps, by a hash of the pawns and of each side's pieces, by how much the search
differed from the evaluation.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel
from .move import NO_MOVE, captured_piece, is_noisy, moving_piece, to_square
from .state import CORRECTION_SIZE, MAX_PLY, MAX_TRIED, MOVE_KINDS

HISTORY_LIMIT = np.int64(1 << 14)
PLAIN_HISTORY_LIMIT = np.int64(1 << 18)  # without fading; still below the killers (ordering.py)
NO_KIND = np.int64(MOVE_KINDS)

CORRECTION_GRAIN = np.int64(256)  # entries are centipawns times this
CORRECTION_LIMIT = np.int64(64) * CORRECTION_GRAIN
_CORRECTION_SHIFT = np.uint64(64 - (CORRECTION_SIZE.bit_length() - 1))
_PAWN_FACTOR = np.uint64(0x9E37_79B9_7F4A_7C15)
_KNIGHT_FACTOR = np.uint64(0xD6E8_FEB8_6659_FD93)
_DIAGONAL_FACTOR = np.uint64(0xA076_1D64_78BD_642F)
_ORTHOGONAL_FACTOR = np.uint64(0xE703_7ED1_A0B4_28DB)
_KING_FACTOR = np.uint64(0x8EBC_6AF0_9C88_C6E3)


@kernel
def kind_of(move):
    """A move's kind: moving piece and target, 0 <= kind < MOVE_KINDS."""
    return np.int64(moving_piece(move)) * np.int64(64) + np.int64(to_square(move))


@kernel
def _updated(old, bonus):
    return old + bonus - old * abs(bonus) // HISTORY_LIMIT


@kernel
def _summed(old, bonus):
    return max(-PLAIN_HISTORY_LIMIT, min(PLAIN_HISTORY_LIMIT, old + bonus))


@kernel
def _kind_before(searcher, ply, distance):
    return searcher.moved[ply - distance] if ply >= distance else NO_KIND


@kernel
def history_of(searcher, parameters, side, move, ply):
    """The merit of a quiet move here, within +-3 x 2^14."""
    merit = np.int64(0)
    if parameters.history:
        merit += searcher.history[side, moving_piece(move), to_square(move)]
    if parameters.continuation_history:
        kind = kind_of(move)
        for distance in range(1, 3):
            before = _kind_before(searcher, ply, distance)
            merit += np.int64(searcher.continuation[distance - 1, before, kind])
    return merit


@kernel
def _add_history(searcher, parameters, side, move, ply, bonus):
    piece, square = moving_piece(move), to_square(move)
    old = searcher.history[side, piece, square]
    new = _updated(old, bonus) if parameters.history_fades else _summed(old, bonus)
    searcher.history[side, piece, square] = new
    if parameters.continuation_history:
        kind = kind_of(move)
        for distance in range(1, 3):
            before = _kind_before(searcher, ply, distance)
            value = np.int64(searcher.continuation[distance - 1, before, kind])
            searcher.continuation[distance - 1, before, kind] = _updated(value, bonus)


@kernel
def history_bonus(parameters, depth):
    """How much one cut at `depth` counts."""
    return min(parameters.history_bonus_max, parameters.history_bonus_slope * depth)


@kernel
def remember_tried(searcher, move, ply):
    """`move` was searched at the node and did not cut."""
    if is_noisy(move):
        count = searcher.tried_captures_count[ply]
        if count < MAX_TRIED:
            searcher.tried_captures[ply, count] = move
            searcher.tried_captures_count[ply] = count + 1
    else:
        count = searcher.tried_count[ply]
        if count < MAX_TRIED:
            searcher.tried[ply, count] = move
            searcher.tried_count[ply] = count + 1


@kernel
def reward_cutoff(searcher, parameters, side, move, depth, ply):
    """Teach that `move` cut and that the moves tried before it did not."""
    if parameters.capture_history:
        _reward_captures(searcher, parameters, move, depth, ply)
    if not is_noisy(move):
        _reward_quiets(searcher, parameters, side, move, depth, ply)


@kernel
def _add_killer(searcher, move, ply):
    slot = searcher.killer_slot[ply]
    if searcher.killers[slot, 0] != move:
        searcher.killers[slot, 1] = searcher.killers[slot, 0]
        searcher.killers[slot, 0] = move


@kernel
def _reward_quiets(searcher, parameters, side, move, depth, ply):
    if parameters.killers:
        _add_killer(searcher, move, ply)
    if not parameters.history:
        return
    bonus = history_bonus(parameters, depth)
    _add_history(searcher, parameters, side, move, ply, bonus)
    if parameters.history_malus:
        for index in range(searcher.tried_count[ply]):
            _add_history(searcher, parameters, side, searcher.tried[ply, index], ply, -bonus)


@kernel
def capture_history_of(searcher, move):
    """The merit of a capture, within +-2^14."""
    return searcher.capture_history[kind_of(move), captured_piece(move)]


@kernel
def _reward_captures(searcher, parameters, move, depth, ply):
    bonus = history_bonus(parameters, depth)
    if is_noisy(move):
        _add_capture(searcher, move, bonus)
    for index in range(searcher.tried_captures_count[ply]):
        _add_capture(searcher, searcher.tried_captures[ply, index], -bonus)


@kernel
def _add_capture(searcher, move, bonus):
    kind, captured = kind_of(move), captured_piece(move)
    old = searcher.capture_history[kind, captured]
    searcher.capture_history[kind, captured] = _updated(old, bonus)


@kernel
def _pawn_slot(position):
    mixed = (position.pawns & position.ours) * _PAWN_FACTOR
    mixed ^= (position.pawns & position.theirs) * _KING_FACTOR
    return mixed >> _CORRECTION_SHIFT


@kernel
def _piece_slot(position, side_bb):
    mixed = (position.knights & side_bb) * _KNIGHT_FACTOR
    mixed ^= (position.diagonals & side_bb) * _DIAGONAL_FACTOR
    mixed ^= (position.orthogonals & side_bb) * _ORTHOGONAL_FACTOR
    mixed ^= (position.kings & side_bb) * _KING_FACTOR
    return mixed >> _CORRECTION_SHIFT


@kernel
def correction_of(searcher, parameters, position):
    """Centipawns to add to the static evaluation, by what earlier results said of its like."""
    if not parameters.correction_history:
        return np.int64(0)
    pawns = np.int64(searcher.pawn_correction[_pawn_slot(position)])
    ours = np.int64(searcher.piece_correction[0, _piece_slot(position, position.ours)])
    theirs = np.int64(searcher.piece_correction[1, _piece_slot(position, position.theirs)])
    return (pawns + (ours + theirs) // 2) // CORRECTION_GRAIN


@kernel
def _corrected(old, error, weight):
    new = (old * (np.int64(256) - weight) + error * weight) // np.int64(256)
    return max(-CORRECTION_LIMIT, min(CORRECTION_LIMIT, new))


@kernel
def update_correction(searcher, position, depth, difference):
    """The search's value was `difference` centipawns above the (corrected) static evaluation."""
    weight = min(np.int64(16), depth + 1)
    error = max(np.int64(-512), min(np.int64(512), difference)) * CORRECTION_GRAIN
    slot = _pawn_slot(position)
    old = np.int64(searcher.pawn_correction[slot])
    searcher.pawn_correction[slot] = _corrected(old, old + error, weight)
    slot = _piece_slot(position, position.ours)
    old = np.int64(searcher.piece_correction[0, slot])
    searcher.piece_correction[0, slot] = _corrected(old, old + error, weight)
    slot = _piece_slot(position, position.theirs)
    old = np.int64(searcher.piece_correction[1, slot])
    searcher.piece_correction[1, slot] = _corrected(old, old + error, weight)


@kernel
def forget_killers(searcher):
    """Begin a search without killers, each ply with a row of its own."""
    for ply in range(MAX_PLY + 1):
        searcher.killers[ply, 0] = NO_MOVE
        searcher.killers[ply, 1] = NO_MOVE
        searcher.killer_slot[ply] = ply


@kernel
def clear_tables(searcher):
    """Forget everything: a new game."""
    forget_killers(searcher)
    searcher.history[:] = 0
    searcher.continuation[:] = 0
    searcher.capture_history[:] = 0
    searcher.pawn_correction[:] = 0
    searcher.piece_correction[:] = 0
