"""What can still be read of a journal that SQLite finds damaged: cut short, or with pages lost.

Whatever reads a run asks for many rows at once and in their order, and one bad page ends that. So
the rows are asked for one by one, by their numbers, and those that are there are copied. Each row's
checksum (see `journal_tables`) goes with it, and says of the copy whether it is what was written.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import Final

#: More rows than hang on one inner page of a table: behind so many that cannot be had, none is.
MOST_MISSED: Final = 50_000


def salvaged(damaged: sqlite3.Connection) -> sqlite3.Connection:
    """A temporary journal of the rows that can be read.

    Raises sqlite3.DatabaseError where not even the tables can be found.
    """
    # Otherwise a file that is shorter than its first page says is not read at all.
    damaged.execute("PRAGMA writable_schema = ON")
    copy = sqlite3.connect("", isolation_level=None)  # SQLite's own file, gone when it is closed
    copy.text_factory = damaged.text_factory
    try:
        for name in ("application_id", "user_version"):
            copy.execute(f"PRAGMA {name} = {damaged.execute(f'PRAGMA {name}').fetchone()[0]}")
        tables = damaged.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        for name, statement in tables.fetchall():
            copy.execute(statement)
            copy.execute("BEGIN")
            _copy_rows(damaged, copy, name)
            copy.execute("COMMIT")
    except BaseException:
        copy.close()
        raise
    return copy


def _copy_rows(damaged: sqlite3.Connection, copy: sqlite3.Connection, table: str) -> None:
    names = [name for _, name, *_ in copy.execute(f"PRAGMA table_info({table})")]
    columns = ", ".join(("rowid", *(name for name in names if name != "id")))  # `id` is the rowid
    marks = ", ".join("?" * (columns.count(",") + 1))
    number = missed = 0
    while missed < MOST_MISSED:
        number += 1
        missed += 1
        with suppress(sqlite3.DatabaseError):
            found = f"SELECT {columns} FROM {table} WHERE rowid = ?"
            for row in damaged.execute(found, (number,)):
                copy.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", row)
                missed = 0
