"""Bitboards: uint64 sets of squares, a1 = bit 0, h1 = bit 7, h8 = bit 63.

Numba turns `uint64 op int literal` into int64 (a later `>>` is then arithmetic) and a uint64 that
meets an int in a branch into float64. So kernels mix uint64 only with the named constants here, and
squares, pieces and moves are uint64 too; depths, plies and scores are int64.

Each machine instruction has a Python twin: the public function is the twin, its overload is the
instruction, so that all kernels also run with NUMBA_DISABLE_JIT=1.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

EMPTY = np.uint64(0)
ONE = np.uint64(1)
FULL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)

RANK_1 = np.uint64(0xFF)
RANK_3 = np.uint64(0xFF << 16)
RANK_7 = np.uint64(0xFF << 48)
RANK_8 = np.uint64(0xFF << 56)
FILE_A = np.uint64(0x0101_0101_0101_0101)
FILE_H = np.uint64(0x8080_8080_8080_8080)
NOT_FILE_A = ~FILE_A
NOT_FILE_H = ~FILE_H

U6 = np.uint64(6)
U7 = np.uint64(7)
U8 = np.uint64(8)
U9 = np.uint64(9)
FLIP = np.uint64(56)  # square ^ FLIP is the square seen from the other side


def popcount(bb):
    """Number of squares in `bb`, as int64."""
    return int(bb).bit_count()


def lsb(bb):
    """Lowest square of `bb`, as uint64. Precondition: `bb` is not empty (undefined otherwise)."""
    value = int(bb)
    return np.uint64((value & -value).bit_length() - 1)


def msb(bb):
    """Highest square of `bb`, as uint64. Precondition: `bb` is not empty (undefined otherwise)."""
    return np.uint64(int(bb).bit_length() - 1)


def flip(bb):
    """`bb` seen from the other side of the board: a byte swap, rank 1 becomes rank 8."""
    return np.uint64(int.from_bytes(int(bb).to_bytes(8, "little"), "big"))


def pext(bb, mask):
    """The bits of `bb` under `mask`, gathered at the low end (BMI2; see jit.has_fast_pext)."""
    value, rest, result, place = int(bb), int(mask), 0, 0
    while rest:
        low = rest & -rest
        if value & low:
            result |= 1 << place
        place += 1
        rest ^= low
    return np.uint64(result)


@intrinsic
def _popcount(typingctx, bb):
    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@intrinsic
def _lsb(typingctx, bb):
    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), codegen


@intrinsic
def _msb(typingctx, bb):
    def codegen(context, builder, signature, args):
        leading = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))
        return builder.xor(leading, ir.Constant(ir.IntType(64), 63))

    return types.uint64(types.uint64), codegen


@intrinsic
def _flip(typingctx, bb):
    def codegen(context, builder, signature, args):
        return builder.bswap(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def _pext(typingctx, bb, mask):
    def codegen(context, builder, signature, args):
        word = ir.IntType(64)
        instruction = builder.module.declare_intrinsic(
            "llvm.x86.bmi.pext.64", fnty=ir.FunctionType(word, [word, word])
        )
        return builder.call(instruction, args)

    return types.uint64(types.uint64, types.uint64), codegen


@overload(popcount)
def _popcount_overload(bb):
    return lambda bb: _popcount(bb)


@overload(lsb)
def _lsb_overload(bb):
    return lambda bb: _lsb(bb)


@overload(msb)
def _msb_overload(bb):
    return lambda bb: _msb(bb)


@overload(flip)
def _flip_overload(bb):
    return lambda bb: _flip(bb)


@overload(pext)
def _pext_overload(bb, mask):
    return lambda bb, mask: _pext(bb, mask)
