"""Configurations of the scripted engine for tests, and games of its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from harness.chunks import Chunk, Event
from harness.game import GameRecord, play_game
from harness.limits import Limit
from harness.openings import BookOpenings, Opening
from harness.players import make_player
from harness.schedule import pair_task
from harness.spec import AdjudicationConfig, EngineConfig, OpeningSpec, Program, Timeouts
from harness.worker import Table

SCRIPT = Path(__file__).with_name("scripted_engine.py")
STARTPOS = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
NODES = Limit(nodes=1_000)
OFF = AdjudicationConfig(enabled=False)

#: Times within which the scripted engine does what it does on a busy machine, and hangs are short.
PATIENT = Timeouts(start_ms=20_000, ready_ms=20_000, think_ms=20_000, stop_ms=200, quit_ms=2_000)
SHORT = Timeouts(start_ms=600, ready_ms=600, think_ms=300, stop_ms=200, quit_ms=200)


def scripted(
    *arguments: str, name: str = "scripted", timeouts: Timeouts = PATIENT, **options: str
) -> EngineConfig:
    """The scripted engine with these arguments."""
    program = Program(
        command=sys.executable, arguments=("-IS", str(SCRIPT), *arguments), timeouts=timeouts
    )
    return EngineConfig(
        name=name, source="uci", search={}, weights={}, options=options, program=program
    )


def start_book(folder: Path) -> OpeningSpec:
    """A book of the start position alone, where the scripted engine can play."""
    path = folder / "start.epd"
    path.write_text(f"{STARTPOS}\n")
    sha256 = BookOpenings(path, "sequential", 1).sha256
    return OpeningSpec(kind="book", path=str(path), sha256=sha256, order="sequential")


class WorkerHere:
    """A worker without a process, for runs in this process; it plays when it is asked for events.

    As `Hire`: `RunOptions(..., hire=WorkerHere)`.
    """

    def __init__(self, spec_json: str, snapshot: Path, count: int) -> None:
        self._events: list[Event] = []
        self._table = Table(spec_json, self._events.append)
        self._chunks: list[Chunk] = []

    def start(self) -> None:
        """It is there."""

    @property
    def capacity(self) -> int:
        return 1 - len(self._chunks)

    def submit(self, chunk: Chunk) -> None:
        self._chunks.append(chunk)

    def events(self, timeout_s: float) -> list[Event]:
        if self._chunks:
            self._events.append(self._table.play(self._chunks.pop()))
        events = self._events.copy()
        self._events.clear()
        return events

    def stop(self) -> None:
        self._table.close()


def play_pair(
    new: EngineConfig, base: EngineConfig, limit: Limit = NODES, **rules: Any
) -> tuple[GameRecord, GameRecord]:
    """Two games from the start position in this process, colours swapped."""
    players = make_player(new), make_player(base)
    opening = Opening(STARTPOS, (), "start")
    try:
        first, second = (
            play_game(task, players, opening, (limit, limit), OFF, **rules)
            for task in pair_task(run_seed=1, pair=0).games
        )
    finally:
        for player in players:
            player.close()
    return first, second
