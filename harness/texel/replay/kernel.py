"""A game's moves in, rows of evaluation terms out: the kernels of the tuner's extraction.

A position is one from which a move was played (or a position given alone). It is dropped or chosen
by what is known of it; then it stands as it is, is filtered, or is replaced by the quiet end of its
quiescence search, and the engine's own evaluation is traced there. Each row is multiplied with the
weights again and must give the engine's evaluation exactly.

Scores are centipawns from the side to move. The engine's records are given by their addresses, as
its own entry points take them, so that its kernels are those of a match and no second copies.

A *wanted move* is a wire move, or what a SAN says, with bit 31 set:

| bits  | content                                                   |
|-------|-----------------------------------------------------------|
| 0-5   | to square, white's view; 0 for castling                   |
| 6-8   | moving piece (PAWN .. KING), ANY_PIECE if it is not said  |
| 9-12  | from file + 1, 0 if it is not said                        |
| 13-16 | from rank + 1, 0 if it is not said                        |
| 17-19 | promotion piece, 0 if none                                |
| 20-21 | 1 castling to the h side, 2 to the a side                 |
"""

# mypy: allow-untyped-defs, allow-untyped-calls
# (Kernels are typed by Numba, and so are those of the engine.)

from __future__ import annotations

import numpy as np

from engine.evaluate import MAX_EVALUATION_CP, evaluate_record, trace_evaluation
from engine.jit import kernel
from engine.make import make_move
from engine.move import CASTLING, MOVE_MASK, NO_MOVE, is_noisy, moving_piece, to_wire
from engine.node import root_node
from engine.position import checkers_of
from engine.quiescence import quiescence
from engine.rules import ONGOING, is_insufficient_material, push_move
from engine.search import INFINITE
from engine.state import (
    POSITION_FIELDS,
    game_at,
    load_position,
    parameters_at,
    searcher_at,
    store_position,
)
from engine.terms import OURS, THEIRS, WEIGHT_COUNT, taper
from engine.transposition import MATE_BOUND

#: A position of a game and what is known of it. `noisy`: the move played there captures or
#: promotes; `score_cp` is NO_SCORE, a search's score, or beyond MATE_BOUND for a mate.
PLY_DTYPE = np.dtype(
    [
        *POSITION_FIELDS,
        ("status", np.int64),
        ("score_cp", np.int64),
        ("noisy", np.int64),
    ],
    align=True,
)

#: What a ply has of a game's record.
GAME_FIELDS = (*(name for name, _ in POSITION_FIELDS), "status")

#: What a row says of its position beside the coefficients, of which it has `length`.
ROW_DTYPE = np.dtype(
    [
        ("key", np.uint64),  # of the traced position, from its side to move
        ("ply", np.int32),  # place in `plies`
        ("score_cp", np.int32),  # of the position as it was in the game, from its side to move
        ("length", np.uint16),
        ("phase", np.uint8),
        ("scale_pct", np.uint8),
        ("turn", np.int8),  # of the traced position: 1 when white is to move, -1 when black is
        ("played_turn", np.int8),  # of the position as it was in the game
    ],
    align=True,
)

ZERO = np.int64(0)
#: Coefficients of a row at most.
MAX_ROW = WEIGHT_COUNT

NO_SCORE = np.int64(-(1 << 31))

# What becomes of a position.
KEPT, BOOK, IN_CHECK, OVER, MATE_SCORE, NOISY, UNPICKED = (np.int64(fate) for fate in range(7))
FATES = 7

# What is done about noisy positions.
KEEP, RESOLVE, SETTLED, CALM = (np.int64(way) for way in range(4))

# How a call ended.
READ, ILLEGAL, INEXACT = (np.int64(ending) for ending in range(3))

#: Nodes of one quiescence search; positions that need more are left out as noisy. (Captures that
#: go on for ever are composed, not played: of a million positions of games none came near.)
MAX_QUIESCENCE_NODES = np.int64(100_000)

SAN = np.int64(1 << 31)
ANY_PIECE = np.int64(7)
TO_SHIFT, PIECE_SHIFT, FILE_SHIFT, RANK_SHIFT, PROMOTION_SHIFT, CASTLING_SHIFT = (
    np.int64(shift) for shift in (6, 6, 9, 13, 17, 20)
)
_SQUARE, _THREE_BITS, _FOUR_BITS = np.int64(63), np.int64(7), np.int64(15)
_WIRE_PROMOTION_SHIFT = np.int64(12)
_FILE_C, _FILE_E, _FILE_G, _RANK = np.int64(2), np.int64(4), np.int64(6), np.int64(56)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FACTOR_1 = np.uint64(0xBF58476D1CE4E5B9)
_FACTOR_2 = np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)


@kernel
def castling_side(wire):
    """1 for castling to the h side, 2 to the a side; `wire` is king takes own rook."""
    start, rook = wire & _SQUARE, (wire >> TO_SHIFT) & _SQUARE
    return np.int64(1) if rook > start else np.int64(2)


