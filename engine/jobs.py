"""What goes on beside the reading of commands, in a thread of its own: search, perft, bench.

A search prints a line for each iteration and then exactly one `bestmove`. Loaded with `uci.py`, so
it imports no numba either; whoever starts a job has loaded the kernels.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from .protocol import format_score

if TYPE_CHECKING:
    from .bench import Bench
    from .shell import Game, Searcher, SearchLimit, SearchResult

_PERFT_PORTION_PLIES = 5  # counted without looking at `stop`: a second at most

Say = Callable[[str], None]


class Root(NamedTuple):
    """The position to search: where its game began, the wire moves since then, the game now."""

    fen: str
    chess960: bool
    moves: tuple[int, ...]
    game: Game


class Job:
    """Work in a thread; `interrupt` makes it end soon.

    With `waits` it gives its answer only after `stop()`. `is_busy` ends just before the last line
    is printed, so whoever has read that line may start the next job.
    """

    def __init__(self, work: Callable[[Job], None], waits: bool, interrupt: Callable[[], None]):
        self.waits = waits
        self.is_busy = True
        self._stopped = threading.Event()
        self._interrupt = interrupt
        self._thread = threading.Thread(target=work, args=(self,), daemon=True)
        self._thread.start()

    @property
    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self) -> None:
        self._stopped.set()
        self._interrupt()

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the end; whether it has come."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def answer(self, say: Say, text: str) -> None:
        """The last line, from the job's own thread, when it is due."""
        if self.waits:
            self._stopped.wait()
        self.is_busy = False
        say(text)


def start_search(say: Say, root: Root, searcher: Searcher, limit: SearchLimit, waits: bool) -> Job:
    """Search `root`, of whose game and start position the searcher knows."""
    import numpy as np

    moves = np.array([*root.moves, 0], np.uint16)  # the end is never read: no empty array
    results = searcher.deepen(moves, len(root.moves), limit)
    return Job(lambda job: _search(job, say, root, searcher, results), waits, searcher.stop)


def start_ended(say: Say, root: Root, waits: bool) -> Job:
    """The answer where there is no move: mated or stalemated."""
    from .shell import Status

    mated = root.game.status == Status.CHECKMATE
    say(f"info depth 0 score {'mate' if mated else 'cp'} 0")
    return Job(lambda job: job.answer(say, "bestmove (none)"), waits, lambda: None)


def start_perft(say: Say, game: Game, depth: int) -> Job:
    """Leaves by root move, `depth` >= 1."""
    return Job(lambda job: _perft(job, say, game, depth), False, lambda: None)


def start_bench(say: Say, bench: Bench) -> Job:
    return Job(lambda job: _bench(job, say, bench), False, bench.searcher.stop)


def _search(
    job: Job, say: Say, root: Root, searcher: Searcher, results: Iterator[SearchResult]
) -> None:
    move = root.game.legal_moves()[0]  # the answer if a bug ends the search
    last = None
    try:
        for result in results:
            move = result.move
            say(format_info(root, searcher, result, last))
            last = result
    finally:
        job.answer(say, f"bestmove {root.game.format_uci(move)}")


def format_info(
    root: Root, searcher: Searcher, result: SearchResult, last: SearchResult | None
) -> str:
    """The line after an iteration.

    One that was cut off leaves `depth` as it was. If it had found another move or score by then,
    that is a lower bound of the next depth's value.
    """
    from .shell import MATE, MATE_BOUND, Game

    cut_off = last is not None and result.depth == last.depth
    improved = cut_off and result[:2] != last[:2]
    line = Game(root.game.fen, root.chess960)
    texts = []
    for move in searcher.principal_variation():
        texts.append(line.format_uci(move))
        line.push(move)
    return (
        f"info depth {result.depth + improved} seldepth {result.seldepth}"
        f" score {format_score(result.score_cp, MATE, MATE_BOUND)}"
        f"{' lowerbound' if improved else ''}"
        f" nodes {result.nodes} nps {result.nodes * 10**9 // max(1, result.time_ns)}"
        f" hashfull {searcher.hashfull_permille()} time {result.time_ns // 10**6}"
        f" pv {' '.join(texts)}"
    )


def _bench(job: Job, say: Say, bench: Bench) -> None:
    for line in bench.run():
        if job.is_stopped:
            job.answer(say, "info string bench stopped")
            return
        say(line)
    job.answer(say, bench.summary)


def _perft(job: Job, say: Say, game: Game, depth: int) -> None:
    total = 0
    for move, child in game.children():
        count = _count_leaves(job, child, depth - 1)
        if job.is_stopped:
            job.answer(say, "info string perft stopped")
            return
        say(f"{game.format_uci(move)}: {count}")
        total += count
    job.answer(say, f"\nNodes searched: {total}")


def _count_leaves(job: Job, game: Game, depth: int) -> int:
    """Perft in portions; too few once the job is stopped."""
    if depth <= _PERFT_PORTION_PLIES:
        return game.perft(depth)
    return sum(
        _count_leaves(job, child, depth - 1) for _, child in game.children() if not job.is_stopped
    )
