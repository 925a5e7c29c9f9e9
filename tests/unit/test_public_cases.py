"""Positions and lines from public bug reports of engines and libraries, each answered as it should.

What a report says of one position holds for its whole kind: tests/property/test_engine_setups.py
has the kinds of positions that are set up, test_engine_moves.py those that are played.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np
import pytest

from engine.shell import FenError, Game, Searcher, Status
from harness.books import read_book
from harness.errors import UsageError
from tests.kernels.probes import recomputed_key, verify_tree
from tests.oracle import COUNTERS, KIWIPETE, Start, oracle_board, wires_of


class Case(NamedTuple):
    """A position, how many moves it has, and of these some that must and must not be there."""

    why: str
    source: str  # where it was reported
    fen: str
    count: int
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    chess960: bool = False


CASES = (
    Case(
        "a castling right without its rook",
        "official-stockfish/Stockfish#3519",
        "2b1k1nB/1p3p1p/n4b2/1NPp4/P7/8/2r1PPPP/R3KBNR b KQk - 0 14",
        38,
        absent=("e8g8", "e8h8"),
    ),
    Case(
        "a right of the other side without its rook",
        "official-stockfish/Stockfish#5071, #1359, #2549",
        "3qk1nb/1p3p2/p1r1p1p1/3p4/3P4/2N1BP2/PPPQ1P2/R3K3 w Qk - 0 15",
        26,
        present=("e1c1",),
    ),
    Case(
        "rights although the kings have moved",
        "official-stockfish/Stockfish#2464",
        "2r5/5p1k/p4b2/2Rp1pr1/1Pn1q3/2P3PP/P4P2/2RQ2K1 b KQkq - 0 1",
        56,
    ),
    Case(
        "Chess960 rights where Chess960 is off",
        "official-stockfish/Stockfish#2671",
        "nrkb2nr/ppppp1p1/6bp/5p2/BPP1P1P1/P7/3P1P1P/qRK1BQNR w BHbh - 0 3",
        28,
        absent=("c1c1", "c1b1"),
    ),
    Case(
        "castling would take away the rook that shields the king",
        "official-stockfish/Stockfish#3605",
        "4k3/8/8/8/8/8/8/rR2K1N1 w Q - 0 1",
        11,
        absent=("e1b1",),
        chess960=True,
    ),
    Case(
        "castling as king takes rook",
        "official-stockfish/Stockfish#6311",
        "nn1rkq1b/ppp1p1rP/8/2Np4/3P4/2P5/bP3PPP/2BRKQRB b KQq - 1 8",
        34,
        present=("e8d8",),
        chess960=True,
    ),
    Case(
        "castling stays where only the other side is attacked",
        "lichess-org/lila#12751",
        "r2r3k/p2p4/8/8/8/8/P6P/R3K2R w KQq - 0 1",
        16,
    ),
    Case(
        "the same by the rules of Chess960",
        "lichess-org/lila#12751",
        "r2r3k/p2p4/8/8/8/8/P6P/R3K2R w KQq - 0 1",
        16,
        chess960=True,
    ),
    Case(
        "in check at once after loading",
        "hansbinderup/meltdown-chess-engine#54",
        "r1b1k1nr/p2pp1bp/2p2pp1/q7/2B1P3/3Q4/PPP2PPP/RNB1K2R w KQkq - 0 1",
        10,
        absent=("e1g1", "e1h1"),
    ),
    Case(
        "en passant would uncover the king along the rank",
        "niklasf/python-chess#70",
        "8/8/8/r2Pp2K/8/8/4k3/8 w - e6 0 1",
        6,
        absent=("d5e6",),
    ),
    Case(
        "en passant would uncover the king along a diagonal",
        "niklasf/python-chess#70",
        "1b6/8/8/3Pp3/8/8/4k2K/8 w - e6 0 1",
        6,
        absent=("d5e6",),
    ),
    Case(
        "an en passant square behind one's own pawn",
        "rosenthj/Winter#12",
        "rnbqkbnr/ppp2ppp/3p4/8/3pP3/5N2/PPP2PPP/RNBQKB1R w KQkq d3 1 3",
        37,
    ),
    Case(
        "an en passant square while a knight gives check",
        "lichess-org/lila#19199",
        "k7/8/8/3pP3/8/7n/5K2/8 w - d6 0 1",
        7,
        absent=("e5d6",),
    ),
    Case(
        "an en passant square across the board's edge",
        "pioz/chess#32",
        "1nb1kbnr/r1p2pp1/3p1q2/pp2NP1p/7P/2PP4/PP2P1P1/R1BQKBNR b KQk h3 0 1",
        35,
        present=("a5a4",),
        absent=("a5h3", "a5b4"),
    ),
    Case(
        "every way to answer a check on the diagonal",
        "commonLuke/chess_engine#13",
        "rnbqkbnr/ppp1pppp/3p4/8/Q7/2P5/PP1PPPPP/RNB1KBNR b KQkq - 0 1",
        6,
        present=("b7b5", "c7c6", "b8c6", "b8d7", "c8d7", "d8d7"),
    ),
    Case(
        "the most moves of any position",
        "jhonnold/berserk#498",
        "3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1",
        218,
    ),
    Case(
        "more moves than a legal position can have",
        "",
        "2QQ2Q1/Q4Q2/Q6Q/4Q3/Q6Q/Q4Q1Q/3Q4/1k2K1Q1 w - - 0 1",
        226,
    ),
    Case(
        "a right whose rook is there and one whose is not",
        "official-stockfish/Stockfish#5071, #1359, #2549",
        "2b1kbnQ/rpq1pp1p/2n3p1/8/8/2P5/PP3PPP/RN2KBNR b KQk - 0 9",
        42,
        absent=("e8g8",),
    ),
    Case(
        "a promotion that stands between king and rook",
        "cosmobobak/viridithas#265",
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


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.why)
def test_every_generator_and_the_picker_agree(case: Case) -> None:
    """A staged generator can be wrong where perft is right (cosmobobak/viridithas#265)."""
    game = Game(case.fen, case.chess960)
    assert {way: counter.count(game, 1) for way, counter in COUNTERS.items()} == dict.fromkeys(
        COUNTERS, case.count
    )
    searcher = Searcher(hash_mb=1)
    leaves, faults = verify_tree(game.record, searcher.record, searcher.parameters, np.int64(1))
    assert (leaves, faults) == (case.count, 0)


REFUSED = (
    (  # paulsonkoly/chess-3#161, official-stockfish/Stockfish#2316
        "knNnNnNn/nNnNnNnN/NnNnNnNn/nNnNnNnN/NnNnNnNn/nNnNnNnN/NnNnNnNn/KNnNnNnN w - - 0 0",
        "white has more pieces than a game can give it",
    ),
    (  # official-stockfish/Stockfish#1836
        "8/pp5p/kqp5/2P1Br2/5Pb1/P1NQ4/1P4PP/2K2BbR w - - 0 1",
        "the side to move could take the king",
    ),
    (  # official-stockfish/Stockfish#1253
        "r1bqkb1r/ppp2ppp/2np4/3P2N1/2BQ4/7P/PPP3P1/RNB4q w KQkq - 0 12",
        "white has 0 kings; expected one",
    ),
)


@pytest.mark.parametrize(("fen", "reason"), REFUSED)
def test_what_cannot_be_is_refused(fen: str, reason: str) -> None:
    with pytest.raises(FenError, match=reason):
        Game(fen)


#: Two ways to one position; in the first the pawn that could capture en passant is pinned
#: (niklasf/python-chess#144).
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
    """Two rooks, one of them promoted, change places (niklasf/python-chess#265)."""
    exchange = ("h2g2", "f8f5", "g2h2", "d8f8", "h2g2", "f5d5", "g2h2", "d5d8")
    start = "5R2/3P4/8/8/7r/7r/7k/K7 w - - 0 1"
    once = played("d7d8r", fen=start)
    assert played("d7d8r", *exchange, fen=start).key == once.key
    assert played("d7d8r", *exchange, fen=start).status is Status.ONGOING
    assert played("d7d8r", *exchange, *exchange, fen=start).status is Status.THREEFOLD


def test_keys_hold_en_passant_only_where_it_is_legal() -> None:
    """After a double push the running key is the FEN's (SebLague/Chess-Challenge#248)."""
    line = ("e2e4", "d7d5", "e4e5", "f7f5")
    with_capture = played(*line)
    assert with_capture.fen.split()[3] == "f6"
    assert with_capture.key == Game(with_capture.fen).key
    assert with_capture.key != Game(with_capture.fen.replace(" f6 ", " - ")).key
    without = played("e2e4")
    assert without.fen.split()[3] == "-"
    assert without.key == Game("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1").key


def test_keys_tell_rights_squares_and_kings_apart() -> None:
    """Two engines forgot the numbers of kings and of rights (pleco#161, surge#15)."""
    rights = {Game(KIWIPETE.replace("KQkq", text)).key for text in ("KQkq", "KQk", "Kkq", "Q", "-")}
    assert len(rights) == 5
    assert Game(KIWIPETE).key != Game(KIWIPETE.replace("w KQkq", "b -")).key
    kings = {
        Game(f"{rows}/R5p1/2p1P3/1qQp1PN1/7P/2P3P1/6K1 w - - 0 1").key
        for rows in ("3r4/4b1kp", "3r3k/4b2p", "3r1k2/4b2p")
    }
    assert len(kings) == 3


def test_no_rights_and_no_pieces_add_nothing_to_a_key() -> None:
    """A key is the XOR of its parts: the same pieces without rights differ by the rights only."""
    bare = Game("r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1").key
    parts = [Game(f"r3k2r/8/8/8/8/8/8/R3K2R w {right} - 0 1").key ^ bare for right in "KQkq"]
    whole = Game("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").key ^ bare
    assert whole == parts[0] ^ parts[1] ^ parts[2] ^ parts[3]


def test_promotions_are_read_in_either_case_and_written_in_lower() -> None:
    """An upper-case letter lost games to a GUI (Scorpio#17)."""
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


#: Disservin/chess-library#145, chess.js#87: lines whose notation was misread.
NOTATION = {
    "the other knight is pinned, and named all the same": (
        "1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Qf5 Nc6 7. Bb5 Nge7",
        "g8e7",
    ),
    "named without need": ("1. e4 e5 2. Ng1f3", "g1f3"),
    "a knight goes to the passed square": (
        "1. Nf3 d5 2. c4 dxc4 3. e3 b6 4. Rg1 Ba6 5. g4 Nc6 6. a3 Na5 7. b4 Nb3",
        "a5b3",
    ),
    "a pawn takes on the passed square": ("1. e4 a6 2. e5 d5 3. exd6", "e5d6"),
}


def last_move(notation: str) -> str:
    """The last move of a line in a PGN book, as UCI text."""
    opening = read_book(Path("b.pgn"), notation.encode()).opening(0)
    game = Game(opening.fen)
    for wire in opening.moves[:-1]:
        game.push(wire)
    return game.format_uci(opening.moves[-1])


@pytest.mark.parametrize(("notation", "move"), NOTATION.values(), ids=NOTATION)
def test_notation_means_the_move_it_names(notation: str, move: str) -> None:
    assert last_move(notation) == move


@pytest.mark.parametrize(
    "notation",
    [
        "1. d4 d5 2. Nf3 e6 3. Nd2",  # either knight
        "1. e4 d5 2. xd5",  # no pawn is named
        "1. e4 d5 2. exd6",  # d6 was not passed by an enemy pawn beside e4
        "1. e4 e5 2. Nc4",  # no knight gets there
    ],
)
def test_notation_that_names_no_move_or_two_is_refused(notation: str) -> None:
    with pytest.raises(UsageError, match=r"illegal san|ambiguous san|invalid san|expected a tag"):
        last_move(notation)
