"""Parameters: declared once, with a default inside their bounds, read and written exactly."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

from engine.parameters import SEARCH, Parameter, search_defaults
from engine.shell import build_parameters
from engine.state import PARAMETERS_DTYPE, REDUCTION_LIMIT
from engine.terms import OFFSETS, WEIGHT_COUNT
from engine.weights import EVALUATION, PIECE_NAMES, WEIGHT_LIMIT_CP, Term, weight_defaults

by_name = pytest.mark.parametrize("parameter", SEARCH, ids=lambda parameter: parameter.name)


@by_name
def test_a_default_lies_within_its_bounds(parameter: Parameter) -> None:
    assert parameter.low <= parameter.default <= parameter.high
    assert parameter.low < parameter.high
    assert parameter.scale >= 1
    assert parameter.meaning


@by_name
def test_text_and_number_are_inverses(parameter: Parameter) -> None:
    for value in (parameter.low, parameter.default, parameter.high):
        assert parameter.parse(parameter.format(value)) == value


@by_name
def test_what_is_out_of_bounds_is_refused_with_the_expectation(parameter: Parameter) -> None:
    for value in (parameter.low - 1, parameter.high + 1):
        with pytest.raises(ValueError, match="expected ") as refusal:
            parameter.parse(parameter.format(value))
        assert parameter.expectation in str(refusal.value)


@by_name
def test_what_is_no_number_is_refused(parameter: Parameter) -> None:
    for text in ("", "x", "1e999", "nan", "inf", "-inf", "1;2", "0x10"):
        with pytest.raises(ValueError, match="expected "):
            parameter.parse(text)


def test_a_fraction_is_read_only_where_it_has_a_meaning() -> None:
    scaled = Parameter("a", 80, 0, 400, 100, "scaled")
    whole = Parameter("b", 3, 0, 10, 1, "whole")
    switch = Parameter("c", 1, 0, 1, 1, "switch")
    assert scaled.parse("0.8") == scaled.parse(" 0.80 ") == 80
    assert scaled.format(80) == "0.80"
    assert scaled.parse("1.15") == 115  # 1.15 * 100 is 114.99999999999999 in floating point
    assert scaled.expectation == "a number in steps of 0.01 from 0.00 to 4.00"
    assert whole.expectation == "an integer from 0 to 10"
    assert switch.expectation == "0 (off) or 1 (on)"
    for parameter, text in ((scaled, "0.805"), (whole, "2.5"), (switch, "0.5"), (switch, "2")):
        with pytest.raises(ValueError, match="expected"):
            parameter.parse(text)


def test_names_are_unique_and_are_the_record_s() -> None:
    names = [parameter.name for parameter in SEARCH]
    assert len(set(names)) == len(names)
    assert list(PARAMETERS_DTYPE.names[: len(names)]) == names
    assert search_defaults() == {parameter.name: parameter.default for parameter in SEARCH}


@pytest.mark.parametrize("term", EVALUATION, ids=lambda term: term.name)
def test_weights_come_in_pairs_of_one_shape(term: Term) -> None:
    assert len(term.middlegame) == len(term.endgame)
    assert term.is_scalar == (len(term.middlegame) == 1)
    assert term.is_board == (len(term.middlegame) == 64)
    assert max(map(abs, term.middlegame + term.endgame)) <= WEIGHT_LIMIT_CP


def test_offsets_cover_the_weights_without_gaps() -> None:
    spans = sorted((OFFSETS[term.name], len(term.middlegame)) for term in EVALUATION)
    ends = [offset + length for offset, length in spans]
    assert [offset for offset, _ in spans] == [0, *ends[:-1]]
    assert ends[-1] == WEIGHT_COUNT


def test_boards_are_printed_rank_8_first_and_kept_a1_first() -> None:
    printed = tuple(range(64))
    weights = {"knight_squares": (printed, tuple(-value for value in printed))}
    record = build_parameters(weights=weights)
    kept = record.weights[OFFSETS["knight_squares"] :][:64]
    assert kept[56] == 0  # a8 is printed first
    assert kept[0] == 56 - (56 << 32)  # a1 is the first of the last printed rank
    assert kept[7] == 63 - (63 << 32)


def test_the_record_holds_what_was_asked_for_and_defaults_else() -> None:
    record = build_parameters({"lmr_base": 33, "null_move": 0})
    defaults = search_defaults()
    for name, value in defaults.items():
        expected = {"lmr_base": 33, "null_move": 0}.get(name, value)
        assert record[name] == expected
    assert np.array_equal(
        build_parameters(defaults, weight_defaults()).weights, build_parameters().weights
    )


@pytest.mark.parametrize(("base", "divisor"), [(75, 225), (0, 50), (400, 1000), (133, 187)])
def test_reductions_are_base_plus_logarithms_rounded_down(base: int, divisor: int) -> None:
    table = build_parameters({"lmr_base": base, "lmr_divisor": divisor}).reductions
    for depth in (1, 2, 3, 10, REDUCTION_LIMIT - 1):
        for number in (1, 2, 7, 40, REDUCTION_LIMIT - 1):
            exact = base / 100 + math.log(depth) * math.log(number) / (divisor / 100)
            assert table[depth, number] == int(exact)
    assert not table[0].any()
    assert not table[:, 0].any()


def test_exchange_values_are_the_mean_of_both_phases() -> None:
    record = build_parameters(weights={"rook_value": ((400,), (600,))})
    assert record.exchange_values[3] == 500
    assert record.exchange_values[5] > 10_000  # a king is never the cheaper piece
    assert record.exchange_values[6] == 0  # no piece


def test_placement_is_value_plus_square() -> None:
    record = build_parameters()
    for piece, name in enumerate(PIECE_NAMES):
        squares = record.weights[OFFSETS[f"{name}_squares"] :][:64]
        value = 0 if name == "king" else record.weights[OFFSETS[f"{name}_value"]]
        assert np.array_equal(record.placement[piece], squares + value)


def test_reading_the_parameters_needs_no_numba() -> None:
    code = "import engine.parameters, sys; assert not {'numba', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
