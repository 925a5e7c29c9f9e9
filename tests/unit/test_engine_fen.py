"""FEN in and out: tolerant of form, strict about sense; each refusal is one sentence."""

from __future__ import annotations

import chess
import pytest

from engine.fen import FenError, format_fen, parse_fen, square_name
from engine.shell import STARTPOS, Game, Status
from tests.oracle import KIWIPETE, WELL_KNOWN

FULL_BOARD = "knNnNnNn/nNnNnNnN/NnNnNnNn/nNnNnNnN/NnNnNnNn/nNnNnNnN/NnNnNnNn/KNnNnNnN w - - 0 0"

REFUSED = (
    ("", "has 0 fields; expected 2 to 6"),
    ("8/8/8/8/8/8/8/8", "has 1 fields; expected 2 to 6"),
    (STARTPOS + " extra", "has 7 fields; expected 2 to 6"),
    (STARTPOS.replace(" w ", " x "), "side to move is 'x'; expected w or b"),
    (STARTPOS.replace("/8/8/8/8/", "/8/8/8/"), "has 7 ranks; expected 8"),
    (STARTPOS.replace("/8/8/", "/8/8/8/"), "has 9 ranks; expected 8"),
    (STARTPOS.replace("/8/", "/7/", 1), "rank '7' has 7 squares; expected 8"),
    (STARTPOS.replace("/8/", "/9/", 1), "rank '9' has '9'; expected pieces and digits"),
    (STARTPOS.replace("pppppppp", "ppppppppp"), "rank 'ppppppppp' has 'p'"),
    (STARTPOS.replace("/8/", "/44p/", 1), "rank '44p' has 'p'"),
    (STARTPOS.replace("rnbq", "rnbx"), "rank 'rnbxkbnr' has 'x'; expected pieces and digits"),
    (STARTPOS.replace("KQkq", "KQxq"), "castling rights are 'KQxq'; expected"),
    (STARTPOS.replace("KQkq -", "KQkq e9"), "en passant square is 'e9'; expected a square or -"),
    (STARTPOS.replace("KQkq -", "KQkq ee3"), "en passant square is 'ee3'"),
    (STARTPOS.replace("- 0 1", "- x 1"), "halfmove clock is 'x'; expected a number"),
    (STARTPOS.replace("- 0 1", "- 0 1.5"), "move number is '1.5'; expected a number"),
    ("r1bqkb1r/ppp2ppp/2np4/3P2N1/2BQ4/7P/PPP3P1/RNB4q w KQkq - 0 12", "white has 0 kings"),
    ("4k3/8/8/8/8/8/8/4K2K w - - 0 1", "white has 2 kings; expected one"),
    ("8/8/8/8/8/8/8/4K3 w - - 0 1", "black has 0 kings; expected one"),
    (FULL_BOARD, "white has more pieces than a game can give it"),
    (
        "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QPPPPPPP/K6k b - - 0 1",
        "white has more pieces than a game can give it",
    ),
    (STARTPOS.replace("/8/", "/7p/", 1), "black has more pieces than a game can give it"),
    ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "white has a pawn on a1"),
    ("p3k3/8/8/8/8/8/8/4K3 w - - 0 1", "black has a pawn on a8"),
    ("7P/8/4k3/8/8/8/8/4K3 w - - 0 1", "white has a pawn on h8"),
    (
        "8/pp5p/kqp5/2P1Br2/5Pb1/P1NQ4/1P4PP/2K2BbR w - - 0 1",
        "the side to move could take the king",
    ),
    (
        "rnk2bnr/p3p2p/5p2/1BQP2pP/3PP3/5PB1/PP5P/RN2K1NR w",
        "the side to move could take the king",
    ),
    ("8/8/8/3kK3/8/8/8/8 w - - 0 1", "the side to move could take the king"),
)


@pytest.mark.parametrize(("fen", "reason"), REFUSED)
def test_what_cannot_be_is_refused_with_the_reason(fen: str, reason: str) -> None:
    with pytest.raises(FenError) as refusal:
        Game(fen)
    sentence = str(refusal.value)
    assert reason in sentence
    assert "\n" not in sentence
    assert not sentence.endswith(".")


