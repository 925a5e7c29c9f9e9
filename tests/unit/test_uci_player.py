"""How moves are spelt to UCI programs."""

from __future__ import annotations

import pytest

from engine.shell import Game
from harness.uci_player import uci_text

CASTLING = "r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1"
BLACK_TO_MOVE = "r3k2r/8/8/8/8/8/1p6/R3K2R b KQkq - 0 1"
CHESS960 = "1rk4r/P7/8/8/8/8/8/1RK4R w HBhb - 0 1"


@pytest.mark.parametrize(
    ("fen", "chess960"), [(CASTLING, False), (BLACK_TO_MOVE, False), (CHESS960, True)]
)
def test_moves_are_spelt_as_the_game_spells_them(fen: str, chess960: bool) -> None:
    game = Game(fen, chess960)
    moves = game.legal_moves()
    texts = [uci_text(game, move) for move in moves]
    assert texts == [game.format_uci(move) for move in moves]
    assert any(len(text) == 5 for text in texts)  # promotions are among them


def test_castling_is_spelt_by_the_kings_target_unless_chess960() -> None:
    standard, chess960 = Game(CASTLING), Game(CASTLING, True)
    moves = standard.legal_moves()
    assert {"e1g1", "e1c1"} <= {uci_text(standard, move) for move in moves}
    assert {"e1h1", "e1a1"} <= {uci_text(chess960, move) for move in moves}
