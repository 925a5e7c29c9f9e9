"""What need not be searched: cuts by static evaluation, by move number and by exchange value.

Each rule is a predicate with a switch; none applies in check, on the principal variation, or where
a mate is at stake. Margins grow with the remaining depth; a position that is `improving` (better
for its side than two plies ago) is cut sooner by its evaluation and later by its move count.
"""

from __future__ import annotations

import numpy as np

from .attacks import KNIGHT_ATTACKS, bishop_attacks, pawn_attacks, rook_attacks
from .bitboard import EMPTY, ONE
from .jit import kernel
from .move import BISHOP, KNIGHT, NO_MOVE, PAWN, QUEEN, ROOK, from_square, moving_piece, to_square
from .movegen import is_legal
from .see import see_at_least
from .state import MAX_PLY, REDUCTION_LIMIT
from .transposition import LOWER, MATE, MATE_BOUND, entry_bound, entry_depth, entry_score

_LAST = np.int64(REDUCTION_LIMIT - 1)
NONE = np.int64(0)
UNBOUNDED = np.int64(2 * MATE)  # more than any two scores differ


@kernel
def may_pass(parameters, node, depth, beta, static_eval):
    """Null-move guard: not in check, not at the root, pieces on the board, beta not a mate."""
    if not parameters.null_move or node.checkers or node.ply == 0:
        return False
    if depth < parameters.null_move_min_depth or abs(beta) >= MATE_BOUND:
        return False
    if parameters.null_move_needs_eval and static_eval < beta:
        return False
    if not parameters.null_move_needs_pieces:
        return True
    position = node.position
    pieces = position.knights | position.diagonals | position.orthogonals
    return pieces & position.ours != 0


@kernel
def null_reduction(parameters, depth, beta, static_eval):
    """Plies taken off the search after passing."""
    by_depth = depth // parameters.null_move_depth_divisor
    by_eval = max(NONE, (static_eval - beta) // parameters.null_move_margin_cp)
    return parameters.null_move_base + by_depth + min(by_eval, np.int64(3))


@kernel
def least_expected(parameters, depth, static_eval, beta, improving):
    """Reverse futility: what a position is expected to keep at least, whatever the reply."""
    if not parameters.reverse_futility or depth > parameters.reverse_futility_max_depth:
        return -UNBOUNDED
    if abs(beta) >= MATE_BOUND:
        return -UNBOUNDED
    return static_eval - parameters.reverse_futility_margin_cp * (depth - improving)


@kernel
def is_below_reach(parameters, depth, static_eval, alpha):
    """Razoring: so far below alpha that only captures could help; quiescence decides."""
    if not parameters.razoring or depth > parameters.razoring_max_depth:
        return False
    return static_eval + parameters.razoring_margin_cp * depth <= alpha


@kernel
def late_move_reduction(parameters, depth, searched, pv_node, improving, history):
    """Plies taken off a late quiet move, from its number, the depth and its history."""
    if depth < parameters.lmr_min_depth or searched < parameters.lmr_min_moves:
        return NONE
    plies = parameters.reductions[min(depth, _LAST), min(searched, _LAST)]
    if pv_node and parameters.lmr_pv:
        plies -= 1
    if parameters.lmr_improving and not improving:
        plies += 1
    if parameters.lmr_history:
        plies -= history // parameters.lmr_history_divisor
    return max(NONE, min(plies, depth - 2))


@kernel
def gives_direct_check(position, move):
    """Whether a move attacks their king from its target (discovered checks are not seen)."""
    to_sq = to_square(move)
    piece = moving_piece(move)
    king_bb = position.kings & position.theirs
    if piece == PAWN:
        return pawn_attacks(ONE << to_sq) & king_bb != EMPTY
    if piece == KNIGHT:
        return KNIGHT_ATTACKS[to_sq] & king_bb != EMPTY
    occupied = (position.ours | position.theirs) & ~(ONE << from_square(move))
    if piece == BISHOP or piece == QUEEN:
        if bishop_attacks(to_sq, occupied) & king_bb:
            return True
    if piece == ROOK or piece == QUEEN:
        return rook_attacks(to_sq, occupied) & king_bb != EMPTY
    return False


@kernel
def is_late(parameters, depth, searched, improving):
    """Late move pruning: so many moves tried at this depth that the other quiets are skipped."""
    if not parameters.late_move_pruning or depth > parameters.late_move_pruning_max_depth:
        return False
    limit = parameters.late_move_pruning_base + depth * depth
    return searched >= (limit if improving else limit // 2)


@kernel
def futility_limit(parameters, depth, static_eval):
    """Futility: what a quiet move of this depth is expected to bring at most."""
    if not parameters.futility or depth > parameters.futility_max_depth:
        return UNBOUNDED
    return static_eval + parameters.futility_base_cp + parameters.futility_slope_cp * depth


@kernel
def loses_exchange(parameters, position, move, depth, quiet):
    """SEE pruning: the move gives away more material than this depth can hope to win back."""
    if not parameters.see_search_pruning or depth > parameters.see_search_max_depth:
        return False
    slope = parameters.see_quiet_slope_cp if quiet else parameters.see_noisy_slope_cp
    return not see_at_least(position, move, -slope * depth, parameters)


@kernel
def may_probcut(parameters, depth, beta):
    """Whether captures are tried at reduced depth against a bound well above beta."""
    if not parameters.probcut or depth < parameters.probcut_min_depth:
        return False
    return abs(beta) + parameters.probcut_margin_cp < MATE_BOUND


@kernel
def may_be_singular(parameters, node, data, hint, depth):
    """Whether the table knows a lower bound, deep enough, for a move that may stand alone."""
    if not parameters.singular_extension or data == EMPTY or hint == NO_MOVE or node.ply == 0:
        return False
    if depth < parameters.singular_min_depth or node.ply >= MAX_PLY // 2:
        return False
    if entry_depth(data) < depth - 3 or not entry_bound(data) & LOWER:
        return False
    if abs(entry_score(data, node.ply)) >= MATE_BOUND:
        return False
    return is_legal(node.position, node.checkers, hint)


@kernel
def reduces_without_hint(parameters, depth, ply):
    """Internal iterative reduction: an unknown node is not worth its whole depth."""
    return parameters.internal_iterative_reduction and depth >= parameters.iir_min_depth and ply > 0
