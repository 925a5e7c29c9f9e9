"""Glimpses of running games, from whoever plays them to a live view.

They are few, may be lost, and decide nothing: a worker sends one only between two moves, at most
one every half a second, and only when it need not wait for that. Games that are over sooner are
never seen.
"""

from __future__ import annotations

import select
from collections.abc import Callable
from multiprocessing.connection import Connection
from time import perf_counter_ns
from typing import TYPE_CHECKING, Final

from harness.chunks import Glimpse

if TYPE_CHECKING:
    from harness.clock import GameClock
    from harness.record import MoveLog
    from harness.schedule import GameTask

PERIOD_NS: Final = 500_000_000


class Watcher:
    """Looks at one game after each of its moves, and sends a glimpse when one is due."""

    def __init__(
        self, task: GameTask, white: str, black: str, send: Callable[[Glimpse], None]
    ) -> None:
        self._task = task
        self._names = (white, black)
        self._send = send
        self._due_ns = perf_counter_ns() + PERIOD_NS

    def __call__(self, side: int, log: MoveLog, clock: GameClock | None) -> None:
        """`side` (0 white, 1 black) has made the last move of `log`."""
        now_ns = perf_counter_ns()
        if now_ns < self._due_ns:
            return
        self._due_ns = now_ns + PERIOD_NS
        score_cp, depth = log.latest
        self._send(
            Glimpse(
                self._task.pair,
                self._task.game,
                *self._names,
                plies=log.count,
                score_cp=-score_cp if side else score_cp,
                depth=depth,
                left_ms=clock.left_ms if clock is not None else (None, None),
            )
        )


def send_if_room(connection: Connection, glimpse: Glimpse) -> None:
    """Send it, unless the other end has so much to read that sending might have to wait."""
    if select.select([], [connection], [], 0)[1]:
        connection.send(glimpse)
