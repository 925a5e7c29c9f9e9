"""A node of the search tree, and how the next one is entered.

Bundled because these travel together through every step of the search; Numba passes the fields of a
NamedTuple in registers and on the stack, so the bundle itself costs nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .accumulator import Accumulator, compute_accumulator, pass_accumulator, update_accumulator
from .history import NO_KIND, kind_of
from .jit import inlined, kernel
from .machine import clock_ns, load_word
from .make import make_move, make_null
from .position import Position, checkers_of
from .transposition import prefetch_bucket

POLL_MASK = np.int64(2047)  # look at clock and stop flag every 2,048 nodes


class Node(NamedTuple):
    """A position of the tree. `searcher.moves` is free from `start` on."""

    position: Position
    accumulator: Accumulator
    checkers: np.uint64  # their pieces that give check
    ply: int  # moves made since the root
    start: int


@kernel
def root_node(position, parameters):
    """The root of a tree."""
    accumulator = compute_accumulator(position, parameters)
    return Node(position, accumulator, checkers_of(position), np.int64(0), np.int64(0))


@kernel
def count_node(searcher):
    """One more move made; raises `stopped` at the node limit, the deadline or the stop flag."""
    searcher.nodes += 1
    if searcher.nodes >= searcher.node_limit:
        searcher.stopped = 1
    elif searcher.nodes & POLL_MASK == 0 and (
        clock_ns() >= searcher.deadline_ns or load_word(searcher.stop_address)
    ):
        searcher.stopped = 1


@inlined
def enter_child(searcher, parameters, node, move, start):
    """The node after `move`; its moves will lie in `searcher.moves` from `start` on."""
    after = make_move(node.position, move)
    prefetch_bucket(searcher, after.key)
    count_node(searcher)
    ply = node.ply
    searcher.moved[ply] = kind_of(move)
    if parameters.pv_hint:
        on_line = searcher.on_last_line[ply] and move == searcher.last_line[ply]
        searcher.on_last_line[ply + 1] = 1 if on_line else 0
    accumulator = update_accumulator(node.accumulator, move, parameters)
    return Node(after, accumulator, checkers_of(after), ply + 1, start)


@kernel
def enter_null(searcher, node):
    """The node after passing, which is only allowed out of check."""
    after = make_null(node.position)
    prefetch_bucket(searcher, after.key)
    count_node(searcher)
    searcher.moved[node.ply] = NO_KIND
    searcher.on_last_line[node.ply + 1] = 0
    return Node(after, pass_accumulator(node.accumulator), node.checkers, node.ply + 1, node.start)
