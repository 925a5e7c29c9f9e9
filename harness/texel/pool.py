"""Extraction on several cores: batches in the order of the blocks, whatever is ready first."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Final

from harness.child import die_with_coordinator
from harness.errors import EngineStartError
from harness.texel.extract import Batch, Extraction, Extractor
from harness.texel.sources import Block

#: Blocks that are read ahead for each worker: none waits, and few have to be held.
_AHEAD: Final = 3


def extracted(blocks: Iterable[Block], how: Extraction, workers: int) -> Iterator[Batch]:
    """The batch of each block, in their order, by so many processes (1: by this one).

    Raises what the extraction raises, and EngineStartError when a worker dies.
    """
    extractor = Extractor(how)
    extractor.warm_up()  # so that what has to be compiled is compiled once, and not by each worker
    if workers == 1:
        yield from map(extractor.extract, blocks)
        return
    # Not from the fork server: a process has only one, and a match needs it with its own engine.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, _begin, (how,))
    try:
        waiting: deque[Future[Batch]] = deque()
        todo = iter(blocks)
        for block in islice(todo, _AHEAD * workers):
            waiting.append(pool.submit(_extract, block))
        while waiting:
            batch = waiting.popleft().result()
            for block in islice(todo, 1):
                waiting.append(pool.submit(_extract, block))
            yield batch
    except BrokenProcessPool as error:
        raise EngineStartError(
            "a process that reads the data died; is there enough memory? (--concurrency 1 needs"
            " the least)"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


class _Worker:
    """What a process keeps from block to block."""

    extractor: Extractor


def _begin(how: Extraction) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal signals all; the parent answers
    die_with_coordinator()
    _Worker.extractor = Extractor(how)


def _extract(block: Block) -> Batch:
    return _Worker.extractor.extract(block)
