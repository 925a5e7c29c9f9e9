"""Endgame tables at the root. The tables are stand-ins: real ones are not ours to keep."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import chess
import chess.syzygy
import pytest

from engine.protocol import UciError
from engine.syzygy import RootTables
from engine.uci import Uci

QUEEN_ENDING = "8/8/8/8/2k5/8/1Q6/K7 w - - 0 1"


class Tables:
    """Stands in for python-chess's reader; the results are those the test says."""

    def __init__(self, wdl: Callable[[chess.Board], int], dtz: Callable[[chess.Board], int]):
        self.wdl: dict[str, object] = {}
        self.probe_wdl, self.probe_dtz = wdl, dtz

    def add_directory(self, folder: str) -> None:
        for file in Path(folder).iterdir():
            self.wdl[file.stem] = file


def missing(board: chess.Board) -> int:
    raise chess.syzygy.MissingTableError("did not find the table")


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., str]:
    """Puts stand-in tables in place; gives the path that names them."""
    (tmp_path / "KQvK.rtbw").touch()

    def put(wdl: Callable[[chess.Board], int], dtz: Callable[[chess.Board], int] = missing) -> str:
        monkeypatch.setattr(chess.syzygy, "Tablebase", lambda: Tables(wdl, dtz))
        return str(tmp_path)

    return put


def talk(*lines: str) -> list[str]:
    out = io.StringIO()
    Uci(out).run(lines)
    return out.getvalue().splitlines()


def best(path: str, fen: str, go: str = "go depth 4") -> str:
    lines = talk(f"setoption name SyzygyPath value {path}", f"position fen {fen}", go)
    assert lines[0] == "info string endgame tables of up to 3 men"
    return lines[-1].split()[1]


def after(fen: str, move: str) -> str:
    board = chess.Board(fen)
    board.push_uci(move)
    return board.board_fen()


def only(fen: str, move: str, value: int, other: int) -> Callable[[chess.Board], int]:
    """Results that tell one move from all others, from the side to move after it."""
    wanted = after(fen, move)
    return lambda board: value if board.board_fen() == wanted else other


def test_the_only_move_that_wins_is_played(use):
    for move in ("b2b8", "a1a2", "b2h2"):
        assert best(use(only(QUEEN_ENDING, move, -2, 0)), QUEEN_ENDING) == move


def test_the_only_move_that_does_not_lose_is_played(use):
    for value in (0, 1):
        assert best(use(only(QUEEN_ENDING, "b2b8", value, 2)), QUEEN_ENDING) == "b2b8"


def test_a_win_within_fifty_moves_goes_before_one_beyond(use):
    assert best(use(only(QUEEN_ENDING, "b2g7", -2, -1)), QUEEN_ENDING) == "b2g7"


def test_of_winning_moves_the_nearest_to_progress_is_played(use):
    path = use(lambda board: -2, only(QUEEN_ENDING, "b2b7", -8, -9))
    assert best(path, QUEEN_ENDING) == "b2b7"


def test_of_losing_moves_the_longest_is_played(use):
    fen = "8/8/8/3k4/8/8/1Q6/K7 b - - 0 1"
    assert best(use(lambda board: 2, only(fen, "d5e6", 19, 15)), fen) == "d5e6"


def test_a_mate_goes_before_all(use):
    fen = "k7/8/1K6/8/8/8/8/6Q1 w - - 0 1"
    board = chess.Board(fen)
    board.push_uci(best(use(lambda board: -2, lambda board: -1), fen))
    assert board.is_checkmate()


def test_a_capture_is_judged_by_its_result_and_not_by_a_distance(use):
    """After it the count begins anew."""
    fen = "8/8/8/8/8/1k6/1Q6/3K4 b - - 9 50"
    capture = after(fen, "b3b2")

    def dtz(board: chess.Board) -> int:
        assert board.board_fen() != capture
        return 20

    assert best(use(only(fen, "b3b2", 0, 2), dtz), fen) == "b3b2"


