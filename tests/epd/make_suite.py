"""Makes mates.epd: `python -m tests.epd.make_suite`.

Positions of games that our engine plays against random moves, in which one first move and no other
forces mate in two. The proof is by python-chess, which tries every move: nothing in the file is an
opinion of the engine that is to be tested with it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import chess
import numpy as np

from engine.shell import MATE_BOUND, Searcher, SearchLimit
from harness.books import wire_move

HERE = Path(__file__).parent
SEED = 20261130
POSITIONS = 100
ENGINE_NODES = 1000
MAX_PLIES = 120


def forces_mate(board: chess.Board, move: chess.Move) -> bool:
    """Whether every answer to `move` can be mated at once, and `move` itself does not mate."""
    board.push(move)
    try:
        if board.is_game_over():
            return False
        return all(mates_at_once(board, reply) for reply in board.legal_moves)
    finally:
        board.pop()


def mates_at_once(board: chess.Board, reply: chess.Move) -> bool:
    board.push(reply)
    try:
        return any(is_mate(board, move) for move in board.legal_moves)
    finally:
        board.pop()


def is_mate(board: chess.Board, move: chess.Move) -> bool:
    if not board.gives_check(move):
        return False
    board.push(move)
    mate = board.is_checkmate()
    board.pop()
    return mate


def key_of(board: chess.Board) -> chess.Move | None:
    """The only move that forces mate in two; None when there is not one, or a mate at once."""
    moves = list(board.legal_moves)
    if any(is_mate(board, move) for move in moves):
        return None
    keys = [move for move in moves if forces_mate(board, move)]
    return keys[0] if len(keys) == 1 else None


def games() -> Iterator[chess.Board]:
    """Positions that the engine thinks it can win by mate, at most one of each game."""
    source, searcher = random.Random(SEED), Searcher(hash_mb=1)
    while True:
        board, line = chess.Board(), list[int]()
        searcher.new_game()
        ours = source.random() < 0.5
        while board.ply() < MAX_PLIES and not board.is_game_over():
            move = source.choice(list(board.legal_moves))
            if board.turn == ours:
                played = np.array([*line, 0], np.uint16)
                found = searcher.go(played, len(line), SearchLimit(nodes=ENGINE_NODES))
                if found.score_cp >= MATE_BOUND:
                    yield board
                    break
                move = next(m for m in board.legal_moves if wire_move(board, m) == found.move)
            line.append(wire_move(board, move))
            board.push(move)


def main() -> None:
    lines: dict[str, str] = {}
    for board in games():
        key = key_of(board)
        if key is not None:
            epd = board.epd(bm=key, dm=2, id=f"mate in two {len(lines) + 1}")
            lines.setdefault(board.board_fen(), epd)
            if len(lines) == POSITIONS:
                break
    heading = "# Made by `python -m tests.epd.make_suite`: one move forces mate in two, proven."
    (HERE / "mates.epd").write_text("\n".join([heading, *lines.values()]) + "\n")


if __name__ == "__main__":
    main()
