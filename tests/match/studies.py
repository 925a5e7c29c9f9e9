"""Small studies for tests: in this process, or as a program that can be killed.

As a program: `python -m tests.match.studies SPEC.json RUN_DIR CONCURRENCY STOP [STORAGE]`. It stops
itself (SIGSTOP) as soon as STOP games are committed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from engine.jit import source_digest
from harness.errors import HarnessError
from harness.journal import Journal
from harness.limits import Limit
from harness.playing import Hire, RunOptions, hire_here
from harness.score import Pentanomial, pair_class
from harness.search_tuning.rules import Rules
from harness.search_tuning.space import Dimension, Space
from harness.search_tuning.study import StudyResult, play_study
from harness.search_tuning.study_spec import StudySpec, trial_pair
from harness.spec import AdjudicationConfig, EngineConfig, OpeningSpec, parse_spec
from tests.match.runs import RecordingView, finished_games

ROOT = Path(__file__).parents[2]
SPACE = Space(
    dimensions=(
        Dimension(name="futility_base_cp", low=10, high=400, step=10),
        Dimension(name="aspiration_window_cp", low=5, high=500, log=True),
    )
)


def small_study(**changes: Any) -> StudySpec:
    """Some thirty trials of three pairs of short games, proposed by a model from the 17th on."""
    values: dict[str, Any] = {
        "name": "small",
        "base": EngineConfig(name="base"),
        "space": SPACE,
        "rules": Rules(games=200, trial_pairs=3, batch_pairs=1),
        "limit": Limit(nodes=150),
        "openings": OpeningSpec(plies=4, nodes=50),
        "adjudication": AdjudicationConfig(max_plies=40),
        "source_digest": source_digest(),
        "tool_version": "test",
    }
    return StudySpec(**(values | changes))


def play(
    spec: StudySpec,
    run_dir: Path,
    concurrency: int = 1,
    storage: str | None = None,
    hire: Hire = hire_here,
) -> StudyResult:
    """Play a study, or what is missing of it, silently."""
    resume = (run_dir / "run.sqlite").exists()
    options = RunOptions(run_dir, concurrency, resume, hire)
    return play_study(spec, options, storage, RecordingView(), lambda _: None)


def launch(
    spec: StudySpec, run_dir: Path, stop: int, storage: str | None = None
) -> subprocess.Popen[str]:
    """The same by one worker, as a process that stops at so many games."""
    spec_file = run_dir.with_suffix(".spec.json")
    spec_file.write_text(spec.model_dump_json())
    words = [str(spec_file), str(run_dir), "1", str(stop), *([storage] if storage else [])]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.match.studies", *words],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def counted_pairs(run_dir: Path, result: StudyResult) -> dict[int, Pentanomial]:
    """What the journal has of each trial's pairs, as many of the first ones as were counted."""
    halves: dict[int, list[int]] = {}
    with Journal.read(run_dir) as journal:
        for record in journal.games():
            halves.setdefault(record.pair, []).append(record.new_result)
    counts = {told.order.ordinal: told.counts.observations for told in result.told}
    classes: dict[int, list[int]] = {ordinal: [] for ordinal in counts}
    for pair, (first, second) in sorted(
        (pair, results) for pair, results in halves.items() if len(results) == 2
    ):
        ordinal, place = trial_pair(pair)
        if place < counts.get(ordinal, 0):
            classes[ordinal].append(pair_class(first, second))
    return {k: Pentanomial(*map(v.count, range(5))) for k, v in classes.items()}


def main(spec_file: str, run_dir: str, concurrency: str, stop: str, *storage: str) -> int:
    """Play; the exit code is that of the command."""
    spec = parse_spec(Path(spec_file).read_text())
    assert isinstance(spec, StudySpec)
    folder = Path(run_dir)
    options = RunOptions(folder, int(concurrency), (folder / "run.sqlite").exists())

    stops = [int(stop)]

    def update(_: object) -> None:
        if stops and finished_games(folder) >= stops[0]:
            del stops[0]
            os.kill(os.getpid(), signal.SIGSTOP)

    try:
        url = storage[0] if storage else None
        play_study(spec, options, url, RecordingView(), update)
    except HarnessError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
