"""The engine's copy: made once and whole, checked, healed; refused when the sources differ."""

import fcntl
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from engine import jit
from harness import snapshot
from harness.child import use_snapshot
from harness.errors import EngineStartError, UsageError
from harness.snapshot import (
    create_snapshot,
    environment,
    find_snapshot,
    first_on_path,
    package_digest,
    snapshot_of_run,
    warm,
    writable_cache,
)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A small package in place of the engine."""
    folder = tmp_path / "tree" / "engine"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text('"""A toy."""\n')
    (folder / "rules.py").write_text("SQUARES = 64\n")
    (folder / "notes.txt").write_text("not part of the program\n")
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "src"


def test_copy_holds_the_modules_and_has_their_digest(package: Path, root: Path) -> None:
    digest = package_digest(package)
    folder = create_snapshot(digest, package, root)
    assert folder == root / digest
    assert sorted(path.name for path in (folder / "engine").iterdir()) == [
        "__init__.py",
        "rules.py",
    ]
    assert package_digest(folder / "engine") == digest
    assert list(root.iterdir()) == [folder], "nothing half-made is left"


def test_existing_copy_is_used_whatever_became_of_the_package(package: Path, root: Path) -> None:
    digest = package_digest(package)
    folder = create_snapshot(digest, package, root)
    (package / "rules.py").write_text("SQUARES = 65\n")
    assert create_snapshot(digest, package, root) == folder
    assert (folder / "engine" / "rules.py").read_text() == "SQUARES = 64\n"


def test_sources_edited_since_the_run_was_specified_are_refused(package: Path, root: Path) -> None:
    digest = package_digest(package)
    (package / "rules.py").write_text("SQUARES = 65\n")
    with pytest.raises(UsageError, match=f"expected {digest[:12]}; the engine was edited"):
        create_snapshot(digest, package, root)
    assert list(root.iterdir()) == []


def test_comments_do_not_make_another_engine(package: Path, root: Path) -> None:
    digest = package_digest(package)
    (package / "rules.py").write_text('"""The board."""\nSQUARES = 64  # eight by eight\n')
    assert create_snapshot(digest, package, root).is_dir()


@pytest.mark.parametrize("damage", ["", "SQUARES = 6", "SQUARES = (64\n", "\0"])
def test_damaged_copy_is_not_found_and_made_again(package: Path, root: Path, damage: str) -> None:
    digest = package_digest(package)
    folder = create_snapshot(digest, package, root)
    (folder / "engine" / "rules.py").write_text(damage)
    assert find_snapshot(digest, root) is None
    assert create_snapshot(digest, package, root) == folder
    assert find_snapshot(digest, root) == folder
    assert [path.name for path in folder.iterdir()] == ["engine"]


def test_two_processes_may_make_the_same_copy(
    package: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = package_digest(package)
    look = snapshot.find_snapshot
    answers = iter([None])  # the other process finishes after our first look

    def late_look(digest: str, root: Path | None = None) -> Path | None:
        found = next(answers, look)
        if found is None:
            monkeypatch.setattr(snapshot, "find_snapshot", look)
            create_snapshot(digest, package, root)
            return None
        return look(digest, root)

    monkeypatch.setattr(snapshot, "find_snapshot", late_look)
    folder = create_snapshot(digest, package, root)
    assert look(digest, root) == folder
    assert list(root.iterdir()) == [folder]


def test_folder_that_cannot_be_written_is_told(package: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="expected a folder for the engine's copy"):
        create_snapshot(package_digest(package), package, tmp_path / "file" / "src")


def test_resumed_run_plays_its_own_engine_or_says_which_one_is_missing(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBISHOP_CACHE_DIR", str(tmp_path / "cache"))
    digest = package_digest(package)
    folder = snapshot_of_run(digest, package)
    (package / "rules.py").write_text("SQUARES = 65\n")
    assert snapshot_of_run(digest, package) == folder
    (folder / "engine" / "rules.py").unlink()
    present = package_digest(package)
    with pytest.raises(UsageError, match=f"{digest[:12]}.* is {present[:12]}; check out"):
        snapshot_of_run(digest, package)


def test_only_the_first_engine_of_a_process_can_be_played(tmp_path: Path) -> None:
    with first_on_path(tmp_path):
        assert sys.path[0] == str(tmp_path)
        with pytest.raises(EngineStartError, match="expected the run's copy"):
            use_snapshot(tmp_path)
    assert str(tmp_path) not in sys.path


def test_copy_goes_before_the_working_tree(package: Path, root: Path) -> None:
    folder = create_snapshot(package_digest(package), package, root)
    program = (
        "from pathlib import Path; from harness.child import use_snapshot;"
        f"use_snapshot(Path({str(folder)!r})); import engine.rules; print(engine.rules.__file__)"
    )
    output = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout
    assert output.strip() == str(folder / "engine" / "rules.py")


def test_cache_folder_that_cannot_be_written_is_told_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    unwritable = str(tmp_path / "file" / "cache")
    monkeypatch.setenv("NUMBISHOP_CACHE_DIR", unwritable)
    told: list[str] = []
    with writable_cache(tmp_path / "run", told.append):
        assert jit.cache_root() == tmp_path / "run" / "cache"
    assert os.environ["NUMBISHOP_CACHE_DIR"] == unwritable
    assert len(told) == 1
    assert told[0].startswith(f"{unwritable}: Not a directory; this run keeps")


def test_cache_folder_that_can_be_written_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBISHOP_CACHE_DIR", str(tmp_path))
    told: list[str] = []
    with writable_cache(tmp_path / "run", told.append):
        assert jit.cache_root() == tmp_path
    assert told == []


def test_environment_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBISHOP_A", "before")
    monkeypatch.delenv("NUMBISHOP_B", raising=False)
    with environment({"NUMBISHOP_A": "1", "NUMBISHOP_B": "2"}):
        assert (os.environ["NUMBISHOP_A"], os.environ["NUMBISHOP_B"]) == ("1", "2")
    assert os.environ["NUMBISHOP_A"] == "before"
    assert "NUMBISHOP_B" not in os.environ


def test_warming_reports_each_step_and_is_done_once() -> None:
    folder = create_snapshot(jit.source_digest())
    warm(folder, lambda name, done, total: None)
    marker = snapshot._marker(folder, beside=False)
    marker.unlink()
    steps: list[tuple[str, int, int]] = []
    warm(folder, lambda *step: steps.append(step))
    total = steps[0][2]
    assert [done for _, done, _ in steps] == list(range(total + 1))
    assert {step[2] for step in steps} == {total}
    assert steps[-1][0] == "done"
    assert steps[-2][0] == "statistics"
    warm(folder, lambda name, done, total: pytest.fail("warm already"))


def test_an_edit_of_the_harness_compiles_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its one kernel lies in a package of its own, which needs no other module of ours."""
    from harness.likelihood import constants, kernel

    package = Path(kernel.__file__).parent
    ours = {
        name
        for module in (kernel, constants)
        for name in re.findall(r"^(?:from|import) ((?:harness|engine)[\w.]*)", read(module), re.M)
    }
    assert ours == {"engine.jit", "harness.likelihood.constants"}
    assert kernel.tilt._cache.cache_path == str(jit.cache_folder(package, "harness"))


