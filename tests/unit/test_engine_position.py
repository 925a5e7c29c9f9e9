"""Moves and the sets of a position; the cases of bug reports are in test_public_cases.py."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from engine import move as engine_move
from engine.shell import Game, IllegalMoveError
from tests.kernels.probes import check_sets, decoded, piece_on_square, wire_form
from tests.oracle import KIWIPETE, WELL_KNOWN


def test_a_move_says_all_about_itself() -> None:
    game = Game("r3k2r/1P6/8/3pP3/8/8/P7/R3K2R w KQkq d6 0 1")
    seen = {
        game.format_uci(wire): decoded(game.record.moves[index])
        for index, wire in enumerate(game.legal_moves())
    }
    pawn, knight, rook, queen, king, none = 0, 1, 3, 4, 5, 6
    a1, a2, a4, b7, a8, b8, d6, e5 = 0, 8, 24, 49, 56, 57, 43, 36
    assert seen["a2a4"] == (a2, a4, pawn, none, 0, False)
    assert seen["b7b8n"] == (b7, b8, pawn, none, knight, True)
    assert seen["b7a8q"] == (b7, a8, pawn, rook, queen, True)
    assert seen["e5d6"] == (e5, d6, pawn, pawn, 0, True)
    assert seen["e1c1"] == (4, a1, king, none, 0, False)
    assert seen["e1g1"] == (4, 7, king, none, 0, False)
    flags = {
        game.format_uci(wire): int(game.record.moves[index]) >> 21
        for index, wire in enumerate(game.legal_moves())
    }
    assert (flags["a2a3"], flags["a2a4"], flags["e5d6"], flags["e1g1"]) == (0, 1, 2, 4)


def test_wire_moves_are_absolute() -> None:
    promotion = np.uint64(8 + 6 * 0) | np.uint64(1 << 6) | engine_move.QUIET
    assert wire_form(promotion, np.uint64(0)) == 8 | 1 << 6
    assert wire_form(promotion, np.uint64(1)) == (8 ^ 56) | (1 ^ 56) << 6
    black = Game("4k3/8/8/8/8/8/p7/4K3 b - - 0 1")
    assert black.parse_uci("a2a1r") == 8 | 0 << 6 | 3 << 12


@pytest.mark.parametrize("fen", WELL_KNOWN)
def test_pieces_are_found_on_their_squares(fen: str) -> None:
    game, board = Game(fen), chess.Board(fen)
    turn = 56 * game.side_to_move
    for square in range(64):
        kind = board.piece_type_at(square)
        expected = 6 if kind is None else kind - 1
        assert piece_on_square(game.record, np.uint64(square ^ turn)) == expected


@pytest.mark.parametrize(
    "fen",
    [
        *WELL_KNOWN,
        "4k3/4r3/8/7b/1b6/4R3/3N4/4K2R w K - 0 1",
        "4k3/8/8/8/8/5n2/4r3/4K3 w - - 0 1",
    ],
)
def test_checkers_pins_and_threats(fen: str) -> None:
    game, board = Game(fen), chess.Board(fen)
    assert board.turn == chess.WHITE
    king = board.king(chess.WHITE)
    checkers, pinned, threats = check_sets(game.record)
    assert checkers == board.checkers_mask()
    ours = chess.scan_forward(board.occupied_co[chess.WHITE])
    pins = {square for square in ours if board.is_pinned(chess.WHITE, square)}
    assert set(chess.scan_forward(pinned)) == pins
    board.remove_piece_at(king)
    attacked = {square for square in range(64) if board.is_attacked_by(chess.BLACK, square)}
    assert set(chess.scan_forward(threats)) == attacked


def test_illegal_moves_change_nothing() -> None:
    game = Game(KIWIPETE)
    before = game.record.tobytes()
    for text in ("e1e1", "e2e5", "a1a8", "e1g2", "e2e4q", "e7e8q", "zz", ""):
        with pytest.raises(IllegalMoveError, match="is not legal in"):
            game.push_uci(text)
    with pytest.raises(IllegalMoveError):
        game.push(0)
    with pytest.raises(IllegalMoveError):
        game.push(7 << 12 | 8 | 16 << 6)
    assert game.record.tobytes() == before
