"""A UCI program for tests of tuning: the greedier it is, the more often it takes the most.

    option name Greed type spin default 20 min 0 max 100

Above its argument (none: 100) it crashes as soon as it is told so.
In each position it either takes (in `Greed` of 100 positions) or plays any legal move; which of
both, and which move, is a function of the position alone, so that its games can be repeated.
"""

from __future__ import annotations

import random
import sys

import chess

VALUES = {None: 0, 1: 1, 2: 3, 3: 3, 4: 5, 5: 9, 6: 0}


def choose(board: chess.Board, greed: int) -> chess.Move:
    chance = random.Random(board.fen())
    moves = list(board.legal_moves)
    chance.shuffle(moves)
    if chance.random() * 100 >= greed:
        return moves[0]
    return max(moves, key=lambda move: VALUES[board.piece_type_at(move.to_square)])


def board_of(words: list[str]) -> chess.Board:
    at = words.index("moves") if "moves" in words else len(words)
    board = chess.Board() if words[1] == "startpos" else chess.Board(" ".join(words[2:at]))
    for move in words[at + 1 :]:
        board.push_uci(move)
    return board


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    greed, board = 20, chess.Board()
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for line in sys.stdin:
        words = line.split()
        match words[:1]:
            case ["uci"]:
                say("id name Greedy\noption name Greed type spin default 20 min 0 max 100\nuciok")
            case ["isready"]:
                say("readyok")
            case ["setoption"]:
                greed = int(words[-1])
                if greed > most:
                    sys.exit("too greedy")
            case ["position"]:
                board = board_of(words)
            case ["go"]:
                move = choose(board, greed)
                say(f"info depth 1 score cp 0 nodes {greed + 1} pv {move}\nbestmove {move}")
            case ["quit"]:
                return


if __name__ == "__main__":
    main()
