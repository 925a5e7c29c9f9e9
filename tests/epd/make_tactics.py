"""Makes tactics.epd: `python -m tests.epd.make_tactics JUDGE`, JUDGE the command of a UCI engine.

Positions of games that our engine plays against itself, in which one move wins and no other does,
and in which a short search does not see it. What "wins" means is the judge's opinion, another
engine's with a hundred times the nodes; ours only proposes.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine
import numpy as np

from engine.shell import Searcher, SearchLimit
from harness.books import wire_move

HERE = Path(__file__).parent
SEED = 20261130
POSITIONS = 100
OPENING_PLIES = 10
MAX_PLIES = 160
GLANCE_NODES = 500
PROPOSAL_NODES = 40_000
JUDGE_NODES = 2_000_000
MATE_CP = 100_000

#: The best move is worth so much, and any other less by so much.
WINNING_CP = 120
MARGIN_CP = 150


def is_alone(best_cp: int, second_cp: int) -> bool:
    """Whether the best move wins and the second best does not come near it."""
    return best_cp >= WINNING_CP and best_cp - second_cp >= MARGIN_CP


def proposals() -> Iterator[tuple[chess.Board, chess.Move]]:
    """Positions with the move that our engine sees at second sight only, one of each game."""
    source, searcher, reader = random.Random(SEED), Searcher(hash_mb=1), Searcher(hash_mb=4)
    while True:
        board, line = chess.Board(), list[int]()
        while board.ply() < OPENING_PLIES and not board.is_game_over():
            move = source.choice(list(board.legal_moves))
            line.append(wire_move(board, move))
            board.push(move)
        searcher.new_game()
        while board.ply() < MAX_PLIES and not board.is_game_over(claim_draw=True):
            played = np.array([*line, 0], np.uint16)
            glance = searcher.go(played, len(line), SearchLimit(nodes=GLANCE_NODES))
            second_sight = propose(reader, board.fen(), glance.move)
            if second_sight is not None:
                yield board, move_of(board, second_sight)
                break
            line.append(glance.move)
            board.push(move_of(board, glance.move))


def propose(reader: Searcher, fen: str, glance: int) -> int | None:
    """The only move that wins, as a wire move; None where there is none, or `glance` has it."""
    reader.new_game(fen)
    no_moves = np.zeros(1, np.uint16)
    found = {
        line.rank: line.result
        for line in reader.deepen(no_moves, 0, SearchLimit(nodes=PROPOSAL_NODES), lines=2)
    }
    if len(found) < 2 or found[1].move == glance:
        return None
    return found[1].move if is_alone(found[1].score_cp, found[2].score_cp) else None


def move_of(board: chess.Board, wire: int) -> chess.Move:
    return next(move for move in board.legal_moves if wire_move(board, move) == wire)


def confirms(judge: chess.engine.SimpleEngine, board: chess.Board, move: chess.Move) -> bool:
    """Whether the judge thinks the same of `move`, and of all others."""
    found = judge.analyse(board, chess.engine.Limit(nodes=JUDGE_NODES), multipv=2, game=object())
    if len(found) < 2 or found[0]["pv"][0] != move:
        return False
    best, second = (one["score"].relative.score(mate_score=MATE_CP) for one in found)
    return is_alone(best, second)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("judge", help="command of a UCI engine")
    lines: dict[str, str] = {}
    with chess.engine.SimpleEngine.popen_uci(parser.parse_args().judge) as judge:
        name = judge.id["name"]
        for board, move in proposals():
            if confirms(judge, board, move):
                epd = board.epd(bm=move, id=f"only move {len(lines) + 1}")
                lines.setdefault(board.board_fen(), epd)
                if len(lines) == POSITIONS:
                    break
    heading = (
        f"# Made by `python -m tests.epd.make_tactics`: one move wins, says {name} after"
        f" {JUDGE_NODES:,} nodes."
    )
    (HERE / "tactics.epd").write_text("\n".join([heading, *lines.values()]) + "\n")


if __name__ == "__main__":
    main()
