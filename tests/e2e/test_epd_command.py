"""`harness epd` with our engine and with others, and its exit code."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from harness.epd import NO_MOVE
from tests.e2e.test_commands import harness, refused
from tests.match.engines import SCRIPT

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -"
SUITE = f"""\
{MATE_IN_ONE} bm Rd8; id "right";
{MATE_IN_ONE} am Rd8; id "wrong";
{MATE_IN_ONE} c0 "Rd8=10, Rd7=4"; id "graded";
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "s.epd").write_text(SUITE)
    (tmp_path / "good.cfg").write_text("[search]\nnull_move = 0\n")
    return tmp_path


@pytest.mark.parametrize(
    "options",
    [
        ["--depth", "3"],
        ["--nodes", "2000", "--concurrency", "1", "--engine", "good.cfg"],
        ["--depth", "3", "--engine", f"{sys.executable} -m engine", "--option", "Hash=2"],
    ],
)
def test_solved_and_unsolved_positions(folder: Path, options: list[str]) -> None:
    done = harness("epd", "s.epd", *options, "--json", "x.json", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    wrong, sentence = done.stdout.splitlines()
    assert wrong == f"wrong: played d1d8, expected am d1d8  {MATE_IN_ONE} 0 1"
    assert sentence.startswith("2 of 3 solved (66.7 %), 10 of 10 points at ")
    document = json.loads((folder / "x.json").read_text("utf-8"))
    assert document["sentence"] == sentence
    assert [one["solved"] for one in document["solutions"]] == [True, False, True]
    assert all(one["depth"] and one["nodes"] for one in document["solutions"])


def test_several_suites_are_told_one_by_one(folder: Path) -> None:
    (folder / "t.epd").write_text(f'{MATE_IN_ONE} bm Rd8; id "again";\n')
    done = harness("epd", "s.epd", "t.epd", "--depth", "2", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines()[1:-1]]
    assert rows == [
        ["suite", "positions", "solved", "points", "of"],
        ["s.epd", "3", "2", "66.7", "%", "10", "10"],
        ["t.epd", "1", "1", "100.0", "%", "0", "0"],
    ]


@pytest.mark.parametrize(("wanted", "code"), [(2, 0), (3, 10)])
def test_a_number_that_is_wanted(folder: Path, wanted: int, code: int) -> None:
    line = ("epd", "s.epd", "--depth", "2", "--quiet", "--at-least", str(wanted))
    done = harness(*line, cwd=folder)
    assert done.returncode == code
    assert done.stdout.endswith("; expected at least 3\n") == bool(code)
    assert done.stdout.count("\n") == 1


def test_a_program_that_is_no_engine(folder: Path) -> None:
    done = harness("epd", "s.epd", "--engine", f"{sys.executable} -c pass", cwd=folder)
    assert done.returncode == 4
    assert "has ended (exit code 0); expected a UCI engine" in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_engine_that_goes_is_told_with_what_became_of_it(folder: Path) -> None:
    line = ("epd", "s.epd", "--engine", f"{sys.executable} -IS {SCRIPT} exit@go move=1")
    done = harness(*line, cwd=folder)
    assert done.returncode == 4
    assert "crash, " in done.stderr
    assert done.stderr.endswith(" has ended (exit code 3); expected a move\n")
    assert done.stderr.count("\n") == 1


def test_an_illegal_answer_solves_nothing(folder: Path) -> None:
    """Its knights are not there."""
    (folder / "program.cfg").write_text(
        f"[engine]\nsource = uci\ncommand = {sys.executable}\narguments = -IS {SCRIPT}\n"
    )
    line = ("epd", "s.epd", "--engine", "program.cfg", "--option", "hash=1")
    done = harness(*line, "--concurrency", "1", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count(f"played {NO_MOVE}, expected ") == 3


def test_an_option_that_the_engine_lacks(folder: Path) -> None:
    line = ("epd", "s.epd", "--engine", f"{sys.executable} -m engine", "--option", "Nix=1")
    done = harness(*line, cwd=folder)
    assert done.returncode == 2
    assert done.stderr.startswith("error: --option Nix: ")
    assert "has no such option" in done.stderr


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("epd nil.epd", "nil.epd: no such file"),
        ("epd s.epd --nodes 1 --depth 1", "--depth cannot be given with --nodes;"),
        ("epd s.epd --option Hash=2", "--option needs an --engine that speaks UCI"),
        ("epd s.epd --engine x --option Hash", "--option Hash: expected NAME=VALUE"),
        ("epd s.epd --engine nil.cfg", "config file 'nil.cfg' not found"),
        ("epd s.epd --engine /no/such/engine", "/no/such/engine: no such program; expected"),
    ],
)
def test_mistakes(folder: Path, line: str, sentence: str) -> None:
    assert refused(*line.split(), cwd=folder).startswith(sentence)
