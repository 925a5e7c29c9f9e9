"""A long run of programs holds no more at its end than after its first games."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from harness.match import RunOptions, run_match
from harness.result import RunProgress
from harness.workers import LocalWorkers
from tests.match.engines import OFF, scripted, start_book
from tests.match.runs import RecordingView, finished_games, null_spec

GAMES = 1_000
#: By then each process has loaded what it needs.
FIRST_GAMES = 200
#: What an allocator may keep; 10 kB a game, less than one conversation, would be more.
MOST_GROWTH_MB = 8.0


class Held(NamedTuple):
    """What a process holds."""

    resident_mb: float
    descriptors: int


def held(process_id: int) -> Held:
    process = Path(f"/proc/{process_id}")
    pages = int((process / "statm").read_text().split()[1])
    return Held(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, len(os.listdir(process / "fd")))


class Watch(RecordingView):
    """Looks at coordinator and worker after the first games, and again and again until the end."""

    def __init__(self) -> None:
        super().__init__()
        self.workers: list[LocalWorkers] = []
        self.games = 0
        self.first: tuple[Held, ...] = ()
        self.last: tuple[Held, ...] = ()

    def hire(self, spec_json: str, snapshot: Path, count: int) -> LocalWorkers:
        self.workers.append(LocalWorkers(spec_json, snapshot, count))
        return self.workers[-1]

    def update(self, progress: RunProgress) -> None:
        self.games = 2 * progress.pairs_played
        if self.games >= FIRST_GAMES:
            self.last = tuple(map(held, (os.getpid(), *self.workers[0].process_ids)))
            self.first = self.first or self.last


@pytest.mark.nightly
def test_memory_and_descriptors_are_flat_over_a_thousand_games(tmp_path: Path) -> None:
    """One of the engines says 80 kB of nonsense in each game; all games fall to one worker."""
    spec = null_spec(
        GAMES // 2,
        new=scripted("noise@go", name="noisy"),
        base=scripted(name="quiet"),
        openings=start_book(tmp_path),
        adjudication=OFF,
    )
    watch = Watch()
    run_match(spec, RunOptions(tmp_path / "run", 1, hire=watch.hire), watch)
    assert finished_games(tmp_path / "run") == GAMES
    assert watch.games >= 0.9 * GAMES
    assert len(watch.first) == 2
    for first, last in zip(watch.first, watch.last, strict=True):
        assert last.descriptors == first.descriptors
        assert last.resident_mb - first.resident_mb < MOST_GROWTH_MB
