"""Random games played by python-chess and by the engine side by side; python-chess is the oracle.

Oracle boards are always Chess960 boards: their castling moves are king takes own rook, as wire
moves are.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

import chess
import numpy as np
from hypothesis import strategies as st

from engine.shell import PERFT_WAYS, STARTPOS, Game, PerftCounter

NO_MOVES = np.zeros(1, np.uint16)

#: Perft by each of our generators.
COUNTERS = {way: PerftCounter(way) for way in PERFT_WAYS}

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ROOK_ENDGAME = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
PROMOTIONS = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"
BUGCATCHER = "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"
MIDDLEGAME = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
WELL_KNOWN = (STARTPOS, KIWIPETE, ROOK_ENDGAME, PROMOTIONS, BUGCATCHER, MIDDLEGAME)

#: Few pieces, so that play meets mates, stalemates and all draws.
ENDGAMES = (
    "8/8/4k3/8/8/3PK3/8/8 w - - 0 1",
    "8/5k2/8/8/8/2K5/1R6/8 w - - 60 80",
    "8/8/2k1n3/8/8/3NK3/8/8 b - - 0 1",
    "8/3b4/2k5/8/8/4K3/5B2/8 w - - 90 70",
    "7k/6pp/8/8/8/8/PP6/K7 w - - 0 1",
    "8/1P6/8/4k3/8/4K3/6p1/8 w - - 3 40",
    "3qk3/8/8/8/8/8/8/3QK3 w - - 97 120",
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
)


class Start(NamedTuple):
    """Where a game starts, and under which castling rules."""

    fen: str
    chess960: bool = False


def double_chess960(white: int, black: int) -> Start:
    """A start position with an arrangement (0 to 959) of its own for each side."""
    ranks = [chess.Board.from_chess960_pos(number).fen().split("/") for number in (white, black)]
    bottom = ranks[0][7].split()[0]
    rows = "/".join([ranks[1][0], "pppppppp/8/8/8/8/PPPPPPPP", bottom])
    return Start(f"{rows} w KQkq - 0 1", True)


def oracle_board(start: Start) -> chess.Board:
    return chess.Board(start.fen, chess960=True)


def wire_of(move: chess.Move) -> int:
    """The wire form of an oracle board's move."""
    promotion = move.promotion - 1 if move.promotion else 0
    return move.from_square | move.to_square << 6 | promotion << 12


def wires_of(board: chess.Board) -> dict[int, chess.Move]:
    """Every legal move of an oracle board by its wire form."""
    return {wire_of(move): move for move in board.legal_moves}


def is_noisy(board: chess.Board, move: chess.Move) -> bool:
    """Whether the move captures or promotes; castling takes one's own rook, which is neither."""
    return move.promotion is not None or (board.is_capture(move) and not board.is_castling(move))


def flipped_wire(wire: int) -> int:
    """The same move with the board's colours changed."""
    return wire ^ (56 | 56 << 6)


def legal_fen(board: chess.Board) -> str:
    """The FEN with the en passant square only where a legal capture exists."""
    return board.fen(en_passant="legal")


def identity(board: chess.Board) -> str:
    """What makes two positions the same for repetitions: pieces, side, rights, en passant."""
    return " ".join(legal_fen(board).split()[:4])


def _is_special(board: chess.Board, move: chess.Move) -> bool:
    return (
        board.is_castling(move)
        or board.is_en_passant(move)
        or move.promotion is not None
        or board.gives_check(move)
    )


def play(start: Start, seed: int, plies: int) -> Iterator[tuple[Game, chess.Board]]:
    """A random game, yielded at its start and after each move; rare kinds of moves come often."""
    rng = random.Random(seed)
    game, board = Game(start.fen, start.chess960), oracle_board(start)
    yield game, board
    for _ in range(plies):
        moves = wires_of(board)
        if not moves:
            return
        special = [wire for wire, move in moves.items() if _is_special(board, move)]
        wire = rng.choice(special if special and rng.random() < 0.3 else list(moves))
        board.push(moves[wire])
        game.push(wire)
        yield game, board


def played(start: Start, seed: int, plies: int) -> chess.Board:
    """The board, with its moves, at the end of a random game."""
    board = oracle_board(start)
    for _, after in play(start, seed, plies):
        board = after
    return board


def random_position(start: Start, seed: int, plies: int) -> tuple[Game, chess.Board]:
    """The last position of a random game that still has a legal move."""
    game, board = Game(start.fen, start.chess960), oracle_board(start)
    for after, oracle in play(start, seed, plies):
        if not any(oracle.legal_moves):
            break
        game, board = Game(after.fen, start.chess960), oracle.copy(stack=False)
    return game, board


STANDARD_STARTS = st.sampled_from([Start(fen) for fen in WELL_KNOWN + ENDGAMES])
STARTS = st.one_of(
    STANDARD_STARTS,
    st.builds(double_chess960, st.integers(0, 959), st.integers(0, 959)),
)
SEEDS = st.integers(0, 2**32 - 1)