@kernel
def _origin_agrees(start, wanted):
    file, rank = (wanted >> FILE_SHIFT) & _FOUR_BITS, (wanted >> RANK_SHIFT) & _FOUR_BITS
    return (file == 0 or file - 1 == start & 7) and (rank == 0 or rank - 1 == start >> 3)


@kernel
def agrees(move, side, wanted):
    """Whether a legal move is one that a SAN may mean."""
    wire = np.int64(to_wire(move, side))
    start, target = wire & _SQUARE, (wire >> TO_SHIFT) & _SQUARE
    castling = (wanted >> CASTLING_SHIFT) & _THREE_BITS
    piece = (wanted >> PIECE_SHIFT) & _THREE_BITS
    if move & CASTLING:
        if castling:
            return castling == castling_side(wire)
        if piece != ANY_PIECE or start & 7 != _FILE_E:
            return False
        # From e1 the king's own square after castling is two away, where no other move goes.
        file = _FILE_G if castling_side(wire) == 1 else _FILE_C
        target = (start & _RANK) | file
    elif castling:
        return False
    if target != wanted & _SQUARE or not _origin_agrees(start, wanted):
        return False
    if piece != ANY_PIECE and piece != np.int64(moving_piece(move)):
        return False
    promotion = (wanted >> PROMOTION_SHIFT) & _THREE_BITS
    return promotion == (wire >> _WIRE_PROMOTION_SHIFT) & _THREE_BITS


@kernel
def wanted_move(game, wanted):
    """The one legal move that is wanted; NO_MOVE if there is none, or if a SAN may mean two."""
    found = NO_MOVE
    for index in range(game.move_count):
        move = game.moves[index] & MOVE_MASK
        if wanted & SAN:
            if not agrees(move, game.side, wanted):
                continue
            if found != NO_MOVE:
                return NO_MOVE
            found = move
        elif np.int64(to_wire(move, game.side)) == wanted:
            return move
    return found


@kernel
def replay(game, moves, scores_cp, plies):
    """Play the wanted moves in the game's record; how many of them were legal.

    moves : int64[n]. scores_cp : int64[n], of the positions that they were played from.
    plies : PLY_DTYPE[>= n], out: those positions.
    """
    for number in range(moves.size):
        move = wanted_move(game, moves[number])
        if move == NO_MOVE:
            return number
        ply = plies[number]
        store_position(ply, load_position(game))
        ply.status = game.status
        ply.score_cp = scores_cp[number]
        ply.noisy = np.int64(is_noisy(move))
        push_move(game, to_wire(move, game.side))
    return moves.size


@kernel
def fate_of(ply, number, book_plies, way):
    """What is known of a position without any search: KEPT, or why it is left out."""
    if number < book_plies:
        return BOOK
    if ply.status != ONGOING:
        return OVER
    if checkers_of(load_position(ply)):
        return IN_CHECK
    if ply.score_cp != NO_SCORE and abs(ply.score_cp) >= MATE_BOUND:
        return MATE_SCORE
    return NOISY if way == CALM and ply.noisy else KEPT


@kernel
def choose(plies, count, book_plies, way, chosen, fates):
    """The places of the positions that nothing speaks against; returns how many.

    chosen : int64[>= count], out. fates : int64[FATES], the others are counted there.
    """
    found = np.int64(0)
    for number in range(count):
        fate = fate_of(plies[number], number, book_plies, way)
        if fate == KEPT:
            chosen[found] = number
            found += 1
        else:
            fates[fate] += 1
    return found


@kernel
def pick(chosen, count, most, seed):
    """Keep a random `most` of `chosen[:count]` (all with 0), in order; returns how many.

    Selection sampling (Knuth, volume 2, algorithm S) by SplitMix64: a function of `seed` alone.
    """
    if most == 0 or count <= most:
        return count
    kept = np.int64(0)
    state = np.uint64(seed)
    for number in range(count):
        state += _GOLDEN
        z = (state ^ (state >> _SHIFT_1)) * _FACTOR_1
        z = (z ^ (z >> _SHIFT_2)) * _FACTOR_2
        z ^= z >> _SHIFT_3
        if np.int64(z % np.uint64(count - number)) < most - kept:
            chosen[kept] = chosen[number]
            kept += 1
    return kept


