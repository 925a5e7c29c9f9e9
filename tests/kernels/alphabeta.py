"""Textbook alpha-beta, to measure what the seeds say of ordering, tables and symmetry.

No extension, reduction or quiescence: every leaf is evaluated, mate and stalemate are the only
endings, and a table's entry, leaves included, answers for its own depth alone. So every setting
gives one value, and their node counts can be compared. `plan` is int64[3]:

| index    | content                                                                          |
|----------|----------------------------------------------------------------------------------|
| ORDER    | 1: table move, MVV-LVA, killers, history; 0: as generated                        |
| TABLE    | NO_TABLE, TWO_SLOTS (the engine's replacement) or ALWAYS_REPLACED                |
| SYMMETRY | COLOURS share entries always; MIRROR: left and right too; EIGHTFOLD: all turns   |

A mirrored position is the same only without castling rights, a turned one only without pawns, and
both only where the evaluation says so too: see `textbook.require_symmetry`.
"""

from __future__ import annotations

import numpy as np

from engine.accumulator import update_accumulator
from engine.bitboard import EMPTY, flip
from engine.evaluate import evaluate
from engine.history import reward_cutoff
from engine.jit import kernel
from engine.machine import store_word
from engine.make import make_move
from engine.move import MOVE_MASK, NO_MOVE
from engine.movegen import ALL_MOVES, generate_moves
from engine.node import Node, root_node
from engine.ordering import pick_move, score_moves
from engine.position import Position, checkers_of
from engine.quiescence import bound_allows, bound_of
from engine.state import load_position
from engine.transposition import (
    EXACT,
    MATE,
    bucket_address,
    entry_depth,
    entry_move,
    entry_score,
    probe_table,
    store_table,
)
from engine.zobrist import compute_key

ORDER, TABLE, SYMMETRY = range(3)
NO_TABLE, TWO_SLOTS, ALWAYS_REPLACED = range(3)
COLOURS, MIRROR, EIGHTFOLD = range(3)
CUTOFFS, FIRST_MOVE_CUTOFFS = range(2)

_ZERO, _ONE = np.int64(0), np.int64(1)
_INFINITE = np.int64(MATE + 1)
_WORD = np.uint64(8)
_ONE_BIT, _TWO_BITS, _FOUR_BITS = np.uint64(1), np.uint64(2), np.uint64(4)
_ODD_FILES = np.uint64(0x5555_5555_5555_5555)
_PAIRS = np.uint64(0x3333_3333_3333_3333)
_HALVES = np.uint64(0x0F0F_0F0F_0F0F_0F0F)
_U7, _U14, _U28 = np.uint64(7), np.uint64(14), np.uint64(28)
_SWAP_7 = np.uint64(0x5500_5500_5500_5500)
_SWAP_14 = np.uint64(0x3333_0000_3333_0000)
_SWAP_28 = np.uint64(0x0F0F_0F0F_0000_0000)


@kernel
def mirrored(bb):
    """`bb` with the a-file where the h-file was."""
    bb = ((bb >> _ONE_BIT) & _ODD_FILES) | ((bb & _ODD_FILES) << _ONE_BIT)
    bb = ((bb >> _TWO_BITS) & _PAIRS) | ((bb & _PAIRS) << _TWO_BITS)
    return ((bb >> _FOUR_BITS) & _HALVES) | ((bb & _HALVES) << _FOUR_BITS)


@kernel
def transposed(bb):
    """`bb` with files and ranks exchanged (a1-h8 stays)."""
    swap = _SWAP_28 & (bb ^ (bb << _U28))
    bb ^= swap ^ (swap >> _U28)
    swap = _SWAP_14 & (bb ^ (bb << _U14))
    bb ^= swap ^ (swap >> _U14)
    swap = _SWAP_7 & (bb ^ (bb << _U7))
    return bb ^ swap ^ (swap >> _U7)


@kernel
def _turned(bb, turn):
    """One of eight: bit 0 mirrors, bit 1 turns upside down, bit 2 transposes."""
    if turn & 1:
        bb = mirrored(bb)
    if turn & 2:
        bb = flip(bb)
    return transposed(bb) if turn & 4 else bb


