"""Small kernels through which tests look at the engine's kernels one by one.

A test must not hand a `Position` to an engine kernel from Python: it comes back as plain ints, and
each other type of argument compiles and caches one more overload. These take records and exact
scalars, as the engine's own entry points do. A folder of its own, because the compile cache follows
all files of a kernel's folder.
"""

from __future__ import annotations

import numpy as np

from engine.accumulator import compute_accumulator, pass_accumulator, update_accumulator
from engine.attacks import bishop_attacks, pawn_attacks, pawn_attacks_down, rook_attacks
from engine.bitboard import EMPTY, flip, lsb, msb, pext, popcount
from engine.evaluate import evaluate
from engine.history import remember_tried, reward_cutoff
from engine.jit import kernel
from engine.machine import clock_ns, load_word, store_word
from engine.make import make_move, make_null
from engine.move import (
    CASTLING,
    EN_PASSANT,
    MOVE_MASK,
    NO_MOVE,
    captured_piece,
    from_square,
    is_noisy,
    moving_piece,
    promotion_piece,
    to_square,
    to_wire,
)
from engine.movegen import ALL_MOVES, NOISY, QUIETS, generate_moves, is_legal
from engine.node import Node, root_node
from engine.picker import next_move, start_picking
from engine.position import checkers_and_pinned, checkers_of, piece_on, threats_of
from engine.pruning import (
    futility_limit,
    is_below_reach,
    is_late,
    late_move_reduction,
    least_expected,
    may_pass,
    null_reduction,
)
from engine.quiescence import bound_allows, bound_of, quiescence, table_answer
from engine.rules import find_move
from engine.search import INFINITE, settle_node
from engine.see import see_at_least
from engine.state import load_position
from engine.terms import PERCENT, endgame, middlegame, taper
from engine.transposition import (
    LOWER,
    entry_bound,
    entry_depth,
    entry_move,
    entry_score,
    probe_table,
    store_table,
)
from engine.zobrist import compute_key

# What `verify_tree` may find wrong at a node, as bits.
(
    KEY_FAULT,
    ACCUMULATOR_FAULT,
    PARTITION_FAULT,
    CHECK_FAULT,
    SETS_FAULT,
    NULL_MOVE_FAULT,
    EN_PASSANT_FAULT,
    PICKER_FAULT,
    HINT_FAULT,
) = (np.int64(1 << bit) for bit in range(9))

_ZERO = np.int64(0)
_ONE_PLY = np.int64(1)


@kernel
def popcount_of(bb):
    return popcount(bb)


@kernel
def lsb_of(bb):
    return lsb(bb)


@kernel
def msb_of(bb):
    return msb(bb)


@kernel
def flip_of(bb):
    return flip(bb)


@kernel
def rook_attacks_of(square, occupied):
    return rook_attacks(square, occupied)


@kernel
def bishop_attacks_of(square, occupied):
    return bishop_attacks(square, occupied)


@kernel
def pawn_attacks_of(pawns):
    """(squares attacked by pawns that move up, by pawns that move down)."""
    return pawn_attacks(pawns), pawn_attacks_down(pawns)


@kernel
def piece_on_square(game, square):
    return piece_on(load_position(game), square)


@kernel
def check_sets(game):
    """(checkers, pinned, threats) of the position in `game`."""
    position = load_position(game)
    checkers, pinned = checkers_and_pinned(position)
    return checkers, pinned, threats_of(position)


@kernel
def pext_of(bb, mask):
    return pext(bb, mask)


@kernel
def store_then_load(address, value):
    store_word(address, value)
    return load_word(address)


@kernel
def clock_now():
    return clock_ns()


@kernel
def packed_parts(packed, phase):
    """(middlegame, endgame, tapered) of a packed pair."""
    return middlegame(packed), endgame(packed), taper(packed, phase, PERCENT)


@kernel
def generate_kinds(game, kinds, scratch):
    """Fill `scratch.moves` with the moves of `kinds` of the position in `game`."""
    position = load_position(game)
    scratch.move_count = generate_moves(
        position, kinds, checkers_of(position), scratch.moves, _ZERO
    )


@kernel
def recomputed_key(game):
    return compute_key(load_position(game))


@kernel
def _partition_is_wrong(searcher, position, checkers, start, end):
    """Noisy and quiet generation, written after `end`, must give each of all moves once."""
    middle = generate_moves(position, NOISY, checkers, searcher.moves, end)
    last = generate_moves(position, QUIETS, checkers, searcher.moves, middle)
    if last - end != end - start:
        return True
    for index in range(end, last):
        if is_noisy(searcher.moves[index]) != (index < middle):
            return True
    for index in range(start, end):
        found = 0
        for other in range(end, last):
            if searcher.moves[other] == searcher.moves[index] & MOVE_MASK:
                found += 1
        if found != 1:
            return True
    return False


