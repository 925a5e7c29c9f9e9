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


def read_cells(text: str) -> list[list[str]]:
    """The cells of each row that begins with the numbers of seeds."""
    rows = [line for line in text.splitlines() if re.match(r"\| *\d", line)]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def names_in(cell: str) -> list[str]:
    return re.findall("`([^`]+)`", cell)


CELLS = read_cells((ROOT / "docs" / "seeds.md").read_text("utf-8"))
ROWS = [
    Row(set(cells[0].split(", ")), cells[1], names_in(cells[2]), names_in(cells[3]))
    for cells in CELLS
    if len(cells) == 4
]
#: Of the other table: seed, claim, what was measured, remarks, the benchmark.
CLAIMS = [cells for cells in CELLS if len(cells) == 5]


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


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim[1])
def test_each_claim_was_measured_by_a_benchmark(claim: list[str]) -> None:
    seed, _, measured, _, benchmark = claim
    assert seed in SEEDS
    assert re.search(r"\d", measured)
    assert [name for name in names_in(benchmark) if is_test(name)]


def test_no_row_of_the_tables_is_overlooked() -> None:
    assert len(ROWS) + len(CLAIMS) == len(CELLS)


@pytest.mark.parametrize(
    "name", ["no_parameter", "engine.move.no_symbol", "engine.no_module.x", "configs/no.cfg"]
)
def test_what_is_not_there_is_found_missing(name: str) -> None:
    assert not exists(name)
    assert not is_test(f"tests/unit/test_seeds_document.py::{name}")
    assert not is_test("tests/unit/no_such_file.py::test_x")
