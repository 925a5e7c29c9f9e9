"""Engines built from git revisions: the scripted engine has a repository of its own here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.config import load_engine_config
from harness.errors import EngineStartError, UsageError
from harness.record import Termination
from tests.checkout import WHO
from tests.match.engines import SCRIPT, play_pair

BUILD = (
    f"(echo '#!{sys.executable} -IS'; cat engine.py) > engine && chmod +x engine && echo . >> $LOG"
)
BENCH = 'if sys.argv[1:] == ["bench"]:\n    sys.exit("Nodes searched  : 4242")\n'


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ("git", *arguments), cwd=folder, env=os.environ | WHO, capture_output=True, check=True
    )


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Its second commit dances otherwise, which may be against the rules."""
    monkeypatch.setenv("NUMBISHOP_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("LOG", str(tmp_path / "builds.log"))
    folder = tmp_path / "engine"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    shutil.copy(SCRIPT, folder / "engine.py")
    text = SCRIPT.read_text().replace('if __name__ == "__main__":\n', BENCH)
    text = text.replace("    Engine(sys.argv[1:]).run()", "Engine(sys.argv[1:]).run()")
    for changed in (text, text.replace('"f3g1"', '"f3e5"')):
        (folder / "engine.py").write_text(changed)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "x")
    return folder


def config(folder: Path, at: str = "main", **changes: str) -> str:
    keys = {
        "source": "git",
        "repository": "engine",
        "revision": at,
        "build": BUILD,
        "binary": "engine",
    }
    path = folder.parent / f"{at}.cfg"
    lines = [f"{key} = {value}" for key, value in (keys | changes).items() if value]
    path.write_text("\n".join(["[engine]", *lines, ""]))
    return str(path)


def test_two_revisions_of_an_engine_play_each_other(repository: Path) -> None:
    new = load_engine_config(config(repository, "main", bench="4242"))
    base = load_engine_config(config(repository, "main~1"))
    assert new.program is not None
    assert base.program is not None
    assert new.name == f"Scripted 1.0 {new.program.commit[:8]}"
    assert new.name != base.name
    assert new.digest() != base.digest()
    first, second = play_pair(new, base)
    assert first.moves != second.moves
    endings = {first.termination, second.termination}
    assert endings <= {Termination.THREEFOLD, Termination.ILLEGAL_MOVE}


def test_a_revision_is_built_once(repository: Path) -> None:
    for revision in ("main", "HEAD", "main~1", "main"):
        load_engine_config(config(repository, revision))
    assert (repository.parent / "builds.log").read_text().count(".") == 2


def test_a_repository_at_a_url_is_copied(repository: Path) -> None:
    name = load_engine_config(config(repository, repository=f"file://{repository}")).name
    (repository / "new").touch()
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "y")
    later = load_engine_config(config(repository, repository=f"file://{repository}"))
    assert later.name != name, "brought up to date"


def test_a_copy_that_cannot_be_brought_up_to_date_is_used_and_told(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = load_engine_config(config(repository, repository=f"file://{repository}")).name
    repository.rename(repository.with_name("away"))
    assert load_engine_config(config(repository, repository=f"file://{repository}")).name == name
    assert "; the copy of before is used" in capsys.readouterr().err


def test_a_bench_without_end_is_told(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.builds.BENCH_SECONDS", 0.2)
    build = "printf '#!/bin/sh\\nexec sleep 60' > engine && chmod +x engine"
    with pytest.raises(EngineStartError, match=r"bench: no end after 0\.2 s; expected its count"):
        load_engine_config(config(repository, build=build, binary="engine", bench="1"))


@pytest.mark.parametrize(
    ("changes", "error", "sentence"),
    [
        ({"revision": "nowhere"}, UsageError, "nowhere: no such revision"),
        ({"build": ""}, UsageError, "no engine.build; expected repository, revision, build, bin"),
        ({"command": "x"}, UsageError, "an engine of source git has no such key"),
        ({"bench": "many"}, UsageError, "expected the nodes of the program's bench"),
        ({"bench": "1"}, EngineStartError, "bench: 4242, expected 1, which engine.bench says"),
        ({"build": "echo no such header; exit 7"}, EngineStartError, "code 7: no such header; its"),
        (
            {"binary": "other"},
            EngineStartError,
            "has made no program other; expected engine.binary",
        ),
    ],
)
def test_what_cannot_be_built_is_told(
    repository: Path, changes: dict[str, str], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        load_engine_config(config(repository, **changes))


def test_a_program_that_was_changed_since_is_refused(repository: Path) -> None:
    engine = load_engine_config(config(repository, "main"))
    assert engine.program is not None
    with Path(engine.program.command).open("a") as file:
        file.write("# another engine\n")
    with pytest.raises(EngineStartError, match="was changed since the run was specified"):
        play_pair(engine, engine)
