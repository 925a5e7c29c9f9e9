"""Space files: what they mean, and how they are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UsageError
from harness.search_tuning.space import Dimension, Space
from harness.search_tuning.space_file import read_space
from harness.spec import EngineConfig

BASE = EngineConfig(name="base")


def write(folder: Path, text: str) -> str:
    path = folder / "space.cfg"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_space_has_ranges_fixed_values_and_order(tmp_path: Path) -> None:
    space = read_space(
        write(
            tmp_path,
            "[search]\nlmr_base = 0.20 to 1.64 step 0.05\nlmr_divisor = 1.50 to 6.00 log\n"
            "futility_base_cp = 10 to 200\nrazoring_margin_cp = 50 to 300\n"
            "[fixed]\nlate_move_reductions = 1\n"
            "[at_most]\nfutility_base_cp = razoring_margin_cp\n",
        ),
        BASE,
    )
    base, divisor, *_ = space.dimensions
    assert (base.low, base.high, base.step, base.scale) == (20, 160, 5, 100)
    assert (divisor.low, divisor.high, divisor.log) == (150, 600, True)
    assert divisor.exact(0.5) == pytest.approx(300)  # the middle of a log range
    assert base.format(85) == "0.85"
    assert space.fixed == {"late_move_reductions": 1}
    assert space.at_most == (("futility_base_cp", "razoring_margin_cp"),)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[search]\nlmr_bsae = 0 to 1\n", "line 2: search.lmr_bsae = 0 to 1: no such parameter of"),
        ("[search]\nlmr_bsae = 0 to 1\n", "did you mean lmr_base?"),
        ("[serch]\nlmr_base = 0 to 1\n", "did you mean search?"),
        (
            "[search]\nlmr_base = 0 to 9\n",
            "9 is not a value of the engine's; expected a number in steps of 0.01 from 0.00 to 4",
        ),
        (
            "[search]\nlmr_base = 0.005 to 1\n",
            "expected a number in steps of 0.01 from 0.00 to 4.00",
        ),
        ("[search]\nlmr_base = 1 to 0.5\n", "expected LOW below HIGH"),
        ("[search]\nlmr_base = 0.5\n", "expected LOW to HIGH"),
        (
            "[search]\nlmr_base = 0 to 1 step 2\n",
            "step 2: expected a number in steps of 0.01 from 0.01",
        ),
        ("[options]\nHash = 1 to 64\n", "no such section"),
        ("[search]\nlmr_base = 0 to 1 step 0.1 log\n", "step and log exclude each other"),
        ("[search]\nlmr_base = 0 to 1 log\n", "expected at least 0.01"),
        ("[fixed]\nlmr_base = 1\n", "no parameter to tune"),
        ("[search]\nlmr_base = 0 to 1\n[fixed]\nlmr_base = 1\n", "it has a range too"),
        ("[search]\nlmr_base = 0 to 1\n[fixed]\nlmr_pv = on\n", "expected 0 (off) or 1"),
        ("[search]\nlmr_base = 0 to 1\n[at_most]\nlmr_base = lmr_pv\n", "lmr_pv has no range here"),
        (
            "[search]\nlmr_min_depth = 1 to 9\nlmr_min_moves = 1 to 9\n"
            "[at_most]\nlmr_min_depth = lmr_min_moves\nlmr_min_moves = lmr_min_depth\n",
            "goes round in a circle",
        ),
        (
            "[search]\nlmr_min_depth = 5 to 9\nlmr_min_moves = 1 to 4\n"
            "[at_most]\nlmr_min_depth = lmr_min_moves\n",
            "no values are in this order",
        ),
        (
            "[search]\nlmr_min_depth = 1 to 9 step 2\nlmr_min_moves = 1 to 4\n"
            "[at_most]\nlmr_min_depth = lmr_min_moves\n",
            "in the same steps",
        ),
    ],
)
def test_a_wrong_space_is_refused_with_what_was_expected(
    tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(UsageError) as refused:
        read_space(write(tmp_path, text), BASE)
    assert told in str(refused.value)


@pytest.mark.parametrize("name", ["lmr", "aspiration", "delta", "all"])
def test_spaces_of_the_repository_hold_the_base_but_not_in_their_middle(name: str) -> None:
    space = read_space(f"spaces/{name}.cfg", BASE)
    base = BASE.search
    for one in space.dimensions:
        assert one.low < base[one.name] < one.high
        assert abs(one.unit(base[one.name]) - 0.5) > 0.02


ORDERED = Space(
    dimensions=tuple(
        Dimension(name=name, low=low, high=low + 9) for name, low in (("a", 0), ("b", 3), ("c", 1))
    ),
    at_most=(("a", "b"), ("b", "c")),
)


@given(st.tuples(st.integers(0, 9), st.integers(3, 12), st.integers(1, 10)))
def test_repaired_values_are_in_order_and_in_their_ranges(values: tuple[int, ...]) -> None:
    before = dict(zip("abc", values, strict=True))
    after = ORDERED.repaired(before)
    assert after["a"] <= after["b"] <= after["c"]
    assert all(one.low <= after[one.name] <= one.high for one in ORDERED.dimensions)
    assert ORDERED.repaired(after) == after
    if before["a"] <= before["b"] <= before["c"]:
        assert after == before


@given(st.integers(0, 29), st.booleans())
def test_a_value_is_where_its_place_is(step: int, log: bool) -> None:
    one = Dimension(name="x", low=10, high=97, step=1 if log else 3, log=log)
    value = one.low + one.step * step
    assert one.nearest(one.exact(one.unit(value))) == value
