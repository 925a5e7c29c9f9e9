"""Perft by each way, and with a table: every count is the plain one, whatever the table holds."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from engine.perft import perft_hashed
from engine.perft_table import BUCKET_BYTES, PERFT_TABLE_DTYPE
from engine.shell import PERFT_WAYS, Game, PerftCounter
from engine.state import new_record
from tests.oracle import COUNTERS, ENDGAMES, STARTPOS, WELL_KNOWN

ROOKS_WITH_RIGHTS = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
TWO_KINGS = "8/8/4k3/8/8/3K4/8/8 w - - 0 1"


def table_of(buckets: int) -> tuple[np.recarray, np.ndarray]:
    """A table of so few buckets that everything collides, and its memory."""
    words = np.zeros(buckets * BUCKET_BYTES // 8, np.uint64)
    table = new_record(PERFT_TABLE_DTYPE)
    table.address = words.ctypes.data
    table.shift = 64 - (buckets - 1).bit_length()
    return table, words


@pytest.mark.parametrize("fen", [*WELL_KNOWN, *ENDGAMES, ROOKS_WITH_RIGHTS])
def test_a_table_changes_no_count(fen: str) -> None:
    """One table for all depths, the deep ones first: each entry meets others of its position."""
    game, counter = Game(fen), PerftCounter(hash_mb=1)
    for depth in (4, 3, 4, 2, 1, 0):
        assert counter.count(game, depth) == game.perft(depth)


def test_positions_that_share_a_bucket_keep_their_counts() -> None:
    table, words = table_of(2)
    for fen in (*WELL_KNOWN, *ENDGAMES, ROOKS_WITH_RIGHTS):
        game = Game(fen)
        for depth in (2, 3):
            assert perft_hashed(game.record, table, depth) == game.perft(depth)
    assert np.count_nonzero(words[7::8]) == 4


def test_equal_keys_are_not_equal_positions() -> None:
    """Every position is given one key: they share a bucket, and nothing else.

    Neighbours differ in rights, in a man's kind or owner, or in a king's square, and in no more.
    """
    table, _ = table_of(2)
    rights = [ROOKS_WITH_RIGHTS.replace("KQkq", some) for some in ("KQkq", "KQ", "Kq", "-")]
    men = [f"4k3/8/8/8/3{man}4/8/8/4K3 w - - 0 1" for man in "PpNnBbRrQq"]
    kings = ["3k4/8/8/8/3P4/8/8/4K3 w - - 0 1", "4k3/8/8/8/3P4/8/8/3K4 w - - 0 1"]
    for fen in (*WELL_KNOWN, *rights, *men, *kings):
        game = Game(fen)
        game.record.key = np.uint64(7)
        assert perft_hashed(game.record, table, 2) == Game(fen).perft(2), fen


def test_en_passant_is_part_of_a_position() -> None:
    counter = PerftCounter(hash_mb=1)
    with_capture = Game("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")
    without = Game("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1")
    counts = [counter.count(game, 3) for game in (with_capture, without)]
    assert counts == [with_capture.perft(3), without.perft(3)]
    assert counts[0] != counts[1]


def test_a_count_that_no_entry_holds_is_refused() -> None:
    """Two kings have few positions, each of them often: 6^24 leaves are counted in a moment."""
    counter = PerftCounter(hash_mb=32)
    assert counter.count(Game(TWO_KINGS), 6) == Game(TWO_KINGS).perft(6)
    with pytest.raises(OverflowError, match="more than 72,057,594,037,927,935 leaves at depth 24"):
        counter.count(Game(TWO_KINGS), 24)
    assert counter.count(Game(TWO_KINGS), 6) == Game(TWO_KINGS).perft(6)


def test_a_count_leaves_the_game_as_it_is() -> None:
    game = Game(WELL_KNOWN[1])
    moves = game.legal_moves()
    for counter in (*COUNTERS.values(), PerftCounter(hash_mb=1)):
        counter.count(game, 3)
        assert (game.fen, game.legal_moves()) == (WELL_KNOWN[1], moves)
    game.perft(3)
    assert game.legal_moves() == moves


@pytest.mark.parametrize("fen", WELL_KNOWN)
def test_each_way_names_its_moves(fen: str) -> None:
    game = Game(fen)
    expected = sorted(game.parse_uci(move.uci()) for move in chess.Board(fen).legal_moves)
    for way, counter in COUNTERS.items():
        assert sorted(counter.moves(game)) == expected, way
        black = Game(chess.Board(fen).mirror().fen())
        assert sorted(counter.moves(black)) == sorted(black.legal_moves()), way


def test_a_picker_that_has_counted_counts_again_alike() -> None:
    """What it remembers, moves of other positions among it, are hints and no more."""
    counter = PerftCounter("picker")
    for fen in (*WELL_KNOWN, *ENDGAMES, *WELL_KNOWN):
        assert counter.count(Game(fen), 3) == Game(fen).perft(3)


def test_only_the_generator_has_a_table() -> None:
    for way in PERFT_WAYS[1:]:
        with pytest.raises(ValueError, match=f"no table with the {way}; expected the generator"):
            PerftCounter(way, hash_mb=1)


def test_memory_that_is_not_there_is_refused() -> None:
    with pytest.raises(MemoryError):
        PerftCounter(hash_mb=1 << 40)
    assert PerftCounter(hash_mb=1).count(Game(STARTPOS), 3) == 8902
