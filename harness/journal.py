"""The journal of a run: one SQLite file that holds its specification and every finished game.

`run.sqlite` is the only original in a run's folder; everything else is derived from it. A game
counts as finished when its row is committed: commits are made in groups (the disk is asked to
sync at most once in `GROUP_SECONDS` or `GROUP_GAMES`), with `synchronous = FULL`, so that what was
committed survives `kill -9` and a power cut. One process writes a journal, any number may read it
meanwhile.

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
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

from harness.errors import EngineStartError, UsageError
from harness.filesystems import is_network_filesystem
from harness.game import GameRecord, Termination
from harness.spec import MatchSpec, canonical_json

FILE_NAME: Final = "run.sqlite"
LOCK_NAME: Final = "run.lock"

#: Version of the tables, kept in `user_version`. Readers exist for all released versions.
VERSION: Final = 1
APPLICATION_ID: Final = 0x4E756D62  # "Numb"

# 288 pairs a second when each is synced on its own, 12,000 in groups (measured); what a power
# cut can take is a twentieth of a second of finished games, which are then played again.
GROUP_SECONDS: Final = 0.05
GROUP_GAMES: Final = 128

_TABLES: Final = (
    "CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
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
        PRIMARY KEY (pair, game)
    )""",
    """CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        kind TEXT NOT NULL,
        detail TEXT NOT NULL
    )""",
)

