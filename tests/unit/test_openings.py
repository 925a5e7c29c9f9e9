"""Opening books and their order: what is read, what is refused, what stays the same for ever."""

from __future__ import annotations

import gzip
import hashlib
import random
import struct
import zipfile
from pathlib import Path

import chess
import numpy as np
import pytest
import zstandard
from chess.polyglot import zobrist_hash
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.book_check import CHECK, KINGS, MEN, PAWNS, RANKS, first_fault, may_be_over
from harness.books import wire_move
from harness.errors import UsageError
from harness.openings import BookOpenings, GeneratedOpenings, Opening, open_source
from harness.pgn import chess_move
from harness.spec import OpeningSpec
from harness.splitmix import SplitMix64, derive_seed, mix64, permutation

ROOT = Path(__file__).parents[2]
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
AFTER_D4 = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 1"
ENDGAME = "8/5k2/8/8/8/4K3/4P3/8 w - - 12 90"
POSITIONS = f"{AFTER_E4}\n{AFTER_D4}\n{ENDGAME}\n"


@pytest.fixture(autouse=True)
def _in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def book(text: str | bytes, name: str = "b.epd", order: str = "sequential", **more) -> BookOpenings:
    data = text.encode() if isinstance(text, str) else text
    Path(name).write_bytes(data)
    return BookOpenings(Path(name), order, more.pop("seed", 1), **more)


def refusal(text: str | bytes, name: str = "b.epd", **more) -> str:
    def read_all() -> None:
        source = book(text, name, **more)
        for i in range(source.size):
            source.opening(i)

    with pytest.raises(UsageError) as caught:
        read_all()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- Positions ---------------------------------------------------------------------------------


def test_fens_are_kept_with_castling_en_passant_and_counters():
    source = book(POSITIONS)
    assert [source.opening(i).fen for i in range(3)] == [AFTER_E4, AFTER_D4, ENDGAME]
    assert source.opening(2) == Opening(ENDGAME, (), "b.epd:3", chess960=False)


