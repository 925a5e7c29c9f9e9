"""Zobrist keys (Zobrist, 1970), seen from the side to move.

A piece of the other side is hashed as the byte-swapped number of the same piece of ours on the
mirrored square. Byte swap and XOR commute, so the key seen from the other side is `flip(key)`: one
word, updated incrementally, serves both views, and a position and its colour-flipped twin have one
key. The side to move is therefore *not* in the key; positions are compared at even distance only.
"""

from __future__ import annotations

import numpy as np

from .bitboard import EMPTY, ONE, lsb
from .jit import kernel
from .position import piece_sets


def splitmix64(seed: int, count: int) -> np.ndarray:
    """uint64[count] by SplitMix64 (Steele, Lea, Flood, OOPSLA 2014)."""
    mask = (1 << 64) - 1
    values = []
    for _ in range(count):
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        values.append(z ^ (z >> 31))
    return np.array(values, np.uint64)


_NUMBERS = splitmix64(2026, 6 * 64 + 64 + 64)
PIECE_KEYS = _NUMBERS[:384].reshape(6, 64).copy()
CASTLING_KEYS = _NUMBERS[384:448].copy()  # by square of the rook that may castle
EN_PASSANT_KEYS = _NUMBERS[448:].copy()  # by square that may be captured on

_MIRROR = np.arange(64) ^ 56
THEIR_PIECE_KEYS = PIECE_KEYS[:, _MIRROR].byteswap()
CASTLING_KEYS[32:] = CASTLING_KEYS[_MIRROR[32:]].byteswap()


@kernel
def castling_key(rooks):
    """XOR of the keys of a set of castling rooks of both sides."""
    key = EMPTY
    while rooks:
        key ^= CASTLING_KEYS[lsb(rooks)]
        rooks &= rooks - ONE
    return key


@kernel
def _placement_key(pieces, ours, theirs, piece):
    key = EMPTY
    mine = pieces & ours
    while mine:
        key ^= PIECE_KEYS[piece, lsb(mine)]
        mine &= mine - ONE
    other = pieces & theirs
    while other:
        key ^= THEIR_PIECE_KEYS[piece, lsb(other)]
        other &= other - ONE
    return key


@kernel
def compute_key(position):
    """The key from nothing: what the incremental key must equal at every node."""
    kinds = piece_sets(position)
    key = castling_key(position.castling)
    for piece in range(6):
        key ^= _placement_key(kinds[piece], position.ours, position.theirs, np.uint64(piece))
    if position.en_passant:
        key ^= EN_PASSANT_KEYS[lsb(position.en_passant)]
    return key
