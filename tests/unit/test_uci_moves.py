"""Moves between wire and UCI text: the same as if the position were looked at each time."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.shell import STARTPOS, Game
from harness.game import PlayerFault
from harness.uci_moves import MoveTexts

CASTLING = "r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1"
BLACK_TO_MOVE = "r3k2r/8/8/8/8/8/1p6/R3K2R b KQkq - 0 1"
HEAVY_PIECES = "4r2r/8/2k5/8/8/2K5/8/4R2R w - - 0 1"  # e1h1 and e8h8 may be a rook's moves
CHESS960 = "1rk4r/P7/8/8/8/8/8/1RK4R w HBhb - 0 1"


@pytest.mark.parametrize(
    ("fen", "chess960"),
    [
        (STARTPOS, False),
        (CASTLING, False),
        (BLACK_TO_MOVE, False),
        (HEAVY_PIECES, False),
        (CHESS960, True),
    ],
)
def test_games_are_spelt_and_read_as_their_positions_say(fen: str, chess960: bool) -> None:
    for seed in range(4):
        choose = random.Random(seed).choice
        game, texts = Game(fen, chess960), MoveTexts(fen, chess960)
        moves = np.zeros(40, np.uint16)
        for count in range(40):
            if game.status:
                break
            for move in game.legal_moves():
                assert texts.move(game.format_uci(move), moves, count) == move
            moves[count] = choose(game.legal_moves())
            text = game.format_uci(int(moves[count]))
            assert texts.text(moves, count) == text
            game.push(int(moves[count]))


def test_castling_is_read_in_both_spellings() -> None:
    texts = MoveTexts(CASTLING, False)
    moves = np.zeros(0, np.uint16)
    assert texts.move("e1g1", moves, 0) == texts.move("e1h1", moves, 0)


@pytest.mark.parametrize("text", ["", "(none)", "0000", "e2", "P@e4", "e7e8k", "e7e5p", "\x01\x02"])
def test_what_is_no_move_is_refused_with_the_position(text: str) -> None:
    texts = MoveTexts(STARTPOS, False)
    moves = np.array([12 | 28 << 6], np.uint16)
    with pytest.raises(PlayerFault, match=r"not legal in rnbqkbnr/pppppppp/8/8/4P3/.* b "):
        texts.move(text, moves, 1)
