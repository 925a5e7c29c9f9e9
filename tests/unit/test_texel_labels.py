"""Labelled positions, comments of PGN and moves as text."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given, settings

from engine.shell import Game
from harness.texel.labels import (
    NoPositionError,
    NoResultError,
    comment_score,
    eval_tag_score,
    parse_line,
    wanted_move,
    white_view_score,
)
from harness.texel.pgn_games import read_games
from harness.texel.replay import kernel
from tests.oracle import SEEDS, STARTS, Start, play, wires_of

WHITE = "r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R w KQkq -"
BLACK = "8/8/4k3/8/8/3PK3/8/8 b - -"


class TestParseLine:
    @pytest.mark.parametrize(
        ("rest", "result", "score_cp"),
        [
            ('c9 "1-0";', 1.0, None),
            ('c9 "1/2-1/2"; ce 31;', 0.5, 31),
            ('bm Qd5; id "1-0"; c9 "0-1";', 0.0, None),
            ("[1.0]", 1.0, None),
            ("[0.5] -12", 0.5, -12),
            (" 0 1 [0]", 0.0, None),
            ("7 31 [0.0]", 0.0, None),
            (";1/2-1/2", 0.5, None),
            ("0 1;0-1", 0.0, None),
            ("0 1 | 34 | 1.0", 1.0, 34),
            ("0 1 | -340 | 0.5 |", 0.5, -340),
            ("0 1|12|0", 0.0, 12),
            ('"1/2-1/2"', 0.5, None),
            ("1-0", 1.0, None),
            ("0 1 0.5", 0.5, None),
            ("0 1 0.25 17", 0.25, 17),
            ("0 1, 1/2", 0.5, None),
        ],
    )
    def test_every_common_form_is_read(self, rest, result, score_cp):
        position = parse_line(f"{WHITE} {rest}")
        assert (position.result, position.score_cp) == (result, score_cp)
        assert position.fen.startswith(WHITE)
        assert len(position.fen.split()) == 6

    def test_the_counters_are_kept(self):
        assert parse_line(f"{BLACK} 7 31 [1.0]").fen == f"{BLACK} 7 31"
        assert parse_line(f"{BLACK} [1.0]").fen == f"{BLACK} 0 1"

    def test_numbers_are_white_s_unless_they_are_said_to_be_the_mover_s(self):
        line = f"{BLACK} 0 1 | 30 | 1.0"
        white, mover = parse_line(line), parse_line(line, movers_view=True)
        assert (white.result, white.score_cp) == (1.0, -30)
        assert (mover.result, mover.score_cp) == (0.0, 30)

    def test_words_are_white_s_and_ce_the_mover_s_in_any_case(self):
        for movers_view in (False, True):
            position = parse_line(f'{BLACK} ce 30; c9 "1-0";', movers_view=movers_view)
            assert (position.result, position.score_cp) == (1.0, 30)

    @pytest.mark.parametrize(
        "line",
        [
            WHITE,
            f"{WHITE} 1 2",
            f"{WHITE} bm Qd5;",
            f"{WHITE} 0 1 [1.5]",
            f"{WHITE} 0 1 | 34 | 7",
            f"{WHITE} 0 1 [*]",
            "4k3/pp4p1/2p5/8/8/8/8/4K3 w - - 0 1",  # 1/2 in the placement
        ],
    )
    def test_no_result_is_made_up(self, line):
        with pytest.raises(NoResultError):
            parse_line(line)

    @pytest.mark.parametrize(
        "line",
        [
            "",
            "1-0",
            "hello [1.0]",
            "8/8/8/8 w - - [1.0]",
            "1/2-1/2",
            f"{WHITE.replace(' w', ' x')} 1",
        ],
    )
    def test_what_is_no_position_is_refused(self, line):
        with pytest.raises(NoPositionError):
            parse_line(line)


class TestScores:
    @pytest.mark.parametrize(
        ("comment", "score_cp"),
        [
            ("+0.31/9 0.0017s, n=5000", 31),
            ("-1.02/12 1.2s", -102),
            ("0.00/7 0.003s, n=700", 0),
            (" +0.31/9", 31),
            ("+M5/12 0.1s", 49_000 - 5),
            ("-M4/9", -49_000 + 4),
            ("#-3/9", -49_000 + 3),
            ("+0.31/0 0.1s", None),
            ("+1.10/10", 110),
            ("book", None),
            ("a good move 0.31", None),
            ("[%eval 0.31]", None),
        ],
    )
    def test_engines_comments(self, comment, score_cp):
        assert comment_score(comment) == score_cp

    @pytest.mark.parametrize(
        ("comment", "score_cp"),
        [
            ("[%eval 0.31] [%clk 0:05:00]", 31),
            ("[%clk 0:05:00] [%eval -2.5,20]", -250),
            ("[%eval #-3]", -49_000 + 3),
            ("[%eval #12]", 49_000 - 12),
            ("[%clk 0:05:00]", None),
        ],
    )
    def test_tags_of_lichess(self, comment, score_cp):
        assert eval_tag_score(comment) == score_cp

    @pytest.mark.parametrize(
        ("comment", "score_cp"),
        [
            ("d=25, sd=49, mt=113444, tb=null, R50=50, wv=0.14, ", 14),
            ("wv=-1.05", -105),
            ("d=60, wv=-M12, pv=e4", -49_000 + 12),
            ("d=60, wv=M12", 49_000 - 12),
            ("d=25, mt=10", None),
            ("wv=high", None),
        ],
    )
    def test_scores_in_white_s_view(self, comment, score_cp):
        assert white_view_score(comment) == score_cp

    def test_a_score_is_that_of_who_is_to_move_where_it_belongs(self):
        text = "1. e4 {wv=0.30} e5 {wv=0.20} 2. Nf3 {[%eval 0.50]} Nc6 {-0.10/9} 1-0\n"
        (game,) = read_games(text)
        assert game.scores_cp == {0: 30, 1: -20, 3: -50}


class TestWantedMove:
    @pytest.mark.parametrize("text", ["--", "Z0", "Ke9", "P@e4", "e4e5e6", "O-O-O-O", "Nb1c"])
    def test_what_is_no_move_is_refused(self, text):
        with pytest.raises(ValueError, match="no move"):
            wanted_move(text)

    @given(start=STARTS, seed=SEEDS)
    @settings(max_examples=10, deadline=None)
    def test_each_legal_san_means_its_move(self, start: Start, seed: int) -> None:
        for game, board in play(start, seed, 25):
            codes = game.codes()
            for wire, move in wires_of(board).items():
                for text in (board.san(move), move.uci()):
                    if not (text == move.uci() and board.is_castling(move)):
                        found = kernel.wanted_move(game.record, wanted_move(text))
                        assert found == codes[wire], text

    @pytest.mark.parametrize(
        ("fen", "text"),
        [
            ("4k3/8/8/8/8/8/8/N3K2N w - - 0 1", "Nd2"),  # none can
            ("4k3/8/8/8/8/8/3N4/3NK3 w - - 0 1", "Nf2e4"),  # not from there
            ("4k3/8/8/8/4N3/8/8/N3K3 w - - 0 1", "O-O"),
            ("4k3/8/8/2N5/8/2N5/8/4K3 w - - 0 1", "Ne4"),  # both can
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8"),  # promotes to nothing
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "Kh1"),  # castling is no king's move
        ],
    )
    def test_what_means_no_move_or_two_finds_none(self, fen, text):
        assert kernel.wanted_move(Game(fen).record, wanted_move(text)) == 0

    def test_castling_by_the_king_s_squares_is_found(self):
        game = Game("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
        for text, rook in (("e1g1", chess.H1), ("e1c1", chess.A1)):
            found = kernel.wanted_move(game.record, wanted_move(text))
            assert found == game.codes()[chess.E1 | rook << 6]