@pytest.mark.parametrize(
    ("line", "fen"),
    [
        ('4k3/8/8/8/8/8/8/4K2R w K - bm O-O; id "x 1";', "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ("4k3/8/8/8/8/8/8/4K2R w K -", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ("4k3/8/8/8/8/8/8/4K2R w", "4k3/8/8/8/8/8/8/4K2R w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K2R b - - hmvc 7; fmvn 30;", "4k3/8/8/8/8/8/8/4K2R b - - 7 30"),
        ("4k3/8/8/8/8/8/8/4K2R b - - 7 30 c0 note;", "4k3/8/8/8/8/8/8/4K2R b - - 7 30"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 3", "4k3/8/8/8/8/8/8/4K2R w - - 3 1"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 3 9 ;D1 12", "4k3/8/8/8/8/8/8/4K2R w - - 3 9"),
        ("  4k3/8/8/8/8/8/8/4K2R   w\tH  - ", "4k3/8/8/8/8/8/8/4K2R w H - 0 1"),
    ],
)
def test_epd_fields_and_opcodes(line, fen):
    assert book(line).opening(0).fen == fen


def test_blank_lines_byte_order_mark_and_windows_line_ends():
    source = book(b"\xef\xbb\xbf\r\n" + AFTER_E4.encode() + b"\r\n\r\n" + AFTER_D4.encode())
    assert source.size == 2
    assert source.opening(1) == Opening(AFTER_D4, (), "b.epd:4")


@pytest.mark.parametrize(
    ("rank", "castling", "chess960"),
    [
        ("R3K2R", "KQ", False),
        ("1R2K2R", "K", False),
        ("1R2K2R", "KQ", True),
        ("1R3KR1", "GB", True),
        ("1R3KR1", "-", False),
        ("4K2R", "H", False),
    ],
)
def test_chess960_is_seen_from_the_castling_rights(rank, castling, chess960):
    assert book(f"4k3/8/8/8/8/8/8/{rank} w {castling} - 0 1").opening(0).chess960 is chess960


@pytest.mark.parametrize(
    ("line", "expectation"),
    [
        ("hello", "expected a FEN or EPD position"),
        ("4k3/8/8/8/8/8/4K2R w - - 0 1", "expected a FEN or EPD position"),
        ("4k3/8/8/8/8/8/8/4K2R x - - 0 1", "expected a FEN or EPD position"),
        ("4k3/8/8/8/8/8/8/4K2R w KX - 0 1", "expected a FEN or EPD position"),
        ("4k3/8/8/8/8/8/8/4K2R w - e5 0 1", "expected a FEN or EPD position"),
        ("4k3/8/8/8/8/8/8/4K2R w - - -1 1", "expected a FEN or EPD position"),
        ("4k3/8/8/8/8/8/8/4K1R w - - 0 1", f"expected {RANKS}"),
        ("4k3/8/8/8/9/8/8/4K2R w - - 0 1", "expected a FEN or EPD position"),
        ("8/8/8/8/8/8/8/4K2R w - - 0 1", f"expected {KINGS}"),
        ("4k3/8/8/8/8/8/8/4K2K w - - 0 1", f"expected {KINGS}"),
        ("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", f"expected {PAWNS}"),
        ("4k3/8/8/8/8/8/8/4K2p w - - 0 1", f"expected {PAWNS}"),
        ("4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1", f"expected {MEN}"),
        ("4k3/8/8/8/8/8/8/K3R3 w - - 0 1", f"expected {CHECK}"),
        ("4k3/8/8/8/4r3/8/8/4K3 b - - 0 1", f"expected {CHECK}"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line, expectation):
    sentence = refusal(f"{AFTER_E4}\n\n{line}\n{AFTER_D4}\n")
    assert sentence == f"b.epd, line 3: {line!r}: {expectation}"


def test_a_fault_beyond_the_first_chunk_is_found():
    lines = [AFTER_E4] * 10_000
    lines[9_000] = "8/8/8/8/8/8/8/4K2R w - - 0 1"
    assert refusal("\n".join(lines)).startswith("b.epd, line 9001: '8/8/8/8/8/8/8/4K2R w - - 0 1'")


@pytest.mark.parametrize("data", [b"", b"\n \r\n", b"\xef\xbb\xbf\n"])
def test_an_empty_book_is_refused(data):
    assert refusal(data) == "b.epd: the opening file is empty; expected EPD, FEN or PGN"


def test_a_missing_book_and_a_folder():
    with pytest.raises(UsageError, match=r"^nil\.epd: no such file$"):
        BookOpenings(Path("nil.epd"), "random", 1)
    with pytest.raises(UsageError, match=r"^\.: cannot be read \(Is a directory\)$"):
        BookOpenings(Path(), "random", 1)


OVER = [
    ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "checkmate"),
    ("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", "stalemate"),
    ("8/8/4k3/8/8/4K3/8/8 w - - 0 1", "insufficient material"),
    ("8/8/4k3/8/8/4KN2/8/8 b - -", "insufficient material"),
    ("8/8/4k3/8/8/4K3/4P3/8 w - - 100 90", "fifty moves"),
    ("8/8/4k3/8/8/4K3/4P3/8 w - - hmvc 120;", "fifty moves"),
]


@pytest.mark.parametrize(("line", "ending"), OVER)
def test_a_position_whose_game_is_over_is_refused(line, ending):
    assert refusal(f"{AFTER_E4}\n\n{line}\n{AFTER_D4}\n") == (
        f"b.epd, line 3: {line!r}: the game is over there ({ending});"
        " expected a position to play from"
    )


@pytest.mark.parametrize(
    "line",
    [
        "8/8/4k3/8/8/4K3/4P3/8 w - - 99 90",
        "7k/5Q2/8/8/8/8/p7/K7 w - - 0 1",
        "8/8/8/1k6/2Pp4/8/8/K7 b - c3 0 1",
    ],
)
def test_a_game_that_just_goes_on_is_no_reason_to_refuse(line):
    assert book(line).size == 1


def test_other_binary_files_are_refused():
    entry = bytes.fromhex("463b96181691fc9d 0323 0001 00000000".replace(" ", ""))
    expected = "neither text nor a Polyglot book with the start position; expected EPD, FEN, PGN or"
    assert refusal(entry * 3, "b.bin") == f"b.bin: {expected} Polyglot"
    assert refusal(AFTER_E4.encode("utf-16"), "b.epd").startswith(f"b.epd: {expected}")


# --- The bulk check against python-chess ---------------------------------------------------------

CHECKED = {
    chess.STATUS_NO_WHITE_KING: KINGS,
    chess.STATUS_NO_BLACK_KING: KINGS,
    chess.STATUS_TOO_MANY_KINGS: KINGS,
    chess.STATUS_TOO_MANY_WHITE_PAWNS: MEN,
    chess.STATUS_TOO_MANY_BLACK_PAWNS: MEN,
    chess.STATUS_TOO_MANY_WHITE_PIECES: MEN,
    chess.STATUS_TOO_MANY_BLACK_PIECES: MEN,
    chess.STATUS_PAWNS_ON_BACKRANK: PAWNS,
    chess.STATUS_OPPOSITE_CHECK: CHECK,
}


@st.composite
def any_position(draw: st.DrawFn) -> chess.Board:
    """Kings anywhere and some men anywhere: legal and illegal positions in good measure."""
    squares = draw(st.lists(st.integers(0, 63), min_size=2, max_size=9, unique=True))
    board = chess.Board.empty()
    others = st.sampled_from("PNBRQKpnbrqk")
    symbols = ["K", "k", *(draw(others) for _ in squares[2:])]
    for square, symbol in zip(squares, symbols, strict=True):
        board.set_piece_at(square, chess.Piece.from_symbol(symbol))
    board.turn = draw(st.booleans())
    return board


@settings(max_examples=150, deadline=None)
@given(st.lists(any_position(), min_size=1, max_size=8))
def test_the_bulk_check_agrees_with_python_chess(boards):
    statuses = [board.status() for board in boards]
    wrong = [any(status & flag for flag in CHECKED) for status in statuses]
    placements = [board.board_fen().encode() for board in boards]
    fault = first_fault(placements, [board.turn == chess.BLACK for board in boards])
    if not any(wrong):
        assert fault is None
    else:
        assert fault is not None
        index, expectation = fault
        assert index == wrong.index(True)
        reasons = {reason for flag, reason in CHECKED.items() if statuses[index] & flag}
        assert expectation in reasons


@settings(max_examples=150, deadline=None)
@given(st.lists(any_position(), min_size=1, max_size=8))
def test_no_game_that_is_over_escapes_the_bulk_check(boards):
    boards = [board for board in boards if not any(board.status() & flag for flag in CHECKED)]
    if boards:
        placements = [board.board_fen().encode() for board in boards]
        suspects = may_be_over(placements, [board.turn == chess.BLACK for board in boards])
        over = {index for index, board in enumerate(boards) if board.is_game_over()}
        assert over <= set(suspects)


def test_few_positions_of_a_book_need_more_than_the_bulk_check():
    lines = (ROOT / "openings" / "level.epd").read_bytes().splitlines()
    fields = [line.split() for line in lines]
    suspects = may_be_over([field[0] for field in fields], [f[1] == b"b" for f in fields])
    assert len(suspects) < len(lines) / 10


# --- PGN ---------------------------------------------------------------------------------------

GAMES = """[Event "?"]
[Result "1/2-1/2"]

1. e4 {a comment
[not a tag]} e5 2. Nf3 (2. f4 exf4) Nc6 $1 3.Bc4 Bc5 4. O-O ; castled
Nf6 1/2-1/2

[Event "?"]
[FEN "8/P4k2/8/8/8/4K3/8/8 w - - 0 1"]
[SetUp "1"]

1. a8=Q *
"""


def uci_line(opening: Opening) -> str:
    """The moves of an opening, decoded by hand and played by python-chess."""
    board = chess.Board(opening.fen, chess960=True)
    words = []
    for wire in opening.moves:
        promotion = wire >> 12
        move = chess.Move(wire & 63, wire >> 6 & 63, promotion + 1 if promotion else None)
        words.append(board.uci(move))
        assert board.is_legal(move)
        board.push(move)
    return " ".join(words)


def test_pgn_main_lines():
    source = book(GAMES, "b.pgn")
    assert source.size == 2
    first, second = source.opening(0), source.opening(1)
    assert uci_line(first) == "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1 g8f6"  # king takes own rook
    assert first.fen == chess.STARTING_FEN
    assert (first.name, second.name) == ("b.pgn:1", "b.pgn:8")
    assert uci_line(second) == "a7a8q"
    assert second.fen == "8/P4k2/8/8/8/4K3/8/8 w - - 0 1"


def test_plies_cut_the_lines():
    source = book(GAMES, "b.pgn", plies=3)
    assert uci_line(source.opening(0)) == "e2e4 e7e5 g1f3"
    assert uci_line(source.opening(1)) == "a7a8q"


def test_games_without_tags_are_parted_by_their_results():
    source = book("1. e4 e5 1-0 1. d4 *\n1.c4", "b.pgn")
    assert [uci_line(source.opening(i)) for i in range(3)] == ["e2e4 e7e5", "d2d4", "c2c4"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[Event "?"]\n\n1. e4 e5 Qq9 *', "b.pgn, line 3: 'Qq9': expected a tag, a move"),
        ('[Event "?"]\n\n1. e4 e5 2. Ke3 *', "b.pgn, game at line 1: illegal san: 'Ke3'"),
        ('\n\n[FEN "x"]\n\n1. e4 *', "b.pgn, game at line 3: "),
        ("1. f3 e5 2. g4 Qh4# 0-1", "b.pgn, game at line 1: it is over after 4 plies (checkmate)"),
        ("1. e4 {never closed", "b.pgn, line 1: '{never': expected a tag, a move or a result"),
        ("\x01\x02", "b.pgn, line 1: '\\x01\\x02': expected a tag"),
    ],
)
def test_pgn_that_cannot_be_read(text, sentence):
    assert refusal(text, "b.pgn").startswith(sentence)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 959))
