"""The measuring stick of docs/seeds.md is straight: every setting finds the same value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.shell import Game
from engine.weights import weight_defaults
from tests.kernels.alphabeta import (
    ALWAYS_REPLACED,
    COLOURS,
    EIGHTFOLD,
    MIRROR,
    NO_TABLE,
    TWO_SLOTS,
    shared_key_of,
)
from tests.oracle import SEEDS, WELL_KNOWN, Start, random_position
from tests.textbook import require_symmetry, symmetric_weights, textbook_search

PAWNLESS = ("8/8/8/3k4/8/8/1R6/K7 w - - 0 1", "8/8/3qk3/8/8/8/3N4/1K1Q4 b - - 0 1")
PAWNS = ("4k3/1p4p1/8/8/8/8/P4P2/4K3 w - - 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")


@given(fen=st.sampled_from(WELL_KNOWN + PAWNLESS), seed=SEEDS, plies=st.integers(0, 40))
@settings(max_examples=15, deadline=None)
def test_order_and_tables_do_not_change_the_value(fen: str, seed: int, plies: int) -> None:
    game, _ = random_position(Start(fen), seed, plies)
    plain = textbook_search(game.fen, 3, ordered=False, table=NO_TABLE)
    for table in (NO_TABLE, TWO_SLOTS, ALWAYS_REPLACED):
        found = textbook_search(game.fen, 3, table=table, hash_mb=1)
        assert found.value == plain.value, game.fen
        assert found.first_move_cutoffs <= found.cutoffs


@given(fen=st.sampled_from(PAWNLESS + PAWNS), seed=SEEDS, plies=st.integers(0, 20))
@settings(max_examples=15, deadline=None)
def test_shared_entries_do_not_change_the_value(fen: str, seed: int, plies: int) -> None:
    game, _ = random_position(Start(fen), seed, plies)
    for symmetry in (MIRROR, EIGHTFOLD):
        weights = symmetric_weights(symmetry)
        alone = textbook_search(game.fen, 4, table=NO_TABLE, weights=weights)
        shared = textbook_search(game.fen, 4, symmetry=symmetry, weights=weights)
        assert shared.value == alone.value, game.fen


def shared_key(fen: str, symmetry: int) -> int:
    return int(shared_key_of(Game(fen).record, np.int64(symmetry)))


TURNED = (
    "8/8/8/3k4/8/8/1R6/K7 w - - 0 1",
    "8/8/8/4k3/8/8/6R1/7K w - - 0 1",  # mirrored
    "K7/1R6/8/8/3k4/8/8/8 w - - 0 1",  # upside down
    "8/8/8/8/4k3/8/1R6/K7 w - - 0 1",  # transposed
)


def test_which_positions_share_a_key() -> None:
    assert len({shared_key(fen, COLOURS) for fen in TURNED}) == 4
    assert len({shared_key(fen, MIRROR) for fen in TURNED}) == 3
    assert len({shared_key(fen, EIGHTFOLD) for fen in TURNED}) == 1


@pytest.mark.parametrize("symmetry", [COLOURS, MIRROR, EIGHTFOLD])
def test_castling_rights_and_pawns_keep_positions_apart(symmetry: int) -> None:
    rights = ("4k3/8/8/8/8/8/8/R3K2R w K - 0 1", "4k3/8/8/8/8/8/8/R3K2R w Q - 0 1")
    assert len({shared_key(fen, symmetry) for fen in rights}) == 2
    pawns = ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "8/8/8/8/7k/8/P7/K7 w - - 0 1")
    assert len({shared_key(fen, symmetry) for fen in pawns}) == 2


def test_tables_that_are_not_symmetric_are_refused() -> None:
    require_symmetry(weight_defaults(), COLOURS)
    for symmetry in (MIRROR, EIGHTFOLD):
        require_symmetry(symmetric_weights(symmetry), symmetry)
        with pytest.raises(ValueError, match="is not symmetric: positions cannot share"):
            textbook_search(TURNED[0], 1, symmetry=symmetry)
    with pytest.raises(ValueError, match="is not symmetric"):
        require_symmetry(symmetric_weights(MIRROR), EIGHTFOLD)
