"""`harness perft` in this process: tables, budgets, back-ends, and what its options refuse."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import chess
import pytest

from harness.cli import main

EN_PASSANT = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"
SUITES = Path(__file__).parents[1] / "perft"


def perft(*arguments: str) -> int:
    """The exit code of the command."""
    with pytest.raises(SystemExit) as ended:
        main(["perft", *arguments])
    return int(ended.value.code or 0)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_deep_count_with_a_table(capsys: pytest.CaptureFixture[str], threads: str) -> None:
    """As published; tests/unit/test_perft_ways.py has more of the table."""
    assert perft("--depth", "6", "--hash", "64", "--concurrency", threads) == 0
    assert f"perft 6 of {chess.STARTING_FEN}: 119,060,324 (" in capsys.readouterr().out


def test_a_suite_with_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    suite = ("--suite", str(SUITES / "standard.perft"), "--max-nodes", "1000000")
    assert perft(*suite, "--hash", "16", "--json", "x.json") == 0
    counts = json.loads(Path("x.json").read_text("utf-8"))["counts"]
    assert len(counts) > 30
    assert all(one["counted"] == one["expected"] for one in counts)


def test_a_divide_is_that_of_one_thread(capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for threads in ("1", "2"):
        assert perft("--depth", "4", "--divide", "--concurrency", threads, "--json", "x.json") == 0
        document = json.loads(Path("x.json").read_text("utf-8"))
        assert (document["leaves"], document["divide"]["e2e4"]) == (197_281, 13_160)
        told.append(capsys.readouterr().out.splitlines()[:20])
    assert told[0] == told[1] == sorted(told[0])


def test_quiet_leaves_the_count(capsys: pytest.CaptureFixture[str]) -> None:
    assert perft("--depth", "2", "--divide", "--quiet", "--json", "x.json") == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"perft 2 of {chess.STARTING_FEN}: 400 (")
    assert json.loads(Path("x.json").read_text("utf-8"))["sentence"] == line


def test_more_leaves_than_an_entry_holds(capsys: pytest.CaptureFixture[str]) -> None:
    two_kings = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
    assert perft("--fen", two_kings, "--depth", "40", "--hash", "64") == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert re.search(
        r"more than 72,057,594,037,927,935 leaves at depth 39; expected a smaller depth", said.err
    )


def test_comparisons_heed_the_budget(capsys: pytest.CaptureFixture[str]) -> None:
    suite = ("--suite", str(SUITES / "standard.perft"), "--max-nodes", "100")
    assert perft(*suite, "--against", "python-chess", "--budget", "1e-9", "--json", "-") == 0
    document = json.loads(capsys.readouterr().out)
    left = document["not_reached"]
    assert left > 30
    assert document["difference"] is None
    assert f"; {left} of {left} comparisons were not reached" in document["sentence"]


def test_a_difference_is_told_with_where_it_comes_from(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """python-chess is made to know no en passant."""
    monkeypatch.setattr(chess.Board, "generate_pseudo_legal_ep", lambda *_: iter(()))
    before = "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1"
    Path("s.epd").write_text(f"{chess.STARTING_FEN} ;D1 20\n{before} ;D2 28\n")
    assert perft("--suite", "s.epd", "--against", "python-chess", "--json", "x.json") == 10
    assert capsys.readouterr().out.splitlines() == [
        "a difference from python-chess at 4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2",
        f"  reached from {before} (s.epd:2) by d7d5",
        "  too many: e5d6",
    ]
    difference = json.loads(Path("x.json").read_text("utf-8"))["difference"]
    assert difference == {
        "fen": "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2",
        "chess960": False,
        "source": "s.epd:2",
        "root": before,
        "path": ["d7d5"],
        "missing": [],
        "too_many": ["e5d6"],
    }
    assert perft("--fen", EN_PASSANT, "--depth", "1", "--against", "python-chess") == 10
    assert capsys.readouterr().out.splitlines()[1:] == ["  which is --fen", "  too many: e5d6"]


def document(counted: int) -> dict[str, Any]:
    """What a back-end says of one position."""
    count = {"source": "s.epd:1", "fen": EN_PASSANT, "chess960": False, "depth": 1}
    count |= {"expected": 7, "counted": counted, "time_ns": 5}
    return {"sentence": "so many right", "wrong": int(counted != 7), "counts": [count]}


def test_back_ends_are_asked_one_after_the_other(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {}

    def answer(backend: str, arguments: list[str]) -> dict[str, Any]:
        asked[backend] = arguments
        return document(7 if backend == "magic" else 6)

    monkeypatch.setattr("harness.perft_check.usable_backends", lambda: ["magic", "rays"])
    monkeypatch.setattr("harness.perft_check.document_with", answer)
    Path("s.epd").write_text(f"{EN_PASSANT} ;D1 7\n")
    suite = ("--suite", "s.epd", "--depth", "3", "--max-nodes", "9", "--concurrency", "2")
    assert perft(*suite, "--through", "back-ends", "--junit", "x.xml") == 10
    command = ["perft", "--suite", "s.epd", "--depth", "3", "--max-nodes", "9"]
    assert list(asked) == ["magic", "rays"]
    assert all(arguments == [*command, "--concurrency", "2"] for arguments in asked.values())
    assert capsys.readouterr().out.splitlines() == [
        "magic: so many right",
        f"rays: s.epd:1: perft 1 of {EN_PASSANT}: expected 7, got 6",
        "rays: so many right",
    ]
    checks = list(ElementTree.fromstring(Path("x.xml").read_bytes()).iter("testcase"))
    assert [check.get("name") for check in checks] == [
        f"{name}: s.epd:1 D1 {EN_PASSANT}" for name in ("magic", "rays")
    ]
    assert [check.find("failure") is None for check in checks] == [True, False]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("--suite s.epd --fen x", "--fen cannot be given with a --suite; expected one or the"),
        ("--suite s.epd --divide", "--divide cannot be given with a --suite; expected one or"),
        ("--depth 1 --junit x.xml", "--junit cannot be given without a --suite; expected one"),
        ("--depth 1 --max-nodes 5", "--max-nodes cannot be given without a --suite"),
        ("--depth 1 --budget 5", "--budget cannot be given without a --suite; expected one"),
        ("--depth 1 --against x --divide", "--divide cannot be given with --against"),
        ("--suite s.epd --against x --junit x", "--junit cannot be given with --against"),
        ("--depth 1 --against x --hash 1", "--hash cannot be given with --against"),
        ("--depth 1 --against x --concurrency 1", "--concurrency cannot be given with --against"),
        ("--depth 1 --through picker --hash 1", "--hash cannot be given with --through picker"),
        ("--suite s.epd --through back-ends --hash 1", "--hash cannot be given with --through"),
        ("--suite s.epd --through back-ends --against x", "--against cannot be given with --th"),
        ("--depth 1 --against builtin", "--against builtin: expected a revision, such as"),
        ("--depth 1 --against builtin@", "--against builtin@: expected a revision, such as"),
        ("--suite s.epd --depth 1", "--depth 1: no position of the suites has a count so small"),
        (
            "--suite s.epd --depth 2 --max-nodes 1",
            "--max-nodes 1 and --depth 2: no position of the suites has a count so small; expected",
        ),
    ],
)
def test_options_that_would_have_no_effect_are_refused(
    capsys: pytest.CaptureFixture[str], arguments: str, sentence: str
) -> None:
    Path("s.epd").write_text(f"{EN_PASSANT} ;D2 42\n")
    assert perft(*arguments.split()) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert said.err.startswith(f"error: {sentence}")
    assert [path.name for path in Path().iterdir()] == ["s.epd"]