def read(module: ModuleType) -> str:
    return Path(module.__file__ or "").read_text("utf-8")


def test_one_process_compiles_and_another_waits_for_it(
    package: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = create_snapshot(package_digest(package), package, root)
    other = (folder / "compiling.lock").open("a")
    fcntl.flock(other, fcntl.LOCK_EX)
    polls = 0

    def poll() -> None:
        """While we wait the other one ends, and leaves everything compiled."""
        nonlocal polls
        polls += 1
        if polls == 3:
            monkeypatch.setattr(snapshot, "is_warm", lambda folder, beside: True)
            other.close()

    warm(folder, lambda name, done, total: pytest.fail("it was compiled twice"), poll)
    assert polls == 3


def test_warming_can_be_given_up(package: Path, root: Path) -> None:
    (package / "shell.py").write_text("import time\ntime.sleep(600)\n")
    folder = create_snapshot(package_digest(package), package, root)

    class GivenUpError(Exception):
        pass

    def poll() -> None:
        raise GivenUpError

    with pytest.raises(GivenUpError):
        warm(folder, lambda name, done, total: None, poll)


def test_engine_that_does_not_compile_is_told(
    package: Path, root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (package / "shell.py").write_text("raise RuntimeError('broken on purpose')\n")
    folder = create_snapshot(package_digest(package), package, root)
    with pytest.raises(EngineStartError, match="could not be compiled: exit code 1"):
        warm(folder, lambda name, done, total: None)
    assert "broken on purpose" in capfd.readouterr().err
