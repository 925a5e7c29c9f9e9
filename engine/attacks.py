"""Squares attacked from a square: leapers by table, sliders by one of three back-ends.

`pext` gathers the relevant blockers with one instruction; `magic` hashes them by multiplication;
`rays` cuts each direction's ray at its first blocker by XOR and finds that blocker by tables of 16
bits (slow, and the oracle's: it shares nothing with the other two). Which one `rook_attacks` and
`bishop_attacks` are is chosen by `jit.slider_backend`. Tables are filled at import by walking every
ray over every blocker set, vectorised over the sets.
"""

from __future__ import annotations

import ctypes
import hashlib

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from .bitboard import NOT_FILE_A, NOT_FILE_H, U7, U9, pext
from .jit import kernel, slider_backend
from .magics import BISHOP_MAGICS, ROOK_MAGICS

ROOK_STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
BISHOP_STEPS = ((1, 1), (-1, 1), (-1, -1), (1, -1))
KNIGHT_STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))


def squares_along(square: int, step: tuple[int, int]) -> list[int]:
    """Squares from `square` (excluded) to the board's edge, by (file, rank) steps."""
    found = []
    file, rank = square % 8 + step[0], square // 8 + step[1]
    while 0 <= file < 8 and 0 <= rank < 8:
        found.append(rank * 8 + file)
        file, rank = file + step[0], rank + step[1]
    return found


def _set_of(squares: list[int]) -> int:
    return sum(1 << square for square in squares)


def _leaper(steps: tuple[tuple[int, int], ...]) -> np.ndarray:
    sets = [_set_of([s for step in steps for s in squares_along(sq, step)[:1]]) for sq in range(64)]
    return np.array(sets, np.uint64)


def relevant_mask(square: int, steps: tuple[tuple[int, int], ...]) -> int:
    """Squares whose occupation can shorten a slider's rays: the last of each ray cannot."""
    return _set_of([s for step in steps for s in squares_along(square, step)[:-1]])


def subsets_of(mask: int) -> np.ndarray:
    """uint64[2**bits]: all subsets of `mask`; the one at index i is the one whose PEXT is i."""
    subsets = np.zeros(1, np.uint64)
    for square in range(64):
        if mask >> square & 1:
            subsets = np.concatenate([subsets, subsets | np.uint64(1 << square)])
    return subsets


def walk_attacks(
    square: int, occupied: np.ndarray, steps: tuple[tuple[int, int], ...]
) -> np.ndarray:
    """uint64[n]: a slider's attacks for each of n occupancies, ray by ray until a blocker."""
    attacks = np.zeros_like(occupied)
    for step in steps:
        open_ray = np.full_like(occupied, np.uint64(0xFFFF_FFFF_FFFF_FFFF))
        for target in squares_along(square, step):
            bit = np.uint64(1 << target)
            attacks |= open_ray & bit
            open_ray[(occupied & bit) != 0] = 0
    return attacks


class _SliderTables:
    """Masks, index bits, offsets and both packed tables (PEXT order and magic order)."""

    def __init__(self, steps: tuple[tuple[int, int], ...], magics: tuple[int, ...]) -> None:
        masks = [relevant_mask(square, steps) for square in range(64)]
        sizes = [1 << mask.bit_count() for mask in masks]
        self.masks = np.array(masks, np.uint64)
        self.shifts = np.array([64 - mask.bit_count() for mask in masks], np.uint64)
        self.offsets = np.cumsum([0, *sizes[:-1]]).astype(np.uint64)
        self.magics = np.array(magics, np.uint64)
        self.table = np.zeros(sum(sizes), np.uint64)
        for square in range(64):
            subsets = subsets_of(masks[square])
            attacks = walk_attacks(square, subsets, steps)
            if slider_backend() == "magic":
                index = (subsets * self.magics[square]) >> self.shifts[square]
            else:
                index = np.arange(sizes[square], dtype=np.uint64)
            self.table[self.offsets[square] + index] = attacks