def test_searchmoves_are_chosen_from(use):
    path = use(only(QUEEN_ENDING, "b2b8", -2, 0))
    assert best(path, QUEEN_ENDING, "go depth 3 searchmoves a1a2 b2b8") == "b2b8"
    assert best(path, QUEEN_ENDING, "go depth 3 searchmoves a1a2") == "a1a2"


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/2k5/8/PQ6/K7 w - - 0 1",  # more men
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",  # castling
    ],
)
def test_what_the_tables_do_not_know_is_not_asked(use, fen):
    def fail(board: chess.Board) -> int:
        raise AssertionError("asked")

    lines = talk(
        f"setoption name SyzygyPath value {use(fail)}", f"position fen {fen}", "go depth 3"
    )
    assert not any("cannot be read" in line for line in lines)
    assert lines[-1].startswith("bestmove")


def test_missing_tables_leave_all_moves(use):
    lines = talk(f"position fen {QUEEN_ENDING}", "go depth 5")
    path = use(missing)
    with_tables = talk(
        f"setoption name SyzygyPath value {path}", f"position fen {QUEEN_ENDING}", "go depth 5"
    )
    assert with_tables[-1] == lines[-1]


@pytest.mark.parametrize("error", [OSError("invalid magic header"), IndexError("x"), ValueError()])
def test_a_table_that_cannot_be_read_is_told_and_passed_over(use, error):
    def fail(board: chess.Board) -> int:
        raise error

    path = use(fail)
    lines = talk(
        f"setoption name SyzygyPath value {path}", f"position fen {QUEEN_ENDING}", "go depth 3"
    )
    assert lines[1].startswith("info string a tablebase cannot be read")
    assert lines[-1].startswith("bestmove")


def test_a_file_that_is_no_table_is_told(tmp_path):
    """With the real reader."""
    for ending in ("rtbw", "rtbz"):
        (tmp_path / f"KQvK.{ending}").write_bytes(b"not a table")
    lines = talk(
        f"setoption name SyzygyPath value {tmp_path}", f"position fen {QUEEN_ENDING}", "go depth 3"
    )
    assert lines[1].startswith("info string a tablebase cannot be read: invalid file size")
    assert lines[-1].startswith("bestmove")


def test_a_path_that_holds_no_tables_is_told_and_the_old_ones_stay(use, tmp_path):
    path = use(only(QUEEN_ENDING, "b2b8", -2, 0))
    empty = tmp_path / "empty folder"
    empty.mkdir()
    lines = talk(
        f"setoption name SyzygyPath value {path}",
        f"setoption name SyzygyPath value {empty}",
        f"setoption name SyzygyPath value {tmp_path / 'absent'}",
        f"position fen {QUEEN_ENDING}",
        "go depth 3",
    )
    assert lines[1].startswith("info string SyzygyPath: there is no table in ")
    assert lines[2].startswith("info string SyzygyPath: ")
    assert "No such file" in lines[2]
    assert lines[-1].split()[1] == "b2b8"


@pytest.mark.parametrize("nothing", ["", "<empty>"])
def test_an_empty_path_puts_the_tables_away(use, nothing):
    path = use(only(QUEEN_ENDING, "a1a2", -2, 0))
    lines = talk(
        f"setoption name SyzygyPath value {path}",
        f"setoption name SyzygyPath value {nothing}",
        f"position fen {QUEEN_ENDING}",
        "go depth 5",
    )
    assert lines[-1].split()[1] != "a1a2"


def test_several_folders_are_one_collection(tmp_path):
    for name in ("KQvK", "KBNvKR"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.rtbw").touch()
    assert RootTables(f"{tmp_path / 'KQvK'}:{tmp_path / 'KBNvKR'}").most_men == 5
    with pytest.raises(UciError, match="No such file"):
        RootTables(f"{tmp_path / 'KQvK'}:{tmp_path / 'absent'}")
