"""Another runner plays `numbishop` against itself: no loss on time, no illegal move or line.

The runner is python-chess's `chess.engine`, with a clock of its own and no margin.
"""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Iterator
from typing import NamedTuple

import chess
import chess.engine
import pytest

from tests.e2e.test_uci_process import NUMBISHOP

GAMES = 200
OPENING_PLIES = 8


class Pace(NamedTuple):
    """The clock, and how long a game may last."""

    base_s: float
    increment_s: float
    most_plies: int


FAST = Pace(1.0, 0.01, 400)
#: For machines that have other things to do than play.
SLOW = Pace(10.0, 0.1, 40)


@pytest.fixture(scope="module")
def engines() -> Iterator[list[chess.engine.SimpleEngine]]:
    subprocess.run([NUMBISHOP, "warm"], check=True, capture_output=True)
    opened = [chess.engine.SimpleEngine.popen_uci(NUMBISHOP, timeout=60) for _ in range(2)]
    for engine in opened:
        engine.ping()
    yield opened
    for engine in opened:
        engine.quit()


def opening(rng: random.Random) -> chess.Board:
    """A position after random moves, the game still going on."""
    while True:
        board = chess.Board()
        for _ in range(OPENING_PLIES):
            moves = list(board.legal_moves)
            if moves:
                board.push(rng.choice(moves))
        if not board.is_game_over():
            return board


def play_game(
    engines: list[chess.engine.SimpleEngine],
    board: chess.Board,
    white: int,
    number: int,
    pace: Pace,
) -> None:
    """Fails where a flag falls or a move or line is not legal."""
    left_s = {chess.WHITE: pace.base_s, chess.BLACK: pace.base_s}
    while not board.is_game_over(claim_draw=True) and board.ply() < pace.most_plies:
        mover = board.turn
        limit = chess.engine.Limit(
            white_clock=left_s[chess.WHITE],
            black_clock=left_s[chess.BLACK],
            white_inc=pace.increment_s,
            black_inc=pace.increment_s,
        )
        engine = engines[white if mover == chess.WHITE else 1 - white]
        started_s = time.perf_counter()
        # An illegal best move raises EngineError; an illegal line ends `pv` early, as told below.
        played = engine.play(board, limit, info=chess.engine.INFO_ALL, game=number)
        left_s[mover] -= time.perf_counter() - started_s
        assert left_s[mover] > 0, f"game {number}: lost on time at {board.fen()}"
        left_s[mover] += pace.increment_s
        line = board.copy(stack=False)
        for move in played.info["pv"]:
            assert line.is_legal(move)
            line.push(move)
        assert played.info["pv"][0] == played.move
        board.push(played.move)


def play_games(engines: list[chess.engine.SimpleEngine], count: int, pace: Pace) -> None:
    rng = random.Random(1)
    for number in range(0, count, 2):
        board = opening(rng)
        for white in (0, 1):
            play_game(engines, board.copy(), white, number + white, pace)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_two_hundred_games(engines):
    play_games(engines, GAMES, FAST)


def test_a_pair_of_games(engines):
    play_games(engines, 2, SLOW)
