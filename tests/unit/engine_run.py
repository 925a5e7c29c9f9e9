"""One run through all of the engine, as plain numbers: equal with the JIT and without it."""

from __future__ import annotations

import numpy as np

from engine.bench import POSITIONS
from engine.evaluate import evaluate_record, trace_evaluation
from engine.parameters import SEARCH
from engine.shell import Game, Searcher, SearchLimit, build_parameters
from engine.terms import WEIGHT_COUNT

PERFT = (
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", False),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", False),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", False),
    ("1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9", True),
)
# Castling of either side, en passant, promotion with capture, then shuffling to a threefold.
GAME = (
    "e2e4 g8f6 e4e5 d7d5 e5d6 b8c6 d6c7 e7e5 g1f3 f8c5 f1c4 e8g8 e1g1 a7a6 c7d8n "
    "f8d8 f1e1 d8e8 e1f1 e8d8 f1e1 d8e8 e1f1 e8d8"
)


def _search(searcher: Searcher, fen: str, limit: SearchLimit) -> list[int]:
    searcher.new_game(fen)
    result = searcher.go(np.zeros(1, np.uint16), 0, limit)
    return [int(number) for number in (*result[:-1], *searcher.principal_variation())]


def _flipped(name: str) -> dict[str, int]:
    (parameter,) = [parameter for parameter in SEARCH if parameter.name == name]
    return {name: parameter.low + parameter.high - parameter.default}


def searches(nodes: int) -> list[list[int]]:
    """Every bench position, then one position with each switch turned the other way."""
    searcher = Searcher(hash_mb=1)
    found = [_search(searcher, fen, SearchLimit(nodes=nodes)) for fen in POSITIONS]
    for parameter in SEARCH:
        if (parameter.low, parameter.high) == (0, 1):
            other = Searcher(_flipped(parameter.name), hash_mb=1)
            found.append(_search(other, PERFT[0][0], SearchLimit(nodes=4 * nodes)))
    return found


def evaluations() -> list[list[int]]:
    """Value, what is traced and the nonzero counts of the trace."""
    parameters = build_parameters()
    found = []
    for fen in POSITIONS:
        record = Game(fen).record
        counts = np.zeros((2, WEIGHT_COUNT), np.int64)
        traced = trace_evaluation(record, parameters, counts)
        values = evaluate_record(record, parameters), *traced
        found.append([int(value) for value in (*values, *counts[counts != 0])])
    return found


def game() -> list[list[int]]:
    """Status and key after each move of GAME, and what a search with a clock says of its end."""
    played, searcher = Game(), Searcher(hash_mb=1)
    moves = np.zeros(64, np.uint16)
    found = []
    for ply, text in enumerate(GAME.split()):
        moves[ply] = played.push_uci(text)
        found.append([int(played.status), played.key])
    searcher.new_game()
    result = searcher.go(moves, played.ply - 1, SearchLimit(depth=1, movetime_ms=60_000))
    return [*found, [int(number) for number in result[:-1]]]


def whole_run(nodes: int = 50) -> dict[str, object]:
    """All of it. (Without the JIT integers wrap with a warning, which is what they should do.)"""
    with np.errstate(over="ignore"):
        return {
            "searches": searches(nodes),
            "evaluations": evaluations(),
            "perft": [Game(fen, chess960).perft(2) for fen, chess960 in PERFT],
            "game": game(),
        }
