"""Counts of positions already met, kept exactly: the table of a hashed perft.

An entry is a cache line and holds all that a count depends on, so that it is found for its own
position and no other, whatever the keys do: no two positions share a count by chance. A table is
for one thread, so that no entry is half another's. The side to move is left out, since all is seen
from it: a position and its colour-flipped twin have the same count.

| word | content                                                               |
|------|-----------------------------------------------------------------------|
| 0-5  | pawns, knights, diagonals, orthogonals, kings, ours (see position.py) |
| 6    | castling rooks (ranks 1 and 8) and the en passant square (rank 6)     |
| 7    | depth (bits 0-7) and leaves (bits 8-63); 0: the entry is empty        |

Two neighbouring entries make a bucket. The first keeps the greater depth, the second the newest.
"""

from __future__ import annotations

import numpy as np

from .jit import inlined
from .machine import load_word, store_word
from .state import U64
from .transposition import GOLDEN

ENTRY_BYTES = 64
BUCKET_BYTES = 2 * ENTRY_BYTES

UNKNOWN = np.int64(-1)
TOO_MANY = np.int64(-2)  # more leaves than an entry holds
MOST_LEAVES = np.int64((1 << 56) - 1)

#: Where a table lies, and how far a hash is shifted to become a bucket's number.
PERFT_TABLE_DTYPE = np.dtype([("address", U64), ("shift", U64)], align=True)

_WORD, _ENTRY, _BUCKET_SHIFT = np.uint64(8), np.uint64(ENTRY_BYTES), np.uint64(7)
_LAST_WORD = _ENTRY - _WORD
_LEAVES_SHIFT, _DEPTH_MASK = np.uint64(8), np.uint64(0xFF)
_DEPTH_NUMBER = np.uint64(0xD6E8_FEB8_6659_FD93)  # an odd number: depths of a position part


@inlined
def bucket_of(table, position, depth):
    """Address of the bucket of a position at a depth."""
    mixed = (position.key ^ np.uint64(depth) * _DEPTH_NUMBER) * GOLDEN
    return table.address + ((mixed >> table.shift) << _BUCKET_SHIFT)


@inlined
def _is_entry_of(address, position):
    special = position.castling | position.en_passant
    return (
        load_word(address) == position.pawns
        and load_word(address + np.uint64(8)) == position.knights
        and load_word(address + np.uint64(16)) == position.diagonals
        and load_word(address + np.uint64(24)) == position.orthogonals
        and load_word(address + np.uint64(32)) == position.kings
        and load_word(address + np.uint64(40)) == position.ours
        and load_word(address + np.uint64(48)) == special
    )


@inlined
def probe_count(bucket, position, depth):
    """The leaves of a position at a depth, or UNKNOWN."""
    address = bucket
    for _ in range(2):
        data = load_word(address + _LAST_WORD)
        if data & _DEPTH_MASK == np.uint64(depth) and _is_entry_of(address, position):
            return np.int64(data >> _LEAVES_SHIFT)
        address += _ENTRY
    return UNKNOWN


@inlined
def store_count(bucket, position, depth, leaves):
    """Remember the leaves of a position at a depth, 0 to MOST_LEAVES."""
    address = bucket
    if load_word(address + _LAST_WORD) & _DEPTH_MASK > np.uint64(depth):
        address += _ENTRY
    store_word(address, position.pawns)
    store_word(address + np.uint64(8), position.knights)
    store_word(address + np.uint64(16), position.diagonals)
    store_word(address + np.uint64(24), position.orthogonals)
    store_word(address + np.uint64(32), position.kings)
    store_word(address + np.uint64(40), position.ours)
    store_word(address + np.uint64(48), position.castling | position.en_passant)
    store_word(address + _LAST_WORD, np.uint64(leaves) << _LEAVES_SHIFT | np.uint64(depth))