@kernel
def _sets_are_wrong(position):
    occupied = position.ours | position.theirs
    kinds = (
        position.pawns | position.knights | position.diagonals | position.orthogonals
    ) | position.kings
    overlap = (
        (position.pawns & (position.knights | position.diagonals | position.orthogonals))
        | (position.knights & (position.diagonals | position.orthogonals))
        | (
            position.kings
            & (position.pawns | position.knights | position.diagonals | position.orthogonals)
        )
        | (position.ours & position.theirs)
    )
    stray = position.castling & ~(position.orthogonals & ~position.diagonals)
    return kinds != occupied or overlap != EMPTY or stray != EMPTY


@kernel
def _null_move_is_wrong(position):
    back = make_null(make_null(position))
    return (
        compute_key(make_null(position)) != make_null(position).key
        or back.ours != position.ours
        or back.orthogonals != position.orthogonals
        or back.castling != position.castling
        or back.key != compute_key(back)
    )


@kernel
def _node_faults(searcher, parameters, position, accumulator, checkers, start, end):
    faults = _ZERO
    if position.key != compute_key(position):
        faults |= KEY_FAULT
    fresh = compute_accumulator(position, parameters)
    if fresh.score != accumulator.score or fresh.phase != accumulator.phase:
        faults |= ACCUMULATOR_FAULT
    passed = compute_accumulator(make_null(position), parameters)
    running = pass_accumulator(accumulator)
    if passed.score != running.score or passed.phase != running.phase:
        faults |= ACCUMULATOR_FAULT
    if _partition_is_wrong(searcher, position, checkers, start, end):
        faults |= PARTITION_FAULT
    if checkers_of(make_null(position)):
        faults |= CHECK_FAULT
    if _sets_are_wrong(position):
        faults |= SETS_FAULT
    if _null_move_is_wrong(position):
        faults |= NULL_MOVE_FAULT
    captures = 0
    for index in range(start, end):
        if (searcher.moves[index] >> np.uint64(22)) & np.uint64(1):
            captures += 1
    if (captures > 0) != (position.en_passant != EMPTY):
        faults |= EN_PASSANT_FAULT
    return faults


@kernel
def _holds(moves, start, end, move):
    found = False
    for index in range(start, end):
        found = found or moves[index] == move
    return found


@kernel
def _some_hint(searcher, position, previous, start, end):
    """A hint as tables give it: none, a move of this position, or one of another position."""
    choice = position.key >> np.uint64(62)
    if choice == np.uint64(0) or end == start:
        return NO_MOVE
    if choice == np.uint64(1):
        return previous
    return searcher.moves[start + np.int64(position.key & np.uint64(31)) % (end - start)]


@kernel
def _is_trusted(position, checkers, move):
    """`is_legal`, and for the two kinds that it leaves to the generator what it should say."""
    return is_legal(position, checkers, move) or move & (CASTLING | EN_PASSANT) != NO_MOVE


@kernel
def _verify(searcher, parameters, position, accumulator, previous, depth, ply, start):
    """`searcher.moves` holds all moves from `start`, then those of the picker, then the child's."""
    checkers = checkers_of(position)
    end = generate_moves(position, ALL_MOVES, checkers, searcher.moves, start)
    faults = _node_faults(searcher, parameters, position, accumulator, checkers, start, end)
    for index in range(start, end):
        if not _is_trusted(position, checkers, searcher.moves[index]):
            faults |= HINT_FAULT
    known = previous != NO_MOVE and is_legal(position, checkers, previous)
    if known and not _holds(searcher.moves, start, end, previous):
        faults |= HINT_FAULT
    if depth == 0:
        return _ZERO + 1, faults
    hint = _some_hint(searcher, position, previous, start, end)
    node = Node(position, accumulator, checkers, ply, end)
    start_picking(searcher, node, hint)
    leaves, picked = _ZERO, _ZERO
    while True:
        move = next_move(searcher, parameters, node, hint)
        if move == NO_MOVE:
            break
        if not _holds(searcher.moves, start, end, move):
            faults |= PICKER_FAULT
            continue
        picked += 1
        found, wrong = _verify(
            searcher,
            parameters,
            make_move(position, move),
            update_accumulator(accumulator, move, parameters),
            move,
            depth - _ONE_PLY,
            ply + _ONE_PLY,
            searcher.list_end[ply],
        )
        leaves += found
        faults |= wrong
    if picked != end - start:
        faults |= PICKER_FAULT
    return leaves, faults


@kernel
def verify_tree(game, searcher, parameters, depth):
    """(leaves, faults): perft through the move picker, every invariant checked at each node."""
    position = load_position(game)
    accumulator = compute_accumulator(position, parameters)
    return _verify(searcher, parameters, position, accumulator, NO_MOVE, depth, _ZERO, _ZERO)


@kernel
def alien_moves(game, other):
    """(right, wrong): answers of `is_legal` in `game` to the moves of `other`, another position."""
    position = load_position(game)
    checkers = checkers_of(position)
    right, wrong = _ZERO, _ZERO
    for index in range(other.move_count):
        move = other.moves[index]
        expected = _holds(game.moves, _ZERO, game.move_count, move)
        if move & (CASTLING | EN_PASSANT):
            expected = False
        if is_legal(position, checkers, move) == expected:
            right += 1
        else:
            wrong += 1
    return right, wrong


