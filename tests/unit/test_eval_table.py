"""The table of terms: its rows add up to the evaluation, from white's view."""

from __future__ import annotations

import chess
import pytest

from engine.eval_table import EvaluationTable, evaluation_table
from engine.evaluate import evaluate_record
from engine.shell import STARTPOS, Game, build_parameters
from engine.weights import EVALUATION
from tests.oracle import ENDGAMES, KIWIPETE, MIDDLEGAME

PARAMETERS = build_parameters()
FENS = (STARTPOS, KIWIPETE, MIDDLEGAME, *ENDGAMES, "4kb2/4p3/8/8/8/8/3PP3/4KB2 b - - 0 1")


def table_of(fen: str) -> EvaluationTable:
    return evaluation_table(Game(fen), PARAMETERS)


@pytest.mark.parametrize("fen", FENS)
def test_the_rows_add_up_to_the_evaluation(fen: str) -> None:
    game = Game(fen)
    value_cp = int(evaluate_record(game.record, PARAMETERS))
    table = evaluation_table(game, PARAMETERS)
    assert table.value_cp == (-value_cp if game.side_to_move else value_cp)
    assert sum(row.total_cp for row in table.rows) == pytest.approx(table.value_cp, abs=1)


@pytest.mark.parametrize("fen", FENS)
def test_colours_changed_change_sides(fen: str) -> None:
    table, twin = table_of(fen), table_of(chess.Board(fen).mirror().fen())
    assert (twin.phase, twin.scale_pct, twin.value_cp) == (
        table.phase,
        table.scale_pct,
        -table.value_cp,
    )
    for row, twin_row in zip(table.rows, twin.rows, strict=True):
        assert (row.white_cp, row.black_cp) == (twin_row.black_cp, twin_row.white_cp)
        assert row.total_cp == pytest.approx(-twin_row.total_cp)


def test_each_term_has_a_row_with_both_sides_weights() -> None:
    table = table_of("4k3/8/8/8/8/8/8/QQ2K3 b - - 0 1")
    assert [row.name for row in table.rows] == [term.name for term in EVALUATION]
    (queens,) = [row for row in table.rows if row.name == "queen_value"]
    (middlegame,), (endgame,) = next(t[1:3] for t in EVALUATION if t.name == "queen_value")
    assert queens.white_cp == (2 * middlegame, 2 * endgame)
    assert queens.black_cp == (0, 0)
    assert table.phase == 8
    assert queens.total_cp == pytest.approx((2 * middlegame * 8 + 2 * endgame * 16) / 24)
