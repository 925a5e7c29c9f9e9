"""Moves, generation and make on positions where each rule bites; the cases come from bug reports.

The property tests compare with python-chess in bulk; here each count is a fact with its reason.
"""

from __future__ import annotations

from typing import NamedTuple

import chess
import numpy as np
import pytest

from engine import move as engine_move
from engine.shell import Game, IllegalMoveError, Status
from tests.kernels.probes import check_sets, decoded, piece_on_square, recomputed_key, wire_form
from tests.oracle import KIWIPETE, WELL_KNOWN, Start, oracle_board, wires_of


class Case(NamedTuple):
    """A position, how many moves it has, and of these some that must and must not be there."""

    why: str
    fen: str
    count: int
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    chess960: bool = False


CASES = (
    Case(
        "a castling right without its rook",
        "2b1k1nB/1p3p1p/n4b2/1NPp4/P7/8/2r1PPPP/R3KBNR b KQk - 0 14",
        38,
        absent=("e8g8", "e8h8"),
    ),
    Case(
        "a right of the other side without its rook",
        "3qk1nb/1p3p2/p1r1p1p1/3p4/3P4/2N1BP2/PPPQ1P2/R3K3 w Qk - 0 15",
        26,
        present=("e1c1",),
    ),
    Case(
        "rights although the kings have moved",
        "2r5/5p1k/p4b2/2Rp1pr1/1Pn1q3/2P3PP/P4P2/2RQ2K1 b KQkq - 0 1",
        56,
    ),
    Case(
        "Chess960 rights where Chess960 is off",
        "nrkb2nr/ppppp1p1/6bp/5p2/BPP1P1P1/P7/3P1P1P/qRK1BQNR w BHbh - 0 3",
        28,
        absent=("c1c1", "c1b1"),
    ),
    Case(
        "castling would take away the rook that shields the king",
        "4k3/8/8/8/8/8/8/rR2K1N1 w Q - 0 1",
        11,
        absent=("e1b1",),
        chess960=True,
    ),
    Case(
        "castling as king takes rook",
        "nn1rkq1b/ppp1p1rP/8/2Np4/3P4/2P5/bP3PPP/2BRKQRB b KQq - 1 8",
        34,
        present=("e8d8",),
        chess960=True,
    ),
    Case(
        "castling stays where only the other side is attacked",
        "r2r3k/p2p4/8/8/8/8/P6P/R3K2R w KQq - 0 1",
        16,
    ),
    Case(
        "the same by the rules of Chess960",
        "r2r3k/p2p4/8/8/8/8/P6P/R3K2R w KQq - 0 1",
        16,
        chess960=True,
    ),
    Case(
        "in check at once after loading",
        "r1b1k1nr/p2pp1bp/2p2pp1/q7/2B1P3/3Q4/PPP2PPP/RNB1K2R w KQkq - 0 1",
        10,
        absent=("e1g1", "e1h1"),
    ),
    Case(
        "en passant would uncover the king along the rank",
        "8/8/8/r2Pp2K/8/8/4k3/8 w - e6 0 1",
        6,
        absent=("d5e6",),
    ),
    Case(
        "en passant would uncover the king along a diagonal",
        "1b6/8/8/3Pp3/8/8/4k2K/8 w - e6 0 1",
        6,
        absent=("d5e6",),
    ),
    Case(
        "an en passant square behind one's own pawn",
        "rnbqkbnr/ppp2ppp/3p4/8/3pP3/5N2/PPP2PPP/RNBQKB1R w KQkq d3 1 3",
        37,
    ),
    Case(
        "an en passant square while a knight gives check",
        "k7/8/8/3pP3/8/7n/5K2/8 w - d6 0 1",
        7,
        absent=("e5d6",),
    ),
    Case(
        "an en passant square across the board's edge",
        "1nb1kbnr/r1p2pp1/3p1q2/pp2NP1p/7P/2PP4/PP2P1P1/R1BQKBNR b KQk h3 0 1",
        35,
        present=("a5a4",),
        absent=("a5h3", "a5b4"),
    ),
    Case(
        "every way to answer a check on the diagonal",
        "rnbqkbnr/ppp1pppp/3p4/8/Q7/2P5/PP1PPPPP/RNB1KBNR b KQkq - 0 1",
        6,
        present=("b7b5", "c7c6", "b8c6", "b8d7", "c8d7", "d8d7"),
    ),
    Case(
        "the most moves of any position",
        "3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1",
        218,
    ),
    Case(
        "more moves than a legal position can have",
        "2QQ2Q1/Q4Q2/Q6Q/4Q3/Q6Q/Q4Q1Q/3Q4/1k2K1Q1 w - - 0 1",
        226,
    ),
    Case(
        "a right whose rook is there and one whose is not",
        "2b1kbnQ/rpq1pp1p/2n3p1/8/8/2P5/PP3PPP/RN2KBNR b KQk - 0 9",
        42,
        absent=("e8g8",),
    ),
    Case(
        "a promotion that stands between king and rook",
        "K6r/2P1P3/8/8/8/8/8/7k w - - 0 1",
        10,
        present=("c7c8q", "c7c8n", "e7e8r", "e7e8b"),
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.why)
def test_legal_moves(case: Case) -> None:
    game = Game(case.fen, case.chess960)
    names = [game.format_uci(move) for move in game.legal_moves()]
    assert len(names) == case.count
    assert len(set(names)) == case.count
    assert set(case.present) <= set(names)
    assert not set(case.absent) & set(names)
    assert all(name[:2] != name[2:4] for name in names)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.why)
