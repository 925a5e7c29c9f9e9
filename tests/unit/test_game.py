from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

import harness.game
from engine.shell import IllegalMoveError
from harness.clock import NS_PER_MS, Clocks
from harness.config import AdjudicationConfig, Limit
from harness.game import (
    GameRecord,
    PlayerFault,
    Reply,
    Termination,
    play_game,
)
from harness.openings import Opening
from harness.record import MoveLog, MoveTimes
from harness.schedule import GameTask

STARTPOS = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
OFF = AdjudicationConfig(enabled=False)
NODES = Limit(nodes=1_000)


def moves(text: str) -> list[str]:
    return text.split()


FOOLS_MATE = moves("f2f3 e7e5 g2g4 d8h4")
SHUFFLE = moves("g1f3 g8f6 f3g1 f6g8")


def wire(uci: str) -> int:
    """A wire move of UCI text (castling as king takes rook)."""
    files, ranks = uci[0::2], uci[1::2]
    from_square = "abcdefgh".index(files[0]) + 8 * (int(ranks[0]) - 1)
    to_square = "abcdefgh".index(files[1]) + 8 * (int(ranks[1]) - 1)
    promotion = " nbrq".index(uci[4]) if len(uci) > 4 else 0
    return from_square | to_square << 6 | promotion << 12


class LinePlayer:
    """Plays its part of a given line of UCI moves."""

    def __init__(self, line: Sequence[str], score_cp: int = 0, before: Callable[[], None] = int):
        self.line = line
        self.score_cp = score_cp
        self.before = before
        self.games: list[tuple[str, bool, int]] = []
        self.shown: list[Clocks | None] = []

    def new_game(self, fen: str, chess960: bool, seed: int) -> None:
        self.games.append((fen, chess960, seed))

    def play(
        self, moves: NDArray[np.uint16], count: int, limit: Limit, clocks: Clocks | None
    ) -> Reply:
        self.before()
        self.shown.append(clocks)
        return Reply(wire(self.line[count]), self.score_cp, 5, limit.nodes, 1_000 + count)

    def close(self) -> None:
        pass


class FailingPlayer(LinePlayer):
    """Raises the given error instead of moving."""

    def __init__(self, error: Exception, at_new_game: bool = False):
        super().__init__([])
        self.error = error
        self.at_new_game = at_new_game

    def new_game(self, fen: str, chess960: bool, seed: int) -> None:
        if self.at_new_game:
            raise self.error

    def play(
        self, moves: NDArray[np.uint16], count: int, limit: Limit, clocks: Clocks | None
    ) -> Reply:
        raise self.error


def play(
    line: Sequence[str],
    fen: str = STARTPOS,
    book: Sequence[str] = (),
    game: int = 0,
    adjudication: AdjudicationConfig = OFF,
    scores_cp: tuple[int, int] = (0, 0),
) -> GameRecord:
    """The record of a line; `scores_cp` are the players' constant scores (NEW, BASE)."""
    whole = [*book, *line]
    players = (LinePlayer(whole, scores_cp[0]), LinePlayer(whole, scores_cp[1]))
    opening = Opening(fen, tuple(wire(move) for move in book), "test")
    return play_game(GameTask(3, game, 0, 99), players, opening, (NODES, NODES), adjudication)


@pytest.mark.parametrize(
    ("fen", "line", "termination", "result"),
    [
        (STARTPOS, FOOLS_MATE, Termination.CHECKMATE, -1),
        (STARTPOS, moves("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7"), Termination.CHECKMATE, 1),
        ("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", ["f2f7"], Termination.STALEMATE, 0),
        (STARTPOS, SHUFFLE * 2, Termination.THREEFOLD, 0),
        ("7k/8/8/8/8/8/8/K5R1 w - - 99 80", ["g1f1"], Termination.FIFTY_MOVES, 0),
        ("7k/R7/6K1/8/8/8/8/8 w - - 99 80", ["a7a8"], Termination.CHECKMATE, 1),
        ("7k/8/8/8/8/8/6p1/K6B w - - 0 1", ["h1g2"], Termination.INSUFFICIENT_MATERIAL, 0),
    ],
)
def test_natural_endings(fen: str, line: list[str], termination: Termination, result: int) -> None:
    record = play(line, fen)
    assert (record.termination, record.result) == (termination, result)
    assert record.plies == len(line)
    assert record.detail == ""
    assert record.fen == fen


def test_the_record_holds_what_was_played_and_said() -> None:
    record = play(FOOLS_MATE, scores_cp=(31, -7))
    wire_moves, scores_cp, depths, nodes, times_us = record.columns()
    assert wire_moves.tolist() == [wire(move) for move in FOOLS_MATE]
    assert scores_cp.tolist() == [31, -7, 31, -7]
    assert depths.tolist() == [5, 5, 5, 5]
    assert nodes.tolist() == [1_000] * 4
    assert len(times_us) == 4
    assert (record.pair, record.game, record.book_plies) == (3, 0, 0)
    assert record.wall_ns > 0


