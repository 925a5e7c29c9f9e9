"""A thread's part in the test of a shared table: stores and probes, one after the other."""

from __future__ import annotations

import numpy as np

from engine.jit import kernel
from engine.transposition import EXACT, entry_depth, entry_move, probe_table, store_table

_MULTIPLIER, _INCREMENT = np.uint64(6364136223846793005), np.uint64(1442695040888963407)
_TOP, _MOVE, _DEPTH = np.uint64(33), np.uint64((1 << 24) - 1), np.uint64(127)
_PLY = np.int64(0)


@kernel
def hammer(searcher, keys, seed, rounds):
    """(entries found, entries that are not what was stored for their key); keys : uint64[2^n]."""
    state = seed
    mask = np.uint64(len(keys) - 1)
    found, wrong = np.int64(0), np.int64(0)
    for _ in range(rounds):
        state = state * _MULTIPLIER + _INCREMENT
        key = keys[(state >> _TOP) & mask]
        move, depth = key & _MOVE, np.int64(key & _DEPTH)
        data = probe_table(searcher, key)
        if data:
            found += 1
            if entry_move(data) != move or entry_depth(data) != depth:
                wrong += 1
        store_table(searcher, key, move, np.int64(0), depth, EXACT, _PLY)
    return found, wrong
