"""The oracle generator and its mutable board, against python-chess, the engine and themselves."""

from __future__ import annotations

import chess
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import BOARD_DTYPE
from engine.pseudo_legal import fill_oracle_moves
from engine.shell import Game
from engine.state import new_record
from tests.kernels.boards import bitboards_of, copies_agree, follow
from tests.kernels.making import perft_by_unmaking
from tests.oracle import COUNTERS, SEEDS, STARTS, Start, play, random_position, wire_of, wires_of

PIECES = "PNBRQKpnbrqk"


def oracle_moves(game: Game) -> list[int]:
    """The oracle generator's moves by their wire form; its squares are absolute already."""
    board = new_record(BOARD_DTYPE)
    fill_oracle_moves(game.record, board)
    moves = map(int, board.moves[: board.move_count])
    return [(move & 0o7777) | (move >> 18 & 7) << 12 for move in moves]


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 120))
@settings(max_examples=60, deadline=None)
def test_the_oracles_moves_are_python_chess_and_the_engines(
    start: Start, seed: int, plies: int
) -> None:
    for game, board in play(start, seed, plies):
        found = sorted(oracle_moves(game))
        assert found == sorted(wires_of(board)), board.fen()
        assert found == sorted(game.legal_moves())


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 80))
@settings(max_examples=20, deadline=None)
def test_every_way_counts_the_same_tree(start: Start, seed: int, plies: int) -> None:
    game, _ = random_position(start, seed, plies)
    for depth in range(4):
        assert len({counter.count(game, depth) for counter in COUNTERS.values()}) == 1, game.fen


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 80))
@settings(max_examples=30, deadline=None)
def test_twelve_bitboards_and_three_occupancies(start: Start, seed: int, plies: int) -> None:
    for game, board in play(start, seed, plies):
        bitboards, occupancies = np.zeros(12, np.uint64), np.zeros(3, np.uint64)
        bitboards_of(game.record, bitboards, occupancies)
        pieces = [chess.Piece.from_symbol(letter) for letter in PIECES]
        assert bitboards.tolist() == [board.pieces_mask(p.piece_type, p.color) for p in pieces]
        sides = [board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]]
        assert occupancies.tolist() == [*sides, board.occupied]


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 60))
@settings(max_examples=30, deadline=None)
def test_unmaking_and_restoring_a_copy_leave_the_board_as_it_was(
    start: Start, seed: int, plies: int
) -> None:
    """Bit for bit, after every pseudo-legal move; the running key is the key from nothing."""
    for game, _ in play(start, seed, plies):
        assert copies_agree(game.record, new_record(BOARD_DTYPE)), game.fen


@given(start=STARTS, seed=SEEDS, plies=st.integers(1, 80))
@settings(max_examples=30, deadline=None)
def test_a_move_in_place_keeps_side_rights_and_passed_square(
    start: Start, seed: int, plies: int
) -> None:
    """Whether the passed square can be captured on or not; rights go by a table of squares."""
    after = new_record(BOARD_DTYPE)
    before = None
    for game, board in play(start, seed, plies):
        if before is not None:
            assert follow(before.record, np.uint64(wire_of(board.peek())), after)
            rights = [right for right in range(4) if int(after.now.castling) >> right & 1]
            rooks = sum(1 << int(after.castling_rooks[right]) for right in rights)
            assert after.now.side == int(not board.turn)
            assert rooks == board.clean_castling_rights()
            assert after.now.en_passant == (1 << board.ep_square if board.ep_square else 0)
        before = Game(game.fen, start.chess960)


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 80))
@settings(max_examples=15, deadline=None)
def test_unmaking_counts_what_copying_counts(start: Start, seed: int, plies: int) -> None:
    game, board = random_position(start, seed, plies)[0], new_record(BOARD_DTYPE)
    for depth in range(1, 4):
        expected = game.perft(depth)
        assert perft_by_unmaking(game.record, board, np.int64(depth)) == expected
