"""Games that end because tables know their result: tables are stood in for by their answers."""

from pathlib import Path

import chess.syzygy
import pytest

from engine.shell import Game
from harness.errors import UsageError
from harness.spec import AdjudicationConfig
from harness.tablebases import Tablebases, open_tablebases


def test_folders_without_tables_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no tables there"):
        Tablebases(str(tmp_path))
    with pytest.raises(UsageError, match="expected a folder of tables"):
        Tablebases(str(tmp_path / "none"))
    assert open_tablebases(AdjudicationConfig()) is None
    assert open_tablebases(AdjudicationConfig(enabled=False, syzygy=str(tmp_path))) is None


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Tablebases:
    """Tables of four men, of which every position with a black pawn is lost for its mover."""

    def add(self: chess.syzygy.Tablebase, folder: str) -> int:
        self.wdl["KRvKP"] = folder
        return 1

    def answer(self: chess.syzygy.Tablebase, board: chess.Board) -> int | None:
        pawns = board.pieces(chess.PAWN, chess.BLACK)
        return -2 if pawns else 1 if board.queens else None

    monkeypatch.setattr(chess.syzygy.Tablebase, "add_directory", add)
    monkeypatch.setattr(chess.syzygy.Tablebase, "get_wdl", answer)
    return Tablebases(str(tmp_path))


@pytest.mark.parametrize(
    ("fen", "move", "result"),
    [
        ("8/8/8/8/1k6/8/p6p/R3K3 w - - 3 1", "a1a2", 1),  # black to move has lost
        ("8/7p/8/1k6/8/8/8/R3K3 b - - 3 1", "h7h6", -1),  # white to move has
        ("8/7p/8/1k6/8/8/8/R3K3 b - - 3 1", "b5b4", None),  # the fifty moves count on
        ("8/8/8/8/1k6/8/p7/Q3K3 w - - 3 1", "a1a2", 0),  # a win that comes too late
        ("8/8/8/8/1k6/8/p7/R3K3 w - - 3 1", "a1a2", None),  # no such table
        ("8/7p/7p/1k6/8/8/p7/R3K3 b - - 3 1", "h6h5", None),  # too many men
        ("8/8/8/8/1k6/8/p7/R3K2R w K - 3 1", "a1a2", None),  # castling is not in the tables
    ],
)
def test_results_are_whites_and_asked_for_after_captures_and_pawn_moves(
    tables: Tablebases, fen: str, move: str, result: int | None
) -> None:
    game = Game(fen)
    game.push_uci(move)
    assert tables.result(game) == result
