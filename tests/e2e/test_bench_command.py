"""`harness bench`: the signature, what it is compared with, and the exit code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.bench import POSITIONS, Bench
from engine.jit import PACKAGE
from harness.bench_against import Comparison, comparisons, in_turn, measured_round, sentence
from harness.bench_command import noted_bench
from harness.errors import EngineStartError, UsageError
from harness.kernels import KERNELS, child
from harness.revisions import commit_of, engine_of, working_tree
from harness.stopwatch import Stopwatch, Time
from tests.e2e.test_commands import harness, refused

DEPTH = 4


@pytest.fixture(scope="module")
def signature() -> int:
    bench = Bench(DEPTH)
    list(bench.search())
    return bench.nodes


def test_the_signature_with_moves_scores_and_speeds(tmp_path: Path, signature: int) -> None:
    line = ("bench", "--depth", str(DEPTH), "--repeat", "2", "--kernels", "--json", "x.json")
    done = harness(*line, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads((tmp_path / "x.json").read_text("utf-8"))
    assert document["nodes"] == signature
    assert len(document["nps"]) == 2
    assert [one["fen"] for one in document["positions"]] == list(POSITIONS)
    assert sum(one["nodes"] for one in document["positions"]) == signature
    assert {"move", "score_cp"} <= document["positions"][0].keys()
    *told, last = done.stdout.splitlines()
    assert len(told) == len(POSITIONS) + len(KERNELS)
    assert document["kernels_ns"].keys() == KERNELS.keys()
    assert all(0 < ns < 1_000_000 for ns in document["kernels_ns"].values())
    assert [line.split()[0] for line in told[-len(KERNELS) :]] == [*KERNELS]
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
        (["--kernels", "--against", "HEAD"], "--kernels cannot be given with --against"),
        (["--rounds", "3", "--against", "HEAD"], "Invalid value for '--rounds'"),
        (["--rounds", "20"], "--rounds is for --against;"),
        (["--repeat", "2", "--against", "HEAD"], "--repeat cannot be given with --against;"),
        (["--json", "nil/x"], "nil/x: nil does not exist"),
    ],
)
def test_mistakes(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    assert refused("bench", *arguments, cwd=tmp_path).startswith(sentence)


class TestComparison:
    """What is told of engines that were measured in turn."""

    def compared(self, **ratios: float) -> list[Comparison]:
        """Twelve rounds in which the working tree has these ratios of speed, give or take."""
        rounds = [
            {
                name: (Time(100.0 / ratio, 7), Time(100.0 + 0.1 * (-1) ** number, 7))
                for name, ratio in ratios.items()
            }
            for number in range(12)
        ]
        return list(comparisons(rounds))

    def sentence(self, nodes: tuple[int, int] = (5, 5), **ratios: float) -> str:
        return sentence(self.compared(**ratios), "1a2b3c4d5e6f7a8b", 12, nodes)

    def test_the_slow_kernel_is_named_with_its_interval(self) -> None:
        assert self.sentence(evaluation=0.8, make=1.0, search=0.95) == (
            "the working tree's speed over that of 1a2b3c4d5e6f in 12 rounds:"
            " slower: evaluation 0.800 [0.799, 0.801], search 0.950 [0.949, 0.951]"
        )

    def test_faster_is_told_too(self) -> None:
        found = self.compared(table=1.3, make=0.8)
        assert [one.name for one in found] == ["make", "table"], "in the order of the kernels"
        assert [one.document()["verdict"] for one in found] == ["slower", "faster"]
        told = self.sentence(table=1.3, make=0.8)
        assert "slower: make 0.800 [" in told
        assert "; faster: table 1.300 [" in told

    def test_trifles_are_no_difference_and_smaller_ones_of_the_search(self) -> None:
        assert self.sentence(make=0.96, search=0.985).endswith(": no different for sure")
        assert ": slower: search 0.970 [" in self.sentence(make=0.97, search=0.97)

    def test_other_trees_are_told(self) -> None:
        assert self.sentence((5, 6), make=1.0).endswith("; the trees differ (5 and 6 nodes)")

    def test_the_fastest_turn_counts_and_both_begin_in_turn(self) -> None:
        asked: list[str] = []

        class Fake:
            def __init__(self, name: str, *ns: float) -> None:
                self.name, self.answers = name, iter(ns)

            def time(self, kernel: str) -> Time:
                asked.append(self.name)
                return Time(next(self.answers))

        sides: Any = [Fake("here", 3.0, 1.0, 2.0), Fake("there", 5.0, 6.0, 4.0)]
        assert in_turn(sides, "make", first=1) == (Time(1.0), Time(4.0))
        assert asked == ["there", "here"] * 3


def test_one_round_times_everything_in_both_engines() -> None:
    """Of one engine, beside itself."""
    pairs = measured_round([working_tree()] * 2, depth=2, first=0)
    assert list(pairs) == [*KERNELS, "search"]
    assert all(0 < time.ns < 100_000 for pair in pairs.values() for time in pair)
    bench = Bench(2)
    list(bench.search())
    assert [time.nodes for time in pairs["search"]] == [bench.nodes] * 2


def test_what_an_engine_lacks_is_not_timed_and_the_rest_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an old revision."""
    known = {"make": KERNELS["make"], "levers": "harness.kernels.levers"}
    monkeypatch.setattr(child, "KERNELS", known)
    timers, missing = child.kernel_timers()
    assert timers.keys() == {"make"}
    assert 0 < timers["make"]()["ns"] < 100_000
    assert missing == {"levers": "No module named 'harness.kernels.levers'"}


def test_a_broken_engine_is_told(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    source = tmp_path / "engine" / "see.py"
    source.write_text(source.read_text("utf-8").replace("def see_at_least", "def see_wins"))
    with closing(Stopwatch(tmp_path, 2)) as stopwatch, pytest.raises(EngineStartError) as told:
        stopwatch.wait_ready()
    assert str(told.value).startswith(f"the engine in {tmp_path} cannot be timed: ImportError: ")


@pytest.mark.nightly  # two processes are started for each of its rounds
def test_our_own_engine_against_itself(tmp_path: Path) -> None:
    line = ("bench", "--against", "HEAD", "--depth", "2", "--rounds", "10", "--json", "-")
    done = harness(*line, cwd=tmp_path)
    document = json.loads(done.stdout)
    assert document["commit"] == commit_of("HEAD")
    assert document["rounds"] == 10
    assert document["nodes"][0] > 0
    for one in document["kernels"]:
        low, high = one["ratio_ci95"]
        assert low <= one["ratio"] <= high
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
