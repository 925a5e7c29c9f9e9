"""The journal of a run: one SQLite file that holds its specification and every finished game.

`run.sqlite` is the only original in a run's folder; everything else is derived from it. A game
counts as finished when its row is committed: commits are made in groups (the disk is asked to
sync at most once in `GROUP_SECONDS` or `GROUP_GAMES`), with `synchronous = FULL`, so that what was
committed survives `kill -9` and a power cut. One process writes a journal, any number may read it
meanwhile. A row that is not what was written (see `journal_tables`) is passed over and remembered.

    table    a row is
    run      a fact fixed before the first game: spec, spec_hash, provenance (JSON texts)
    games    a finished game, primary key (pair, game); columns as in `harness.game.GameRecord`
    events   something worth remembering that is no game: a lost worker, a resumption
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from harness.errors import EngineStartError, UsageError
from harness.filesystems import is_network_filesystem
from harness.game import GameRecord
from harness.journal_salvage import salvaged
from harness.journal_tables import (
    Row,
    check_tables,
    game_record,
    game_row,
    insert_row,
    make_tables,
    read_rows,
    upgrade_tables,
)
from harness.spec import RunSpec, canonical_json, parse_spec

FILE_NAME: Final = "run.sqlite"
LOCK_NAME: Final = "run.lock"

# 288 pairs a second when each is synced on its own, 12,000 in groups (measured); what a power
# cut can take is a twentieth of a second of finished games, which are then played again.
GROUP_SECONDS: Final = 0.05
GROUP_GAMES: Final = 128

_ALL_PAIRS: Final = 2**62

_Kind = TypeVar("_Kind", bound=RunSpec)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run: when (UTC, ISO 8601), of which kind, and what about it."""

    at: str
    kind: str
    detail: Mapping[str, Any]


