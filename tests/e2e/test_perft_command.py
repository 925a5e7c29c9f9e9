"""`harness perft` from its options to its files and its exit code."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.e2e.test_commands import ROOT, harness, refused

SUITES = [str(ROOT / "tests" / "perft" / name) for name in ("standard.perft", "chess960.perft")]
STARTPOS = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#: An en passant capture that would uncover the king.
PIN = "4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 1"


@pytest.mark.parametrize("through", ["generator", "picker", "oracle"])
def test_a_suite_is_right_through_each_way(tmp_path: Path, through: str) -> None:
    suites = [word for name in SUITES for word in ("--suite", name)]
    line = ("--max-nodes", "20000", "--through", through, "--json", "x.json", "--junit", "x.xml")
    done = harness("perft", *suites, *line, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads((tmp_path / "x.json").read_text("utf-8"))
    assert done.stdout.rstrip().endswith(document["sentence"])
    assert document["positions"] == len(document["counts"]) > 40
    assert document["wrong"] == 0
    assert all(one["counted"] == one["expected"] <= 20_000 for one in document["counts"])
    root = ElementTree.fromstring((tmp_path / "x.xml").read_bytes())
    assert (root.get("tests"), root.get("failures")) == (str(document["positions"]), "0")


def test_a_wrong_count_is_told_with_its_divide(tmp_path: Path) -> None:
    (tmp_path / "s.epd").write_text(f"{STARTPOS} ;D1 20 ;D2 401\n")
    done = harness("perft", "--suite", "s.epd", "--junit", "x.xml", cwd=tmp_path)
    assert done.returncode == 10
    assert f"s.epd:1: perft 2 of {STARTPOS}: expected 401, got 400; by first" in done.stdout
    assert "  e2e4: 20\n" in done.stdout
    assert done.stdout.count(": 20\n") == 20
    assert "0 of 1 positions right through the generator: 400 leaves" in done.stdout
    (failure,) = ElementTree.fromstring((tmp_path / "x.xml").read_bytes()).iter("failure")
    assert "expected 401, got 400" in (failure.get("message") or "")


def test_one_position(tmp_path: Path) -> None:
    done = harness("perft", "--fen", PIN, "--depth", "1", "--divide", "--json", "-", cwd=tmp_path)
    below = json.loads(done.stdout)["divide"]
    assert sorted(below) == ["a5a4", "a5a6", "a5b4", "a5b5", "a5b6", "e5e6"]
    assert f"perft 1 of {PIN}: 6 (" in done.stderr
    assert "e5e6: 1\n" in done.stderr


@pytest.mark.nightly  # each compiles a generator of its own
def test_each_slider_backend_counts_alike(tmp_path: Path) -> None:
    """The suite's wrong line is wrong by each of them."""
    (tmp_path / "s.epd").write_text(f"{PIN} ;D1 6\n{STARTPOS} ;D1 21\n")
    line = ("--suite", "s.epd", "--through", "back-ends", "--json", "x.json", "--junit", "x.xml")
    done = harness("perft", *line, "--quiet", cwd=tmp_path)
    assert done.returncode == 10
    documents = json.loads((tmp_path / "x.json").read_text("utf-8"))["back-ends"]
    assert set(documents) >= {"magic", "rays"}
    assert done.stdout.splitlines() == [
        f"{name}: {document['sentence']}" for name, document in documents.items()
    ]
    suite = ElementTree.fromstring((tmp_path / "x.xml").read_bytes())
    failures = [failure.get("message") for failure in suite.iter("failure")]
    assert failures == [f"s.epd:2: perft 1 of {STARTPOS}: expected 21, got 20"] * len(documents)


def test_no_more_than_the_budget_is_begun(tmp_path: Path) -> None:
    line = ("perft", "--suite", SUITES[0], "--budget", "0.000001", "--json", "-")
    document = json.loads(harness(*line, cwd=tmp_path).stdout)
    assert (document["positions"], document["wrong"]) == (0, 0)
    assert document["not_reached"] > 20
    assert "were not reached within --budget" in document["sentence"]


def test_positions_without_a_small_count_are_said_to_be_skipped(tmp_path: Path) -> None:
    (tmp_path / "s.epd").write_text(f"{STARTPOS} ;D3 8902\n{PIN} ;D1 6\n")
    done = harness("perft", "--suite", "s.epd", "--max-nodes", "100", cwd=tmp_path)
    assert done.returncode == 0
    assert "1 of 1 positions right" in done.stdout
    assert "; 1 have no count within --max-nodes" in done.stdout


def test_there_is_no_difference_from_python_chess_and_from_the_head(tmp_path: Path) -> None:
    for other in ("python-chess", f"{Path(__import__('sys').executable)} -m engine"):
        line = ("perft", "--depth", "3", "--against", other, "--quiet")
        done = harness(*line, cwd=ROOT)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"no difference from {other} in 1 positions")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "--depth is missing; expected it, or a --suite"),
        (["--suite", "nil.epd"], "nil.epd: no such file"),
        (["--suite", "bad.epd"], "bad.epd, line 1: 'x': expected a position and counts"),
        (["--depth", "2", "--fen", "x"], "--fen 'x': "),
        (["--suite", "big.epd", "--max-nodes", "1"], "--max-nodes 1: no position of the suites"),
        (["--through", "back-ends"], "--through back-ends needs a --suite"),
        (["--depth", "1", "--against", "builtin@nix"], "nix: no such revision"),
        (["--depth", "0"], "Invalid value for '--depth'"),
    ],
)
def test_mistakes(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    (tmp_path / "bad.epd").write_text("x\n")
    (tmp_path / "big.epd").write_text(f"{STARTPOS} ;D1 20\n")
    assert refused("perft", *arguments, cwd=tmp_path).startswith(sentence)
