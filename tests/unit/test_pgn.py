import io
import re
from pathlib import Path

import chess
import chess.pgn
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.config import EngineConfig, Limit, MatchSpec
from harness.pgn import (
    TIME_PATTERN,
    PgnStyle,
    final_position,
    format_game,
    format_score,
    write_pgn,
)
from harness.record import GameRecord, Termination
from harness.splitmix import SplitMix64

SPEC = MatchSpec(
    new=EngineConfig(name="new"),
    base=EngineConfig(name="base"),
    limit=Limit(nodes=5_000),
    seed=42,
    tool_version="0.1.0",
)
COMMENT = re.compile(r"([+-]?(?:\d+\.\d\d|M\d+))/(\d+) (\d+\.\d{4})s, n=(\d+)")


def random_record(
    seed: int,
    fen: str = chess.STARTING_FEN,
    plies: int = 80,
    book_plies: int = 4,
    chess960: bool = False,
    **changes: object,
) -> tuple[GameRecord, list[chess.Move]]:
    """A record of random legal moves with random numbers, and the moves as python-chess has them.

    Castling is preferred where it is possible, and in Chess960 form in the record.
    """
    random = SplitMix64(seed)
    board = chess.Board(fen, chess960=True)
    moves = []
    while len(moves) < plies and (legal := list(board.legal_moves)):
        castlings = [move for move in legal if board.is_castling(move)]
        choice = castlings or legal
        moves.append(choice[random.below(len(choice))])
        board.push(moves[-1])
    own = max(0, len(moves) - book_plies)
    numbers = [[random.below(bound) for _ in range(own)] for bound in (2_000, 30, 9_999, 50_000)]
    fields: dict[str, object] = {
        "pair": 17,
        "game": 0,
        "fen": fen,
        "result": 0,
        "termination": Termination.THREEFOLD,
        "plies": len(moves),
        "moves": np.array([wire(move) for move in moves], "<u2").tobytes(),
        "scores_cp": np.array([score - 1_000 for score in numbers[0]], "<i4").tobytes(),
        "depths": np.array(numbers[1], "u1").tobytes(),
        "nodes": np.array(numbers[2], "<u4").tobytes(),
        "times_us": np.array(numbers[3], "<u4").tobytes(),
        "search_ns": (1, 1),
        "wall_ns": 1,
        "detail": "",
    }
    return GameRecord(**{**fields, **changes}), moves  # type: ignore[arg-type]


def wire(move: chess.Move) -> int:
    promotion = move.promotion - 1 if move.promotion else 0
    return move.from_square | move.to_square << 6 | promotion << 12


def parse(text: str) -> chess.pgn.Game:
    """The only game of the text, read without an error."""
    file = io.StringIO(text)
    game = chess.pgn.read_game(file)
    assert game is not None
    assert not game.errors
    assert chess.pgn.read_game(file) is None
    return game


@given(seed=st.integers(0, 10_000), plies=st.integers(0, 160), game=st.sampled_from([0, 1]))
def test_python_chess_reads_back_what_was_recorded(seed: int, plies: int, game: int) -> None:
    record, moves = random_record(seed, plies=plies, game=game, result=seed % 3 - 1)
    read = parse(format_game(record, SPEC, "2026.11.30"))
    board = read.board()
    for move, read_move in zip(moves, read.mainline_moves(), strict=True):
        assert board.san(move) == board.san(read_move)
        board.push(read_move)
    result = ["0-1", "1/2-1/2", "1-0"][record.result + 1]
    assert read.headers["Result"] == result
    assert (read.headers["White"], read.headers["Black"]) == (
        ("base", "new") if game else ("new", "base")
    )


@given(seed=st.integers(0, 1_000))
def test_comments_hold_the_movers_numbers(seed: int) -> None:
    record, _ = random_record(seed)
    comments = [node.comment for node in parse(format_game(record, SPEC)).mainline()]
    assert comments[:4] == ["book"] * 4
    columns = record.columns()
    for index, comment in enumerate(comments[4:]):
        match = COMMENT.match(comment)
        assert match is not None
        assert round(100 * float(match[1])) == columns.scores_cp[index]
        assert int(match[2]) == columns.depths[index]
        assert float(match[3]) == pytest.approx(columns.times_us[index] / 1e6, abs=1e-4)
        assert int(match[4]) == columns.nodes[index]
    assert comments[-1].endswith(", Draw by threefold repetition")