KNIGHT_ATTACKS = _leaper(KNIGHT_STEPS)
KING_ATTACKS = _leaper(ROOK_STEPS + BISHOP_STEPS)

_rook = _SliderTables(ROOK_STEPS, ROOK_MAGICS)
_bishop = _SliderTables(BISHOP_STEPS, BISHOP_MAGICS)
# One name each, since kernels freeze global arrays and not attributes of objects.
ROOK_MASKS, ROOK_OFFSETS = _rook.masks, _rook.offsets
BISHOP_MASKS, BISHOP_OFFSETS = _bishop.masks, _bishop.offsets + np.uint64(len(_rook.table))
ROOK_MAGIC, ROOK_SHIFTS = _rook.magics, _rook.shifts
BISHOP_MAGIC, BISHOP_SHIFTS = _bishop.magics, _bishop.shifts


def _ray_table() -> np.ndarray:
    """uint64[8, 64]: rays by direction; the first four directions go up the square numbers."""
    upward = ((0, 1), (1, 0), (1, 1), (-1, 1))
    downward = tuple((-file, -rank) for file, rank in upward)
    return np.array(
        [[_set_of(squares_along(sq, step)) for sq in range(64)] for step in upward + downward],
        np.uint64,
    )


RAYS = _ray_table()


def _bit_tables() -> tuple[np.ndarray, np.ndarray]:
    """uint8[65536] twice: the lowest and the highest bit of each 16-bit value (0 has neither)."""
    values = np.arange(1 << 16)
    first, last = np.zeros(1 << 16, np.uint8), np.zeros(1 << 16, np.uint8)
    for bit in range(16):
        last[values >> bit & 1 == 1] = bit
        first[values >> (15 - bit) & 1 == 1] = 15 - bit
    return first, last


FIRST_BIT, LAST_BIT = _bit_tables()
_U16, _U48 = np.uint64(16), np.uint64(48)
_LOW_16 = np.uint64(0xFFFF)


def _pawn_tables() -> tuple[np.ndarray, np.ndarray]:
    """uint64[2, 64] twice: where a pawn of each side goes and where it captures, by its square.

    White's view; side 0 moves up the board.
    """
    pushes = [[_set_of(squares_along(sq, (0, up))[:1]) for sq in range(64)] for up in (1, -1)]
    captures = [
        [
            _set_of([s for side in (-1, 1) for s in squares_along(sq, (side, up))[:1]])
            for sq in range(64)
        ]
        for up in (1, -1)
    ]
    return np.array(pushes, np.uint64), np.array(captures, np.uint64)


PAWN_PUSHES, PAWN_CAPTURES = _pawn_tables()


def _line_tables() -> tuple[np.ndarray, np.ndarray]:
    """uint64[64, 64] twice: squares strictly between two, and the whole line through two."""
    between = np.zeros((64, 64), np.uint64)
    line = np.zeros((64, 64), np.uint64)
    for square in range(64):
        for step in ROOK_STEPS + BISHOP_STEPS:
            ahead = squares_along(square, step)
            behind = squares_along(square, (-step[0], -step[1]))
            for count, target in enumerate(ahead):
                between[square, target] = _set_of(ahead[:count])
                line[square, target] = _set_of([square, *ahead, *behind])
    return between, line


BETWEEN, LINE = _line_tables()


SLIDER_TABLE = np.concatenate([_rook.table, _bishop.table])

# Numba copies a global array into every kernel that reaches it, 860 kB twice into nearly all of the
# engine's; so kernels find this one by a symbol of the process. Its name holds its content, since
# two snapshots of the engine in one process may differ in it.
_SLIDER_SYMBOL = f"numbishop_sliders_{hashlib.sha256(SLIDER_TABLE).hexdigest()[:16]}"
if llvm.address_of_symbol(_SLIDER_SYMBOL) is None:
    llvm.add_symbol(_SLIDER_SYMBOL, SLIDER_TABLE.ctypes.data)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(SLIDER_TABLE))  # compiled code holds no reference


