"""The tables of a journal (see journal.py), and a game as a row of them.

Each row has a checksum of its values, so that one that was edited or that a disk has altered is
known: SQLite itself checks its own structure only.

    version  what it brought
    1        the tables run, games and events
    2        the checksums
    3        the processor's times of each move
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from harness.errors import UsageError
from harness.game import GameRecord, Termination
from harness.spec import RunSpec, canonical_json

#: Version of the tables, kept in `user_version`. Readers exist for all released versions.
VERSION: Final = 3
APPLICATION_ID: Final = 0x4E756D62  # "Numb"

TABLES: Final = (
    "CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum BLOB NOT NULL)",
    """CREATE TABLE games (
        pair INTEGER NOT NULL CHECK (pair >= 0),
        game INTEGER NOT NULL CHECK (game IN (0, 1)),
        fen TEXT NOT NULL,
        result INTEGER NOT NULL CHECK (result IN (-1, 0, 1)),
        termination TEXT NOT NULL,
        plies INTEGER NOT NULL,
        moves BLOB NOT NULL,
        scores_cp BLOB NOT NULL,
        depths BLOB NOT NULL,
        nodes BLOB NOT NULL,
        times_us BLOB NOT NULL,
        new_search_ns INTEGER NOT NULL,
        base_search_ns INTEGER NOT NULL,
        wall_ns INTEGER NOT NULL,
        detail TEXT NOT NULL,
        cpus_us BLOB NOT NULL,
        delays_us BLOB NOT NULL,
        checksum BLOB NOT NULL,
        PRIMARY KEY (pair, game)
    )""",
    """CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        kind TEXT NOT NULL,
        detail TEXT NOT NULL,
        checksum BLOB NOT NULL
    )""",
)

#: What a row's checksum is made of, in this order.
_COLUMNS: Final = {
    "run": ("key", "value"),
    "games": (
        *("pair", "game", "fen", "result", "termination", "plies", "moves", "scores_cp", "depths"),
        *("nodes", "times_us", "new_search_ns", "base_search_ns", "wall_ns", "detail"),
        *("cpus_us", "delays_us"),
    ),
    "events": ("at", "kind", "detail"),
}

#: Those that came with version 3, the last of theirs; older games have nothing there.
_PROCESSOR_TIMES: Final = ("cpus_us", "delays_us")


class Row(NamedTuple):
    """A row as it was read; `sound` unless it is not what was written."""

    table: str
    number: int
    values: tuple[Any, ...]
    sound: bool

    def __str__(self) -> str:
        return f"row {self.number} of table {self.table}"


def checksum(values: tuple[Any, ...]) -> bytes:
    """Of the values of a row: integers, texts and blobs."""
    return blake2b(repr(values).encode(), digest_size=8).digest()


def insert_row(connection: sqlite3.Connection, table: str, values: tuple[Any, ...]) -> None:
    """Add a row with its checksum."""
    columns = ", ".join((*_COLUMNS[table], "checksum"))
    marks = ", ".join("?" * (len(values) + 1))
    statement = f"INSERT INTO {table} ({columns}) VALUES ({marks})"
    connection.execute(statement, (*values, checksum(values)))


def read_rows(
    connection: sqlite3.Connection, table: str, rest: str = "", parameters: tuple[Any, ...] = ()
) -> Iterator[Row]:
    """The rows of a table; `rest` of the statement says which and in what order.

    Those of version 1 have no checksum and pass for sound.
    """
    version = table_version(connection)
    has_checksums = version > 1
    later = _PROCESSOR_TIMES if table == "games" and version < 3 else ()
    names = ["x''" if name in later else name for name in _COLUMNS[table]]
    columns = ", ".join(("rowid", *names, "checksum" if has_checksums else "NULL"))
    for number, *read, noted in connection.execute(
        f"SELECT {columns} FROM {table} {rest}", parameters
    ):
        values = tuple(read)
        written = values[: len(values) - len(later)]
        yield Row(table, number, values, not has_checksums or noted == checksum(written))


def table_version(connection: sqlite3.Connection) -> int:
    """The version of the tables of a journal."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def make_tables(
    connection: sqlite3.Connection, spec: RunSpec, provenance: Mapping[str, Any]
) -> None:
    """All or nothing, so that a start cut off leaves nothing that looks like a journal."""
    facts = [
        ("spec", canonical_json(spec.model_dump(mode="json"))),
        ("spec_hash", spec.spec_hash()),
        ("provenance", canonical_json(dict(provenance))),
    ]
    connection.execute("BEGIN IMMEDIATE")
    for statement in TABLES:
        connection.execute(statement)
    for fact in facts:
        insert_row(connection, "run", fact)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def upgrade_tables(connection: sqlite3.Connection) -> None:
    """Make the tables of older versions those of today, all or nothing."""
    version = table_version(connection)
    if version == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    for table in _COLUMNS:
        rows = list(read_rows(connection, table))
        later = _PROCESSOR_TIMES if table == "games" else ()
        for column in (*["checksum"] * (version < 2), *later):
            connection.execute(f"ALTER TABLE {table} ADD COLUMN {column} BLOB NOT NULL DEFAULT x''")
        connection.executemany(
            f"UPDATE {table} SET checksum = ? WHERE rowid = ?",
            [(checksum(row.values), row.number) for row in rows if row.sound],
        )
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def check_tables(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse what is no journal, is damaged, or comes from a newer Numbishop."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise UsageError(f"{path} is not a journal of Numbishop; expected one made by `harness`")
    version = table_version(connection)
    if version > VERSION:
        raise UsageError(
            f"{path}: journal version {version}, written by a newer Numbishop;"
            f" expected at most {VERSION}"
        )
    verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)


def game_row(record: GameRecord) -> tuple[Any, ...]:
    """The values of a game in the order of the columns."""
    new_search_ns, base_search_ns = record.search_ns
    return (
        record.pair,
        record.game,
        record.fen,
        record.result,
        record.termination.value,
        record.plies,
        record.moves,
        record.scores_cp,
        record.depths,
        record.nodes,
        record.times_us,
        new_search_ns,
        base_search_ns,
        record.wall_ns,
        record.detail,
        record.cpus_us,
        record.delays_us,
    )


def game_record(row: tuple[Any, ...]) -> GameRecord:
    """The game that a row stands for."""
    pair, game, fen, result, termination, plies, *blobs = row[:11]
    moves, scores_cp, depths, nodes, times_us = blobs
    new_ns, base_ns, wall_ns, detail, cpus_us, delays_us = row[11:]
    return GameRecord(
        pair=pair,
        game=game,
        fen=fen,
        result=result,
        termination=Termination(termination),
        plies=plies,
        moves=moves,
        scores_cp=scores_cp,
        depths=depths,
        nodes=nodes,
        times_us=times_us,
        search_ns=(new_ns, base_ns),
        wall_ns=wall_ns,
        detail=detail,
        cpus_us=cpus_us,
        delays_us=delays_us,
    )
