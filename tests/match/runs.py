"""Runs of null players for tests: in this process, or as a program that can be killed.

As a program: `python tests/match/runs.py SPEC.json RUN_DIR CONCURRENCY STOPS [resume]`. It stops
itself (SIGSTOP) as soon as each number of games in STOPS, such as `20,100`, is committed, so that a
test meets it halfway however fast or slow the machine is.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from engine.jit import source_digest
from harness import chunks
from harness.errors import HarnessError
from harness.journal import Journal
from harness.limits import Limit
from harness.match import RunOptions, RunProgress, run_match
from harness.result import MACHINE_KEYS, Document
from harness.spec import EngineConfig, MatchSpec, OpeningSpec, RunSpec, SprtSpec, parse_spec
from harness.tournament.run import run_tournament
from harness.tournament.spec import TournamentSpec
from harness.tournament.view import TOURNAMENT
from harness.view import TEST, PlainView, Progress, View, Wording


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

    def __init__(self, shows_games: bool = False) -> None:
        self.shows_games = shows_games
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

    def close(self) -> None:
        """Nothing is shown."""

    def finish(self, document: Document) -> None:
        self.documents.append(document)


def play(spec: RunSpec, run_dir: Path, concurrency: int = 2, resume: bool = False) -> Document:
    """Play a run in this process, silently."""
    return play_kind(spec, RunOptions(run_dir, concurrency, resume), RecordingView())


def play_kind(spec: RunSpec, options: RunOptions, view: View) -> Document:
    """Play a run by what plays its kind."""
    if isinstance(spec, TournamentSpec):
        return run_tournament(spec, options, view)
    assert isinstance(spec, MatchSpec)
    return run_match(spec, options, view)


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
    spec: RunSpec, run_dir: Path, *stops: int, resume: bool = False, **options: Any
) -> subprocess.Popen[str]:
    """The same by two workers, as a process with a session of its own that stops at `stops`."""
    spec_file = run_dir.with_suffix(".spec.json")
    spec_file.write_text(spec.model_dump_json())
    arguments = [str(spec_file), str(run_dir), "2", ",".join(map(str, stops))]
    return subprocess.Popen(
        [sys.executable, __file__, *arguments, *["resume"] * resume],
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


#: Nothing that a test waits for takes so long, be the machine ever so busy.
PATIENCE_S = 240.0


def wait_until(condition: Callable[[], bool]) -> None:
    """Return when `condition` holds; fail when it does not in time."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


class ProcessState(NamedTuple):
    """What /proc/PID/stat tells."""

    state: str
    parent: int
    session: int


def process_state(process_id: int) -> ProcessState | None:
    """None when there is no such process; one that is dead and not yet reaped counts as none."""
    try:
        stat = Path(f"/proc/{process_id}/stat").read_text()
    except OSError:  # gone, perhaps while it was read
        return None
    state, parent, _, session = stat.rpartition(") ")[2].split()[:4]
    return None if state in "ZX" else ProcessState(state, int(parent), int(session))


def is_running(process_id: int) -> bool:
    return process_state(process_id) is not None


def session_members(session: int) -> dict[int, ProcessState]:
    """The processes of a session."""
    ids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    states = {process_id: process_state(process_id) for process_id in ids}
    return {
        process_id: state
        for process_id, state in states.items()
        if state is not None and state.session == session
    }


def marked_processes(mark: str) -> list[str]:
    """The processes whose command has a word, such as the scripted engine's token."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and int(folder.name) != os.getpid():
            try:
                command = (folder / "cmdline").read_bytes()
            except OSError:  # it has just ended
                continue
            if mark.encode() in command.split(b"\0"):
                found.append(folder.name)
    return found


def wait_until_stopped(process: subprocess.Popen[str]) -> None:
    """Return when a launched run has come to the next of its stops."""

    def stopped() -> bool:
        state = process_state(process.pid)
        assert state is not None, process.communicate()
        return state.state == "T"

    wait_until(stopped)


def kill_if_running(process_id: int) -> None:
    """`kill -9` of a process that may have ended already, whether or not anybody has noticed."""
    with suppress(ProcessLookupError):
        os.kill(process_id, signal.SIGKILL)


def kill_hard(process: subprocess.Popen[str]) -> None:
    """`kill -9` of the coordinator alone."""
    process.kill()
    process.communicate()


SMALL_CHUNK_GAMES = 4


class StoppingView(PlainView):
    """Stops the process when as many games are committed as each of `stops` says."""

    def __init__(self, run_dir: Path, stops: list[int], wording: Wording) -> None:
        super().__init__(Console(highlight=False, soft_wrap=True), wording=wording)
        self._run_dir = run_dir
        self._stops = stops

    def update(self, progress: Progress) -> None:
        super().update(progress)
        if self._stops and finished_games(self._run_dir) >= self._stops[0]:
            del self._stops[0]
            os.kill(os.getpid(), signal.SIGSTOP)


def main(spec_file: str, run_dir: str, concurrency: str, stops: str, *resume: str) -> int:
    """Play and return the exit code, as `harness sprt` does."""
    chunks.MAX_GAMES = SMALL_CHUNK_GAMES  # so that it stops near the numbers in STOPS
    spec = parse_spec(Path(spec_file).read_text())
    options = RunOptions(Path(run_dir), int(concurrency), bool(resume))
    wording = TOURNAMENT if isinstance(spec, TournamentSpec) else TEST
    stop_at = [int(games) for games in stops.split(",") if games]
    view = StoppingView(options.run_dir, stop_at, wording)
    try:
        if resume:
            with Journal.read(options.run_dir) as journal:
                spec = journal.spec()
        play_kind(spec, options, view)
    except HarnessError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    return 11


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
