"""A tournament from its specification to its table.

schedule -> workers -> journal -> crosstable; its games are played as `harness.playing` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from pathlib import Path
from typing import TYPE_CHECKING

from harness.chunks import GameQueue
from harness.conduct import Conduct
from harness.interrupts import Interrupts
from harness.journal import Journal
from harness.playing import RunOptions, opened_run
from harness.tournament.crosstable import Crosstable
from harness.tournament.document import document_of
from harness.tournament.pairings import tournament_games
from harness.tournament.spec import TournamentSpec
from harness.tournament.view import TournamentHeading, TournamentProgress

if TYPE_CHECKING:
    from harness.game import GameRecord
    from harness.openings import OpeningSource
    from harness.result import Document
    from harness.view import View


def run_tournament(spec: TournamentSpec, options: RunOptions, view: View) -> Document:
    """Play a tournament, or the rest of it, and return the document that is in its run.json.

    Raises UsageError (a folder that cannot be used, another specification or engine),
    EngineStartError, and Interrupted, after which it can be resumed.
    """
    with Interrupts() as interrupts, opened_run(spec, options, view.message) as opened:
        tournament = _Tournament(spec, options, view, interrupts, opened.journal)
        return tournament.to_the_end(opened)


def read_tournament(run_dir: Path, tell: Callable[[str], None]) -> Document:
    """The document of the tournament in a folder as its journal has it now, ended or not.

    `tell` is called with a sentence for each damaged row, which is left out.
    """
    with Journal.reading(run_dir, tell) as journal:
        spec = journal.spec_of(TournamentSpec)
        table = _new_table(spec)
        for record in journal.games():
            table.add(record)
        return document_of(spec, table, journal, run_dir)


def _new_table(spec: TournamentSpec) -> Crosstable:
    return Crosstable(len(spec.players), spec.pairings, spec.pairs)


class _Tournament(Conduct):
    """A tournament while it is played."""

    def __init__(
        self,
        spec: TournamentSpec,
        options: RunOptions,
        view: View,
        interrupts: Interrupts,
        journal: Journal,
    ) -> None:
        self.command = spec.form
        self._table = _new_table(spec)
        super().__init__(spec, options, view, interrupts, journal, self._table)
        self._tournament = spec

    def queue(self, book: OpeningSource | None, finished: Set[tuple[int, int]]) -> GameQueue:
        spec = self._tournament
        games = tournament_games(
            spec.seed, spec.pairs, len(spec.pairings), spec.openings.start, finished
        )
        return GameQueue(games, 2 * spec.pairs - len(finished), self.options.concurrency, book)

    def show_heading(self) -> None:
        self.view.start(TournamentHeading(self._tournament, self.options))

    def prepare(self) -> None:
        """Nothing: ratings need no compiled code."""

    def show_progress(self) -> None:
        session = self.session
        self.view.update(
            TournamentProgress(
                self._tournament,
                self._table,
                session.games,
                session.elapsed_s,
                session.workers_lost,
                session.glimpses,
            )
        )

    def document(self) -> Document:
        return document_of(self._tournament, self._table, self.journal, self.options.run_dir)

    def counted_games(self, document: Document) -> Iterable[GameRecord]:
        return filter(self._table.counts, self.journal.games())
