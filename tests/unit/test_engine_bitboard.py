"""Each instruction against its Python twin; both against what the words mean."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

from engine import bitboard, machine
from engine.jit import has_fast_pext
from tests.kernels.probes import (
    clock_now,
    flip_of,
    lsb_of,
    msb_of,
    pext_of,
    popcount_of,
    store_then_load,
)

RANDOM = random.Random(1)
BOARDS = [
    *(1 << square for square in range(64)),
    *((1 << 64) - (1 << square) for square in range(64)),
    *(RANDOM.getrandbits(64) for _ in range(200)),
    *(RANDOM.getrandbits(64) & RANDOM.getrandbits(64) & RANDOM.getrandbits(64) for _ in range(200)),
    (1 << 64) - 1,
]
NOT_EMPTY = [np.uint64(bb) for bb in BOARDS if bb]


def test_popcount_counts_bits() -> None:
    for bb in [*NOT_EMPTY, np.uint64(0)]:
        assert popcount_of(bb) == bitboard.popcount(bb) == bin(bb).count("1")


def test_lsb_and_msb_are_the_outermost_squares() -> None:
    for bb in NOT_EMPTY:
        squares = [square for square in range(64) if int(bb) >> square & 1]
        assert lsb_of(bb) == bitboard.lsb(bb) == squares[0]
        assert msb_of(bb) == bitboard.msb(bb) == squares[-1]


def test_flip_turns_the_ranks_over() -> None:
    for bb in [*NOT_EMPTY, np.uint64(0)]:
        mirrored = sum(1 << (square ^ 56) for square in range(64) if int(bb) >> square & 1)
        assert flip_of(bb) == bitboard.flip(bb) == mirrored
        assert bitboard.flip(bitboard.flip(bb)) == bb


def test_pext_gathers_the_bits_under_a_mask() -> None:
    for bb, mask in zip(NOT_EMPTY, reversed(NOT_EMPTY), strict=True):
        places = [square for square in range(64) if int(mask) >> square & 1]
        gathered = sum((int(bb) >> square & 1) << place for place, square in enumerate(places))
        assert bitboard.pext(bb, mask) == gathered
        if has_fast_pext():
            assert pext_of(bb, mask) == gathered


@pytest.mark.parametrize("name", ["EMPTY", "ONE", "FULL", "RANK_1", "FILE_A", "NOT_FILE_H", "U8"])
def test_constants_are_uint64(name: str) -> None:
    """A constant of another type would turn every expression that it touches into int64."""
    assert isinstance(getattr(bitboard, name), np.uint64)


def test_masks_are_the_ranks_and_files_they_are_called() -> None:
    def squares(bb: np.uint64) -> set[int]:
        return {square for square in range(64) if int(bb) >> square & 1}

    assert squares(bitboard.RANK_1) == set(range(8))
    assert squares(bitboard.RANK_3) == set(range(16, 24))
    assert squares(bitboard.RANK_8) == set(range(56, 64))
    assert squares(bitboard.FILE_A) == set(range(0, 64, 8))
    assert squares(bitboard.FILE_H) == set(range(7, 64, 8))
    assert squares(bitboard.NOT_FILE_A) == set(range(64)) - squares(bitboard.FILE_A)
    assert squares(bitboard.NOT_FILE_H) == set(range(64)) - squares(bitboard.FILE_H)


def test_words_go_to_memory_and_come_back() -> None:
    cell = np.zeros(3, np.uint64)
    value = np.uint64(0xFEDC_BA98_7654_3210)
    assert store_then_load(np.uint64(cell.ctypes.data + 8), value) == value
    assert cell.tolist() == [0, int(value), 0]


def test_the_twins_of_words_do_the_same() -> None:
    cell = np.zeros(3, np.uint64)
    value = np.uint64(0xFEDC_BA98_7654_3210)
    machine.store_word(np.uint64(cell.ctypes.data + 8), value)
    assert cell.tolist() == [0, int(value), 0]
    assert machine.load_word(np.uint64(cell.ctypes.data + 8)) == value


def test_the_clock_is_pythons() -> None:
    before = time.perf_counter_ns()
    read = clock_now()
    assert before <= read <= time.perf_counter_ns()
    assert before <= machine.clock_ns() <= time.perf_counter_ns()
