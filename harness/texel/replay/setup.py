"""Positions from FEN text, compiled: a million a second, where the engine's reader takes minutes.

Only the ordinary is read here: six fields, sound material, castling rights of standard chess whose
king and rooks are in place, an en passant square just passed. Whatever is otherwise is left to the
engine's reader, which knows what it is or says what is wrong with it.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from engine.bitboard import EMPTY, ONE, flip, lsb, popcount
from engine.jit import kernel
from engine.move import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from engine.rules import start_game
from engine.state import game_at, load_position, store_position

_SPACE, _SLASH, _MINUS, _ZERO, _ONE, _EIGHT, _NINE = (np.uint8(ord(c)) for c in " /-0189")
_LETTER_W, _LETTER_A, _LETTER_H = (np.uint8(ord(c)) for c in "wah")

#: By byte: the piece of a letter, or NO_LETTER; and whether it is white's.
NO_LETTER = np.uint64(7)
_PIECES = np.full(256, NO_LETTER)
for _letter, _piece in zip("PNBRQK", (PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING), strict=True):
    _PIECES[[ord(_letter), ord(_letter.lower())]] = _piece
_IS_WHITE = np.array([chr(byte).isupper() for byte in range(256)])

#: By letter of KQkq: its place in `_KING_HOMES` and `_ROOK_HOMES` (sets of one square), or -1.
_RIGHTS = np.full(256, -1)
_RIGHTS[[ord(letter) for letter in "KQkq"]] = range(4)
_KING_HOMES = np.array([1 << 4, 1 << 4, 1 << 60, 1 << 60], np.uint64)
_ROOK_HOMES = np.array([1 << 7, 1 << 0, 1 << 63, 1 << 56], np.uint64)

_OUTER_RANKS = np.uint64(0xFF000000000000FF)
_MAX_MEN, _MAX_PAWNS = np.int64(16), np.int64(8)
_CLOCK_LIMIT = np.int64(1_000)  # as in engine/fen.py
_U8 = np.uint64(8)


@kernel
def _place_men(game, text, at):
    """Read the placement into the record, in white's view, `ours` being white's; where it ends.

    0 if it is not eight ranks of eight squares.
    """
    sets = np.zeros(8, np.uint64)  # by piece, the last for white's men
    white = np.int64(NO_LETTER)
    rank, file = np.int64(7), np.int64(0)
    while text[at] != _SPACE:
        byte = text[at]
        at += 1
        if byte == _SLASH:
            if file != 8 or rank == 0:
                return np.int64(0)
            rank, file = rank - 1, np.int64(0)
        elif _ONE <= byte <= _EIGHT:
            file += np.int64(byte - _ZERO)
        elif _PIECES[byte] == NO_LETTER or file > 7:
            return np.int64(0)
        else:
            bit = ONE << np.uint64(8 * rank + file)
            sets[np.int64(_PIECES[byte])] |= bit
            sets[white] |= bit if _IS_WHITE[byte] else EMPTY
            file += 1
    game.pawns, game.knights, game.kings = sets[0], sets[1], sets[5]
    game.diagonals, game.orthogonals = sets[2] | sets[4], sets[3] | sets[4]
    men = sets[0] | sets[1] | game.diagonals | game.orthogonals | sets[5]
    game.ours, game.theirs = sets[white], men & ~sets[white]
    return at if rank == 0 and file == 8 else np.int64(0)


@kernel
def _is_sound(game):
    for men in (game.ours, game.theirs):
        if popcount(men) > _MAX_MEN or popcount(men & game.pawns) > _MAX_PAWNS:
            return False
        if popcount(men & game.kings) != 1:
            return False
    return not game.pawns & _OUTER_RANKS


@kernel
def _castling_rooks(game, text, at):
    """The rooks that may castle, and where the field ends; (_, 0) if a right is not ordinary."""
    rooks = EMPTY
    if text[at] == _MINUS:
        return rooks, at + 1
    while text[at] != _SPACE:
        right = _RIGHTS[text[at]]
        at += 1
        if right < 0:
            return rooks, np.int64(0)
        side = game.ours if right < 2 else game.theirs
        rook = _ROOK_HOMES[right]
        in_place = side & game.kings & _KING_HOMES[right]
        if not in_place or not rook & side & game.orthogonals & ~game.diagonals:
            return rooks, np.int64(0)
        rooks |= rook
    return rooks, at


@kernel
def _turn(game, en_passant):
    """The record seen from the side to move; returns the en passant square in that view."""
    if game.side:
        for_black, for_white = game.theirs, game.ours
        game.pawns, game.knights = flip(game.pawns), flip(game.knights)
        game.diagonals, game.orthogonals = flip(game.diagonals), flip(game.orthogonals)
        game.kings, game.castling = flip(game.kings), flip(game.castling)
        game.ours, game.theirs = flip(for_black), flip(for_white)
        return flip(en_passant)
    return en_passant


@kernel
def _was_passed(game, square_bb):
    """Whether their pawn may just have passed the square: it and that behind it are empty."""
    men = game.ours | game.theirs
    passed = square_bb | square_bb << _U8
    on_rank_6 = np.int64(lsb(square_bb)) >> 3 == 5
    return on_rank_6 and not men & passed and (square_bb >> _U8) & game.pawns & game.theirs


@kernel
def place_fen(game, text, at):
    """Start the game of a record from the FEN that begins at `text[at]`; whether it is ordinary.

    text : uint8[:]. Six fields with a blank after each of the first four.
    """
    at = _place_men(game, text, at)
    if at == 0 or not _is_sound(game):
        return False
    game.side = np.uint64(0) if text[at + 1] == _LETTER_W else ONE
    rooks, at = _castling_rooks(game, text, at + 3)
    if at == 0:
        return False
    game.castling = rooks
    at += 1
    en_passant = EMPTY
    if text[at] != _MINUS:
        file = np.int64(text[at] - _LETTER_A)
        en_passant = ONE << np.uint64(8 * np.int64(text[at + 1] - _ONE) + file)
        at += 1
    at += 2
    halfmove = np.int64(0)
    while _ZERO <= text[at] <= _NINE:
        halfmove = halfmove * 10 + np.int64(text[at] - _ZERO)
        at += 1
    game.halfmove = min(halfmove, _CLOCK_LIMIT)
    en_passant = _turn(game, en_passant)
    if en_passant and not _was_passed(game, en_passant):
        return False
    return start_game(game, en_passant) == 0


@kernel
def place_fens(game_address, text, starts, plies, ordinary):
    """Place the FENs that begin at `starts` in `plies`, as far as they are ordinary.

    text : uint8[:]. starts : int64[n]. plies : PLY_DTYPE[>= n], out. ordinary : bool[n], out.
    """
    game = game_at(game_address)
    for number in range(starts.size):
        ordinary[number] = place_fen(game, text, starts[number])
        if ordinary[number]:
            store_position(plies[number], load_position(game))
            plies[number].status = game.status