@pytest.mark.parametrize("fields", range(2, 7))
def test_missing_fields_have_their_defaults(fields: int) -> None:
    text = " ".join(["8/8/4k3/8/8/4K3/8/8", "b", "-", "-", "0", "1"][:fields])
    assert Game(text).fen == "8/8/4k3/8/8/4K3/8/8 b - - 0 1"


@pytest.mark.parametrize(
    "text",
    [
        KIWIPETE.replace(" ", "   "),
        KIWIPETE.replace(" ", "\t"),
        f"  {KIWIPETE} \r\n",
        KIWIPETE.replace(" ", "\n"),
        KIWIPETE.replace("Q1p/", "Q~1p/"),
    ],
)
def test_form_does_not_matter(text: str) -> None:
    game = Game(text)
    assert game.fen == KIWIPETE
    assert game.notes == ()


DROPPED = (
    ("2b1k1nB/1p3p1p/n4b2/1NPp4/P7/8/2r1PPPP/R3KBNR b KQk - 0 14", "KQ", 1),
    ("3qk1nb/1p3p2/p1r1p1p1/3p4/3P4/2N1BP2/PPPQ1P2/R3K3 w Qk - 0 15", "Q", 1),
    ("2b1kbnQ/rpq1pp1p/2n3p1/8/8/2P5/PP3PPP/RN2KBNR b KQk - 0 9", "KQ", 1),
    ("2r5/5p1k/p4b2/2Rp1pr1/1Pn1q3/2P3PP/P4P2/2RQ2K1 b KQkq - 0 1", "-", 4),
    ("r2r3k/p2p4/8/8/8/8/P6P/R3K2R w KQq - 0 1", "KQ", 1),
    ("nrkb2nr/ppppp1p1/6bp/5p2/BPP1P1P1/P7/3P1P1P/qRK1BQNR w BHbh - 0 3", "-", 4),
    ("4k3/8/8/8/8/8/8/R2K3R w KQ - 0 1", "-", 2),
    ("4k3/8/8/8/8/4K3/8/R6R w KQ - 0 1", "-", 2),
    ("r3k2r/8/8/8/8/8/4P3/n3K2n b KQkq - 0 1", "kq", 2),
)


@pytest.mark.parametrize(("fen", "rights", "notes"), DROPPED)
def test_rights_that_cannot_be_are_dropped_with_a_note(fen: str, rights: str, notes: int) -> None:
    game = Game(fen)
    assert game.fen.split()[2] == rights
    assert len(game.notes) == notes
    assert all(note.startswith("castling right ") for note in game.notes)


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("rnbqkbnr/ppp2ppp/3p4/8/3pP3/5N2/PPP2PPP/RNBQKB1R w KQkq d3 1 3", "just passed"),
        ("rnbqkbnr/pppp1ppp/8/8/4p3/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 2", "just passed"),
        ("4k3/3p4/8/3pP3/8/8/8/4K3 w - d6 0 1", "just passed"),
        ("4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 1", "just passed"),
        ("4k3/8/8/3nP3/8/8/8/4K3 w - d6 0 1", "just passed"),
        ("k7/8/8/3pP3/8/7n/5K2/8 w - d6 0 1", "no legal capture"),
        ("8/8/8/r2Pp2K/8/8/4k3/8 w - e6 0 1", "no legal capture"),
        ("1b6/8/8/3Pp3/8/8/4k2K/8 w - e6 0 1", "no legal capture"),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", "no legal capture"),
        (
            "1nb1kbnr/r1p2pp1/3p1q2/pp2NP1p/7P/2PP4/PP2P1P1/R1BQKBNR b KQk h3 0 1",
            "no legal capture",
        ),
    ],
)
def test_en_passant_that_cannot_be_is_dropped_with_a_note(fen: str, reason: str) -> None:
    game = Game(fen)
    assert game.fen.split()[3] == "-"
    assert [note for note in game.notes if reason in note]


