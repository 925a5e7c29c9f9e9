"""Positions in the forms of trainers, read back by python-chess."""

from __future__ import annotations

import struct

import chess
import numpy as np
from hypothesis import given, settings

from engine.shell import Game
from harness.texel.export import lines, packed, quiet_positions
from harness.texel.labels import parse_line
from harness.texel.played import NO_SCORE, PlayedGame
from tests.oracle import SEEDS, STARTS, Start, is_noisy, legal_fen, play, wire_of


def random_game(start: Start, seed: int, plies: int) -> tuple[PlayedGame, list[chess.Board]]:
    """A random game with scores, and its positions; every seventh has no score."""
    boards = [board.copy() for _, board in play(start, seed, plies)]
    moves = boards[-1].move_stack
    scores_cp = np.arange(len(moves), dtype=np.int64) * 37 % 900 - 450
    scores_cp[::7] = NO_SCORE
    scores_cp[3:4] = 48_990  # a mate
    wires = np.array([wire_of(move) for move in moves], np.int64)
    return PlayedGame("here", start.fen, wires, scores_cp, 2, 1.0), boards[:-1]


def unpacked(record: bytes) -> tuple[dict[int, chess.Piece], int, int, int, int]:
    """Men by square, score, result and kings of a position in bulletformat, as its text says."""
    occupied, men, score_cp, result, our_king, their_king, extra = struct.unpack(
        "<Q16shBBB3s", record
    )
    assert extra == bytes(3)
    pieces = {}
    for number, square in enumerate(chess.SquareSet(occupied)):
        code = men[number // 2] >> 4 * (number % 2) & 15
        pieces[square] = chess.Piece(code % 8 + 1, code < 8)
    return pieces, score_cp, result, our_king, their_king


@given(start=STARTS, seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_quiet_positions_are_exported_in_both_forms(start: Start, seed: int) -> None:
    game, boards = random_game(start, seed, 50)
    quiet = quiet_positions(Game(chess960=True), game)
    found = quiet.chosen.tolist()
    texts, records = list(lines(quiet)), packed(quiet)
    assert len(texts) == len(records) // 32 == len(found)
    for place, text, number in zip(found, texts, range(len(found)), strict=True):
        board = boards[place]
        labelled = parse_line(text)
        assert labelled.fen == Game(legal_fen(board), start.chess960).fen
        assert labelled.result == 1.0
        assert labelled.score_cp == game.scores_cp[place]
        # A board seen from the side to move is the board mirrored for black.
        mover = board if board.turn else board.mirror()
        pieces, score_cp, result, our_king, their_king = unpacked(
            records[32 * number : 32 * number + 32]
        )
        assert pieces == mover.piece_map()
        assert score_cp == labelled.score_cp
        assert result == (2 if board.turn else 0)
        assert our_king == mover.king(chess.WHITE)
        assert their_king ^ 56 == mover.king(chess.BLACK)
    wanted = [
        place
        for place, (board, move) in enumerate(
            zip(boards, [*(b.peek() for b in boards[1:]), None], strict=True)
        )
        if place >= 2
        and place % 7
        and place != 3
        and not board.is_check()
        and move is not None
        and not is_noisy(board, move)
    ]
    over = [place for place in wanted if place not in found]
    assert all(is_drawn(boards[place]) for place in over)
    assert set(found) <= {*wanted, len(boards) - 1}


def is_drawn(board: chess.Board) -> bool:
    over = board.is_repetition(3) or board.halfmove_clock >= 100
    return over or board.is_insufficient_material()


def test_a_start_without_moves_is_nothing() -> None:
    start = Start(chess.STARTING_FEN)
    none = np.zeros(0, np.int64)
    quiet = quiet_positions(Game(chess960=True), PlayedGame("", start.fen, none, none, 0, 0.5))
    assert list(lines(quiet)) == []
    assert packed(quiet) == b""
