"""How games end, case by case; in bulk against python-chess in tests/property."""

from __future__ import annotations

import chess
import pytest

from engine.shell import STARTPOS, Game, IllegalMoveError, Status
from engine.state import MAX_KEYS

KNIGHTS_OUT_AND_BACK = ("g1f3", "g8f6", "f3g1", "f6g8")


def played(fen: str, *moves: str) -> Game:
    game = Game(fen)
    for move in moves:
        game.push_uci(move)
    return game


@pytest.mark.parametrize(
    ("fen", "status"),
    [
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", Status.CHECKMATE),
        ("k7/2Q5/8/8/8/8/8/K7 b - - 0 1", Status.STALEMATE),
        ("8/8/4k3/8/8/4KR2/8/8 w - - 100 90", Status.FIFTY_MOVES),
        ("8/8/4k3/8/8/4KR2/8/8 w - - 99 90", Status.ONGOING),
        (STARTPOS, Status.ONGOING),
    ],
)
def test_status_of_a_start_position(fen: str, status: Status) -> None:
    assert Game(fen).status is status


@pytest.mark.parametrize(
    ("pieces", "insufficient"),
    [
        ("4k3/8/8/8/8/8/8/4K3", True),
        ("4k3/8/8/8/8/8/8/4KN2", True),
        ("4k3/8/8/8/8/8/8/4KB2", True),
        ("4kb2/8/8/8/8/8/8/4K3", True),
        ("2b1k3/8/8/8/8/8/8/4KB2", True),  # c8 and f1 are both light
        ("4kb2/8/8/8/8/8/8/4KB2", False),  # f8 is dark
        ("4k3/8/8/8/8/3B4/8/4KB2", True),
        ("4k3/8/8/8/8/4B3/8/4KB2", False),
        ("4k3/8/8/8/8/8/8/3NKN2", False),
        ("4kn2/8/8/8/8/8/8/4KN2", False),
        ("4kn2/8/8/8/8/8/8/4KB2", False),
        ("4k3/8/8/8/8/8/4P3/4K3", False),
        ("4k3/8/8/8/8/8/8/4K2R", False),
        ("4k3/8/8/8/8/8/8/4K2Q", False),
        ("8/8/3k4/8/8/7K/6pP/4b3", False),
        ("8/8/3N4/8/3K4/1B6/1n6/2k5", False),
    ],
)
def test_only_what_can_never_mate_is_insufficient(pieces: str, insufficient: bool) -> None:
    for turn in ("w", "b"):
        fen = f"{pieces} {turn} - - 4 80"
        assert chess.Board(fen).is_insufficient_material() == insufficient
        assert (Game(fen).status is Status.INSUFFICIENT_MATERIAL) == insufficient


def test_the_third_time_is_a_draw_and_not_the_second() -> None:
    game = played(STARTPOS, *KNIGHTS_OUT_AND_BACK)
    assert game.status is Status.ONGOING
    for move in KNIGHTS_OUT_AND_BACK[:3]:
        assert game.push(game.parse_uci(move)) is Status.ONGOING
    assert game.push(game.parse_uci(KNIGHTS_OUT_AND_BACK[3])) is Status.THREEFOLD


def test_a_position_with_another_right_is_another_position() -> None:
    """The rook's excursion costs a castling right: the first of the three does not count."""
    fen = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
    tour = ("h1h2", "e8d8", "h2h1", "d8e8")
    assert played(fen, *tour, *tour).status is Status.ONGOING
    assert played(fen, *tour, *tour, *tour).status is Status.THREEFOLD


def test_a_position_with_an_en_passant_capture_is_another_position() -> None:
    fen = "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1"
    tour = ("e8d8", "e1d1", "d8e8", "d1e1")
    assert played(fen, "e2e4", *tour, *tour).status is Status.ONGOING
    assert played(fen, "e2e4", *tour, *tour, *tour).status is Status.THREEFOLD


def test_the_side_to_move_tells_positions_apart() -> None:
    """White loses a move, so the first position comes again with black to move."""
    fen = "4k3/8/8/8/8/8/7R/4K3 w - - 0 1"
    triangle = ("e1d1", "e8d8", "d1d2", "d8e8", "d2e1")
    tour = ("e8d8", "e1d1", "d8e8", "d1e1")
    assert played(fen, *triangle, *tour).status is Status.ONGOING
    assert played(fen, *triangle, *tour, *tour).status is Status.THREEFOLD


def test_fifty_moves_draw_and_mate_goes_before() -> None:
    quiet = played("7k/8/6K1/8/8/8/8/1Q6 w - - 99 90", "b1b2")
    assert quiet.status is Status.FIFTY_MOVES
    mate = played("7k/8/6K1/8/8/8/8/1Q6 w - - 99 90", "b1b8")
    assert mate.status is Status.CHECKMATE
    capture = played("7k/8/6K1/8/8/8/1p6/1Q6 w - - 99 90", "b1b2")
    assert (capture.status, capture.halfmove_clock) == (Status.ONGOING, 0)


def test_irreversible_moves() -> None:
    game = Game("r3k2r/8/8/3p4/4P3/8/8/R3K2R w KQkq - 3 1")
    assert not game.last_move_irreversible
    line = {"e1g1": False, "e8c8": False, "e4d5": True, "d8d5": True, "a1a8": False}
    for move, irreversible in line.items():
        game.push_uci(move)
        assert game.last_move_irreversible == irreversible
    game.restart(STARTPOS)
    assert not game.last_move_irreversible


def test_a_game_may_go_on_for_ever_without_harm() -> None:
    """The keys of one run of reversible moves have a limit; play beyond every draw passes it."""
    game = Game()
    for _ in range(MAX_KEYS // 2):
        for move in KNIGHTS_OUT_AND_BACK:
            game.push_uci(move)
    assert game.ply == 2 * MAX_KEYS
    assert game.status is Status.THREEFOLD
    assert game.record.key_count <= MAX_KEYS
    game.push_uci("e2e4")
    assert (game.status, game.record.key_count) == (Status.ONGOING, 1)


def test_no_move_is_legal_when_the_game_is_over_on_the_board() -> None:
    for fen in (
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "k7/2Q5/8/8/8/8/8/K7 b - - 0 1",
    ):
        game = Game(fen)
        assert game.legal_moves() == []
        with pytest.raises(IllegalMoveError):
            game.push_uci("e1f2")


def test_children_are_the_positions_after_each_move() -> None:
    game = Game("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 5 20")
    children = dict(game.children())
    assert list(children) == game.legal_moves()
    for move, child in children.items():
        after = Game(game.fen)
        after.push(move)
        assert child.fen == after.fen
