"""The files of a run's folder that are derived from its journal, and what else is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.collection import append_once
from harness.errors import UsageError
from harness.files import whole_file, write_whole
from harness.pgn import PgnStyle, final_position, write_pgn

if TYPE_CHECKING:
    from harness.game import GameRecord
    from harness.journal import Journal
    from harness.openings import OpeningSource
    from harness.result import Document
    from harness.spec import RunSpec

#: PGN takes some 2 ms a game: so many are worth a word to who is waiting.
MANY_GAMES: Final = 2_000


@dataclass(frozen=True, slots=True)
class Output:
    """What is written of a run's games: PGN with comments or without, and where else it goes.

    `pgn_append` is a collection that the games are added to, once; `final_epd` a file of the
    positions in which they ended. `conversations`: with programs, kept in the run's folder.
    """

    comments: bool = True
    pgn_append: Path | None = None
    final_epd: Path | None = None
    conversations: bool = False


@dataclass(frozen=True, slots=True)
class Exported:
    """A run that has ended: `games` gives those that count, in their order, from the first one."""

    journal: Journal
    spec: RunSpec
    document: Document
    games: Callable[[], Iterable[GameRecord]]
    book: OpeningSource | None


def export_run(
    run: Exported, output: Output, tell: Callable[[str], None], poll: Callable[[], None]
) -> None:
    """Write run.json, events.jsonl, games.pgn and report.html, and what `output` asks for.

    `poll` may raise to give up. A missing extra package costs the report only, and is told.
    """
    from harness.report.writing import write_report

    folder = run.journal.path.parent
    write_json(folder / "run.json", run.document)
    events = ({"at": e.at, "kind": e.kind, **e.detail} for e in run.journal.events())
    write_whole(folder / "events.jsonl", "".join(f"{json.dumps(event)}\n" for event in events))

    def games() -> Iterator[GameRecord]:
        for record in run.games():
            poll()
            yield record

    if run.document["games_played"] >= MANY_GAMES:
        tell(f"writing {run.document['games_played']:,} games to games.pgn")
    date = run.journal.provenance()["started"][:10].replace("-", ".")
    style = PgnStyle(output.comments, _opening_of(run))
    write_pgn(games(), run.spec, folder / "games.pgn", date, style)
    if output.pgn_append is not None:
        append_once(run.journal, folder / "games.pgn", output.pgn_append, tell)
    if output.final_epd is not None:
        with whole_file(output.final_epd) as file:
            file.writelines(f"{final_position(record)}\n" for record in games())
    write_report_if_possible(partial(write_report, run.document, folder / "report.html"), tell)


def _opening_of(run: Exported) -> Callable[[int], str] | None:
    """What a book says of the opening of a pair; None without a book."""
    spec, book = run.spec, run.book
    if book is None:
        return None

    def described(pair: int) -> str:
        opening = book.opening(spec.task_of(pair).opening)
        return f"{opening.name} {opening.opcodes}".strip()

    return described


def write_report_if_possible(write: Callable[[], None], tell: Callable[[str], None]) -> None:
    """Write a report, or say in one sentence which extra packages it needs."""
    try:
        write()
    except UsageError as missing:
        tell(str(missing))


def write_json(path: Path, document: Document) -> None:
    """A document as JSON text, the same bytes for equal documents; numbers are finite."""
    write_whole(path, json.dumps(document, indent=1, allow_nan=False) + "\n")