class DamagedJournal(UsageError):
    """SQLite cannot make sense of the file, for this reason."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} is damaged: {reason}; expected a journal of Numbishop")
        self.reason = reason


class Journal:
    """A run's journal, open for writing (`create`, `reopen`) or for reading (`read`)."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: _Lock | None) -> None:
        self.path = path
        self._connection = connection
        self._file = _identity(path)
        self._damaged: dict[tuple[str, int], Row] = {}
        self._lock = lock
        self._waiting = 0
        self._oldest_at = 0.0

    @classmethod
    def create(cls, run_dir: Path, spec: RunSpec, provenance: Mapping[str, Any]) -> Self:
        """A new journal in a new folder. Raises UsageError where there can be none."""
        path = run_dir / FILE_NAME
        try:
            run_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(run_dir, error) from error
        if path.exists():
            raise UsageError(
                f"{run_dir} already holds a run; expected a new folder, or --resume {run_dir}"
            )
        with ExitStack() as undo:
            lock = _Lock(run_dir)
            undo.callback(lock.release)
            connection = _open_for_writing(path)
            undo.callback(connection.close)
            with _told(path):
                make_tables(connection, spec, provenance)
            undo.pop_all()
        return cls(path, connection, lock)

    @classmethod
    def reopen(cls, run_dir: Path) -> Self:
        """The journal of an unfinished run, to go on with it."""
        path = _existing(run_dir)
        with ExitStack() as undo:
            lock = _Lock(run_dir)
            undo.callback(lock.release)
            connection = _open_for_writing(path)
            undo.callback(connection.close)
            with _readable(path):
                check_tables(path, connection)
                upgrade_tables(connection)
            undo.pop_all()
        return cls(path, connection, lock)

    @classmethod
    def read(cls, run_dir: Path) -> Self:
        """The journal of a run, to look at; the run may be going on."""
        path = _existing(run_dir)
        with ExitStack() as undo, _readable(path):
            connection = _connect(path)
            undo.callback(connection.close)
            connection.execute("PRAGMA query_only = ON")
            check_tables(path, connection)
            undo.pop_all()
        return cls(path, connection, None)

    @classmethod
    @contextmanager
    def reading(cls, run_dir: Path, tell: Callable[[str], None]) -> Iterator[Self]:
        """`read` of a run that may be damaged: what can be had of it, and in the end a sentence for
        each damaged row, and one for what is lost with the file's structure.
        """
        damage = None
        try:
            journal = cls.read(run_dir)
        except DamagedJournal as found:
            damage, journal = found, cls._salvaged(run_dir)
        with journal:
            yield journal
            for sentence in journal.damage():
                tell(f"{sentence}; it is left out")
            if damage is not None:
                games = sum(1 for _ in journal.games())
                tell(
                    f"{journal.path} is damaged: {damage.reason}; {games} games could be read, the"
                    " rest is left out"
                )

    @classmethod
    def _salvaged(cls, run_dir: Path) -> Self:
        path = run_dir / FILE_NAME
        with _readable(path), closing(_connect(path)) as connection:
            connection.execute("PRAGMA query_only = ON")
            return cls(path, salvaged(connection), None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Commit what is waiting and let go of the file."""
        self.commit()
        self._connection.close()
        if self._lock is not None:
            self._lock.release()

    @property
    def journal_mode(self) -> str:
        """`wal`, or `delete` where the file system cannot do better."""
        return str(self._connection.execute("PRAGMA journal_mode").fetchone()[0])

    def spec(self) -> RunSpec:
        """The run's specification. Raises UsageError when it is not the one the run began with."""
        with _readable(self.path):
            spec = parse_spec(self._fact("spec"))
            recorded = self._fact("spec_hash")
        if spec.spec_hash() != recorded:
            raise UsageError(
                f"{self.path}: the specification has hash {spec.spec_hash()[:12]}, expected"
                f" {recorded[:12]}, which the run began with"
            )
        return spec

    def spec_of(self, kind: type[_Kind]) -> _Kind:
        """The specification of a run of this kind. Raises UsageError when it is of another."""
        spec = self.spec()
        if not isinstance(spec, kind):
            raise UsageError(
                f"{self.path.parent} holds a {spec.kind}; expected a"
                f" {kind.model_fields['kind'].default}"
            )
        return spec

    def provenance(self) -> dict[str, Any]:
        """What was noted about the run before its first game."""
        with _readable(self.path):
            facts: dict[str, Any] = json.loads(self._fact("provenance"))
        return facts

    def _fact(self, key: str) -> str:
        row = next(read_rows(self._connection, "run", "WHERE key = ?", (key,)), None)
        if row is None:
            raise sqlite3.DatabaseError(f"no {key} in it")
        if not row.sound:
            raise sqlite3.DatabaseError(f"{row}, {key}, is not what was written")
        return str(row.values[1])

    def add_games(self, records: Iterable[GameRecord]) -> None:
        """Note finished games; they are kept for good from the next commit on."""
        rows = [game_row(record) for record in records]
        with _told(self.path):
            self._begin()
            for row in rows:
                insert_row(self._connection, "games", row)
        self._waiting += len(rows)

    def remove_games(self, games: Iterable[tuple[int, int]]) -> None:
        """Forget finished games, given as (pair, game): they are to be played again."""
        with _told(self.path):
            for key in games:
                self._begin()
                self._connection.execute("DELETE FROM games WHERE pair = ? AND game = ?", key)

    def add_event(self, kind: str, **detail: Any) -> None:
        """Note something that happened, now."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        with _told(self.path):
            self._begin()
            insert_row(self._connection, "events", (now, kind, canonical_json(detail)))

    def _begin(self) -> None:
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN IMMEDIATE")
            self._oldest_at = time.monotonic()

    @property
    def commit_due_s(self) -> float | None:
        """How long the waiting rows may still wait; None when there are none."""
        if not self._connection.in_transaction:
            return None
        if self._waiting >= GROUP_GAMES:
            return 0.0
        return max(0.0, self._oldest_at + GROUP_SECONDS - time.monotonic())

    def commit(self) -> None:
        """Make everything noted so far safe.

        Raises EngineStartError also when the file is not where it was: SQLite would go on writing
        to one that nobody can find.
        """
        if self._connection.in_transaction:
            with _told(self.path):
                self._connection.execute("COMMIT")
            self._waiting = 0
            if _identity(self.path) != self._file:
                raise EngineStartError(
                    f"{self.path} is gone: the run's folder was deleted or renamed while it was"
                    " played; expected it to stay (a renamed one can be resumed)"
                )

    def games(self, before_pair: int = _ALL_PAIRS) -> Iterator[GameRecord]:
        """The finished games of pairs below `before_pair` in order, one at a time."""
        rest = "WHERE pair < ? ORDER BY pair, game"
        for values in self._sound_rows("games", rest, (before_pair,)):
            yield game_record(values)

    def events(self) -> list[Event]:
        """What happened, oldest first."""
        rows = self._sound_rows("events", "ORDER BY id")
        return [Event(at, kind, json.loads(detail)) for at, kind, detail in rows]

    def _sound_rows(self, *query: Any) -> Iterator[tuple[Any, ...]]:
        with _readable(self.path):
            for row in read_rows(self._connection, *query):
                if row.sound:
                    yield row.values
                else:
                    self._damaged[row.table, row.number] = row

    def damage(self) -> list[str]:
        """A sentence for each row that was passed over so far."""
        return [f"{self.path}: {row} is not what was written" for row in self._damaged.values()]

    def discard_damaged(self) -> None:
        """Remove the rows that were passed over: games among them are then to be played."""
        if not self._damaged:
            return
        rows = [str(row) for row in self._damaged.values()]
        with _readable(self.path):
            self._begin()
            for table, number in self._damaged:
                self._connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (number,))
        self._damaged.clear()
        self.add_event("damaged", rows=rows)


class _Lock:
    """Held while a process writes a journal; the system gives it back whatever ends the process."""

    def __init__(self, run_dir: Path) -> None:
        try:
            self._file = (run_dir / LOCK_NAME).open("a+", encoding="ascii")
        except OSError as error:
            raise _unwritable(run_dir, error) from error
        if sys.platform == "win32":
            return
        import fcntl

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.seek(0)
            owner = self._file.read().strip()
            self._file.close()
            raise UsageError(
                f"{run_dir} is being played by process {owner}; expected a run that has stopped"
            ) from None
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def release(self) -> None:
        self._file.close()


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file is at a path, whatever its name; None when there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _unwritable(run_dir: Path, error: OSError) -> UsageError:
    return UsageError(
        f"{run_dir}: {error.strerror or error}; expected a folder that can be written"
    )


def _existing(run_dir: Path) -> Path:
    path = run_dir / FILE_NAME
    if not path.is_file():
        raise UsageError(f"{run_dir}: no run there; expected a folder with {FILE_NAME}")
    return path


def _connect(path: Path) -> sqlite3.Connection:
    # Transactions are begun and ended by hand: a group of games is one.
    connection = sqlite3.connect(path, isolation_level=None, timeout=10.0)
    # Bytes that are no text any more are damage to be told, not an error of the driver.
    connection.text_factory = lambda data: data.decode("utf-8", errors="surrogateescape")
    return connection


def _open_for_writing(path: Path) -> sqlite3.Connection:
    connection = _connect(path)
    mode = "DELETE" if is_network_filesystem(path) else "WAL"
    try:
        with _readable(path):
            try:
                connection.execute(f"PRAGMA journal_mode = {mode}")
            except sqlite3.OperationalError:
                # No shared memory on this file system: slower, and readers have to wait.
                connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise EngineStartError(f"{path} cannot be read: {error}") from error
    except (sqlite3.DatabaseError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise DamagedJournal(path, reason) from error


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """A disk that is full or gone is told as a sentence; a game that is noted twice is a bug."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise EngineStartError(
            f"{path} cannot be written: {error}; what was committed before is kept"
        ) from error
