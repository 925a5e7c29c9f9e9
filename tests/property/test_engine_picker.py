"""The staged picker gives each legal move once, whatever the hint and whatever was learnt."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.history import HISTORY_LIMIT
from engine.parameters import SEARCH
from engine.shell import FenError, Game, Searcher
from engine.state import GAME_DTYPE, new_record
from tests.kernels.picking import pick_all
from tests.oracle import SEEDS, STARTS, Start, random_position
from tests.setups import random_setup

SWITCHES = [parameter.name for parameter in SEARCH if (parameter.low, parameter.high) == (0, 1)]


def confused(rng: np.random.Generator, known: list[int]) -> Searcher:
    """A searcher with random switches that has learnt anything at all; killers of `known` moves."""
    searcher = Searcher({name: int(rng.integers(2)) for name in SWITCHES}, hash_mb=1)
    record = searcher.record
    for name in ("history", "continuation", "capture_history"):
        table = record[name]
        table[:] = rng.integers(-HISTORY_LIMIT, HISTORY_LIMIT, table.shape, endpoint=True)
    record.moved[:] = rng.integers(0, len(record.continuation[0]), record.moved.shape)
    record.killers[:] = rng.choice(np.array([*known, 0], np.uint64), record.killers.shape)
    return searcher


def check(game: Game, other: Game, seed: int) -> None:
    """Every hint: none, each move of this position, and those of another one."""
    rng = np.random.default_rng(seed)
    own, alien = list(game.codes().values()), list(other.codes().values())
    scratch = new_record(GAME_DTYPE)
    searcher = confused(rng, own + alien)
    for hint in [0, *own, *alien]:
        ply = np.int64(rng.integers(8))
        pick_all(game.record, searcher.record, searcher.parameters, np.uint64(hint), ply, scratch)
        picked = scratch.moves[: scratch.move_count].tolist()
        assert sorted(picked) == sorted(own), (game.fen, hint)


@given(start=STARTS, other=STARTS, seed=SEEDS, plies=st.integers(0, 100))
@settings(max_examples=60, deadline=None)
def test_each_legal_move_is_picked_once(start: Start, other: Start, seed: int, plies: int) -> None:
    game, _ = random_position(start, seed, plies)
    alien, _ = random_position(other, seed + 1, plies)
    check(game, alien, seed)


@given(seed=SEEDS)
@settings(max_examples=100, deadline=None)
def test_also_in_positions_that_no_game_has_seen(seed: int) -> None:
    """In check by two pieces and with promotions that block, more often than in games."""
    try:
        game, other = (Game(random_setup(seed + more), chess960=True) for more in (0, 1))
    except FenError:
        return
    check(game, other, seed)