def test_wire_moves_are_what_was_played(seed, scharnagl):
    board = chess.Board.from_chess960_pos(scharnagl)
    choose = random.Random(seed)
    for _ in range(60):
        moves = list(board.legal_moves)
        if not moves:
            break
        move = choose.choice(moves)
        wire = wire_move(board, move)
        from_square, to_square, promotion = wire & 63, wire >> 6 & 63, wire >> 12
        assert (from_square, promotion) == (move.from_square, (move.promotion or 1) - 1)
        # With chess960 on, python-chess writes castling as king takes own rook itself.
        assert to_square == move.to_square
        assert board.is_castling(move) == (board.color_at(to_square) == board.turn)
        board.push(move)


# --- Packed files ------------------------------------------------------------------------------


def zipped(*names: str) -> bytes:
    with zipfile.ZipFile("made.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("folder")
        for name in names:
            archive.writestr(name, POSITIONS)
    return Path("made.zip").read_bytes()


@pytest.mark.parametrize("name", ["b.epd.gz", "b.zip", "b.epd.zst", "misnamed.epd"])
def test_packed_books(name):
    packed = {
        "b.epd.gz": gzip.compress(POSITIONS.encode()),
        "b.zip": zipped("folder/b.epd"),
        # two frames, as parallel compressors write them
        "b.epd.zst": zstandard.compress(POSITIONS[:80].encode())
        + zstandard.compress(POSITIONS[80:].encode()),
        "misnamed.epd": gzip.compress(POSITIONS.encode()),
    }[name]
    source = book(packed, name)
    assert [source.opening(i).fen for i in range(3)] == [AFTER_E4, AFTER_D4, ENDGAME]
    assert source.sha256 == hashlib.sha256(packed).hexdigest()


def test_damaged_archives_are_refused():
    for packed, name in (
        (gzip.compress(POSITIONS.encode())[:-9], "b.gz"),
        (zipped("b.epd")[:-30], "b.zip"),
        (zstandard.compress(POSITIONS.encode())[:-9], "b.zst"),
        (gzip.compress(POSITIONS.encode())[:20] + b"damage" * 9, "b.gz"),
    ):
        assert refusal(packed, name).startswith(f"{name}: the archive is damaged (")


def test_an_archive_holds_one_book():
    assert refusal(zipped("a.epd", "b.epd"), "b.zip") == (
        "b.zip: expected one file in the archive, found 2"
    )
    assert refusal(zipped(), "b.zip") == "b.zip: expected one file in the archive, found 0"


# --- Order -------------------------------------------------------------------------------------


def numbered(count: int) -> str:
    return "\n".join(f"8/5k2/8/8/8/4K3/4P3/8 w - - 0 {n + 1}" for n in range(count))


def fullmoves(source: BookOpenings, numbers: range) -> list[int]:
    return [int(source.opening(i).fen.split()[-1]) - 1 for i in numbers]


def test_sequential_order_wraps():
    source = book(numbered(5))
    assert source.size == 5
    assert fullmoves(source, range(12)) == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1]