def test_search_time_and_result_belong_to_players_not_colours() -> None:
    first, second = play(FOOLS_MATE), play(FOOLS_MATE, game=1)
    assert first.search_ns == (1_000 + 1_002, 1_001 + 1_003)
    assert second.search_ns == first.search_ns[::-1]
    assert (first.result, second.result) == (-1, -1)
    assert (first.new_result, second.new_result) == (-1, 1)


def test_opening_moves_are_played_first_and_have_no_score() -> None:
    record = play(FOOLS_MATE[3:], book=FOOLS_MATE[:3])
    assert (record.plies, record.book_plies) == (4, 3)
    assert record.columns().moves.tolist() == [wire(move) for move in FOOLS_MATE]
    assert record.columns().depths.tolist() == [5]
    assert record.search_ns == (0, 1_003)


def test_positions_of_the_opening_count_for_repetition() -> None:
    record = play(SHUFFLE, book=SHUFFLE)
    assert (record.termination, record.plies) == (Termination.THREEFOLD, 8)


def test_an_opening_that_ends_the_game_is_a_game_without_moves_of_players() -> None:
    record = play([], book=FOOLS_MATE)
    assert (record.termination, record.result) == (Termination.CHECKMATE, -1)
    assert (record.plies, record.book_plies) == (4, 4)


def test_an_illegal_opening_is_no_result() -> None:
    with pytest.raises(IllegalMoveError):
        play([], book=["e2e5"])


def test_players_are_told_of_the_game() -> None:
    players = (LinePlayer(FOOLS_MATE), LinePlayer(FOOLS_MATE))
    opening = Opening(STARTPOS, (), "test")
    play_game(GameTask(0, 1, 0, 1234), players, opening, (NODES, NODES), OFF)
    assert [player.games for player in players] == [[(STARTPOS, False, 1234)]] * 2
    assert players[0].shown == [None, None]


def test_black_may_begin() -> None:
    record = play(["h8g8"], "7k/8/8/8/8/8/8/K6R b - - 99 80")
    assert (record.termination, record.result) == (Termination.FIFTY_MOVES, 0)
    assert record.search_ns == (0, 1_000)


def test_draw_rule() -> None:
    rules = AdjudicationConfig(draw_move_number=2, draw_move_count=2)
    record = play(moves("g1f3 g8f6 b1c3 b8c6 h1g1"), adjudication=rules, scores_cp=(5, -5))
    assert (record.termination, record.result, record.plies) == (
        Termination.ADJUDICATED_DRAW,
        0,
        4,
    )


def test_a_pawn_move_restarts_the_draw_rule() -> None:
    rules = AdjudicationConfig(draw_move_number=1, draw_move_count=2)
    line = moves("g1f3 g8f6 e2e4 b8c6 b1c3 h8g8 a2a3")
    assert play(line, adjudication=rules).plies == 6


@pytest.mark.parametrize(("game", "result"), [(0, 1), (1, -1)])
def test_resign_rule(game: int, result: int) -> None:
    rules = AdjudicationConfig(resign_move_count=2)
    line = moves("e2e4 e7e5 g1f3 b8c6 a2a3")
    record = play(line, game=game, adjudication=rules, scores_cp=(700, -700))
    assert (record.termination, record.result, record.plies) == (
        Termination.ADJUDICATED_WIN,
        result,
        4,
    )
    assert record.new_result == 1


def test_the_rules_of_chess_come_before_adjudication() -> None:
    rules = AdjudicationConfig(resign_move_count=2)
    record = play(FOOLS_MATE, adjudication=rules, scores_cp=(700, -700))
    assert (record.termination, record.result) == (Termination.CHECKMATE, -1)


def test_maximum_length() -> None:
    rules = AdjudicationConfig(max_plies=6)
    record = play(SHUFFLE * 2, adjudication=rules)
    assert (record.termination, record.result, record.plies) == (Termination.MAX_PLIES, 0, 6)


@pytest.mark.parametrize(("line", "result"), [(["e2e5"], -1), (["e2e4", "e7e8"], 1)])
def test_an_illegal_move_loses_and_is_not_part_of_the_game(line: list[str], result: int) -> None:
    record = play(line)
    assert (record.termination, record.result) == (Termination.ILLEGAL_MOVE, result)
    assert record.plies == len(line) - 1
    loser = "black" if result > 0 else "white"
    assert record.detail.startswith(f"{loser}: ")
    assert line[-1] in record.detail


