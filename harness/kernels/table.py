"""A look into the transposition table, which holds every second position that is asked for.

The table is small, so that the kernel is timed and not the memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.bitboard import EMPTY
from engine.jit import kernel
from engine.shell import EXACT, Searcher
from engine.transposition import probe_table, store_table
from harness.kernels import Work
from harness.kernels.workload import Workload

_DEPTH = np.int64(5)
_NO_SCORE = _ROOT = np.int64(0)
_BOUND = np.uint64(EXACT)
_NO_BIT = np.uint64(63)  # of an entry's age, which is small here: always 0, as no compiler knows


@kernel
def _fill(searcher: Any, places: NDArray[Any]) -> Any:
    for index in range(0, len(places), 2):
        key = places[index].key
        store_table(searcher, key, np.uint64(1), _NO_SCORE, _DEPTH, _BOUND, _ROOT)


@kernel
def _probe(searcher: Any, places: NDArray[Any], rounds: int) -> Any:
    """Each look waits for the one before, as the search waits for its result."""
    data = digest = EMPTY
    for _ in range(rounds):
        for index in range(len(places)):
            data = probe_table(searcher, places[index].key ^ (data >> _NO_BIT))
            digest ^= data
    return digest


def prepare(workload: Workload) -> Work:
    """A call for each position."""
    searcher = Searcher(hash_mb=1)
    _fill(searcher.record, workload.places)

    def run(rounds: int) -> Any:
        return _probe(searcher.record, workload.places, rounds)  # which keeps the table alive

    return Work(run, len(workload.places))
