"""Exchanges worked out by hand; in bulk against a recursive exchange in tests/property."""

from __future__ import annotations

import numpy as np
import pytest

from engine.shell import Game, build_parameters
from tests.kernels.probes import see_of

PARAMETERS = build_parameters()
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, _ = map(int, PARAMETERS.exchange_values)

EXCHANGES = (
    # The first two are the examples of chessprogramming.org, "SEE - The Swap Algorithm".
    ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", PAWN),
    ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", PAWN - KNIGHT),
    ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", PAWN),
    ("4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 0),
    ("4k3/8/4p3/3n4/4P3/8/8/4K3 w - - 0 1", "e4d5", KNIGHT - PAWN),
    ("4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", PAWN - ROOK),
    ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", PAWN),  # the second rook stands behind
    ("3rk3/3q4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", PAWN + QUEEN - 2 * ROOK),
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", PAWN),
    ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", QUEEN - PAWN),
    ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", -PAWN),
    ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8n", ROOK + KNIGHT - PAWN),
    ("4k3/8/8/8/8/8/3p4/4K3 w - - 0 1", "e1d2", PAWN),
    ("8/8/8/3pk3/8/3R4/8/4K3 w - - 0 1", "d3d5", PAWN - ROOK),  # the king may take back
    ("8/8/8/3pk3/8/3R4/8/3RK3 w - - 0 1", "d3d5", PAWN),  # and now it may not
    ("4k3/8/4p3/8/8/5N2/8/4K3 w - - 0 1", "f3d4", 0),  # a quiet move to a safe square
    ("4k3/8/2p5/8/4N3/8/8/4K3 w - - 0 1", "e4c5", 0),
    ("4k3/8/3p4/8/4N3/8/8/4K3 w - - 0 1", "e4c5", -KNIGHT),
)


@pytest.mark.parametrize(("fen", "move", "value"), EXCHANGES)
def test_the_value_of_an_exchange(fen: str, move: str, value: int) -> None:
    game = Game(fen)
    wire = np.uint64(game.parse_uci(move))

    def wins(threshold: int) -> bool:
        return bool(see_of(game.record, wire, np.int64(threshold), PARAMETERS))

    assert wins(value)
    assert not wins(value + 1)
    assert wins(value - 1)
    assert wins(-KING - QUEEN)


def test_the_values_are_the_configuration_s() -> None:
    """A knight that is worth less than two pawns may take one of them."""
    game = Game("4k3/8/4p3/3p4/8/4N3/8/4K3 w - - 0 1")
    wire = np.uint64(game.parse_uci("e3d5"))
    cheap = build_parameters(weights={"knight_value": ((90,), (90,))})
    assert not see_of(game.record, wire, np.int64(0), PARAMETERS)
    assert see_of(game.record, wire, np.int64(0), cheap)
