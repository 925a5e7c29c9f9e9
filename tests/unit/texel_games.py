"""Games and positions for the tuner's tests, made by python-chess."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.pgn

from engine.parameters import search_defaults
from engine.weights import weight_defaults
from harness.texel.build import DataOptions
from harness.texel.extract import Extraction


def extraction(**changes: object) -> Extraction:
    return Extraction(weight_defaults(), search_defaults(), **changes)  # type: ignore[arg-type]


def options(workers: int = 1, share: float = 0.0, **changes: object) -> DataOptions:
    return DataOptions(extraction(**changes), share, workers)


def random_game(seed: int, plies: int = 60, start: str = chess.STARTING_FEN) -> chess.pgn.Game:
    """Random moves, captures twice as often; a score in each comment, mover's view, as ours are."""
    rng = random.Random(seed)
    board = chess.Board(start)
    game = chess.pgn.Game()
    game.setup(board)
    node: chess.pgn.GameNode = game
    for _ in range(plies):
        moves = sorted(board.legal_moves, key=chess.Move.uci)
        if not moves:
            break
        moves += [move for move in moves if board.is_capture(move)]
        move = rng.choice(moves)
        node = node.add_variation(move)
        node.comment = f"{rng.randint(-300, 300) / 100:+.2f}/9 0.001s"
        board.push(move)
    outcome = board.outcome()
    result = outcome.result() if outcome else rng.choice(["1-0", "0-1", "1/2-1/2"])
    game.headers["Result"] = result
    return game


def write_pgn(path: Path, games: int, seed: int = 1, plies: int = 60) -> Path:
    """A file of random games."""
    texts = [str(random_game(seed * 1000 + number, plies)) for number in range(games)]
    path.write_text("\n\n".join(texts) + "\n\n")
    return path


def positions_of(game: chess.pgn.Game) -> Iterator[chess.Board]:
    """The positions from which moves were played."""
    board = game.board()
    for move in game.mainline_moves():
        yield board.copy()
        board.push(move)