@kernel
def _image(position, turn):
    return Position(
        _turned(position.pawns, turn),
        _turned(position.knights, turn),
        _turned(position.diagonals, turn),
        _turned(position.orthogonals, turn),
        _turned(position.kings, turn),
        _turned(position.ours, turn),
        _turned(position.theirs, turn),
        _turned(position.en_passant, turn),
        position.castling,
        position.key,
        position.halfmove,
        position.side,
    )


@kernel
def shared_key(position, symmetry):
    """The least key among the positions that share an entry with this one."""
    images = 1
    if symmetry >= MIRROR and not position.castling:
        images = 8 if symmetry == EIGHTFOLD and not position.pawns else 2
    key = position.key
    for turn in range(1, images):
        key = min(key, compute_key(_image(position, turn)))
    return key


@kernel
def shared_key_of(game, symmetry):
    return shared_key(load_position(game), symmetry)


@kernel
def _store_always(searcher, key, move, score, depth, bound, ply):
    """One entry a bucket, the newest: what the first slot holds is not handed down."""
    store_word(bucket_address(searcher, key) + _WORD, EMPTY)
    store_table(searcher, key, move, score, depth, bound, ply)


@kernel
def _remember(searcher, plan, key, move, score, depth, bound, ply):
    if plan[TABLE] == TWO_SLOTS:
        store_table(searcher, key, move, score, depth, bound, ply)
    elif plan[TABLE] == ALWAYS_REPLACED:
        _store_always(searcher, key, move, score, depth, bound, ply)


@kernel
def _known(searcher, plan, key, depth, alpha, beta, ply):
    """(answered, score, hint): what the table says of a key."""
    data = probe_table(searcher, key) if plan[TABLE] != NO_TABLE else EMPTY
    if data == EMPTY:
        return False, _ZERO, NO_MOVE
    # A move of another image would have to be turned first.
    hint = entry_move(data) if plan[SYMMETRY] == COLOURS else NO_MOVE
    score = entry_score(data, ply)
    answered = entry_depth(data) == depth and bound_allows(data, score, alpha, beta)
    return answered, score, hint


@kernel
def _value(searcher, parameters, plan, counts, node, depth, alpha, beta):
    searcher.nodes += 1
    position, ply, start = node.position, node.ply, node.start
    end = generate_moves(position, ALL_MOVES, node.checkers, searcher.moves, start)
    if end == start:
        return -MATE + ply if node.checkers else _ZERO
    key = shared_key(position, plan[SYMMETRY])
    answered, score, hint = _known(searcher, plan, key, depth, alpha, beta, ply)
    if answered:
        return score
    if depth == 0:
        value = evaluate(position, node.accumulator, parameters)
        _remember(searcher, plan, key, NO_MOVE, value, depth, EXACT, ply)
        return value
    if plan[ORDER]:
        score_moves(searcher, parameters, node, start, end, hint)
    best, best_move = -_INFINITE, NO_MOVE
    for index in range(start, end):
        move = pick_move(searcher, index, end) if plan[ORDER] else searcher.moves[index]
        child = _child(parameters, node, move & MOVE_MASK, end)
        low = max(alpha, best)
        value = -_value(searcher, parameters, plan, counts, child, depth - _ONE, -beta, -low)
        if value > best:
            best, best_move = value, move
        if best >= beta:
            counts[CUTOFFS] += 1
            counts[FIRST_MOVE_CUTOFFS] += index == start
            reward_cutoff(searcher, parameters, position.side, move, depth, ply)
            break
    _remember(searcher, plan, key, best_move, best, depth, bound_of(best, alpha, beta), ply)
    return best


@kernel
def _child(parameters, node, move, start):
    after = make_move(node.position, move)
    accumulator = update_accumulator(node.accumulator, move, parameters)
    return Node(after, accumulator, checkers_of(after), node.ply + _ONE, start)


@kernel
def alphabeta(game, searcher, parameters, plan, counts, depth):
    """The value of the position in `game`; `searcher.nodes` and `counts` (int64[2]) go on."""
    root = root_node(load_position(game), parameters)
    return _value(searcher, parameters, plan, counts, root, depth, -_INFINITE, _INFINITE)