def test_a_legal_en_passant_square_stays_without_a_note() -> None:
    fen = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"
    game = Game(fen)
    assert (game.fen, game.notes) == (fen, ())


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("1rk4r/8/8/8/8/8/8/1RK4R w KQkq - 0 1", "KQkq"),
        ("1rk4r/8/8/8/8/8/8/1RK4R w HBhb - 0 1", "KQkq"),
        ("4k3/8/8/8/8/8/8/RR2K2R w HB - 0 1", "KB"),
        ("3k4/8/8/8/8/8/8/RR2K1RR w GB - 0 1", "GB"),
        ("3k4/8/8/8/8/8/8/RR2K1RR w HA - 0 1", "KQ"),
        ("3k4/8/8/8/8/8/8/RR2K1RR w KQ - 0 1", "KQ"),
        ("1r2k1r1/8/8/8/8/8/8/3K4 w gb - 0 1", "kq"),
    ],
)
def test_chess960_rights_in_all_three_spellings(text: str, written: str) -> None:
    game = Game(text, chess960=True)
    assert game.fen.split()[2] == written
    assert game.notes == ()
    assert game.fen == chess.Board(text, chess960=True).fen()


def test_only_one_rook_on_a_side_may_castle() -> None:
    game = Game("4k3/8/8/8/8/8/8/RR2K2R w AHBK - 0 1", chess960=True)
    assert game.fen.split()[2] == "KQ"
    assert game.notes == ("castling right B dropped: another rook castles on that side",)


def test_without_chess960_only_the_standard_rights_exist() -> None:
    text = "4k3/8/8/8/8/8/8/1RK4R w HB - 0 1"
    assert Game(text, chess960=True).fen.split()[2] == "KQ"
    assert Game(text).fen.split()[2] == "-"


@pytest.mark.parametrize(
    ("clocks", "written"),
    [("0 0", "0 1"), ("-5 -1", "0 1"), ("99 200", "99 200"), ("07 003", "7 3")],
)
def test_clocks(clocks: str, written: str) -> None:
    assert Game(f"8/8/4k3/8/8/4KR2/8/8 w - - {clocks}").fen.endswith(f" - {written}")


def test_clocks_beyond_reason_do_no_harm() -> None:
    game = Game("8/8/4k3/8/8/4KR2/8/8 w - - 99999999999999999999 99999999999999999999")
    assert game.status is Status.FIFTY_MOVES
    assert len(game.legal_moves()) > 0


@pytest.mark.parametrize("fen", WELL_KNOWN)
def test_format_is_the_inverse_of_parse(fen: str) -> None:
    setup = parse_fen(fen)
    assert format_fen(setup) == fen
    assert parse_fen(format_fen(setup)) == setup


def test_square_names() -> None:
    assert [square_name(square) for square in range(64)] == chess.SQUARE_NAMES


def test_a_refused_fen_leaves_the_game_as_it_was() -> None:
    game = Game(KIWIPETE)
    before = game.record.tobytes()
    with pytest.raises(FenError):
        game.restart("8/8/8/8/8/8/8/8 w - - 0 1")
    assert game.record.tobytes() == before
    assert game.fen == KIWIPETE


@pytest.mark.parametrize("odd", ["\u212a", "\u0660", "²", "K\u0301", "\ufeff"])
def test_letters_and_digits_of_other_scripts_are_not_pieces(odd: str) -> None:
    """The Kelvin sign becomes a k in lower case, and Python counts many a digit as one."""
    for rank in (odd, f"7{odd}", f"{odd}7"):
        with pytest.raises(FenError):
            Game(f"4k3/8/8/8/8/8/{rank}/4K3 w - - 0 1")


def test_move_numbers_go_on_from_the_fen() -> None:
    game = Game("8/8/4k3/8/8/4KR2/8/8 b - - 10 50")
    game.push_uci("e6e5")
    assert game.fen.endswith(" w - - 11 51")
    game.push_uci("f3f1")
    assert game.fen.endswith(" b - - 12 51")
