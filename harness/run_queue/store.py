"""The list of runs to play: a SQLite file, so that a command may change it while it is played.

column       meaning
id           names an item for good
place        the lower, the sooner
arguments    the command, without `harness` (JSON list)
folder       where the command was given: its paths are relative to that
state        waiting, running, paused, done or failed
concurrency  games at a time, if not what the command says
exit_code    of a run that has ended
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Self

from harness.errors import EngineStartError, UsageError

State = Literal["waiting", "running", "paused", "done", "failed"]

#: Items that want to be played.
OPEN: Final = ("waiting", "running")

VERSION: Final = 1
APPLICATION_ID: Final = 0x4E756D51  # "NumQ"

_TABLE: Final = """CREATE TABLE items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    place REAL NOT NULL,
    arguments TEXT NOT NULL,
    folder TEXT NOT NULL,
    state TEXT NOT NULL,
    concurrency INTEGER,
    exit_code INTEGER
)"""


@dataclass(frozen=True, slots=True)
class Item:
    """A run in the queue."""

    id: int
    place: float
    arguments: tuple[str, ...]
    folder: Path
    state: State
    concurrency: int | None
    exit_code: int | None


class Store:
    """An open queue. Each method is one transaction."""

    def __init__(self, path: Path, *, make: bool = False) -> None:
        """Open the queue at `path`; `make` it when it is not there. Raises UsageError."""
        self.path = path
        if not (make or path.exists()):
            raise UsageError(f"{path}: no queue there; expected one made by `harness queue add`")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, isolation_level=None, timeout=10.0)
            with _told(path):
                self._check()
        except OSError as error:
            raise UsageError(
                f"{path}: {error.strerror}; expected a file that can be written"
            ) from error

    def _check(self) -> None:
        with self._transaction():
            version = self._connection.execute("PRAGMA user_version").fetchone()[0]
            made = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if not made:
                self._connection.execute(_TABLE)
                self._connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                self._connection.execute(f"PRAGMA user_version = {VERSION}")
                return
            if self._connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise UsageError(f"{self.path} is no queue; expected one made by `harness queue`")
            if version > VERSION:
                raise UsageError(
                    f"{self.path}: queue version {version}, written by a newer Numbishop; expected"
                    f" at most {VERSION}"
                )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with _told(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def items(self) -> list[Item]:
        """All runs: those to be played in their order, then those that have ended."""
        with _told(self.path):
            rows = self._connection.execute(
                "SELECT id, place, arguments, folder, state, concurrency, exit_code FROM items"
                " ORDER BY state IN ('done', 'failed'), place"
            ).fetchall()
        return [
            Item(number, place, tuple(json.loads(arguments)), Path(folder), *rest)
            for number, place, arguments, folder, *rest in rows
        ]

    def item(self, number: int) -> Item:
        """One run. Raises UsageError when there is none of this number."""
        for item in self.items():
            if item.id == number:
                return item
        raise UsageError(f"ID = {number}: no such run in {self.path}; expected one that it lists")

    def add(self, arguments: tuple[str, ...], folder: Path, *, first: bool) -> int:
        """Queue a run, as the last or the first; its number."""
        places = [item.place for item in self.items()] or [0.0]
        place = min(places) - 1.0 if first else max(places) + 1.0
        with self._transaction():
            cursor = self._connection.execute(
                "INSERT INTO items (place, arguments, folder, state) VALUES (?, ?, ?, 'waiting')",
                (place, json.dumps(arguments), str(folder)),
            )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def remove(self, number: int) -> None:
        """Forget a run; its folder stays."""
        self.item(number)
        with self._transaction():
            self._connection.execute("DELETE FROM items WHERE id = ?", (number,))

    def move(self, number: int, position: int) -> None:
        """Make a run the `position`-th (from 1) of those that have not ended."""
        item = self.item(number)
        _check_open(item)
        others = [one for one in self.items() if one.id != number and one.exit_code is None]
        before, after = others[: position - 1], others[position - 1 :]
        low = before[-1].place if before else (after[0].place - 2.0 if after else 0.0)
        high = after[0].place if after else low + 2.0
        with self._transaction():
            self._set(number, "place", (low + high) / 2.0)

    def set_state(self, number: int, state: State, exit_code: int | None = None) -> None:
        """What has become of a run."""
        with self._transaction():
            self._set(number, "state", state)
            self._set(number, "exit_code", exit_code)

    def pause(self, number: int) -> None:
        """Play a run no further for now."""
        _check_open(self.item(number))
        self.set_state(number, "paused")

    def resume(self, number: int) -> None:
        """Let a paused run, or one that has failed, wait for its turn again."""
        item = self.item(number)
        if item.state not in {"paused", "failed"}:
            raise UsageError(f"ID = {number}: the run is {item.state}; expected a paused one")
        self.set_state(number, "waiting")

    def set_concurrency(self, number: int, concurrency: int) -> None:
        """Play a run, from now on, with so many games at a time."""
        _check_open(self.item(number))
        with self._transaction():
            self._set(number, "concurrency", concurrency)

    def _set(self, number: int, column: str, value: object) -> None:
        self._connection.execute(f"UPDATE items SET {column} = ? WHERE id = ?", (value, number))


def _check_open(item: Item) -> None:
    if item.state in {"done", "failed"}:
        raise UsageError(f"ID = {item.id}: the run is {item.state}; expected one that goes on")


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise EngineStartError(f"{path} cannot be used: {error}") from error
    except (sqlite3.DatabaseError, ValueError) as error:
        raise UsageError(f"{path} is damaged: {error}; expected a queue of Numbishop") from error
