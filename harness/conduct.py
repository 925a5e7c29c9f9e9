"""How a run is conducted, whatever it is for: play what is missing, write the files, show the end.

    journal -> what is finished -> queue -> workers -> journal -> goal -> document -> files

What a kind of run has of its own (what it plays, counts, says and writes) is in the methods of
`Conduct` that have no body.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Set
from typing import TYPE_CHECKING

from harness.errors import EngineStartError, Interrupted
from harness.exports import Exported, export_run
from harness.interrupts import Interrupts
from harness.invocation import resume_command
from harness.journal import Journal
from harness.playing import Goal, OpenedRun, RunOptions, Session

if TYPE_CHECKING:
    from harness.chunks import Queue
    from harness.game import GameRecord
    from harness.openings import OpeningSource
    from harness.result import Document
    from harness.spec import RunSpec
    from harness.view import View


class Conduct(ABC):
    """A run while it is played; `command` is what resumes it."""

    command: str

    def __init__(
        self,
        spec: RunSpec,
        options: RunOptions,
        view: View,
        interrupts: Interrupts,
        journal: Journal,
        goal: Goal,
    ) -> None:
        self.options = options
        self.view = view
        self.interrupts = interrupts
        self.journal = journal
        self.session = Session(
            spec, options, journal, interrupts, goal, view.message, watched=view.shows_games
        )
        self._spec = spec
        self._goal = goal

    @abstractmethod
    def queue(self, book: OpeningSource | None, finished: Set[tuple[int, int]]) -> Queue:
        """The games that are not `finished`, given as (pair, game)."""

    @abstractmethod
    def show_heading(self) -> None:
        """Tell what is going to be played."""

    @abstractmethod
    def prepare(self) -> None:
        """Load what this process needs, while the workers load the engine."""

    @abstractmethod
    def show_progress(self) -> None:
        """Tell how it stands; called again and again."""

    @abstractmethod
    def document(self) -> Document:
        """What the run says of itself, as it stands."""

    @abstractmethod
    def counted_games(self, document: Document) -> Iterable[GameRecord]:
        """The games that count, in their order."""

    def to_the_end(self, opened: OpenedRun) -> Document:
        """Play what is missing, write the files, show the result."""
        session = self.session
        try:
            finished = session.take_up()
            if not self._goal.reached:
                opened.warm(self.view.compiling, self.interrupts.check)
                self.show_heading()
                queue = self.queue(opened.book, finished)
                session.play(queue, opened.snapshot, self.prepare, self.show_progress)
        except (EngineStartError, Interrupted) as error:
            session.note_end("interrupted")
            if session.games or isinstance(error, Interrupted):
                self.view.finish(self.document())
            raise
        session.note_end("finished")
        document = self.document()
        try:
            self._export(document, opened.book)
        except Interrupted:
            self.view.finish(document)
            resume = resume_command(self.options.run_dir, self.command)
            self.view.message(f"interrupted; to have all files written: {resume}")
            raise
        self.view.finish(document)
        noise = document["machine"].get("noise")
        if noise is not None:
            self.view.message(f"warning: {noise}")
        return document

    def _export(self, document: Document, book: OpeningSource | None) -> None:
        run = Exported(
            self.journal, self._spec, document, lambda: self.counted_games(document), book
        )
        export_run(run, self.options.output, self.view.message, self.interrupts.check)
