"""The engine itself under the whole machinery: equal games whoever plays them, whatever happens."""

from pathlib import Path
from typing import Any

import pytest

from harness import playing
from harness.limits import Limit
from harness.spec import EngineConfig, MatchSpec
from harness.workers import LocalWorkers
from tests.match.runs import (
    comparable,
    finished_games,
    kill_hard,
    kill_if_running,
    launch,
    null_spec,
    play,
    wait_until_stopped,
)


def builtin_spec(pairs: int, nodes: int) -> MatchSpec:
    base = EngineConfig(name="base", search=EngineConfig(name="").search)
    changed = base.search | {"null_move": 0}
    new = EngineConfig(name="new", search=changed)
    return null_spec(pairs, new=new, base=base, limit=Limit(nodes=nodes))


@pytest.mark.nightly
def test_builtin_run_is_the_same_by_any_number_of_workers_killed_or_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = builtin_spec(pairs=40, nodes=1000)
    play(spec, tmp_path / "one", concurrency=1)
    undisturbed = comparable(tmp_path / "one")
    for concurrency in (2, 4):
        play(spec, tmp_path / str(concurrency), concurrency)
        assert comparable(tmp_path / str(concurrency)) == undisturbed

    process = launch(spec, tmp_path / "killed", 10)
    wait_until_stopped(process)
    kill_hard(process)

    kills: list[int] = []

    class Murderous(LocalWorkers):
        def events(self, timeout_s: float) -> Any:
            alive = [process for process in self.process_ids if process not in kills]
            due = len(kills) < 2 and finished_games(tmp_path / "killed") >= 20 * (len(kills) + 1)
            if due and alive:  # the dead are listed until their death is noticed
                kills.append(alive[0])
                kill_if_running(kills[-1])
            return super().events(timeout_s)

    monkeypatch.setattr(playing, "LocalWorkers", Murderous)
    document = play(spec, tmp_path / "killed", resume=True)
    assert document["faults"]["worker_lost"] == 2
    assert comparable(tmp_path / "killed") == undisturbed