@pytest.mark.parametrize("at_new_game", [False, True])
@pytest.mark.parametrize("game", [0, 1])
def test_a_player_that_raises_loses(game: int, at_new_game: bool) -> None:
    broken = FailingPlayer(KeyError("no such thing"), at_new_game)
    record = play_game(
        GameTask(0, game, 0, 0),
        (broken, LinePlayer(FOOLS_MATE)),
        Opening(STARTPOS, (), "test"),
        (NODES, NODES),
        OFF,
    )
    assert (record.termination, record.new_result) == (Termination.CRASH, -1)
    assert "KeyError: 'no such thing' (test_game.py:" in record.detail
    assert record.plies == (0 if at_new_game or game == 0 else 1)


def test_a_player_may_name_its_fault() -> None:
    hanging = FailingPlayer(PlayerFault(Termination.HANG, "no answer for 10 s"))
    record = play_game(
        GameTask(0, 0, 0, 0),
        (hanging, LinePlayer([])),
        Opening(STARTPOS, (), "test"),
        (NODES, NODES),
        OFF,
    )
    assert (record.termination, record.result) == (Termination.HANG, -1)
    assert record.detail == "white: no answer for 10 s"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_a_stop_of_the_process_is_no_result(stop: type[BaseException]) -> None:
    def interrupt() -> None:
        raise stop

    players = (LinePlayer(FOOLS_MATE, before=interrupt), LinePlayer(FOOLS_MATE))
    with pytest.raises(stop):
        play_game(GameTask(0, 0, 0, 0), players, Opening(STARTPOS, (), "test"), (NODES, NODES), OFF)


class FakeTime:
    """Stands in for the performance counter; a player "thinks" by moving it on."""

    def __init__(self) -> None:
        self.now_ns = 0

    def __call__(self) -> int:
        return self.now_ns

    def think(self, milliseconds: int) -> None:
        self.now_ns += milliseconds * NS_PER_MS


def play_in_time(
    monkeypatch: pytest.MonkeyPatch, limit: Limit, white_ms: int, black_ms: int
) -> tuple[GameRecord, tuple[LinePlayer, LinePlayer]]:
    clock = FakeTime()
    monkeypatch.setattr(harness.game, "perf_counter_ns", clock)
    line = SHUFFLE * 2
    players = (
        LinePlayer(line, before=lambda: clock.think(white_ms)),
        LinePlayer(line, before=lambda: clock.think(black_ms)),
    )
    opening = Opening(STARTPOS, (), "test")
    record = play_game(GameTask(0, 0, 0, 0), players, opening, (limit, limit), OFF)
    return record, players


def test_times_are_recorded_and_clocks_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    record, players = play_in_time(monkeypatch, Limit.parse_tc("1+0.5"), 100, 200)
    assert record.termination is Termination.THREEFOLD
    assert record.columns().times_us.tolist() == [100_000, 200_000] * 4
    shown = [clocks.time_left_ms for clocks in players[1].shown if clocks]
    assert shown == [(1_400, 1_000), (1_800, 1_300), (2_200, 1_600), (2_600, 1_900)]


def test_a_fallen_flag_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    record, _ = play_in_time(monkeypatch, Limit.parse_tc("1"), 100, 400)
    assert (record.termination, record.result) == (Termination.TIME_FORFEIT, 1)
    assert record.plies == 5
    assert record.detail == "black: used 400.0 ms where 250.0 ms were left, margin included"


def test_without_a_time_limit_no_time_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    record, players = play_in_time(monkeypatch, NODES, 10**9, 10**9)
    assert record.termination is Termination.THREEFOLD
    assert players[0].shown == [None] * 4
    assert set(record.columns().times_us.tolist()) == {2**32 - 1}


def test_columns_grow_and_saturate() -> None:
    log = MoveLog(capacity=2)
    log.add_book_move(5)
    for number in range(6):
        log.add(Reply(100 + number, -49_000, 300, 2**40, 0), 1_999)
    columns = log.narrowed()
    assert np.frombuffer(columns["moves"], "<u2").tolist() == [5, 100, 101, 102, 103, 104, 105]
    assert np.frombuffer(columns["scores_cp"], "<i4").tolist() == [-49_000] * 6
    assert list(columns["depths"]) == [255] * 6
    assert np.frombuffer(columns["nodes"], "<u4").tolist() == [2**32 - 1] * 6
    assert np.frombuffer(columns["times_us"], "<u4").tolist() == [1] * 6
    assert "cpus_us" not in columns


def test_times_of_processes_are_columns_where_there_are_any() -> None:
    log = MoveLog(capacity=2)
    for number in range(5):
        times = MoveTimes(9_000, 1_000 * number, 3_000) if number % 2 else None
        log.add(Reply(100, 0, 1, 1, 0, times), 9_000)
    columns = log.narrowed()
    assert np.frombuffer(columns["cpus_us"], "<u4").tolist() == [0, 1, 0, 3, 0]
    assert np.frombuffer(columns["delays_us"], "<u4").tolist() == [0, 3, 0, 3, 0]
