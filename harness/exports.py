"""The files of a run's folder that are derived from its journal and can be made again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.errors import UsageError
from harness.files import write_whole
from harness.pgn import write_pgn

if TYPE_CHECKING:
    from harness.game import GameRecord
    from harness.journal import Journal
    from harness.result import Document
    from harness.spec import RunSpec

#: PGN takes some 2 ms a game: so many are worth a word to who is waiting.
MANY_GAMES: Final = 2_000


def export_run(
    journal: Journal,
    spec: RunSpec,
    document: Document,
    games: Iterable[GameRecord],
    tell: Callable[[str], None],
    poll: Callable[[], None],
) -> None:
    """Write run.json, events.jsonl, games.pgn and report.html; `poll` may raise to give up.

    `games` are those that count, in their order. A missing extra package costs the report only,
    and is told.
    """
    folder = journal.path.parent
    write_json(folder / "run.json", document)
    events = ({"at": e.at, "kind": e.kind, **e.detail} for e in journal.events())
    write_whole(folder / "events.jsonl", "".join(f"{json.dumps(event)}\n" for event in events))

    def polled_games() -> Iterator[GameRecord]:
        for record in games:
            poll()
            yield record

    if document["games_played"] >= MANY_GAMES:
        tell(f"writing {document['games_played']:,} games to games.pgn")
    date = journal.provenance()["started"][:10].replace("-", ".")
    write_pgn(polled_games(), spec, folder / "games.pgn", date)
    write_report_if_possible(document, folder / "report.html", tell)


def write_report_if_possible(document: Document, path: Path, tell: Callable[[str], None]) -> None:
    """Write the report, or say in one sentence which extra packages it needs."""
    from harness.report.writing import write_report

    try:
        write_report(document, path)
    except UsageError as missing:
        tell(str(missing))


def write_json(path: Path, document: Document) -> None:
    """A document as JSON text, the same bytes for equal documents; numbers are finite."""
    write_whole(path, json.dumps(document, indent=1, allow_nan=False) + "\n")
