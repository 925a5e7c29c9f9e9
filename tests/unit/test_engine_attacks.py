"""Attack tables and slider back-ends against walks over the board and python-chess."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import chess
import numpy as np
import pytest

from engine import attacks
from engine.jit import has_fast_pext, slider_backend
from engine.magics import BISHOP_MAGICS, ROOK_MAGICS, find_magic
from tests.kernels.probes import bishop_attacks_of, pawn_attacks_of, rook_attacks_of

RANDOM = random.Random(2)
OCCUPANCIES = [0, (1 << 64) - 1] + [
    RANDOM.getrandbits(64) & RANDOM.getrandbits(64) for _ in range(40)
]


def oracle_rook(square: int, occupied: int) -> int:
    return (
        chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        | chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    )


def oracle_bishop(square: int, occupied: int) -> int:
    return chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]


def test_sliders_of_this_machine() -> None:
    for square in range(64):
        for occupied in OCCUPANCIES:
            board = np.uint64(occupied)
            assert rook_attacks_of(np.uint64(square), board) == oracle_rook(square, occupied)
            assert bishop_attacks_of(np.uint64(square), board) == oracle_bishop(square, occupied)


#: What NumPy says without the JIT where a product is meant to wrap around, as a magic's is.
WRAPPING_PRODUCT = "overflow encountered in scalar multiply"

BACKEND_CHECK = """
import random
import numpy as np
from engine import attacks
from engine.jit import slider_backend

name = {name!r}
assert slider_backend() == name
assert (attacks.rook_attacks, attacks.bishop_attacks) == attacks.BACKENDS[name]
rng = random.Random(3)
occupied = np.array(
    [rng.getrandbits(64) & rng.getrandbits(64) for _ in range(60)] + [0, 2**64 - 1], np.uint64
)
for steps, sliders in (
    (attacks.ROOK_STEPS, attacks.rook_attacks),
    (attacks.BISHOP_STEPS, attacks.bishop_attacks),
):
    for square in range(64):
        walked = attacks.walk_attacks(square, occupied, steps)
        found = [sliders(np.uint64(square), board) for board in occupied]
        assert [int(bb) for bb in found] == walked.tolist(), (steps, square)
"""


@pytest.mark.parametrize(
    ("name", "disable_jit"),
    [("magic", "0"), ("rays", "0"), ("pext", "0"), ("magic", "1"), ("rays", "1")],
)
def test_each_backend_in_a_process_of_its_own(name: str, disable_jit: str) -> None:
    """Back-ends are chosen at import. Without the JIT there is no PEXT instruction to use."""
    if name == "pext" and not has_fast_pext():
        pytest.skip("PEXT needs a processor that has it")
    environment = os.environ | {"NUMBISHOP_SLIDERS": name, "NUMBA_DISABLE_JIT": disable_jit}
    strict = ("-W", "error", "-W", f"ignore:{WRAPPING_PRODUCT}:RuntimeWarning")
    command = [sys.executable, *strict, "-c", BACKEND_CHECK.format(name=name)]
    subprocess.run(command, env=environment, check=True, timeout=300)


def test_an_unknown_backend_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBISHOP_SLIDERS", "hyperbola")
    with pytest.raises(ValueError, match="'hyperbola'; expected pext, magic or rays"):
        slider_backend()


def test_the_leapers_tables() -> None:
    for square in range(64):
        assert int(attacks.KNIGHT_ATTACKS[square]) == chess.BB_KNIGHT_ATTACKS[square]
        assert int(attacks.KING_ATTACKS[square]) == chess.BB_KING_ATTACKS[square]


def test_pawns_do_not_wrap_around_the_board() -> None:
    for square in range(64):
        up, down = pawn_attacks_of(np.uint64(1 << square))
        assert up == chess.BB_PAWN_ATTACKS[chess.WHITE][square]
        assert down == chess.BB_PAWN_ATTACKS[chess.BLACK][square]


def test_pushes_and_captures_of_a_pawn_by_its_square() -> None:
    for square in range(64):
        for side, colour in ((0, chess.WHITE), (1, chess.BLACK)):
            captures = chess.BB_PAWN_ATTACKS[colour][square]
            assert int(attacks.PAWN_CAPTURES[side, square]) == captures
            target = square + (-8 if side else 8)
            push = 1 << target if 0 <= target < 64 else 0
            assert int(attacks.PAWN_PUSHES[side, square]) == push


def test_first_and_last_bit_by_sixteen_bits() -> None:
    for _ in range(2_000):
        bb = RANDOM.getrandbits(64) >> RANDOM.randrange(64) << RANDOM.randrange(64) & (1 << 64) - 1
        if bb:
            assert attacks.first_bit(np.uint64(bb)) == chess.lsb(bb)
            assert attacks.last_bit(np.uint64(bb)) == chess.msb(bb)


def test_between_and_line() -> None:
    for square in range(64):
        for other in range(64):
            assert int(attacks.BETWEEN[square, other]) == chess.between(square, other)
            expected = chess.ray(square, other) if square != other else 0
            assert int(attacks.LINE[square, other]) == expected


def test_relevant_masks_leave_the_last_square_of_each_ray_out() -> None:
    a1_rook = attacks.relevant_mask(chess.A1, attacks.ROOK_STEPS)
    assert list(chess.scan_forward(a1_rook)) == [1, 2, 3, 4, 5, 6, 8, 16, 24, 32, 40, 48]
    sizes = [
        attacks.relevant_mask(square, steps).bit_count()
        for steps in (attacks.ROOK_STEPS, attacks.BISHOP_STEPS)
        for square in range(64)
    ]
    assert sum(1 << size for size in sizes) == 102_400 + 5_248


def test_subsets_come_in_pext_order() -> None:
    mask = 0b1010_0100
    assert attacks.subsets_of(mask).tolist() == [
        sum((index >> place & 1) << square for place, square in enumerate((2, 5, 7)))
        for index in range(8)
    ]


@pytest.mark.parametrize(
    ("steps", "magics"),
    [(attacks.ROOK_STEPS, ROOK_MAGICS), (attacks.BISHOP_STEPS, BISHOP_MAGICS)],
)
def test_every_magic_maps_without_harmful_collisions(
    steps: tuple[tuple[int, int], ...], magics: tuple[int, ...]
) -> None:
    for square in range(64):
        mask = attacks.relevant_mask(square, steps)
        subsets = attacks.subsets_of(mask)
        walked = attacks.walk_attacks(square, subsets, steps)
        index = (subsets * np.uint64(magics[square])) >> np.uint64(64 - mask.bit_count())
        table = np.zeros(len(subsets), np.uint64)
        table[index] = walked
        assert np.array_equal(table[index], walked)


def test_the_search_for_magics_finds_some() -> None:
    for square in (chess.D4, chess.C2):
        mask = attacks.relevant_mask(square, attacks.BISHOP_STEPS)
        subsets = attacks.subsets_of(mask)
        walked = attacks.walk_attacks(square, subsets, attacks.BISHOP_STEPS)
        bits = mask.bit_count()
        magic = find_magic(subsets, walked, bits, random.Random(4))
        index = (subsets * np.uint64(magic)) >> np.uint64(64 - bits)
        table = np.zeros(1 << bits, np.uint64)
        table[index] = walked
        assert np.array_equal(table[index], walked)