def test_random_order_is_a_new_permutation_each_time_round():
    source = book(numbered(50), order="random")
    rounds = [fullmoves(source, range(50 * turn, 50 * turn + 50)) for turn in range(3)]
    assert all(sorted(turn) == list(range(50)) for turn in rounds)
    assert len({tuple(turn) for turn in rounds}) == 3


def test_random_order_depends_on_the_seed_alone():
    first = fullmoves(book(numbered(50), order="random", seed=7), range(50))
    again = book(numbered(50), order="random", seed=7)
    assert fullmoves(again, range(49, -1, -1)) == first[::-1]  # asked in any order
    assert fullmoves(book(numbered(50), order="random", seed=8), range(50)) != first


def test_the_order_stays_the_same_for_ever():
    # Recorded once: a change here would change the games of every recorded seed.
    order = fullmoves(book(numbered(8), order="random", seed=1), range(8))
    assert order == [1, 6, 7, 5, 3, 2, 0, 4]


def test_a_changed_book_is_refused():
    source = book(POSITIONS)
    spec = OpeningSpec(kind="book", path="b.epd", sha256=source.sha256, order="sequential")
    assert open_source(spec, 1).opening(0).fen == AFTER_E4
    Path("b.epd").write_text(POSITIONS + "\n", encoding="ascii")
    with pytest.raises(UsageError, match=r"^b\.epd: SHA-256 \w{12}; expected \w{12}, the book"):
        open_source(spec, 1)