_GAME_COLUMNS: Final = (
    "pair, game, fen, result, termination, plies, moves, scores_cp, depths, nodes, times_us,"
    " new_search_ns, base_search_ns, wall_ns, detail"
)
_INSERT_GAME: Final = f"INSERT INTO games ({_GAME_COLUMNS}) VALUES ({', '.join('?' * 15)})"
_SELECT_GAMES: Final = f"SELECT {_GAME_COLUMNS} FROM games WHERE pair < ? ORDER BY pair, game"
_ALL_PAIRS: Final = 2**62


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run: when (UTC, ISO 8601), of which kind, and what about it."""

    at: str
    kind: str
    detail: Mapping[str, Any]


class Journal:
    """A run's journal, open for writing (`create`, `reopen`) or for reading (`read`)."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: _Lock | None) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock
        self._waiting = 0
        self._oldest_at = 0.0

    @classmethod
    def create(cls, run_dir: Path, spec: MatchSpec, provenance: Mapping[str, Any]) -> Self:
        """A new journal in a new folder. Raises UsageError where there can be none."""
        path = run_dir / FILE_NAME
        try:
            run_dir.mkdir(parents=True, exist_ok=True)
            if path.exists():
                raise UsageError(
                    f"{run_dir} already holds a run; expected a new folder, or --resume {run_dir}"
                )
            lock = _Lock(run_dir)
        except OSError as error:
            raise UsageError(
                f"{run_dir}: {error.strerror or error}; expected a folder that can be written"
            ) from error
        with _told(path):
            connection = _open_for_writing(path)
            _make_tables(connection, spec, provenance)
        return cls(path, connection, lock)

    @classmethod
    def reopen(cls, run_dir: Path) -> Self:
        """The journal of an unfinished run, to go on with it."""
        path = _existing(run_dir)
        try:
            lock = _Lock(run_dir)
        except OSError as error:
            raise UsageError(f"{run_dir}: {error.strerror or error}") from error
        with _readable(path):
            connection = _open_for_writing(path)
            _check(path, connection)
        return cls(path, connection, lock)

    @classmethod
    def read(cls, run_dir: Path) -> Self:
        """The journal of a run, to look at; the run may be going on."""
        path = _existing(run_dir)
        with _readable(path):
            connection = _connect(path)
            connection.execute("PRAGMA query_only = ON")
            _check(path, connection)
        return cls(path, connection, None)

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

    def spec(self) -> MatchSpec:
        """The run's specification. Raises UsageError when it is not the one the run began with."""
        with _readable(self.path):
            spec = MatchSpec.model_validate_json(self._fact("spec"))
            recorded = self._fact("spec_hash")
        if spec.spec_hash() != recorded:
            raise UsageError(
                f"{self.path}: the specification has hash {spec.spec_hash()[:12]}, expected"
                f" {recorded[:12]}, which the run began with"
            )
        return spec

    def provenance(self) -> dict[str, Any]:
        """What was noted about the run before its first game."""
        with _readable(self.path):
            facts: dict[str, Any] = json.loads(self._fact("provenance"))
        return facts

    def _fact(self, key: str) -> str:
        row = self._connection.execute("SELECT value FROM run WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise sqlite3.DatabaseError(f"no {key} in it")
        return str(row[0])

    def add_games(self, records: Iterable[GameRecord]) -> None:
        """Note finished games; they are kept for good from the next commit on."""
        rows = [_row(record) for record in records]
        with _told(self.path):
            self._begin()
            self._connection.executemany(_INSERT_GAME, rows)
        self._waiting += len(rows)

    def add_event(self, kind: str, **detail: Any) -> None:
        """Note something that happened, now."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        with _told(self.path):
            self._begin()
            self._connection.execute(
                "INSERT INTO events (at, kind, detail) VALUES (?, ?, ?)",
                (now, kind, canonical_json(detail)),
            )

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
        """Make everything noted so far safe."""
        if self._connection.in_transaction:
            with _told(self.path):
                self._connection.execute("COMMIT")
            self._waiting = 0

    def games(self, before_pair: int = _ALL_PAIRS) -> Iterator[GameRecord]:
        """The finished games of pairs below `before_pair` in order, one at a time."""
        with _readable(self.path):
            for row in self._connection.execute(_SELECT_GAMES, (before_pair,)):
                yield _record(row)

    def events(self) -> list[Event]:
        """What happened, oldest first."""
        with _readable(self.path):
            rows = self._connection.execute("SELECT at, kind, detail FROM events ORDER BY id")
            return [Event(at, kind, json.loads(detail)) for at, kind, detail in rows]


class _Lock:
    """Held while a process writes a journal; the system gives it back whatever ends the process."""

    def __init__(self, run_dir: Path) -> None:
        self._file = (run_dir / LOCK_NAME).open("a+", encoding="ascii")
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


def _existing(run_dir: Path) -> Path:
    path = run_dir / FILE_NAME
    if not path.is_file():
        raise UsageError(f"{run_dir}: no run there; expected a folder with {FILE_NAME}")
    return path


def _connect(path: Path) -> sqlite3.Connection:
    # Transactions are begun and ended by hand: a group of games is one.
    return sqlite3.connect(path, isolation_level=None, timeout=10.0)


def _open_for_writing(path: Path) -> sqlite3.Connection:
    connection = _connect(path)
    with _readable(path):
        mode = "DELETE" if is_network_filesystem(path) else "WAL"
        try:
            connection.execute(f"PRAGMA journal_mode = {mode}")
        except sqlite3.OperationalError:
            # No shared memory on this file system: slower, and readers have to wait their turn.
            connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA synchronous = FULL")
    return connection


def _make_tables(
    connection: sqlite3.Connection, spec: MatchSpec, provenance: Mapping[str, Any]
) -> None:
    """All or nothing, so that a start cut off leaves nothing that looks like a journal."""
    facts = [
        ("spec", canonical_json(spec.model_dump(mode="json"))),
        ("spec_hash", spec.spec_hash()),
        ("provenance", canonical_json(dict(provenance))),
    ]
    connection.execute("BEGIN IMMEDIATE")
    for statement in _TABLES:
        connection.execute(statement)
    connection.executemany("INSERT INTO run VALUES (?, ?)", facts)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _check(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse what is no journal, is damaged, or comes from a newer Numbishop."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise UsageError(f"{path} is not a journal of Numbishop; expected one made by `harness`")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise UsageError(
            f"{path}: journal version {version}, written by a newer Numbishop;"
            f" expected at most {VERSION}"
        )
    verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise EngineStartError(f"{path} cannot be read: {error}") from error
    except (sqlite3.DatabaseError, ValueError) as error:
        raise UsageError(f"{path} is damaged: {error}; expected a journal of Numbishop") from error


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """A disk that is full or gone is told as a sentence; a game that is noted twice is a bug."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise EngineStartError(
            f"{path} cannot be written: {error}; what was committed before is kept"
        ) from error


def _row(record: GameRecord) -> tuple[Any, ...]:
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
    )


def _record(row: tuple[Any, ...]) -> GameRecord:
    pair, game, fen, result, termination, plies, *blobs, new_ns, base_ns, wall_ns, detail = row
    moves, scores_cp, depths, nodes, times_us = blobs
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
    )
