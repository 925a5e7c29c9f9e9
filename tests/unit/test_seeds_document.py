"""docs/seeds.md keeps its word: each row names what exists, and a test that exists."""

from __future__ import annotations

import ast
import functools
import importlib
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from engine.parameters import search_defaults

ROOT = Path(__file__).resolve().parents[2]
SEEDS = {"000", "001", "002", "003", "004"}


class Row(NamedTuple):
    """One technique: the seeds that describe it, its names and its tests."""

    seeds: set[str]
    what: str
    names: list[str]
    tests: list[str]


def read_rows(text: str) -> list[Row]:
    """The rows of the tables with the columns seed, what, where, tests."""
    rows = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and re.fullmatch(r"\d{3}(, \d{3})*", cells[0]):
            names, tests = (re.findall("`([^`]+)`", cell) for cell in cells[2:])
            rows.append(Row(set(cells[0].split(", ")), cells[1], names, tests))
    return rows


ROWS = read_rows((ROOT / "docs" / "seeds.md").read_text("utf-8"))


def exists(name: str) -> bool:
    """Whether a file, a parameter of the search or a symbol of that name is there."""
    if "/" in name:
        return (ROOT / name).is_file()
    if "." not in name:
        return name in search_defaults()
    module, _, symbol = name.rpartition(".")
    try:
        return hasattr(importlib.import_module(module), symbol)
    except ModuleNotFoundError:
        return False


@functools.cache
def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def is_test(name: str) -> bool:
    path, _, function = name.partition("::")
    file = ROOT / path
    return function.startswith("test_") and file.is_file() and function in functions_of(file)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.what)
def test_each_row_names_what_exists_and_is_tested(row: Row) -> None:
    assert row.seeds <= SEEDS
    assert row.names
    assert [name for name in row.names if not exists(name)] == []
    assert row.tests
    assert [test for test in row.tests if not is_test(test)] == []


def test_every_seed_has_rows_and_no_row_stands_twice() -> None:
    assert set.union(*(row.seeds for row in ROWS)) == SEEDS
    assert len({row.what for row in ROWS}) == len(ROWS)


def test_no_row_of_the_tables_is_overlooked() -> None:
    """A row whose cells are not read would not be checked either."""
    text = (ROOT / "docs" / "seeds.md").read_text("utf-8")
    lines = re.findall(r"^\| *\d{3}.*::", text, re.MULTILINE)
    assert len(lines) == len(ROWS)


@pytest.mark.parametrize(
    "name", ["no_parameter", "engine.move.no_symbol", "engine.no_module.x", "configs/no.cfg"]
)
def test_what_is_not_there_is_found_missing(name: str) -> None:
    assert not exists(name)
    assert not is_test(f"tests/unit/test_seeds_document.py::{name}")
    assert not is_test("tests/unit/no_such_file.py::test_x")