# --- SplitMix64 --------------------------------------------------------------------------------


def test_splitmix_reference_values():
    # The reference implementation's first outputs for the seeds 0 and 1234567.
    stream = SplitMix64(0)
    assert [stream.next() for _ in range(3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]
    stream = SplitMix64(1234567)
    assert stream.next() == 6457827717110365317


def test_below_is_uniform_and_stays_below():
    stream = SplitMix64(42)
    draws = [stream.below(6) for _ in range(60_000)]
    counts = np.bincount(draws, minlength=6)
    assert len(counts) == 6
    chi_square = float(((counts - 10_000) ** 2 / 10_000).sum())
    assert chi_square < 20.5  # the 99.9 % point at 5 degrees of freedom


def test_derived_seeds_differ():
    seeds = {derive_seed(seed, i) for seed in range(50) for i in range(50)}
    assert len(seeds) == 2500
    assert derive_seed(1, 2, 3) == derive_seed(derive_seed(1, 2), 3)


@given(st.integers(1, 300), st.integers(0, 2**64 - 1))
def test_permutations_are_sorted_by_the_stream(size, seed):
    stream = SplitMix64(seed)
    keys = [stream.next() for _ in range(size)]
    assert permutation(size, seed).tolist() == sorted(range(size), key=keys.__getitem__)


def test_permutations_of_three_are_equally_frequent():
    orders = [tuple(permutation(3, mix64(seed)).tolist()) for seed in range(6000)]
    counts = [orders.count(order) for order in set(orders)]
    assert len(counts) == 6
    assert sum((count - 1000) ** 2 / 1000 for count in counts) < 20.5


# --- The shipped book --------------------------------------------------------------------------


def test_the_shipped_book_is_what_its_readme_says():
    folder = Path(__file__).parents[2] / "openings"
    readme = (folder / "README.md").read_text("utf-8")
    assert "harness book --count 1000 --seed 2026 --out openings/level.epd" in readme
    source = BookOpenings(folder / "level.epd", "sequential", 1)
    boards = [chess.Board(source.opening(i).fen) for i in range(source.size)]
    assert len({board.epd() for board in boards}) == len(boards) == 1000
    assert all(board.ply() == 8 and not board.is_game_over() for board in boards)


@pytest.mark.parametrize(
    "line",
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w kqKQ - 0 1",
        "4k3/8/8/8/8/8/8/R3K2R w ABCD - 0 1",
        "rnbqkbnr/pppppppp/11111111/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ],
)
def test_a_position_that_cannot_be_set_up_is_refused_when_read(tmp_path: Path, line: str) -> None:
    book = tmp_path / "book.epd"
    book.write_text(f"{line}\n")
    with pytest.raises(UsageError, match=r"line 1: .*expected a FEN or EPD position"):
        BookOpenings(book, "sequential", 1)


@pytest.mark.parametrize(
    ("tags", "expectation"),
    [
        ('[FEN "P3k3/8/8/8/8/8/8/4K3 w - - 0 1"]', "pawn"),
        ('[FEN "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1"]', "king"),
        ('[Variant "Atomic"]', "expected standard chess or Chess960"),
        ('[Variant "Three-check"]', "expected standard chess or Chess960"),
    ],
)
def test_a_game_that_cannot_be_played_on_is_refused(
    tmp_path: Path, tags: str, expectation: str
) -> None:
    book = tmp_path / "book.pgn"
    book.write_text(f"{tags}\n\n*\n")
    with pytest.raises(UsageError, match=f"game at line 1: .*{expectation}"):
        BookOpenings(book, "sequential", 1).opening(0)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("b.epd", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\r4k3/8/8/8/8/8/3P4/4K3 w - - 0 1\r"),
        ("b.pgn", '[Event "a"]\r\r1. e4 ; a comment\re5 *\r\r[Event "b"]\r\r1. d4 *\r'),
    ],
)
def test_lines_may_end_as_on_old_macs(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode())
    book = BookOpenings(path, "sequential", 1)
    assert book.size == 2
    assert [book.opening(i).name for i in range(2)] == [
        f"{name}:{line}" for line in ((1, 2) if name == "b.epd" else (1, 6))
    ]


