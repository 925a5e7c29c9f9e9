"""How games end, against python-chess along random games that like to go in circles."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator

import chess
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.shell import Game, Searcher, SearchLimit, Status
from tests.oracle import (
    BUGCATCHER,
    ENDGAMES,
    NO_MOVES,
    SEEDS,
    STARTS,
    Start,
    identity,
    is_noisy,
    legal_fen,
    oracle_board,
    play,
    played,
    random_position,
    wire_of,
    wires_of,
)


def oracle_status(board: chess.Board, times_seen: int) -> Status:
    """Mate and stalemate first, then threefold, fifty moves, material."""
    if board.is_checkmate():
        return Status.CHECKMATE
    if board.is_stalemate():
        return Status.STALEMATE
    if times_seen >= 3:
        return Status.THREEFOLD
    if board.halfmove_clock >= 100:
        return Status.FIFTY_MOVES
    if board.is_insufficient_material():
        return Status.INSUFFICIENT_MATERIAL
    return Status.ONGOING


def shuffle(start: Start, seed: int, plies: int) -> Iterator[tuple[Game, chess.Board]]:
    """A game in which each side often takes its last move back, and captures little."""
    rng = random.Random(seed)
    game, board = Game(start.fen, start.chess960), oracle_board(start)
    yield game, board
    for _ in range(plies):
        moves = wires_of(board)
        if not moves:
            return
        back = None
        if len(board.move_stack) >= 2 and rng.random() < 0.6:
            last = board.move_stack[-2]
            back = chess.Move(last.to_square, last.from_square)
        quiet = [wire for wire, move in moves.items() if not is_noisy(board, move)]
        wire = next((wire for wire, move in moves.items() if move == back), None)
        if wire is None:
            wire = rng.choice(quiet if quiet and rng.random() < 0.7 else list(moves))
        board.push(moves[wire])
        game.push(wire)
        yield game, board


ENDGAME_STARTS = st.sampled_from([Start(fen) for fen in ENDGAMES])


@given(start=st.one_of(ENDGAME_STARTS, STARTS), seed=SEEDS, plies=st.integers(0, 160))
@settings(max_examples=80, deadline=None)
def test_status_is_the_oracles_all_along_a_game(start: Start, seed: int, plies: int) -> None:
    seen: Counter[str] = Counter()
    for game, board in shuffle(start, seed, plies):
        seen[identity(board)] += 1
        expected = oracle_status(board, seen[identity(board)])
        assert game.status == expected, board.fen()
        assert game.halfmove_clock == board.halfmove_clock
        assert (expected is Status.THREEFOLD) <= board.is_repetition(3)


def test_the_random_games_reach_every_ending() -> None:
    """The property above would prove little if its games never ended."""
    reached: Counter[Status] = Counter()
    for number, fen in enumerate(ENDGAMES):
        for seed in range(8):
            games = shuffle(Start(fen), 100 * seed + number, 160), play(Start(BUGCATCHER), seed, 80)
            for game, _ in itertools.chain(*games):
                reached[game.status] += 1
    assert set(reached) == set(Status)


@given(start=STARTS, seed=SEEDS, plies=st.integers(1, 80))
@settings(max_examples=25, deadline=None)
def test_irreversible_moves_are_pawn_moves_and_captures(
    start: Start, seed: int, plies: int
) -> None:
    for game, board in play(start, seed, plies):
        if not board.move_stack:
            assert not game.last_move_irreversible
            continue
        move = board.pop()
        expected = board.is_zeroing(move) and not board.is_castling(move)
        board.push(move)
        assert game.last_move_irreversible == expected


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 60))
@settings(max_examples=25, deadline=None)
def test_a_search_plays_legal_moves_and_a_legal_line(start: Start, seed: int, plies: int) -> None:
    _, board = random_position(start, seed, plies)
    searcher = Searcher(hash_mb=1)
    searcher.new_game(legal_fen(board), start.chess960)
    if not any(board.legal_moves):
        return
    result = searcher.go(NO_MOVES, 0, SearchLimit(nodes=500))
    line = searcher.principal_variation()
    assert result.move in wires_of(board)
    assert line[:1] == [result.move]
    for wire in line:
        board.push(wires_of(board)[wire])


@given(start=STARTS, seed=SEEDS, plies=st.integers(2, 60))
@settings(max_examples=15, deadline=None)
def test_a_searcher_catches_up_with_the_game(start: Start, seed: int, plies: int) -> None:
    """It is told all moves each time, and takes moves back when told fewer."""
    board = played(start, seed, plies)
    moves = np.array([*map(wire_of, board.move_stack), 0], np.uint16)
    count = len(moves) - 1
    searcher = Searcher(hash_mb=1)
    searcher.new_game(start.fen, start.chess960)
    for known in (count // 2, count, count // 3):
        replayed = oracle_board(start)
        for move in board.move_stack[:known]:
            replayed.push(move)
        if not any(replayed.legal_moves):
            continue
        result = searcher.go(moves, known, SearchLimit(nodes=50))
        assert result.move in wires_of(replayed)