def test_the_oracle_agrees_with_the_cases(case: Case) -> None:
    board = chess.Board(Game(case.fen, case.chess960).fen, chess960=case.chess960)
    assert board.legal_moves.count() == case.count


def test_a_move_says_all_about_itself() -> None:
    game = Game("r3k2r/1P6/8/3pP3/8/8/P7/R3K2R w KQkq d6 0 1")
    seen = {
        game.format_uci(wire): decoded(game.record.moves[index])
        for index, wire in enumerate(game.legal_moves())
    }
    pawn, knight, rook, queen, king, none = 0, 1, 3, 4, 5, 6
    a1, a2, a4, b7, a8, b8, d6, e5 = 0, 8, 24, 49, 56, 57, 43, 36
    assert seen["a2a4"] == (a2, a4, pawn, none, 0, False)
    assert seen["b7b8n"] == (b7, b8, pawn, none, knight, True)
    assert seen["b7a8q"] == (b7, a8, pawn, rook, queen, True)
    assert seen["e5d6"] == (e5, d6, pawn, pawn, 0, True)
    assert seen["e1c1"] == (4, a1, king, none, 0, False)
    assert seen["e1g1"] == (4, 7, king, none, 0, False)
    flags = {
        game.format_uci(wire): int(game.record.moves[index]) >> 21
        for index, wire in enumerate(game.legal_moves())
    }
    assert (flags["a2a3"], flags["a2a4"], flags["e5d6"], flags["e1g1"]) == (0, 1, 2, 4)


def test_wire_moves_are_absolute() -> None:
    promotion = np.uint64(8 + 6 * 0) | np.uint64(1 << 6) | engine_move.QUIET
    assert wire_form(promotion, np.uint64(0)) == 8 | 1 << 6
    assert wire_form(promotion, np.uint64(1)) == (8 ^ 56) | (1 ^ 56) << 6
    black = Game("4k3/8/8/8/8/8/p7/4K3 b - - 0 1")
    assert black.parse_uci("a2a1r") == 8 | 0 << 6 | 3 << 12


@pytest.mark.parametrize("fen", WELL_KNOWN)
def test_pieces_are_found_on_their_squares(fen: str) -> None:
    game, board = Game(fen), chess.Board(fen)
    turn = 56 * game.side_to_move
    for square in range(64):
        kind = board.piece_type_at(square)
        expected = 6 if kind is None else kind - 1
        assert piece_on_square(game.record, np.uint64(square ^ turn)) == expected


@pytest.mark.parametrize(
    "fen",
    [
        *WELL_KNOWN,
        "4k3/4r3/8/7b/1b6/4R3/3N4/4K2R w K - 0 1",
        "4k3/8/8/8/8/5n2/4r3/4K3 w - - 0 1",
    ],
)
def test_checkers_pins_and_threats(fen: str) -> None:
    game, board = Game(fen), chess.Board(fen)
    assert board.turn == chess.WHITE
    king = board.king(chess.WHITE)
    checkers, pinned, threats = check_sets(game.record)
    assert checkers == board.checkers_mask()
    ours = chess.scan_forward(board.occupied_co[chess.WHITE])
    pins = {square for square in ours if board.is_pinned(chess.WHITE, square)}
    assert set(chess.scan_forward(pinned)) == pins
    board.remove_piece_at(king)
    attacked = {square for square in range(64) if board.is_attacked_by(chess.BLACK, square)}
    assert set(chess.scan_forward(threats)) == attacked


#: Two ways to one position; in the first the pawn that could capture en passant is pinned.
TRANSPOSED = (
    "g1f3 g8f6 c2c4 b8c6 d1b3 e7e5 b3e3 e5e4 d2d4",
    "c2c4 e7e5 d2d4 b8c6 d1d3 g8f6 g1f3 e5e4 d3e3",
)


def played(*moves: str, fen: str = chess.STARTING_FEN) -> Game:
    game = Game(fen)
    for move in moves:
        game.push_uci(move)
    return game


def test_a_pinned_capturer_does_not_split_a_transposition() -> None:
    first, second = (played(*line.split()) for line in TRANSPOSED)
    assert first.key == second.key
    assert first.fen.split()[:4] == second.fen.split()[:4]