def test_tags() -> None:
    record, _ = random_record(1, game=1, result=-1, termination=Termination.ADJUDICATED_WIN)
    headers = dict(parse(format_game(record, SPEC, "2026.11.30")).headers)
    assert list(headers)[:7] == ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
    assert headers == {
        "Event": "new vs base, seed 42",
        "Site": "?",
        "Date": "2026.11.30",
        "Round": "17.1",
        "White": "base",
        "Black": "new",
        "Result": "0-1",
        "PlyCount": "80",
        "TimeControl": "-",
        "Limit": "5000 nodes a move",
        "Termination": "adjudication",
        "Adjudication": "draw: 8 moves within 10 cp from move 40; resign: 3 moves at 600 cp,"
        " both sides; length: 1000 plies",
        "Annotator": "Numbishop 0.1.0",
    }


def test_a_handicap_shows_in_the_tags_of_its_side() -> None:
    new = EngineConfig(name="new", limit=Limit.parse_tc("40/60+0.6"))
    spec = SPEC.model_copy(update={"new": new})
    for game, (own, other) in enumerate([("White", "Black"), ("Black", "White")]):
        record, _ = random_record(1, game=game)
        headers = parse(format_game(record, spec)).headers
        assert "TimeControl" not in headers
        assert headers[f"{own}TimeControl"] == "40/60+0.6"
        assert headers[f"{other}TimeControl"] == "-"
        assert headers[f"{other}Limit"] == "5000 nodes a move"
        assert f"{own}Limit" not in headers  # TimeControl has said it


def test_another_start_position_is_set_up() -> None:
    fen = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 20"
    record, moves = random_record(3, fen, plies=9, book_plies=0)
    text = format_game(record, SPEC)
    game = parse(text)
    assert (game.headers["SetUp"], game.headers["FEN"]) == ("1", fen)
    assert "Variant" not in game.headers
    assert "\n20... O-O" in text
    assert "\n21. O-O" in text
    assert len(list(game.mainline())) == len(moves) == 9


def test_chess960_castling() -> None:
    fen = "bnrkrqnb/pppppppp/8/8/8/8/PPPPPPPP/BNRKR3 w KQkq - 0 1"
    record, moves = random_record(5, fen, plies=40, book_plies=0)
    game = parse(format_game(record, SPEC))
    assert game.headers["Variant"] == "Chess960"
    assert list(game.mainline_moves()) == moves
    assert any(
        node.parent is not None and node.parent.board().is_castling(node.move)
        for node in game.mainline()
    )


def test_a_game_without_moves_says_why() -> None:
    record, _ = random_record(
        1, plies=0, result=-1, termination=Termination.CRASH, detail="white: RuntimeError: no"
    )
    game = parse(format_game(record, SPEC))
    assert game.comment == "White crashes (white: RuntimeError: no)"
    assert game.headers["Termination"] == "abandoned"
    assert game.headers["Result"] == "0-1"


@pytest.mark.parametrize(
    ("termination", "result", "tag", "reason"),
    [
        (Termination.CHECKMATE, 1, "normal", "White mates"),
        (Termination.STALEMATE, 0, "normal", "Draw by stalemate"),
        (Termination.FIFTY_MOVES, 0, "normal", "Draw by fifty moves rule"),
        (Termination.ADJUDICATED_DRAW, 0, "adjudication", "Draw by adjudication"),
        (Termination.TIME_FORFEIT, -1, "time forfeit", "White loses on time (x)"),
        (Termination.ILLEGAL_MOVE, 1, "rules infraction", "Black makes an illegal move (x)"),
        (Termination.HANG, 1, "abandoned", "Black does not answer (x)"),
    ],
)
def test_endings(termination: Termination, result: int, tag: str, reason: str) -> None:
    detail = "x" if reason.endswith("(x)") else ""
    record, _ = random_record(1, result=result, termination=termination, detail=detail)
    game = parse(format_game(record, SPEC))
    assert game.headers["Termination"] == tag
    assert game.end().comment.endswith(f", {reason}")


