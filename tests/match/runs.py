"""Runs of null players for tests: in this process, or as a program that can be killed.

As a program: `python tests/match/runs.py SPEC.json RUN_DIR CONCURRENCY [resume]`. It is slowed
down, so that on any machine there is time to kill it between two numbers of games.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.jit import source_digest
from harness import chunks, match
from harness.chunks import Event
from harness.errors import HarnessError
from harness.journal import Journal
from harness.limits import Limit
from harness.match import RunOptions, RunProgress, read_spec, run_match
from harness.result import MACHINE_KEYS, Document
from harness.spec import EngineConfig, MatchSpec, OpeningSpec, SprtSpec
from harness.workers import LocalWorkers


def null_spec(pairs: int, **changes: Any) -> MatchSpec:
    """A run of `pairs` pairs between null players; it never reaches a verdict earlier."""
    values: dict[str, Any] = {
        "new": EngineConfig(name="new", source="null"),
        "base": EngineConfig(name="base", source="null"),
        "limit": Limit(nodes=100),
        "openings": OpeningSpec(plies=4, nodes=50),
        "sprt": SprtSpec(elo0=-50, elo1=50, alpha=1e-12, beta=1e-12),
        "seed": 7,
        "max_games": 2 * pairs,
        "source_digest": source_digest(),
        "tool_version": "test",
    }
    return MatchSpec(**(values | changes))


class RecordingView:
    """A view that remembers what it was told."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.progress: list[RunProgress] = []
        self.documents: list[Document] = []
        self.headings: list[Any] = []

    def compiling(self, kernel: str, done: int, total: int) -> None:
        self.messages.append(f"compiling {kernel} {done}/{total}")

    def start(self, heading: Any) -> None:
        self.headings.append(heading)

    def update(self, progress: RunProgress) -> None:
        self.progress.append(progress)

    def message(self, text: str) -> None:
        self.messages.append(text)

    def finish(self, document: Document) -> None:
        self.documents.append(document)


def play(spec: MatchSpec, run_dir: Path, concurrency: int = 2, resume: bool = False) -> Document:
    """Play a run in this process, silently."""
    return run_match(spec, RunOptions(run_dir, concurrency, resume), RecordingView())


def comparable(run_dir: Path) -> tuple[str, str, list[bytes]]:
    """What equal runs have in common byte for byte: run.json, games.pgn and the journal's games.

    From the document the keys that belong to the machine are taken out, from the PGN the times.
    """
    from harness.pgn import TIME_PATTERN

    document = json.loads((run_dir / "run.json").read_text())
    for key in MACHINE_KEYS:
        del document[key]
    pgn = TIME_PATTERN.sub("", (run_dir / "games.pgn").read_text())
    with Journal.read(run_dir) as journal:
        games = [record.moves for record in journal.games(document["games_played"] // 2)]
    return json.dumps(document), pgn, games


def launch(
    spec: MatchSpec, run_dir: Path, concurrency: int = 2, resume: bool = False, **options: Any
) -> subprocess.Popen[str]:
    """The same as a process with a session of its own."""
    spec_file = run_dir.with_suffix(".spec.json")
    spec_file.write_text(spec.model_dump_json())
    command = [sys.executable, __file__, str(spec_file), str(run_dir), str(concurrency)]
    return subprocess.Popen(
        command + ["resume"] * resume,
        start_new_session=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def finished_games(run_dir: Path) -> int:
    """How many games a run, perhaps a running one, has committed."""
    if not (run_dir / "run.sqlite").exists():
        return 0
    try:
        with Journal.read(run_dir) as journal:
            return sum(1 for _ in journal.games())
    except HarnessError:
        return 0  # its tables are not there yet


def wait_until(condition: Callable[[], bool], timeout_s: float = 120.0) -> None:
    """Return when `condition` holds; fail when it does not in time."""
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def session_members(session: int) -> list[int]:
    """The processes of a session, zombies left out."""
    members = []
    for entry in Path("/proc").iterdir():
        try:
            state, _, _, member_of = (entry / "stat").read_text().rpartition(") ")[2].split()[:4]
        except (OSError, ValueError):
            continue  # no process, or it has just ended
        if int(member_of) == session and state != "Z":
            members.append(int(entry.name))
    return members


def kill_hard(process: subprocess.Popen[str]) -> None:
    """`kill -9` of the coordinator alone."""
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()


SMALL_CHUNK_GAMES = 4
_PAUSE_SECONDS = 0.05


class SlowWorkers(LocalWorkers):
    """At most two small chunks of each worker in a twentieth of a second."""

    def events(self, timeout_s: float) -> list[Event]:
        time.sleep(_PAUSE_SECONDS)
        return super().events(timeout_s)


def main(spec_file: str, run_dir: str, concurrency: str, *resume: str) -> int:
    """Play and return the exit code, as `harness sprt` does."""
    from harness.view import make_view

    chunks.MAX_GAMES = SMALL_CHUNK_GAMES
    match.LocalWorkers = SlowWorkers
    spec = MatchSpec.model_validate_json(Path(spec_file).read_text())
    options = RunOptions(Path(run_dir), int(concurrency), bool(resume))
    try:
        if resume:
            spec = read_spec(options.run_dir)
        run_match(spec, options, make_view())
    except HarnessError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    return 11


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