def test_a_promoted_piece_is_like_any_other() -> None:
    """Two rooks, one of them promoted, change places: the position is the same."""
    exchange = ("h2g2", "f8f5", "g2h2", "d8f8", "h2g2", "f5d5", "g2h2", "d5d8")
    start = "5R2/3P4/8/8/7r/7r/7k/K7 w - - 0 1"
    once = played("d7d8r", fen=start)
    assert played("d7d8r", *exchange, fen=start).key == once.key
    assert played("d7d8r", *exchange, fen=start).status is Status.ONGOING
    assert played("d7d8r", *exchange, *exchange, fen=start).status is Status.THREEFOLD


def test_keys_hold_en_passant_only_where_it_is_legal() -> None:
    line = ("e2e4", "d7d5", "e4e5", "f7f5")
    with_capture = played(*line)
    assert with_capture.fen.split()[3] == "f6"
    assert with_capture.key == Game(with_capture.fen).key
    assert with_capture.key != Game(with_capture.fen.replace(" f6 ", " - ")).key
    without = played("e2e4")
    assert without.fen.split()[3] == "-"
    assert without.key == Game("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1").key


def test_keys_tell_rights_squares_and_kings_apart() -> None:
    rights = {Game(KIWIPETE.replace("KQkq", text)).key for text in ("KQkq", "KQk", "Kkq", "Q", "-")}
    assert len(rights) == 5
    kings = {
        Game("3r4/4b3/R5p1/2p1P3/1qQp1PN1/7P/2P3P1/6K1 b - - 0 1".replace("3r4", row)).key
        for row in ("3r3k", "3r2k1", "3r1k2", "k2r4")
    }
    assert len(kings) == 4


def test_no_rights_and_no_pieces_add_nothing_to_a_key() -> None:
    """A key is the XOR of its parts: the same pieces without rights differ by the rights only."""
    bare = Game("r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1").key
    parts = [Game(f"r3k2r/8/8/8/8/8/8/R3K2R w {right} - 0 1").key ^ bare for right in "KQkq"]
    whole = Game("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").key ^ bare
    assert whole == parts[0] ^ parts[1] ^ parts[2] ^ parts[3]


def test_illegal_moves_change_nothing() -> None:
    game = Game(KIWIPETE)
    before = game.record.tobytes()
    for text in ("e1e1", "e2e5", "a1a8", "e1g2", "e2e4q", "e7e8q", "zz", ""):
        with pytest.raises(IllegalMoveError, match="is not legal in"):
            game.push_uci(text)
    with pytest.raises(IllegalMoveError):
        game.push(0)
    with pytest.raises(IllegalMoveError):
        game.push(7 << 12 | 8 | 16 << 6)
    assert game.record.tobytes() == before


def test_promotions_are_read_in_either_case_and_written_in_lower() -> None:
    game = Game("1B6/p5p1/N4p2/1P6/2p1k3/8/P2R1p2/7K b - - 1 40")
    move = game.parse_uci("f2f1Q")
    assert move == game.parse_uci("f2f1q")
    assert game.format_uci(move) == "f2f1q"
    assert game.push_uci("f2f1Q") == move


def test_castling_is_read_in_both_forms() -> None:
    standard, free = Game(KIWIPETE), Game(KIWIPETE, chess960=True)
    assert standard.parse_uci("e1g1") == standard.parse_uci("e1h1") == 4 | 7 << 6
    assert standard.format_uci(4 | 7 << 6) == "e1g1"
    assert free.format_uci(4 | 7 << 6) == "e1h1"
    assert played("e1g1", fen=KIWIPETE).fen == played("e1h1", fen=KIWIPETE).fen


@pytest.mark.parametrize("number", [0, 100, 518, 700, 959])
def test_each_castling_puts_both_pieces_right(number: int) -> None:
    board = chess.Board.from_chess960_pos(number)
    for square, piece in board.piece_map().items():
        if piece.piece_type not in (chess.PAWN, chess.ROOK, chess.KING):
            board.remove_piece_at(square)
    board.set_castling_fen("KQkq")
    castled = 0
    for board.turn in (chess.WHITE, chess.BLACK):
        for wire, move in wires_of(board).items():
            if board.is_castling(move):
                game = Game(board.fen(), chess960=True)
                game.push(wire)
                board.push(move)
                assert game.fen == board.fen()
                board.pop()
                castled += 1
    assert castled >= 2  # with king and rooks side by side a rook stands in the other's way


def test_each_move_is_made_as_the_oracle_makes_it() -> None:
    for case in CASES:
        start = Start(Game(case.fen, case.chess960).fen, case.chess960)
        board = oracle_board(start)
        for wire, move in wires_of(board).items():
            game = Game(*start)
            game.push(wire)
            board.push(move)
            assert game.fen == board.fen(en_passant="legal")
            assert recomputed_key(game.record) == game.key
            board.pop()