def slider_entry(index):
    """`SLIDER_TABLE[index]`, a set of attacked squares."""
    return SLIDER_TABLE[index]


@intrinsic
def _slider_entry(typingctx, index):
    def codegen(context, builder, signature, args):
        word = ir.IntType(64)
        table = builder.module.globals.get(_SLIDER_SYMBOL)
        if table is None:
            kind = ir.ArrayType(word, len(SLIDER_TABLE))
            table = ir.GlobalVariable(builder.module, kind, _SLIDER_SYMBOL)
            table.global_constant = True
        first = ir.Constant(word, 0)
        return builder.load(builder.gep(table, [first, args[0]], inbounds=True))

    return types.uint64(types.uint64), codegen


@overload(slider_entry)
def _slider_entry_overload(index):
    return lambda index: _slider_entry(index)


@kernel
def rook_attacks_pext(square, occupied):
    return slider_entry(ROOK_OFFSETS[square] + pext(occupied, ROOK_MASKS[square]))


@kernel
def bishop_attacks_pext(square, occupied):
    return slider_entry(BISHOP_OFFSETS[square] + pext(occupied, BISHOP_MASKS[square]))


@kernel
def rook_attacks_magic(square, occupied):
    index = ((occupied & ROOK_MASKS[square]) * ROOK_MAGIC[square]) >> ROOK_SHIFTS[square]
    return slider_entry(ROOK_OFFSETS[square] + index)


@kernel
def bishop_attacks_magic(square, occupied):
    index = ((occupied & BISHOP_MASKS[square]) * BISHOP_MAGIC[square]) >> BISHOP_SHIFTS[square]
    return slider_entry(BISHOP_OFFSETS[square] + index)


@kernel
def first_bit(bb):
    """Lowest square of `bb`, 16 bits at a time. Precondition: `bb` is not empty."""
    base = np.uint64(0)
    while not bb & _LOW_16:
        bb >>= _U16
        base += _U16
    return base + np.uint64(FIRST_BIT[bb & _LOW_16])


@kernel
def last_bit(bb):
    """Highest square of `bb`, 16 bits at a time. Precondition: `bb` is not empty."""
    base = _U48
    while not bb >> base:
        base -= _U16
    return base + np.uint64(LAST_BIT[bb >> base])


@kernel
def _ray_up(direction, square, occupied):
    ray = RAYS[direction, square]
    blockers = ray & occupied
    return ray ^ RAYS[direction, first_bit(blockers)] if blockers else ray


@kernel
def _ray_down(direction, square, occupied):
    ray = RAYS[direction, square]
    blockers = ray & occupied
    return ray ^ RAYS[direction, last_bit(blockers)] if blockers else ray


@kernel
def rook_attacks_rays(square, occupied):
    return (
        _ray_up(np.uint64(0), square, occupied)
        | _ray_up(np.uint64(1), square, occupied)
        | _ray_down(np.uint64(4), square, occupied)
        | _ray_down(np.uint64(5), square, occupied)
    )


@kernel
def bishop_attacks_rays(square, occupied):
    return (
        _ray_up(np.uint64(2), square, occupied)
        | _ray_up(np.uint64(3), square, occupied)
        | _ray_down(np.uint64(6), square, occupied)
        | _ray_down(np.uint64(7), square, occupied)
    )


BACKENDS = {
    "pext": (rook_attacks_pext, bishop_attacks_pext),
    "magic": (rook_attacks_magic, bishop_attacks_magic),
    "rays": (rook_attacks_rays, bishop_attacks_rays),
}
rook_attacks, bishop_attacks = BACKENDS[slider_backend()]


@kernel
def pawn_attacks(pawns):
    """Squares attacked by pawns that move up the board."""
    return ((pawns & NOT_FILE_H) << U9) | ((pawns & NOT_FILE_A) << U7)


@kernel
def pawn_attacks_down(pawns):
    """Squares attacked by pawns that move down the board."""
    return ((pawns & NOT_FILE_A) >> U9) | ((pawns & NOT_FILE_H) >> U7)