@pytest.mark.parametrize("termination", list(Termination))
def test_only_an_interrupted_game_has_no_result(termination: Termination) -> None:
    record, _ = random_record(1, termination=termination)
    result = parse(format_game(record, SPEC)).headers["Result"]
    assert result == ("*" if termination is Termination.INTERRUPTED else "1/2-1/2")


def test_text_cannot_break_out_of_its_place() -> None:
    new = EngineConfig(name='a "b" \\ c')
    record, _ = random_record(
        1, termination=Termination.CRASH, result=-1, detail="{bad} [Event]\n1. e4 ; %"
    )
    game = parse(format_game(record, SPEC.model_copy(update={"new": new})))
    assert game.headers["White"] == "a 'b' / c"
    assert "(bad) [Event] 1. e4 ; %" in game.end().comment
    assert len(list(game.mainline())) == 80


@pytest.mark.parametrize(
    ("score_cp", "text"),
    [
        (31, "+0.31"),
        (-5, "-0.05"),
        (0, "0.00"),
        (1_234, "+12.34"),
        (48_995, "+M5"),
        (-48_996, "-M4"),
        (-47_999, "-479.99"),
    ],
)
def test_scores(score_cp: int, text: str) -> None:
    assert format_score(score_cp) == text


def test_equal_runs_differ_only_in_date_and_times() -> None:
    record, _ = random_record(8)
    slower = np.frombuffer(record.times_us, "<u4") * 1_000 + 7
    again, _ = random_record(8, times_us=slower.astype("<u4").tobytes(), wall_ns=99)
    first, second = format_game(record, SPEC, "2026.11.30"), format_game(again, SPEC, "2027.01.01")
    assert first != second
    second = second.replace("2027.01.01", "2026.11.30")
    assert TIME_PATTERN.sub("", first) == TIME_PATTERN.sub("", second)
    assert len(TIME_PATTERN.findall(first)) == record.plies - record.book_plies


def test_write_keeps_the_order_and_replaces_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    records = [random_record(seed, pair=seed, game=0)[0] for seed in range(5)]
    assert write_pgn(records, SPEC, path) == 5
    with path.open(encoding="utf-8") as file:
        rounds = []
        while (game := chess.pgn.read_game(file)) is not None:
            assert not game.errors
            rounds.append(game.headers["Round"])
    assert rounds == ["0.0", "1.0", "2.0", "3.0", "4.0"]

    before = path.read_bytes()
    broken = random_record(
        9, moves=np.array([wire(chess.Move.from_uci("e2e5"))] * 80, "<u2").tobytes()
    )
    with pytest.raises(AssertionError):
        write_pgn([records[0], broken[0]], SPEC, path)
    assert path.read_bytes() == before


def test_a_minimal_game_has_its_moves_and_no_comments():
    record, moves = random_record(8, fen="4k3/8/8/8/8/8/8/R3K2R w KQ - 3 9", plies=21)
    text = format_game(record, SPEC, style=PgnStyle(comments=False))
    assert "{" not in text
    assert "Annotator" not in text
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    assert [move.uci() for move in game.mainline_moves()] == [
        board_move.uci() for board_move in _in_standard_form(record.fen, moves)
    ]


def _in_standard_form(fen, moves):
    """Castling as the king goes, which is how python-chess has it in a game of standard chess."""
    board = chess.Board(fen, chess960=True)
    for move in moves:
        yield chess.Board(board.fen()).parse_san(board.san(move))
        board.push(move)


def test_the_opening_of_a_pair_is_named():
    record, _ = random_record(1)
    style = PgnStyle(opening_of=lambda pair: f'book.epd:{pair} id "x"')
    assert "[Opening \"book.epd:17 id 'x'\"]" in format_game(record, SPEC, style=style)
    assert "[Opening" not in format_game(record, SPEC)


def test_where_a_game_ended():
    record, moves = random_record(3, result=-1)
    board = chess.Board(chess960=True)
    for move in moves:
        board.push(move)
    read, operations = chess.Board.from_epd(final_position(record))
    assert read.board_fen() == board.board_fen()
    assert (read.halfmove_clock, read.fullmove_number) == (
        board.halfmove_clock,
        board.fullmove_number,
    )
    assert (operations["c9"], operations["id"]) == ("0-1", "17.0")
