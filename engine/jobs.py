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
    from .shell import Game, Line, Searcher, SearchLimit

_CURRENT_MOVE_EVERY_S = 1.0
_PERFT_PORTION_PLIES = 6
_PERFT_PORTION_LEAVES = 30_000_000  # counted without looking at `stop`: a fraction of a second

Say = Callable[[str], None]


class Root(NamedTuple):
    """The position to search: where its game began, the wire moves since then, the game now."""

    fen: str
    chess960: bool
    moves: tuple[int, ...]
    game: Game


class Job:
    """Work in a thread; `interrupt` makes it end soon.

    With `waits` it gives its answer only after `stop()` or `allow_answer()`. `is_busy` ends just
    before the last line is printed, so whoever has read that line may start the next job.
    """

    def __init__(self, work: Callable[[Job], None], waits: bool, interrupt: Callable[[], None]):
        self.waits = waits
        self.is_busy = True
        self._stopped = threading.Event()
        self._is_due = threading.Event()  # the answer may be given
        self._interrupt = interrupt
        self._thread = threading.Thread(target=work, args=(self,), daemon=True)
        self._thread.start()

    @property
    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self) -> None:
        self._stopped.set()
        self.allow_answer()
        self._interrupt()

    def allow_answer(self) -> None:
        """Let the answer come whenever the work is done."""
        self.waits = False
        self._is_due.set()

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the end; whether it has come."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def answer(self, say: Say, text: str) -> None:
        """The last line, from the job's own thread, when it is due."""
        if self.waits:
            self._is_due.wait()
        self.is_busy = False
        say(text)


class Task(NamedTuple):
    """What to search and how; `among` are the root moves to choose from."""

    root: Root
    limit: SearchLimit
    among: list[int]
    lines: int
    ponder: bool
    waits: bool


def start_search(say: Say, searcher: Searcher, task: Task) -> Job:
    """Search for a searcher that knows of the root's game and start position."""
    import numpy as np

    root = task.root
    moves = np.array([*root.moves, 0], np.uint16)  # the end is never read: no empty array
    lines = searcher.deepen(
        moves,
        len(root.moves),
        task.limit,
        among=task.among,
        lines=task.lines,
        ponder=task.ponder,
    )
    return Job(lambda job: _search(job, say, task, searcher, lines), task.waits, searcher.stop)


def start_ended(say: Say, root: Root, waits: bool) -> Job:
    """The answer where there is no move to choose: mated, stalemated, or none was allowed."""
    from .shell import Status

    mated = root.game.status == Status.CHECKMATE
    say(f"info depth 0 score {'mate' if mated else 'cp'} 0")
    return Job(lambda job: job.answer(say, "bestmove (none)"), waits, lambda: None)


def start_perft(say: Say, game: Game, depth: int) -> Job:
    """Leaves by root move, `depth` >= 1."""
    return Job(lambda job: _perft(job, say, game, depth), False, lambda: None)


def start_bench(say: Say, bench: Bench) -> Job:
    return Job(lambda job: _bench(job, say, bench), False, bench.searcher.stop)


def _search(job: Job, say: Say, task: Task, searcher: Searcher, lines: Iterator[Line]) -> None:
    """The job of a search. Should a bug end it, there is still a move."""
    game = task.root.game
    best = [task.among[0]]
    ended = threading.Event()
    observer = threading.Thread(target=_tell_current_moves, args=(say, game, searcher, ended))
    observer.start()
    try:
        for line in lines:
            if line.rank == 1:
                best = line.moves
            say(format_info(task.root, searcher, line))
    finally:
        ended.set()
        observer.join()
        job.answer(say, format_best(task.root, best))


def _tell_current_moves(say: Say, game: Game, searcher: Searcher, ended: threading.Event) -> None:
    """What a long search is at, now and then."""
    while not ended.wait(_CURRENT_MOVE_EVERY_S):
        depth, move, number = searcher.current_move
        if number:
            say(f"info depth {depth} currmove {game.format_uci(move)} currmovenumber {number}")


def _spell(root: Root, moves: list[int]) -> list[str]:
    """Moves from the root as UCI texts."""
    from .shell import Game

    game = Game(root.game.fen, root.chess960)
    texts = []
    for move in moves:
        texts.append(game.format_uci(move))
        game.push(move)
    return texts


def format_best(root: Root, moves: list[int]) -> str:
    """The answer to a search: the move, and what the opponent is expected to play."""
    texts = _spell(root, moves[:2])
    return " ponder ".join([f"bestmove {texts[0]}", *texts[1:]])


def format_info(root: Root, searcher: Searcher, line: Line) -> str:
    """A line of the search. A bound is one of the iteration after the last that is through."""
    from .shell import EXACT, LOWER, MATE, MATE_BOUND

    result = line.result
    is_exact = result.bound == EXACT
    bound = "" if is_exact else " lowerbound" if result.bound == LOWER else " upperbound"
    return (
        f"info depth {result.depth + (not is_exact)} seldepth {result.seldepth}"
        f" multipv {line.rank} score {format_score(result.score_cp, MATE, MATE_BOUND)}{bound}"
        f" nodes {result.nodes} qnodes {result.qnodes}"
        f" nps {result.nodes * 10**9 // max(1, result.time_ns)}"
        f" hashfull {searcher.hashfull_permille()} time {result.time_ns // 10**6}"
        f" pv {' '.join(_spell(root, line.moves))}"
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
    if _is_portion(game, depth):
        return game.perft(depth)
    return sum(
        _count_leaves(job, child, depth - 1) for _, child in game.children() if not job.is_stopped
    )


def _is_portion(game: Game, depth: int) -> bool:
    """Whether it takes a moment only, judged by this position's moves and the replies to them.

    (In check there are few moves, and many after them.)
    """
    if not 2 < depth <= _PERFT_PORTION_PLIES:
        return depth <= 2
    widths = [len(child.legal_moves()) for _, child in game.children()]
    return max([len(widths), *widths]) ** depth <= _PERFT_PORTION_LEAVES