@kernel
def settle(searcher, parameters, ply, way):
    """Put the position to be traced into `ply`; whether it is quiet enough.

    RESOLVE goes to the end of the principal variation of a quiescence search, whose evaluation is
    the search's value; SETTLED asks that there is none. Without table, history and correction
    (which a searcher that only does this has not) the result is a function of the position.
    """
    if way in (KEEP, CALM):
        return True
    searcher.nodes = 0
    searcher.stopped = 0
    position = load_position(ply)
    value = quiescence(searcher, parameters, root_node(position, parameters), -INFINITE, INFINITE)
    if searcher.stopped or abs(value) >= MATE_BOUND:
        return False
    length = searcher.pv_length[0]
    if way == SETTLED:
        return length == 0
    for number in range(length):
        position = make_move(position, searcher.pv[0, number])
    store_position(ply, position)
    # Where the line ends by a rule of draws or at the greatest ply nothing was evaluated quietly.
    return length == 0 or not (is_insufficient_material(position) or checkers_of(position))


@kernel
def write_row(ply, parameters, trace, row, indices, counts, start):
    """Trace a position into `row` and its coefficients from `start` on.

    trace : int64[2, WEIGHT_COUNT], scratch. indices : uint16[:], counts : int8[:], out: white's
    view. Returns what the row as it is stored amounts to with the weights, and the evaluation that
    the search uses: the same number, or something is wrong with a term's trace.
    """
    _, phase, scale_pct = trace_evaluation(ply, parameters, trace)
    turn = np.int64(1) if ply.side == 0 else np.int64(-1)
    end = start
    packed = np.int64(0)
    for index in range(WEIGHT_COUNT):
        net = trace[OURS, index] - trace[THEIRS, index]
        if net != 0:
            indices[end] = index
            counts[end] = turn * net
            packed += np.int64(counts[end]) * turn * parameters.weights[index]
            end += 1
    row.key = ply.key
    row.length = end - start
    row.phase = phase
    row.scale_pct = scale_pct
    row.turn = turn
    value = taper(packed, np.int64(row.phase), np.int64(row.scale_pct))
    return max(-MAX_EVALUATION_CP, min(MAX_EVALUATION_CP, value)), evaluate_record(ply, parameters)


@kernel
def write_rows(
    searcher, parameters, plies, chosen, count, way, trace, rows, indices, counts, fates
):
    """A row for each chosen position that is quiet, whose place in `plies` is replaced by what was
    traced.

    Returns (READ, rows, 0, 0), or (INEXACT, place in `plies`, the two values of `write_row`).
    """
    written = np.int64(0)
    start = np.int64(0)
    for number in range(count):
        place = chosen[number]
        ply = plies[place]
        played_turn = np.int64(1) if ply.side == 0 else np.int64(-1)
        if not settle(searcher, parameters, ply, way):
            fates[NOISY] += 1
            continue
        row = rows[written]
        row.ply = place
        row.score_cp = ply.score_cp
        row.played_turn = played_turn
        traced, evaluated = write_row(ply, parameters, trace, row, indices, counts, start)
        if traced != evaluated:
            return INEXACT, place, traced, evaluated
        start += np.int64(row.length)
        written += 1
    fates[KEPT] += written
    return READ, written, ZERO, ZERO


@kernel
def choose_of_game(
    game_address, moves, scores_cp, book_plies, most, seed, way, plies, chosen, fates
):
    """Play the game whose start is in its record, and choose among its positions.

    Of those that nothing speaks against `most` are picked by `seed` (0: all). Returns (READ, how
    many are in `chosen`) or (ILLEGAL, number of the move).
    """
    played = replay(game_at(game_address), moves, scores_cp, plies)
    if played < moves.size:
        return ILLEGAL, np.int64(played)
    found = choose(plies, moves.size, book_plies, way, chosen, fates)
    kept = pick(chosen, found, most, seed)
    fates[UNPICKED] += found - kept
    return READ, np.int64(kept)


@kernel
def extract_positions(
    searcher_address,
    parameters_address,
    count,
    way,
    plies,
    chosen,
    trace,
    rows,
    indices,
    counts,
    fates,
):
    """Rows of `plies[:count]`, positions that stand alone; results as of `write_rows`."""
    searcher, parameters = searcher_at(searcher_address), parameters_at(parameters_address)
    found = choose(plies, count, ZERO, way, chosen, fates)
    return write_rows(
        searcher, parameters, plies, chosen, found, way, trace, rows, indices, counts, fates
    )


@kernel
def extract_game(
    game_address,
    searcher_address,
    parameters_address,
    moves,
    scores_cp,
    book_plies,
    most,
    seed,
    way,
    plies,
    chosen,
    trace,
    rows,
    indices,
    counts,
    fates,
):
    """Rows of a game, its positions chosen as by `choose_of_game`.

    Results as of `write_rows`, or (ILLEGAL, number of the move, 0, 0).
    """
    ending, number = choose_of_game(
        game_address, moves, scores_cp, book_plies, most, seed, way, plies, chosen, fates
    )
    if ending == ILLEGAL:
        return ending, number, ZERO, ZERO
    searcher, parameters = searcher_at(searcher_address), parameters_at(parameters_address)
    return write_rows(
        searcher, parameters, plies, chosen, number, way, trace, rows, indices, counts, fates
    )
