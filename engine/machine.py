"""Memory by address, prefetch and the clock, as single instructions or calls inside kernels.

The transposition table and the stop flag are reached by address: an array argument costs reference
counts at every call, and a plain load of a flag is hoisted out of a loop that stores nothing. Loads
and stores are relaxed atomics: the same `mov`, with defined behaviour between threads.
Each has a Python twin (see bitboard.py).
"""

from __future__ import annotations

import ctypes
import sys
import time

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload


def load_word(address):
    """The uint64 at `address` (8-byte aligned)."""
    return np.uint64(ctypes.c_uint64.from_address(int(address)).value)


def store_word(address, value):
    """Put a uint64 at `address` (8-byte aligned)."""
    ctypes.c_uint64.from_address(int(address)).value = int(value)


def prefetch(address):
    """Ask for the cache line of `address`; no effect on values."""


def clock_ns():
    """`time.perf_counter_ns()` as int64, in the same epoch, 30-45 ns a call inside kernels."""
    return time.perf_counter_ns()


def _word_pointer(builder, address):
    return builder.inttoptr(address, ir.IntType(64).as_pointer())


@intrinsic
def _load_word(typingctx, address):
    def codegen(context, builder, signature, args):
        pointer = _word_pointer(builder, args[0])
        return builder.load_atomic(pointer, "monotonic", 8, typ=ir.IntType(64))

    return types.uint64(types.uint64), codegen


@intrinsic
def _store_word(typingctx, address, value):
    def codegen(context, builder, signature, args):
        builder.store_atomic(args[1], _word_pointer(builder, args[0]), "monotonic", 8)
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64), codegen


@intrinsic
def _prefetch(typingctx, address):
    def codegen(context, builder, signature, args):
        number = ir.IntType(32)
        pointer = builder.inttoptr(args[0], ir.IntType(8).as_pointer())
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number]),
            "llvm.prefetch.p0",
        )
        read, keep, data = (ir.Constant(number, value) for value in (0, 3, 1))
        builder.call(function, [pointer, read, keep, data])
        return context.get_dummy_value()

    return types.void(types.uint64), codegen


@intrinsic
def _clock_ns(typingctx):
    def codegen(context, builder, signature, args):
        word = ir.IntType(64)
        if sys.version_info < (3, 13):
            function = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(word, []), "_PyTime_GetPerfCounter"
            )
            return builder.call(function, [])
        slot = cgutils.alloca_once(builder, word)
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.IntType(32), [slot.type]),
            "PyTime_PerfCounterRaw",
        )
        builder.call(function, [slot])
        return builder.load(slot)

    return types.int64(), codegen


@overload(load_word)
def _load_word_overload(address):
    return lambda address: _load_word(address)


@overload(store_word)
def _store_word_overload(address, value):
    return lambda address, value: _store_word(address, value)


@overload(prefetch)
def _prefetch_overload(address):
    return lambda address: _prefetch(address)


@overload(clock_ns)
def _clock_ns_overload():
    return lambda: _clock_ns()
