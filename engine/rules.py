"""The rules of a whole game: legality, mate and stalemate, and the draws, in one record.

Mate goes before the fifty-move rule. A key stands for the position seen from the side to move, so
repetitions are looked for at even distance, back to the last irreversible move.
"""

from __future__ import annotations

import numpy as np

from .bitboard import EMPTY, popcount
from .geometry import LIGHT_SQUARES
from .jit import kernel
from .make import make_move, make_null, with_en_passant
from .move import MOVE_MASK, to_wire
from .movegen import ALL_MOVES, generate_moves
from .position import checkers_of
from .state import MAX_KEYS, game_at, load_position, store_position
from .zobrist import compute_key

ONGOING, CHECKMATE, STALEMATE, THREEFOLD, FIFTY_MOVES, INSUFFICIENT_MATERIAL = (
    np.int64(status) for status in range(6)
)

FIFTY_MOVE_PLIES = np.int64(100)


@kernel
def is_insufficient_material(position):
    """Neither side can ever mate: bare kings, one minor piece, or bishops all of one colour."""
    if position.pawns | position.orthogonals:
        return False
    if not position.knights:
        light = position.diagonals & LIGHT_SQUARES
        return light == EMPTY or light == position.diagonals
    return position.diagonals == EMPTY and popcount(position.knights) == 1


@kernel
def repetitions(keys, count, halfmove):
    """How often the last of `keys[:count]` stood before, within the reversible moves."""
    key = keys[count - 1]
    oldest = max(0, count - 1 - halfmove)
    seen = 0
    index = count - 3
    while index >= oldest:
        if keys[index] == key:
            seen += 1
        index -= 2
    return seen


@kernel
def game_status(game, position, checkers):
    """The status of the position just reached; fills `game.moves` with its legal moves."""
    game.move_count = generate_moves(position, ALL_MOVES, checkers, game.moves, np.int64(0))
    if game.move_count == 0:
        return CHECKMATE if checkers else STALEMATE
    if repetitions(game.keys, game.key_count, position.halfmove) >= 2:
        return THREEFOLD
    if position.halfmove >= FIFTY_MOVE_PLIES:
        return FIFTY_MOVES
    if is_insufficient_material(position):
        return INSUFFICIENT_MATERIAL
    return ONGOING


@kernel
def _remember_key(game, position):
    if position.halfmove == 0:
        game.key_count = 0
    if game.key_count == MAX_KEYS:  # only when play goes on long after the fifty-move rule
        for index in range(MAX_KEYS // 2):
            game.keys[index] = game.keys[index + MAX_KEYS // 2]
        game.key_count = MAX_KEYS // 2
    game.keys[game.key_count] = position.key
    game.key_count += 1


@kernel
def start_game(game, en_passant):
    """Complete a record whose piece sets, castling rooks, clock and side are set.

    `en_passant` is the square set as written in the FEN (from the side to move), kept only where
    the capture is legal. Returns 0, or 1 if the side to move could take the king.
    """
    game.en_passant = EMPTY
    game.key = EMPTY
    position = load_position(game)
    game.key = compute_key(position)
    position = load_position(game)
    if checkers_of(make_null(position)):
        return np.int64(1)
    if en_passant:
        position = with_en_passant(position, en_passant)
        store_position(game, position)
    game.plies = 0
    game.key_count = 0
    _remember_key(game, position)
    game.status = game_status(game, position, checkers_of(position))
    return np.int64(0)


@kernel
def find_move(game, wire):
    """The legal move with this wire form, or 0."""
    for index in range(game.move_count):
        if to_wire(game.moves[index], game.side) == wire:
            return game.moves[index] & MOVE_MASK
    return EMPTY


@kernel
def push_move(game, wire):
    """Play the wire move in the record; return its new status, or -1 if it is not legal."""
    move = find_move(game, wire)
    if move == EMPTY:
        return np.int64(-1)
    position = make_move(load_position(game), move)
    store_position(game, position)
    game.plies += 1
    _remember_key(game, position)
    game.status = game_status(game, position, checkers_of(position))
    return game.status


IRREVERSIBLE = np.int64(16)  # a flag above the status: the move was a pawn move or a capture


@kernel
def push_at(game_address, wire):
    """`push_move` in the record at an address; IRREVERSIBLE is added where it applies."""
    game = game_at(game_address)
    status = push_move(game, np.uint64(wire))
    return status + IRREVERSIBLE if status >= 0 and game.halfmove == 0 else status
