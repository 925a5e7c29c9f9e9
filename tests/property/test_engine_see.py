"""Static exchange evaluation against a recursive exchange on python-chess boards.

Known differences from the value of the captures in play: pins and checks are not looked at, later
captures do not promote, and each side takes with its cheapest piece although another may be better
(the last test says how seldom).
"""

from __future__ import annotations

import random

import chess
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.shell import build_parameters
from tests.kernels.probes import see_of
from tests.oracle import SEEDS, STARTS, WELL_KNOWN, Start, random_position, wire_of

PARAMETERS = build_parameters()
VALUES = dict(enumerate(PARAMETERS.exchange_values.tolist(), start=chess.PAWN))


def _attackers(board: chess.Board, colour: bool, square: int, occupied: int) -> int:
    return board.attackers_mask(colour, square, occupied) & occupied


def recaptures_gain(
    board: chess.Board, colour: bool, square: int, occupied: int, at_stake: int, cheapest: bool
) -> int:
    """What `colour` wins by taking on `square`, where `at_stake` stands, or 0 by leaving it."""
    takers = list(chess.scan_forward(_attackers(board, colour, square, occupied)))
    if cheapest and takers:
        kind = min(board.piece_type_at(taker) or 0 for taker in takers)
        takers = [taker for taker in takers if board.piece_type_at(taker) == kind]
        turn = 0 if board.turn == chess.WHITE else 56  # of equals the one lowest for the mover
        takers = [min(takers, key=lambda taker: taker ^ turn)]
    best = 0
    for taker in takers:
        kind = board.piece_type_at(taker) or 0
        if kind == chess.KING and _attackers(board, not colour, square, occupied):
            continue
        left = occupied & ~chess.BB_SQUARES[taker]
        reply = recaptures_gain(board, not colour, square, left, VALUES[kind], cheapest)
        best = max(best, at_stake - reply)
    return best


def exchange(board: chess.Board, move: chess.Move, cheapest: bool = True) -> int:
    """The value of the exchange that `move` starts on its target square."""
    square = move.to_square
    occupied = board.occupied & ~chess.BB_SQUARES[move.from_square] | chess.BB_SQUARES[square]
    gain = 0
    if board.is_en_passant(move):
        gain = VALUES[chess.PAWN]
        occupied &= ~chess.BB_SQUARES[square + (-8 if board.turn else 8)]
    elif board.is_capture(move):
        gain = VALUES[board.piece_type_at(square) or 0]
    placed = move.promotion or board.piece_type_at(move.from_square) or 0
    if move.promotion:
        gain += VALUES[move.promotion] - VALUES[chess.PAWN]
    stake = VALUES[placed]
    return gain - recaptures_gain(board, not board.turn, square, occupied, stake, cheapest)


def exchanges(board: chess.Board) -> list[chess.Move]:
    return [move for move in board.legal_moves if not board.is_castling(move)]


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 80))
@settings(max_examples=60, deadline=None)
def test_see_is_the_exchange(start: Start, seed: int, plies: int) -> None:
    game, board = random_position(start, seed, plies)
    for move in exchanges(board):
        value = exchange(board, move)
        for threshold in {value - 1, value, value + 1, -100, 0, 1, 250}:
            wire = np.uint64(wire_of(move))
            won = see_of(game.record, wire, np.int64(threshold), PARAMETERS)
            assert won == (value >= threshold), (board.fen(), move, value)


def test_taking_with_the_cheapest_piece_is_nearly_always_best() -> None:
    rng = random.Random(2)
    moves = differences = 0
    for number in range(60):
        start = Start(WELL_KNOWN[number % len(WELL_KNOWN)])
        _, board = random_position(start, number, rng.randrange(80))
        for move in exchanges(board):
            moves += 1
            differences += exchange(board, move) != exchange(board, move, cheapest=False)
    assert moves > 1_000
    assert differences <= moves / 200
