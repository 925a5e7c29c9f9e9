"""Labelled games for the tuner: an engine plays itself, one game from each opening, into a run.

The run is that of a match of the engine against itself, played by the same means: a pure function
of its specification, resumable, on any number of workers. Of each pair only the first game is
played, since at fixed nodes the second would be the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from harness.errors import EngineStartError, Interrupted, UsageError
from harness.interrupts import Interrupts
from harness.pgn import RESULTS
from harness.playing import RunOptions, Session, opened_run, queue_of
from harness.record import Termination

if TYPE_CHECKING:
    from harness.game import GameRecord
    from harness.spec import MatchSpec

Document = dict[str, Any]


class Production:
    """The games so far; a goal of `harness.playing`."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.games = 0
        self.plies = 0
        self.book_plies = 0
        self.results: Counter[int] = Counter()
        self.terminations: Counter[Termination] = Counter()

    def add(self, record: GameRecord) -> None:
        """Take a finished game."""
        self.games += 1
        self.plies += record.plies
        self.book_plies += record.book_plies
        self.results[record.result] += 1
        self.terminations[record.termination] += 1

    @property
    def reached(self) -> bool:
        return self.games >= self.wanted


def games_wanted(spec: MatchSpec) -> int:
    """How many games a run is to have. Raises UsageError for one that is no production."""
    if spec.sprt is not None:
        raise UsageError("the run is a test; expected one begun by `harness datagen`")
    return spec.max_games // 2


def generate(
    spec: MatchSpec,
    options: RunOptions,
    tell: Callable[[str], None],
    compiling: Callable[[str, int, int], None],
    update: Callable[[Production, Session], None],
) -> Document:
    """Play what is missing of a production; what its games are like.

    `tell` gets sentences, `compiling` the progress of a first compilation, `update` is called again
    and again. Raises UsageError, EngineStartError, and Interrupted, after which it can be resumed.
    """
    production = Production(games_wanted(spec))
    with Interrupts() as interrupts, opened_run(spec, options, tell) as opened:
        session = Session(spec, options, opened.journal, interrupts, production, tell, 1)
        try:
            finished = session.take_up()
            if not production.reached:
                opened.warm(compiling, interrupts.check)
                queue = queue_of(spec, options.concurrency, opened.book, finished, 1)
                session.play(
                    queue,
                    opened.snapshot,
                    lambda: update(production, session),
                    lambda: update(production, session),
                )
        except (EngineStartError, Interrupted):
            session.note_end("interrupted")
            raise
        session.note_end("finished")
    return _document(spec, options, production, session)


def _document(
    spec: MatchSpec, options: RunOptions, production: Production, session: Session
) -> Document:
    return {
        "schema": 1,
        "engine": spec.new.name,
        "games": production.games,
        "plies": production.plies,
        "opening_plies": production.book_plies,
        "results": {text: production.results[result] for result, text in RESULTS.items()},
        "terminations": {
            kind.value: production.terminations[kind]
            for kind in Termination
            if production.terminations[kind]
        },
        "limit": spec.limit.describe(),
        "seed": spec.seed,
        "spec_hash": spec.spec_hash(),
        "source_digest": spec.source_digest,
        "run_dir": str(options.run_dir),
        "machine": {
            "games": session.games,
            "elapsed_s": round(session.elapsed_s, 3),
            "concurrency": options.concurrency,
        },
    }