@kernel
def picked_order(game, searcher, parameters, hint_wire, ply, scratch):
    """Fill `scratch.moves` with the moves of `game` in the order the search would try them."""
    root = root_node(load_position(game), parameters)
    node = Node(root.position, root.accumulator, root.checkers, ply, _ZERO)
    hint = find_move(game, hint_wire)
    start_picking(searcher, node, hint)
    count = _ZERO
    while True:
        move = next_move(searcher, parameters, node, hint)
        if move == NO_MOVE:
            break
        scratch.moves[count] = move
        count += 1
    scratch.move_count = count


@kernel
def decoded(move):
    """(from, to, piece, captured, promotion, noisy) of a move."""
    return (
        from_square(move),
        to_square(move),
        moving_piece(move),
        captured_piece(move),
        promotion_piece(move),
        is_noisy(move),
    )


@kernel
def wire_form(move, side):
    return to_wire(move, side)


@kernel
def see_of(game, wire, threshold, parameters):
    """`see_at_least` of a legal wire move."""
    return see_at_least(load_position(game), find_move(game, wire), threshold, parameters)


@kernel
def store_entry(searcher, key, move, score, depth, bound, ply):
    store_table(searcher, key, move, score, depth, bound, ply)


@kernel
def probe_entry(searcher, key, ply):
    """(found, move, score, depth, bound) of an entry."""
    data = probe_table(searcher, key)
    return (
        data != EMPTY,
        entry_move(data),
        entry_score(data, ply),
        entry_depth(data),
        entry_bound(data),
    )


@kernel
def bound_found(score, alpha, beta):
    """`bound_of`: what a score proves that was found with a window."""
    return bound_of(score, alpha, beta)


@kernel
def entry_answers(searcher, key, alpha, beta):
    """Whether the entry of `key` answers a window at the root."""
    data = probe_table(searcher, key)
    return bound_allows(data, entry_score(data, _ZERO), alpha, beta)


@kernel
def teach_cutoff(searcher, parameters, game, cut_wire, earlier_wires, depth, ply):
    """Tell history and killers that `cut_wire` cut after `earlier_wires` (uint64[n]) did not."""
    start_picking(searcher, root_node(load_position(game), parameters), NO_MOVE)
    for index in range(len(earlier_wires)):
        remember_tried(searcher, find_move(game, earlier_wires[index]), ply)
    move = find_move(game, cut_wire)
    reward_cutoff(searcher, parameters, game.side, move, depth, ply)


@kernel
def reduction_of(parameters, depth, searched, pv_node, improving, history):
    return late_move_reduction(parameters, depth, searched, pv_node, improving, history)


@kernel
def null_reduction_of(parameters, depth, beta, static_eval):
    return null_reduction(parameters, depth, beta, static_eval)


@kernel
def pruned_by(parameters, depth, static_eval, bound, searched, improving):
    """(above reach, below reach, futile, late): each rule's answer for the same numbers."""
    return (
        least_expected(parameters, depth, static_eval, bound, improving) >= bound,
        is_below_reach(parameters, depth, static_eval, bound),
        futility_limit(parameters, depth, static_eval) <= bound,
        is_late(parameters, depth, searched, improving),
    )


@kernel
def may_pass_in(game, parameters, depth, beta, static_eval, ply):
    root = root_node(load_position(game), parameters)
    node = Node(root.position, root.accumulator, root.checkers, ply, _ZERO)
    return may_pass(parameters, node, depth, beta, static_eval)


@kernel
def running_evaluation(game, parameters, before):
    """Evaluation of `game` by an accumulator updated from the position `before` it: (value, found).

    `found` is False when no legal move of `before` leads to the position of `game`.
    """
    old = load_position(before)
    target = load_position(game)
    accumulator = compute_accumulator(old, parameters)
    for index in range(before.move_count):
        move = before.moves[index]
        after = make_move(old, move)
        if after.key == target.key and after.ours == target.ours:
            running = update_accumulator(accumulator, move, parameters)
            return evaluate(after, running, parameters), True
    return _ZERO, False


@kernel
def answer_of(game, searcher, parameters, score, alpha, beta):
    """`table_answer` of the position in `game` after `score` was stored for it as a lower bound."""
    node = root_node(load_position(game), parameters)
    depth = np.int64(5)
    store_table(searcher, node.position.key, NO_MOVE, score, depth, LOWER, _ZERO)
    data = probe_table(searcher, node.position.key)
    return table_answer(parameters, node, data, depth, alpha, beta)


@kernel
def settled(game, searcher, parameters, alpha, beta, ply):
    """`settle_node` of the position in `game`, as if it stood at `ply`."""
    root = root_node(load_position(game), parameters)
    node = Node(root.position, root.accumulator, root.checkers, ply, _ZERO)
    return settle_node(searcher, parameters, node, alpha, beta)


@kernel
def quiet_value(game, searcher, parameters):
    """The quiescence value of the position in `game`."""
    searcher.node_limit = np.int64(1 << 62)
    searcher.deadline_ns = np.int64(1 << 62)
    root = root_node(load_position(game), parameters)
    return quiescence(searcher, parameters, root, -INFINITE, INFINITE)
