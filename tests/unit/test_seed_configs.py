"""The engines of the seeds as configs: they load, play, and each line of theirs has its effect."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.parameters import SEARCH, search_defaults
from engine.shell import STARTPOS, Game, Searcher, SearchLimit, SearchResult
from engine.weights import EVALUATION
from harness.config import EngineConfig, load_engine_config
from harness.ini import read_entries
from tests.oracle import KIWIPETE, MIDDLEGAME, NO_MOVES, PROMOTIONS

SEEDS = ("agata", "mango", "monik")
#: What plain.cfg leaves on: nothing that prunes, reduces, extends or narrows by a guess.
ALWAYS_ON = {
    "principal_variation_search",
    "fail_soft",
    "transposition_table",
    "transposition_cutoffs",
    "killers",
    "history",
    "history_fades",
    "check_extension",
    "null_move_needs_pieces",
    "quiescence_evasions",
}
PLACEMENT = ("_value", "_squares")
#: Positions in which, together, every line of the configs shows.
POSITIONS = (
    STARTPOS,
    KIWIPETE,
    MIDDLEGAME,
    PROMOTIONS,
    "r1b1k2r/1pqnbppp/p2ppn2/6B1/3NPP2/2N2Q2/PPP3PP/2KR1B1R w kq - 5 10",
    "8/5pk1/4p1p1/R6p/r6P/6P1/5PK1/8 w - - 0 1",
    "8/8/2k5/8/2P5/2K5/8/8 w - - 0 9",
    "4k3/P6p/8/2q5/8/2R5/1P5P/4K3 w - - 0 1",
    "8/3k4/8/3q4/8/1R6/K7/8 w - - 0 1",
    "6k1/6p1/8/7Q/8/8/qq3PPP/6K1 w - - 0 1",
    "1rr3k1/4ppb1/2q1bnp1/1p2B1Q1/6P1/2p2P2/2P1B2R/2K4R w - - 0 1",
    "3qr2k/1p3rbp/2p3p1/p7/P2pBNn1/1P3n2/6P1/B1Q1RR1K b - - 0 1",
)
#: What does not show in a short search: with any slope the order of quiets is the same, sums fade
#: only when they are large, the last plies are far, and no exchange of these values loses 1 to 15.
UNSEEN = {
    "history_bonus_slope",
    "history_fades",
    "search_max_ply",
    "quiescence_max_ply",
    "see_threshold_cp",
}
CLOCK = {
    "move_overhead_ms",
    "time_reserve_ms",
    "increment_share_pct",
    "soft_time_pct",
    "hard_time_pct",
    "new_move_time_pct",
    "stable_move_time_pct",
    "score_drop_time_pct",
}


def config(name: str) -> EngineConfig:
    return load_engine_config(f"{name}.cfg")


def searches(engine: EngineConfig, search: dict[str, int]) -> list[SearchResult]:
    """A short search of each position."""
    results = []
    for fen in POSITIONS:
        searcher = Searcher(search, engine.weights, hash_mb=1)
        searcher.new_game(fen)
        result = searcher.go(NO_MOVES, 0, SearchLimit(nodes=30_000))
        results.append(result._replace(time_ns=0))
    return results


def test_plain_has_every_guess_off() -> None:
    plain = config("plain")
    on = {p.name for p in SEARCH if p.high == 1 and p.low == 0 and plain.search[p.name]}
    assert on == ALWAYS_ON
    assert plain.search["aspiration_window_cp"] == 0


def test_plain_evaluates_material_and_squares_alone() -> None:
    plain = config("plain")
    for term in EVALUATION:
        if not term.name.endswith(PLACEMENT):
            assert not any(map(any, plain.weights[term.name])), term.name


@pytest.mark.parametrize("name", SEEDS)
def test_a_seed_s_engine_plays_a_legal_game(name: str) -> None:
    engine, game, moves = config(name), Game(), []
    searcher = Searcher(engine.search, engine.weights, hash_mb=1)
    searcher.new_game()
    while not game.status and len(moves) < 60:
        played = np.array([*moves, 0], np.uint16)
        result = searcher.go(played, len(moves), SearchLimit(nodes=1_000))
        game.push(result.move)
        moves.append(result.move)
    assert len(moves) == 60 or game.status


def own_lines() -> list[tuple[str, str]]:
    """(config, key) of each search line by which a seed's config differs from base.cfg."""
    defaults = search_defaults()
    return [
        (name, entry.key)
        for name in SEEDS
        for entry in read_entries(Path(config(name).path))
        if entry.section == "search"
        and entry.key not in CLOCK | UNSEEN
        and config(name).search[entry.key] != defaults[entry.key]
    ]


@pytest.mark.parametrize(("name", "key"), own_lines())
def test_each_line_of_a_seed_s_config_changes_its_play(name: str, key: str) -> None:
    engine = config(name)
    without = engine.search | {key: search_defaults()[key]}
    assert searches(engine, engine.search) != searches(engine, without)


def test_agata_s_printed_tables_are_read_from_its_own_side() -> None:
    """A pawn on e4 and a knight on e5 are worth 40 and 20 more than their material."""
    agata = config("agata")
    pawn, knight = agata.weights["pawn_squares"][0], agata.weights["knight_squares"][0]
    assert (pawn[8 * 1], pawn[8 * 4 + 4]) == (90, 40)
    assert (knight[0], knight[8 * 3 + 4]) == (-50, 20)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("agata", (100, 300, 350, 500, 1000)),
        ("monik", (100, 300, 300, 500, 900)),
    ],
)
def test_the_pieces_are_worth_what_the_seed_says(name: str, values: tuple[int, ...]) -> None:
    weights = config(name).weights
    pieces = ("pawn", "knight", "bishop", "rook", "queen")
    for piece, value in zip(pieces, values, strict=True):
        assert weights[f"{piece}_value"] == ((value,), (value,))
