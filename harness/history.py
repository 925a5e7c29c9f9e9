"""The history of nightly records: one SQLite file, a row for each night, oldest first."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from harness.errors import EngineStartError, UsageError

APPLICATION_ID: Final = 0x4E756D6E  # "Numn"
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that may go up or down a little from night to night."""

    value: float
    unit: str
    more_is_better: bool = True


@dataclass(frozen=True, slots=True)
class Record:
    """What one night found.

    `counts` are exact, the same wherever they are made; `measures` depend on the machine; `faults`
    are sentences of what is wrong whatever was found before.
    """

    at: str
    commit: str | None
    cpu: str
    measures: Mapping[str, Measure] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)


def append_record(path: Path, record: Record) -> None:
    """Add a record; the file is made when it is not there."""
    with _open(path) as connection:
        connection.execute(
            "INSERT INTO records (document) VALUES (?)", (json.dumps(asdict(record)),)
        )


def read_records(path: Path) -> list[Record]:
    """All records; none when there is no file."""
    if not path.exists():
        return []
    with _open(path) as connection:
        rows = connection.execute("SELECT document FROM records ORDER BY id").fetchall()
    return [_record(json.loads(document)) for (document,) in rows]


def _record(document: dict[str, Any]) -> Record:
    measures = {name: Measure(**one) for name, one in document.pop("measures").items()}
    return Record(measures=measures, faults=tuple(document.pop("faults")), **document)


@contextmanager
def _open(path: Path) -> Iterator[sqlite3.Connection]:
    """A transaction on the file. Raises UsageError for one that is no history."""
    try:
        with closing(sqlite3.connect(path, timeout=10.0)) as connection, connection:
            _check(path, connection)
            yield connection
    except sqlite3.OperationalError as error:
        raise EngineStartError(f"{path}: {error}; expected a file that can be written") from error
    except (sqlite3.DatabaseError, ValueError) as error:
        raise UsageError(f"{path} is damaged: {error}; expected a history of nightly") from error


def _check(path: Path, connection: sqlite3.Connection) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    ours = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    if not version and not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("CREATE TABLE records (id INTEGER PRIMARY KEY, document TEXT NOT NULL)")
    elif not ours or version > VERSION:
        raise UsageError(f"{path} is no history of this Numbishop; expected one of `nightly`")