def test_checking_says_how_many_openings_are_known_to_be_playable(tmp_path: Path) -> None:
    path = tmp_path / "b.pgn"
    path.write_text('[Event "a"]\n\n1. e4 *\n\n' * 601)
    book = BookOpenings(path, "sequential", 1)
    assert [book.check(0, count) for count in (7, 500, 501, 9999)] == [7, 500, 500, 500]
    path.write_text('[Event "a"]\n\n1. e4 *\n\n' * 3)
    assert BookOpenings(path, "sequential", 1).check(2, 9999) == 9999
    path.write_text("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n")
    assert BookOpenings(path, "sequential", 1).check(0, 9999) == 9999


def polyglot(*lines: str) -> bytes:
    """A Polyglot book of lines such as `e2e4 e7e5:3`, whose last move has weight 3."""
    entries: dict[tuple[int, int], int] = {}
    for line in lines:
        board = chess.Board(chess960=True)
        for word in line.split():
            text, _, weight = word.partition(":")
            move = chess.Move.from_uci(text)
            packed = move.to_square | move.from_square << 6
            entries[zobrist_hash(board), packed] = int(weight or 1)
            board.push(move)
    rows = sorted((key, packed, weight) for (key, packed), weight in entries.items())
    return b"".join(struct.pack(">QHHI", key, packed, weight, 0) for key, packed, weight in rows)


