"""`harness bench`: the signature, what it is compared with, and the exit code."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from engine.bench import POSITIONS, Bench
from harness.bench_command import _compared, noted_bench
from harness.errors import UsageError
from harness.revisions import commit_of, engine_of
from harness.speed import SpeedRatio
from tests.e2e.test_commands import harness, refused

DEPTH = 4


@pytest.fixture(scope="module")
def signature() -> int:
    bench = Bench(DEPTH)
    list(bench.search())
    return bench.nodes


def test_the_signature_with_moves_scores_and_speeds(tmp_path: Path, signature: int) -> None:
    line = ("bench", "--depth", str(DEPTH), "--repeat", "2", "--json", "x.json")
    done = harness(*line, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads((tmp_path / "x.json").read_text("utf-8"))
    assert document["nodes"] == signature
    assert len(document["nps"]) == 2
    assert [one["fen"] for one in document["positions"]] == list(POSITIONS)
    assert sum(one["nodes"] for one in document["positions"]) == signature
    assert {"move", "score_cp"} <= document["positions"][0].keys()
    *positions, last = done.stdout.splitlines()
    assert len(positions) == len(POSITIONS)
    assert last == document["sentence"]
    assert last.startswith(f"Bench: {signature} (")
    assert last.endswith(" in 2 repeats)")


@pytest.mark.parametrize("more", [0, 1])
def test_an_expected_signature(tmp_path: Path, signature: int, more: int) -> None:
    line = ("bench", "--depth", str(DEPTH), "--quiet", "--expect", str(signature + more))
    done = harness(*line, cwd=tmp_path)
    assert done.returncode == 10 * more
    assert done.stdout.startswith(f"Bench: {signature} (")
    assert done.stdout.endswith(f"; expected {signature + 1}\n" if more else "nodes/s)\n")


@pytest.mark.nightly  # each compiles the whole search
def test_every_back_end_has_the_signature(tmp_path: Path, signature: int) -> None:
    line = ("bench", "--depth", str(DEPTH), "--attacks", "--json", "-")
    done = harness(*line, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["back-ends"]
    assert {"magic", "rays"} <= found.keys()
    assert {one["nodes"] for one in found.values()} == {signature}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--expect", "1", "--expect-commit"], "--expect-commit cannot be given with --expect;"),
        (["--attacks", "--against", "x"], "--attacks cannot be given with --against;"),
        (["--against", "nix"], "nix: no such revision; expected one that git knows"),
        (["--expect-commit", "--depth", "3"], "--depth cannot be given with --expect-commit"),
        (["--rounds", "3"], "Invalid value for '--rounds'"),
        (["--json", "nil/x"], "nil/x: nil does not exist"),
    ],
)
def test_mistakes(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    assert refused("bench", *arguments, cwd=tmp_path).startswith(sentence)


class TestSpeedRatio:
    """The verdict of two engines that were measured in turn."""

    def compared(self, ratios: list[float], nodes: tuple[int, int] = (5, 5)) -> tuple[str, bool]:
        speed = SpeedRatio()
        for ratio in ratios:
            speed = speed.with_game(1_000_000 * ratio, 1_000_000)
        return _compared(speed, "1a2b3c4d5e6f7a8b", nodes)

    def test_slower_and_surely_so(self) -> None:
        sentence, slower = self.compared([0.94, 0.95, 0.96] * 4)
        assert slower
        assert sentence.startswith("the working tree has 0.950 times the nodes/s of 1a2b3c4d5e6f [")
        assert sentence.endswith("] in 12 rounds: slower")

    def test_faster_is_good(self) -> None:
        sentence, slower = self.compared([1.04, 1.05, 1.06] * 4)
        assert (sentence.endswith(": faster"), slower) == (True, False)

    @pytest.mark.parametrize("ratios", [[0.8, 1.2, 1.0], [0.990, 0.991, 0.989]])
    def test_noise_and_trifles_are_no_difference(self, ratios: list[float]) -> None:
        sentence, slower = self.compared(ratios * 4)
        assert (sentence.endswith(": no different for sure"), slower) == (True, False)

    def test_other_trees_are_told(self) -> None:
        assert self.compared([1.0] * 12, (5, 6))[0].endswith("; the trees differ (5 and 6 nodes)")


def test_our_own_engine_against_itself(tmp_path: Path) -> None:
    line = ("bench", "--against", "HEAD", "--depth", "2", "--rounds", "10", "--json", "-")
    done = harness(*line, cwd=tmp_path)
    document = json.loads(done.stdout)
    assert document["commit"] == commit_of("HEAD")
    assert [len(side) for side in document["nps"]] == [10, 10]
    assert document["ratio_ci95"][0] <= document["ratio"] <= document["ratio_ci95"][1]
    assert done.returncode == (10 if document["slower"] else 0)


# --- Revisions -----------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with an engine of one file and three commits."""
    folder = tmp_path / "repository"
    (folder / "engine").mkdir(parents=True)
    git(folder, "init", "-q")
    for number, message in enumerate(("First\n\nBench: 123", "Bench: no number", "Third"), 1):
        (folder / "engine" / "__init__.py").write_text(f"NUMBER = {number}\n")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", message)
    return folder


def git(folder: Path, *arguments: str) -> None:
    who = {
        f"GIT_{role}_{what}": "t" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    subprocess.run(("git", *arguments), cwd=folder, env=os.environ | who, check=True)


def test_the_last_noted_signature(repository: Path) -> None:
    assert noted_bench(repository) == (commit_of("HEAD~2", repository), 123)
    git(repository, "commit", "-q", "--allow-empty", "-m", "Fourth\n\nBench: 456")
    assert noted_bench(repository) == (commit_of("HEAD", repository), 456)


def test_no_noted_signature_is_told(repository: Path) -> None:
    git(repository, "checkout", "-q", "--orphan", "other")
    git(repository, "commit", "-q", "-m", "Alone")
    with pytest.raises(UsageError, match="no commit here has a line `Bench: N`"):
        noted_bench(repository)


def test_the_engine_of_a_revision(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBISHOP_CACHE_DIR", str(tmp_path / "cache"))
    folder = engine_of("HEAD~1", repository)
    assert folder.name == commit_of("HEAD~1", repository)
    assert (folder / "engine" / "__init__.py").read_text() == "NUMBER = 2\n"
    assert engine_of(folder.name, repository) == folder
    assert [one.name for one in folder.parent.iterdir()] == [folder.name]
    with pytest.raises(UsageError, match="nix: no such revision"):
        engine_of("nix", repository)
