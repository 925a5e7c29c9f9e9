"""The transposition table: two-slot buckets, reached by address.

Slot 0 keeps the deepest entry of the current search and hands a beaten one down to slot 1, which is
replaced always (keeping only the newest costs a third more nodes). An entry is two words: the whole
key XOR the data, and the data below. Threads share the table without locks; where one has written
one word and another the other, the XOR gives no key that is asked for (Hyatt and Mann, "A lock-less
transposition table implementation"), so a torn entry is an absent one. The bucket comes from the
top bits of key x 2^64/golden ratio (Knuth's multiplicative hashing), so bucket and stored key are
not the same bits twice.

| bits  | content                                          |
|-------|--------------------------------------------------|
| 0-23  | move, 0 if none is known to be best              |
| 24-40 | score + 65536; mates counted from this node      |
| 41-48 | depth                                            |
| 49-50 | bound: LOWER, UPPER or EXACT                     |
| 51-58 | generation: the game; others' entries are absent |
| 59-63 | age: the search within the game                  |
"""

from __future__ import annotations

import numpy as np

from .bitboard import EMPTY
from .jit import kernel
from .machine import load_word, prefetch, store_word
from .move import MOVE_MASK
from .statistics import HITS, OVERWRITES, PROBES, count

ENTRY_BYTES = 16
BUCKET_BYTES = 32
GOLDEN = np.uint64(0x9E37_79B9_7F4A_7C15)
MAX_GENERATION = 255

LOWER, UPPER, EXACT = np.uint64(1), np.uint64(2), np.uint64(3)

MATE = np.int64(49_000)
MATE_BOUND = np.int64(48_000)  # any score beyond it is a forced mate

_SCORE_OFFSET = np.int64(65_536)
_SCORE_SHIFT, _SCORE_MASK = np.uint64(24), np.uint64((1 << 17) - 1)
_DEPTH_SHIFT, _DEPTH_MASK = np.uint64(41), np.uint64(0xFF)
_BOUND_SHIFT, _BOUND_MASK = np.uint64(49), np.uint64(3)
_GENERATION_SHIFT, _GENERATION_MASK = np.uint64(51), np.uint64(0xFF)
_AGE_SHIFT = np.uint64(59)
_WORD, _ENTRY, _BUCKET_SHIFT = np.uint64(8), np.uint64(ENTRY_BYTES), np.uint64(5)


@kernel
def bucket_address(searcher, key):
    """Address of the bucket of `key`."""
    return searcher.tt_address + (((key * GOLDEN) >> searcher.tt_shift) << _BUCKET_SHIFT)


@kernel
def prefetch_bucket(searcher, key):
    """Ask for a child's bucket before its search starts."""
    prefetch(bucket_address(searcher, key))


@kernel
def entry_move(data):
    return data & MOVE_MASK


@kernel
def entry_score(data, ply):
    """The score, mates counted from the root again."""
    score = np.int64((data >> _SCORE_SHIFT) & _SCORE_MASK) - _SCORE_OFFSET
    if score >= MATE_BOUND:
        return score - ply
    if score <= -MATE_BOUND:
        return score + ply
    return score


@kernel
def entry_depth(data):
    return np.int64((data >> _DEPTH_SHIFT) & _DEPTH_MASK)


@kernel
def entry_bound(data):
    return (data >> _BOUND_SHIFT) & _BOUND_MASK


@kernel
def _is_current(searcher, data):
    return (data >> _GENERATION_SHIFT) & _GENERATION_MASK == searcher.tt_generation


@kernel
def probe_table(searcher, key):
    """The data word stored for `key` in this game, or 0."""
    count(searcher, PROBES)
    address = bucket_address(searcher, key)
    data = load_word(address + _WORD)
    if load_word(address) ^ data == key and _is_current(searcher, data):
        count(searcher, HITS)
        return data
    address += _ENTRY
    data = load_word(address + _WORD)
    if load_word(address) ^ data == key and _is_current(searcher, data):
        count(searcher, HITS)
        return data
    return EMPTY


@kernel
def store_table(searcher, key, move, score, depth, bound, ply):
    """Remember a search's result; mates are stored as seen from this node."""
    if score >= MATE_BOUND:
        score += ply
    elif score <= -MATE_BOUND:
        score -= ply
    data = (
        (move & MOVE_MASK)
        | (np.uint64(score + _SCORE_OFFSET) << _SCORE_SHIFT)
        | (np.uint64(max(np.int64(0), depth)) << _DEPTH_SHIFT)
        | (bound << _BOUND_SHIFT)
        | (searcher.tt_generation << _GENERATION_SHIFT)
        | (searcher.tt_age << _AGE_SHIFT)
    )
    first = bucket_address(searcher, key)
    second = first + _ENTRY
    old = load_word(first + _WORD)
    old_key = load_word(first) ^ old
    keep_first = (
        old_key != key
        and _is_current(searcher, old)
        and old >> _AGE_SHIFT == searcher.tt_age
        and entry_depth(old) > depth
    )
    if old_key != key and _is_current(searcher, load_word(second + _WORD)):
        count(searcher, OVERWRITES)
    if keep_first:
        first = second
    elif old_key != key:
        store_word(second, old_key ^ old)
        store_word(second + _WORD, old)
    store_word(first, key ^ data)
    store_word(first + _WORD, data)


def fill_permille(words: np.ndarray, generation: int) -> int:
    """How many of the first 1,000 entries are of `generation`. `words` is the table; no kernel."""
    data = words[1:2000:2]
    return int(np.count_nonzero((data >> _GENERATION_SHIFT) & _GENERATION_MASK == generation))