def uci_lines(openings: BookOpenings) -> list[str]:
    return [
        " ".join(chess_move(move).uci() for move in openings.opening(i).moves)
        for i in range(openings.size)
    ]


def test_lines_of_a_polyglot_book_come_by_their_likelihood(tmp_path):
    path = tmp_path / "b.bin"
    path.write_bytes(polyglot("e2e4:3 e7e5", "d2d4:1 d7d5", "e2e4:3 c7c5:2", "a2a3:0 a7a6"))
    book = BookOpenings(path, "sequential", 1, plies=2)
    # e4 has 3 of 4 parts and its answers 2 and 1 of 3; what has weight 0 is never played.
    assert uci_lines(book) == ["e2e4 c7c5", "d2d4 d7d5", "e2e4 e7e5"]
    assert uci_lines(BookOpenings(path, "sequential", 1, plies=1)) == ["e2e4", "d2d4"]
    assert book.opening(0).name == "b.bin:1"
    assert uci_lines(BookOpenings(path, "sequential", 1)) == uci_lines(book)


def test_positions_of_a_polyglot_book_come_once_and_short_lines_too(tmp_path):
    path = tmp_path / "b.bin"
    path.write_bytes(polyglot("g1f3 g8f6 b1c3", "b1c3 g8f6 g1f3", "a2a3 a7a6"))
    assert sorted(uci_lines(BookOpenings(path, "sequential", 1, plies=3))) == [
        "a2a3 a7a6",
        "b1c3 g8f6 g1f3",
    ]


def test_a_polyglot_book_castles_and_moves_of_other_positions_are_passed_over(tmp_path):
    path = tmp_path / "b.bin.gz"
    line = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1h1"
    nonsense = struct.pack(">QHHI", zobrist_hash(chess.Board()), 0o6040, 1, 0)
    data = polyglot(line)
    rows = sorted([data[i : i + 16] for i in range(0, len(data), 16)] + [nonsense])
    path.write_bytes(gzip.compress(b"".join(rows)))
    book = BookOpenings(path, "random", 1, plies=7)
    assert uci_lines(book) == [line]


def test_opcodes_of_an_epd_are_kept():
    opening = book('8/8/4k3/8/8/4K3/4P3/8 w - - id "pawn"; c0 "white wins";').opening(0)
    assert opening.opcodes == 'id "pawn"; c0 "white wins"'
    assert book("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1").opening(0).opcodes == ""


def test_chess960_begins_from_its_positions_and_is_reproducible():
    first, second = (GeneratedOpenings(5, 4, 10_000, 10, chess960=True) for _ in range(2))
    openings = [first.opening(i) for i in range(12)]
    assert openings == [second.opening(i) for i in range(12)]
    assert len({opening.fen for opening in openings}) > 9
    for opening in openings:
        assert opening.chess960
        board = chess.Board(opening.fen, chess960=True)
        assert board.chess960_pos() is not None
        for move in opening.moves:
            board.push(chess_move(move))
            assert board.is_valid()


def test_the_variant_makes_every_game_of_a_book_chess960(tmp_path):
    path = tmp_path / "b.epd"
    path.write_text("8/8/4k3/8/8/4K3/4P3/8 w - -\n")
    spec = OpeningSpec(kind="book", path=str(path), sha256=BookOpenings(path, "random", 1).sha256)
    assert not open_source(spec, 1).opening(0).chess960
    of_variant = spec.model_copy(update={"variant": "chess960"})
    assert open_source(of_variant, 1).opening(0).chess960
    assert of_variant.hashed() != spec.hashed()
    assert "variant" not in spec.hashed()
