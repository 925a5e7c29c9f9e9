"""The compiled reader of FENs is the engine's own one, where it reads at all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.shell import FenError, Game
from harness.texel.replay.kernel import GAME_FIELDS, PLY_DTYPE
from harness.texel.replay.setup import place_fens
from tests.oracle import ENDGAMES, SEEDS, STARTS, WELL_KNOWN, Start, legal_fen, play


def placed(fen: str) -> dict[str, int] | None:
    """The fields of the position as it was placed; None where it was left to the other reader."""
    plies = np.zeros(1, PLY_DTYPE).view(np.recarray)
    ordinary = np.zeros(1, np.bool_)
    text = np.frombuffer(f"{fen}\n".encode(), np.uint8)
    game = Game()  # which must live as long as its address is used
    place_fens(game.address, text, np.zeros(1, np.int64), plies, ordinary)
    return {name: int(plies[0][name]) for name in GAME_FIELDS} if ordinary[0] else None


def as_read_by_the_engine(fen: str) -> dict[str, int] | None:
    try:
        record = Game(fen, chess960=True).record
    except FenError:
        return None
    return {name: int(record[name]) for name in GAME_FIELDS}


@given(start=STARTS, seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_positions_of_games_are_read_alike(start: Start, seed: int) -> None:
    for _, board in play(start, seed, 30):
        for fen in (legal_fen(board), board.fen(en_passant="fen")):
            found = placed(fen)
            standard = set(fen.split()[2]) <= set("KQkq-") and not start.chess960
            assert found == as_read_by_the_engine(fen) or (found is None and not standard)
            assert found is not None or not standard


@given(
    fen=st.sampled_from(WELL_KNOWN + ENDGAMES),
    place=st.integers(0, 60),
    letter=st.sampled_from("pnbrqkPNBRQK12345678/"),
)
@example(fen=ENDGAMES[0], place=0, letter="P")
@settings(max_examples=150, deadline=None)
def test_nothing_is_read_that_the_engine_refuses(fen: str, place: int, letter: str) -> None:
    placement, rest = fen.split(" ", 1)
    place %= len(placement)
    changed = f"{placement[:place]}{letter}{placement[place + 1 :]} {rest}"
    found = placed(changed)
    assert found is None or found == as_read_by_the_engine(changed)


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1",  # no rooks
        "r3k2r/8/8/8/8/8/8/RB2K2R w HAha - 0 1",  # rights by file
        "4k3/8/8/8/8/8/8/4K3 w - e6 0 1",  # no pawn has passed
        "4k3/8/8/3pP3/8/8/8/4K3 w - e3 0 1",
        "4k3/8/8/8/8/8/4q3/4K3 b - - 0 1",  # the king could be taken
        "4k3/8/8/8/8/8/8/3KK3 w - - 0 1",
        "4k2P/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1",
        "rnbqkbnr/rrrrrrrr/r7/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K4 w - - 0 1",
        "4k3/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K2x w - - 0 1",
    ],
)
def test_what_is_unusual_is_left_to_the_engine_s_reader(fen: str) -> None:
    assert placed(fen) is None


def test_the_clock_is_bounded_as_by_the_engine_s_reader() -> None:
    fen = "4k3/8/8/8/8/8/8/4K3 w - - 9999 1"
    assert placed(fen) == as_read_by_the_engine(fen)
