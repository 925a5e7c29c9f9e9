"""The transposition table: what is stored comes back, and what goes when a bucket is full."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engine.shell import MATE, MATE_BOUND, STARTPOS, Searcher, SearchLimit
from engine.transposition import BUCKET_BYTES, EXACT, LOWER, MAX_GENERATION, UPPER
from tests.kernels.hammer import hammer
from tests.kernels.probes import bound_found, entry_answers, probe_entry, store_entry
from tests.oracle import KIWIPETE, NO_MOVES

MIB = 1 << 20


def store(
    searcher: Searcher, key: int, *, move: int = 1, score: int = 0, depth: int = 5, ply: int = 0
) -> None:
    numbers = (np.int64(score), np.int64(depth))
    store_entry(
        searcher.record, np.uint64(key), np.uint64(move), *numbers, np.uint64(EXACT), np.int64(ply)
    )


def probe(searcher: Searcher, key: int, ply: int = 0) -> tuple[int, int, int, int] | None:
    """(move, score, depth, bound), or None where there is no entry."""
    found, *entry = probe_entry(searcher.record, np.uint64(key), np.int64(ply))
    return tuple(map(int, entry)) if found else None


def bucket_of(searcher: Searcher, key: int) -> int:
    product = key * 0x9E37_79B9_7F4A_7C15 & (1 << 64) - 1
    return product >> int(searcher.record.tt_shift)


def keys_of_one_bucket(searcher: Searcher, count: int) -> list[int]:
    rng = random.Random(7)
    keys = [rng.getrandbits(64)]
    while len(keys) < count:
        key = rng.getrandbits(64)
        if bucket_of(searcher, key) == bucket_of(searcher, keys[0]):
            keys.append(key)
    return keys


@pytest.fixture
def searcher() -> Searcher:
    """A searcher with the smallest table: two buckets of two entries."""
    return Searcher(hash_mb=0)


@pytest.mark.parametrize("bound", [LOWER, UPPER, EXACT])
@pytest.mark.parametrize("depth", [0, 1, 127, 255])
def test_every_field_comes_back(searcher: Searcher, bound: np.uint64, depth: int) -> None:
    rng = random.Random(depth)
    for score in (0, 1, -1, 250, -250, 40_000, -40_000, int(MATE_BOUND) - 1):
        key, move = rng.getrandbits(64), rng.getrandbits(24)
        numbers = (np.int64(score), np.int64(depth), bound, np.int64(9))
        store_entry(searcher.record, np.uint64(key), np.uint64(move), *numbers)
        assert probe(searcher, key, ply=3) == (move, score, depth, int(bound))


def test_only_the_move_of_a_scored_move_is_stored(searcher: Searcher) -> None:
    store(searcher, 42, move=(12345 << 24) | 0x00AB_CDEF)
    assert probe(searcher, 42) == (0x00AB_CDEF, 0, 5, int(EXACT))


def test_a_negative_depth_is_stored_as_zero(searcher: Searcher) -> None:
    store(searcher, 42, depth=-3)
    assert probe(searcher, 42) == (1, 0, 0, int(EXACT))


@pytest.mark.parametrize("sign", [1, -1])
def test_mates_count_from_the_node_that_asks(searcher: Searcher, sign: int) -> None:
    """A mate 7 plies from the root, found at ply 4, is one of 3 plies: at ply 6 it is mate in 9."""
    store(searcher, 42, score=sign * (MATE - 7), ply=4)
    assert probe(searcher, 42, ply=4) == (1, sign * (MATE - 7), 5, int(EXACT))
    assert probe(searcher, 42, ply=6) == (1, sign * (MATE - 9), 5, int(EXACT))
    assert probe(searcher, 42, ply=0) == (1, sign * (MATE - 3), 5, int(EXACT))


def test_an_empty_table_knows_nothing(searcher: Searcher) -> None:
    rng = random.Random(1)
    assert [probe(searcher, key) for key in (0, 1, *(rng.getrandbits(64) for _ in range(50)))] == [
        None
    ] * 52


def test_the_deepest_entry_stays_and_the_latest_does(searcher: Searcher) -> None:
    deep, shallow, latest = keys_of_one_bucket(searcher, 3)
    store(searcher, deep, depth=9)
    store(searcher, shallow, depth=2)
    store(searcher, latest, depth=1)
    assert probe(searcher, deep)
    assert probe(searcher, shallow) is None
    assert probe(searcher, latest)


def test_a_beaten_entry_is_handed_down(searcher: Searcher) -> None:
    first, deeper, deepest = keys_of_one_bucket(searcher, 3)
    store(searcher, first, depth=3)
    store(searcher, deeper, depth=3)
    assert probe(searcher, first)
    assert probe(searcher, deeper)
    store(searcher, deepest, depth=8)
    assert probe(searcher, first) is None
    assert probe(searcher, deeper)
    assert probe(searcher, deepest)


def test_the_same_position_is_replaced_in_place(searcher: Searcher) -> None:
    key, other = keys_of_one_bucket(searcher, 2)
    store(searcher, other, depth=1)
    store(searcher, key, depth=9, score=10)
    store(searcher, key, depth=2, score=20)
    assert probe(searcher, key) == (1, 20, 2, int(EXACT))
    assert probe(searcher, other)


def test_an_earlier_search_of_the_game_makes_way(searcher: Searcher) -> None:
    """Its entries serve, but depth protects only those of the search that runs."""
    old, new, newest = keys_of_one_bucket(searcher, 3)
    store(searcher, old, depth=20)
    searcher.record.tt_age = 1
    assert probe(searcher, old)
    store(searcher, new, depth=1)
    assert probe(searcher, new)
    store(searcher, newest, depth=1)
    assert probe(searcher, old) is None


def test_a_new_game_knows_nothing_of_the_last(searcher: Searcher) -> None:
    store(searcher, 42)
    searcher.new_game()
    assert probe(searcher, 42) is None
    store(searcher, 42, score=7)
    assert probe(searcher, 42) == (1, 7, 5, int(EXACT))


def test_generations_that_wrap_bring_nothing_back(searcher: Searcher) -> None:
    for game in range(2 * MAX_GENERATION + 10):
        searcher.new_game()
        assert probe(searcher, 42) is None, game
        store(searcher, 42)


@pytest.mark.parametrize(
    ("score", "bound"),
    [(9, UPPER), (10, UPPER), (11, EXACT), (19, EXACT), (20, LOWER), (21, LOWER)],
)
def test_what_a_score_proves(score: int, bound: np.uint64) -> None:
    assert bound_found(np.int64(score), np.int64(10), np.int64(20)) == bound


@pytest.mark.parametrize(
    ("bound", "answered"),
    [
        (EXACT, {5: True, 10: True, 15: True, 20: True, 25: True}),
        (LOWER, {5: False, 10: False, 15: False, 20: True, 25: True}),
        (UPPER, {5: True, 10: True, 15: False, 20: False, 25: False}),
    ],
)
def test_which_windows_an_entry_answers(
    searcher: Searcher, bound: np.uint64, answered: dict[int, bool]
) -> None:
    for score, expected in answered.items():
        numbers = (np.int64(score), np.int64(5), bound, np.int64(0))
        store_entry(searcher.record, np.uint64(42), np.uint64(1), *numbers)
        window = (np.int64(10), np.int64(20))
        assert entry_answers(searcher.record, np.uint64(42), *window) == expected


@pytest.mark.parametrize("hash_mb", [0, 1, 2, 3, 16, 17])
def test_the_table_has_the_largest_power_of_two_that_fits(hash_mb: int) -> None:
    searcher = Searcher(hash_mb=hash_mb)
    buckets = 1 << 64 - int(searcher.record.tt_shift)
    wanted = max(2 * BUCKET_BYTES, hash_mb * MIB)
    assert buckets * BUCKET_BYTES <= wanted < 2 * buckets * BUCKET_BYTES
    assert int(searcher.record.tt_address) % 64 == 0


def test_every_bucket_lies_inside_the_table() -> None:
    searcher = Searcher(hash_mb=1)
    begin, size = int(searcher.record.tt_address), searcher._table.nbytes
    assert begin == searcher._table.ctypes.data
    last = (1 << 64 - int(searcher.record.tt_shift)) - 1
    assert (last + 1) * BUCKET_BYTES <= size


def test_a_resized_table_is_empty_and_smaller_ones_work() -> None:
    searcher = Searcher(hash_mb=4)
    store(searcher, 42)
    for hash_mb in (1, 8, 0):
        searcher.resize(hash_mb)
        assert probe(searcher, 42) is None
        store(searcher, 42)
        assert probe(searcher, 42)
        searcher.new_game(KIWIPETE)
        assert searcher.go(NO_MOVES, 0, SearchLimit(nodes=2_000)).move


def test_hashfull_grows_with_the_search_and_falls_with_a_new_game() -> None:
    searcher = Searcher(hash_mb=1)
    searcher.new_game(STARTPOS)
    assert searcher.hashfull_permille() == 0
    searcher.go(NO_MOVES, 0, SearchLimit(nodes=3_000))
    little = searcher.hashfull_permille()
    searcher.go(NO_MOVES, 0, SearchLimit(nodes=200_000))
    assert 0 <= little < searcher.hashfull_permille() <= 1_000
    searcher.new_game(STARTPOS)
    assert searcher.hashfull_permille() == 0


def test_a_tiny_table_full_of_collisions_still_plays_legal_chess() -> None:
    """Four entries for the whole search: any move or score taken from a wrong entry would show."""
    searcher = Searcher(hash_mb=0)
    for fen in (STARTPOS, KIWIPETE):
        searcher.new_game(fen)
        result = searcher.go(NO_MOVES, 0, SearchLimit(nodes=20_000))
        assert result.move in searcher.game.legal_moves()
        assert abs(result.score_cp) < 300


def test_threads_that_share_a_table_never_read_a_torn_entry() -> None:
    """Both write the same four entries all the time; each must find only what belongs to its key.

    With plain keys in place of key XOR data, one probe in ten thousand finds a torn entry.
    """
    searcher = Searcher(hash_mb=0)
    rng = random.Random(3)
    keys = np.array([rng.getrandbits(64) for _ in range(4)], np.uint64)
    with ThreadPoolExecutor(2) as pool:
        parts = [
            pool.submit(hammer, searcher.record, keys, np.uint64(seed), 20_000_000)
            for seed in (1, 2)
        ]
        for found, wrong in (part.result() for part in parts):
            assert found > 100_000
            assert wrong == 0
