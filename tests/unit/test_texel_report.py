"""What a tuning leaves behind: configs, document, page, and the state to go on from."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from engine.weights import weight_defaults
from harness.config import load_engine_config
from harness.report.texel_numbers import scalar_lines, sentence, summary_rows
from harness.report.texel_page import render
from harness.spec import EngineConfig
from harness.texel.build import DataOptions
from harness.texel.diagnostics import calibration, phase_errors
from harness.texel.extract import Extraction
from harness.texel.fit import FitOptions, fit
from harness.texel.layout import engine_layout
from harness.texel.tuning import Tuning, finish, read_progress, read_tuning, write_tuning
from harness.texel.weights_file import engine_config, tables, vector, weights_config
from harness.texel_command import Work
from harness.view import QuietView
from tests.unit.test_texel_features import write
from tests.unit.texel_data import LAYOUT, K, planted

ABOUT = {
    "name": "tuned",
    "base": "base",
    "base_digest": "0123",
    "sources": ["games.pgn"],
    "seed": 1,
    "tool_version": "0",
    "census": [["positions", "1,000"]],
    "verify": None,
    "folder": "reports/x",
}


@pytest.fixture(scope="module")
def document():
    data, validation = planted(1, 4000), planted(2, 500).dataset
    options = FitOptions(k=K, force=True)
    result = fit(data.dataset, validation, LAYOUT, data.weights + 10.0, options)
    found = ABOUT | finish(result, options, validation).document
    return found | {"sentence": sentence(found)}


def test_weights_and_their_vector_are_inverses():
    layout, weights = engine_layout(), weight_defaults()
    flat = vector(weights)
    assert tables(layout, flat.astype(np.int64)) == weights
    # a1 first: a pawn on e2 has the fifth weight of the second row from the bottom as printed
    place = layout.places("pawn_squares").start + 12
    assert flat[place, 0] == weights["pawn_squares"][0][6 * 8 + 4]


def test_the_config_is_the_base_with_the_weights(tmp_path):
    weights = weight_defaults()
    weights["bishop_pair"] = ((31,), (-7,))
    weights["king_squares"] = (tuple(range(64)), tuple(range(64, 128)))
    weights["passed_pawn"] = ((1, 2, 3, 4, 5, 6), (6, 5, 4, 3, 2, 1))
    (tmp_path / "base.cfg").write_text("[search]\nnull_move = 0\n")
    (tmp_path / "weights.cfg").write_text(weights_config(weights, ["a remark"]))
    (tmp_path / "tuned.cfg").write_text(engine_config("better", "base.cfg", "weights.cfg"))
    engine = load_engine_config(str(tmp_path / "tuned.cfg"))
    assert engine.name == "better"
    assert engine.weights == weights
    assert engine.search["null_move"] == 0


def test_the_document_is_of_the_rounded_weights(document):
    value, _, squares, _ = document["terms"]
    assert value["name"] == "pawn_value"
    assert all(isinstance(weight, int) for weight in squares["after"]["endgame"])
    assert len(squares["standard_error"]["middlegame"]) == 64
    train = document["losses"]["train"]
    assert train["whole"] < train["start"]
    assert document["path"][0][0] == 0
    assert document["path"][document["best_step"]][1] == document["ridge"]


def test_the_page_shows_every_table_and_number(document):
    page = render(document)
    cells = len(re.findall(r'<td class="(?:good|bad)"', page))
    assert cells == 6 * (64 + 6)
    assert page.count("<svg") == 3
    for text in ("knight_squares", "rook_mobility", "middlegame, before", document["sentence"]):
        assert text in page
    assert all(label in page for label, _ in summary_rows(document))


def test_the_terminal_has_material_with_errors(document):
    head, pawn, *_ = scalar_lines(document)
    assert head.split() == ["middlegame", "after", "endgame", "after"]
    assert re.match(r"pawn_value +-?\d+ +-?\d+ ± \d+\.\d +-?\d+ +-?\d+ ± \d+\.\d", pawn)
    assert len(head) == len(pawn)


def test_no_gain_is_said_plainly(document):
    losses = {"start": 0.1, "fitted": 0.1, "whole": 0.11}
    worse = document | {"losses": {**document["losses"], "validation": losses}}
    assert "MORE" in sentence(worse)
    assert "MORE" not in sentence(document)


def test_where_nothing_is_better_the_start_stays():
    data = planted(3, 800)
    options = FitOptions(k=K, force=True)
    other = planted(4, 800).dataset  # of other weights: what is learned of the first is wrong here
    start = np.rint(np.zeros_like(data.weights) + 7.0)
    result = fit(data.dataset, other, LAYOUT, start, options)
    assert result.best.step == 0
    tuned = finish(result, options, other)
    np.testing.assert_array_equal(tuned.weights, start)
    assert "they stay as they are" in sentence(ABOUT | tuned.document)


def test_calibration_compares_means_in_bins():
    expected = np.array([0.1, 0.12, 0.9, 1.0])
    actual = np.array([0.0, 1.0, 1.0, 1.0])
    bins = calibration(expected, actual, np.array([1.0, 3.0, 1.0, 1.0]))
    assert [(round(b.expected, 3), round(b.actual, 3), b.weight) for b in bins] == [
        (0.115, 0.75, 4.0),
        (0.9, 1.0, 1.0),
        (1.0, 1.0, 1.0),
    ]


def test_errors_of_a_phase_are_those_of_the_side_ahead():
    expected = np.array([0.8, 0.2, 0.8, 0.6])
    target = np.array([1.0, 0.0, 1.0, 0.0])
    phase = np.array([24, 24, 24, 0], np.uint8)
    first, last = phase_errors(expected, target, np.ones(4), phase, np.array([1, 2, 2, 3]))
    assert (first.phase, last.phase) == (24, 0)
    assert first.mean == pytest.approx(0.2)
    assert last.mean == pytest.approx(-0.6)


def test_a_tuning_is_read_as_it_was_written(tmp_path):
    base = EngineConfig(name="base")
    data = DataOptions(Extraction(base.weights, base.search, noisy="keep", seed=2**63))
    tuning = Tuning("x", base, data, FitOptions(only=("king",), k=K), (Path("a.pgn"),))
    write_tuning(tmp_path, tuning)
    assert read_tuning(tmp_path) == tuning


class Stop:
    """Interrupts after so many looks."""

    def __init__(self, looks: int) -> None:
        self._left = looks

    @property
    def requested(self) -> bool:
        self._left -= 1
        return self._left < 0


def test_an_interrupted_tuning_is_gone_on_with(tmp_path):
    rng = np.random.default_rng(1)
    lines = [
        f"{rng.integers(2)} {rng.integers(25)} 100 w {i} - 0:{rng.integers(1, 4)}"
        for i in range(400)
    ]
    features = write(tmp_path, "numbishop features 1\nterm a 1 | 2\n" + "\n".join(lines))
    base = EngineConfig(name="base")
    how = FitOptions(k=K, method="adam", steps=40, patience=40)
    tuning = Tuning(
        "x", base, DataOptions(Extraction(base.weights, base.search)), how, (), features
    )
    tuned = []
    for folder, looks in (("whole", (99,)), ("cut", (9, 99))):
        place = tmp_path / folder
        place.mkdir()
        for number in looks:
            work = Work(place, tuning, QuietView(Console()), Stop(number))
            tuned.append(work.fit(work.prepare()))
    whole, cut, rest = tuned
    assert cut.document["ending"] == "interrupted"
    assert len(cut.document["path"]) == 10
    assert len(read_progress(tmp_path / "cut").path) == 10
    assert rest.document["path"] == whole.document["path"]
    np.testing.assert_array_equal(rest.weights, whole.weights)
