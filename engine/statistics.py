"""Counts of what a search does (seed 002): nothing is counted unless `searcher.counting` is set.

A switch at run time and not at compile time, because each way of compiling has a cache of its own;
the test of the switch costs less than can be measured.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel

#: What is counted beside `nodes` and `qnodes`, in the order of `searcher.counts`.
COUNTERS = (
    "leaves",  # nodes handed over to quiescence
    "terminals",  # mates and stalemates
    "repetitions",
    "probes",  # of the transposition table
    "hits",  # probes that found the position
    "returns",  # hits that ended their node
    "overwrites",  # entries of this game that made room for another position
    "cutoffs",  # nodes of the main search with a score of beta or more
    "first_move_cutoffs",  # those by the first move searched
    "generations",  # lists of moves made
)
(
    LEAVES,
    TERMINALS,
    REPETITIONS,
    PROBES,
    HITS,
    RETURNS,
    OVERWRITES,
    CUTOFFS,
    FIRST_MOVE_CUTOFFS,
    GENERATIONS,
) = (np.int64(index) for index in range(len(COUNTERS)))


@kernel
def count(searcher, counter):
    """One more, if somebody wants to know."""
    if searcher.counting:
        searcher.counts[counter] += 1
