"""The tables of a journal (see journal.py), and a game as a row of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from harness.errors import UsageError
from harness.game import GameRecord, Termination
from harness.spec import MatchSpec, canonical_json

#: Version of the tables, kept in `user_version`. Readers exist for all released versions.
VERSION: Final = 1
APPLICATION_ID: Final = 0x4E756D62  # "Numb"

TABLES: Final = (
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
INSERT_GAME: Final = f"INSERT INTO games ({_GAME_COLUMNS}) VALUES ({', '.join('?' * 15)})"
SELECT_GAMES: Final = f"SELECT {_GAME_COLUMNS} FROM games WHERE pair < ? ORDER BY pair, game"


def make_tables(
    connection: sqlite3.Connection, spec: MatchSpec, provenance: Mapping[str, Any]
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
    connection.executemany("INSERT INTO run VALUES (?, ?)", facts)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def check_tables(path: Path, connection: sqlite3.Connection) -> None:
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
    )


def game_record(row: tuple[Any, ...]) -> GameRecord:
    """The game that a row stands for."""
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
