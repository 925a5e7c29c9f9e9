"""Many calls at a time in threads of this process: compiled kernels do not hold the interpreter."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

#: How long Ctrl-C may have to wait for its answer.
_POLL_SECONDS: Final = 0.1


def in_parallel(
    function: Callable[[Item], Result], items: Sequence[Item], threads: int
) -> Iterator[tuple[int, Result]]:
    """`function` of each item as (index, result), in the order in which they come.

    What a call raises is raised here. Whoever stops asking ends the work: calls that are going on
    run out unseen, the next ones are not begun.
    """
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for index in range(len(items)):
        todo.put(index)
    done: queue.SimpleQueue[tuple[int, Result | BaseException, bool]] = queue.SimpleQueue()
    given_up = threading.Event()

    def work() -> None:
        while not given_up.is_set():
            try:
                index = todo.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((index, function(items[index]), True))
            except BaseException as error:  # noqa: BLE001  # raised where the results are read
                done.put((index, error, False))

    # Daemons, so that an interrupted program does not wait for a count of many minutes.
    for _ in range(min(threads, len(items))):
        threading.Thread(target=work, daemon=True).start()
    try:
        for _ in items:
            index, result, good = _next(done)
            if not good:
                assert isinstance(result, BaseException)
                raise result
            yield index, result  # type: ignore[misc]  # a result, as `good` says
    finally:
        given_up.set()


def _next(done: queue.SimpleQueue[Item]) -> Item:
    while True:
        try:
            return done.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            continue
