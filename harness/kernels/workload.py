"""What the kernels are called with: positions one move after a dozen, and the moves of all.

Fixed here and not taken from the engine, so that two revisions do the same work. Positions follow
each other as the moves of a node do, so that the processor cannot learn a single one by heart.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.accumulator import Accumulator, compute_accumulator
from engine.jit import kernel
from engine.position import checkers_of
from engine.shell import Game, build_parameters
from engine.state import POSITION_FIELDS, load_position

FENS: Final = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqk2r/ppp2ppp/2n2n2/2bpp3/4P3/2PP1N2/PP1NBPPP/R1BQK2R w KQkq - 0 7",
    "r2q1rk1/pb1nbppp/1p2pn2/2pp4/3P4/1PNBPN2/PB3PPP/2RQ1RK1 b - - 3 11",
    "r4rk1/1bq1bppp/p2ppn2/1pn5/3NPP2/1BN1BQ2/PPP3PP/R4RK1 w - - 2 14",
    "2kr3r/ppq2ppp/2p1pn2/4nb2/1bPN4/2N1B3/PP1QBPPP/R3K2R w KQ - 5 13",
    "r1b2rk1/2q1bppp/p1n1p3/1p1nP3/3B4/P1N2N2/1P2BPPP/R2Q1RK1 b - - 0 15",
    "3r1rk1/p1q2ppp/1p2b3/2p1P3/4n3/2P2N2/P1Q1BPPP/R3R1K1 w - - 0 19",
    "r5k1/5ppp/2p1b3/1p1pP3/pP1P1n2/P1RB1P2/5KPP/8 b - - 3 31",
    "8/2p2kp1/1p1p1p1p/pP1Pn3/P1P1R2P/6P1/4K3/8 w - - 1 41",
    "8/5pk1/1p1r2p1/p1p1R2p/P1P4P/1P4P1/5PK1/8 b - - 0 38",
    "3q2k1/1p3ppp/p7/8/3Q4/1P6/P4PPP/6K1 w - - 0 30",
    "8/8/3kp3/1p1p1p2/1P1P1P2/3K2P1/8/8 w - - 0 45",
)

PLACE_DTYPE: Final = np.dtype(
    [
        *POSITION_FIELDS,
        ("checkers", np.uint64),
        ("score", np.int64),  # of the accumulator, as the phase
        ("phase", np.int64),
        ("start", np.int64),  # its moves are moves[start:end]
        ("end", np.int64),
    ]
)


class Workload(NamedTuple):
    """`places`: PLACE_DTYPE[n]; `moves`: uint64[m], the legal moves of all places."""

    places: NDArray[Any]
    moves: NDArray[np.uint64]
    parameters: Any


@kernel
def accumulator_of(place: Any) -> Any:
    """What the search keeps running beside the position."""
    return Accumulator(place.score, place.phase)


@kernel
def _complete(places: NDArray[Any], parameters: Any) -> Any:
    for index in range(len(places)):
        position = load_position(places[index])
        accumulator = compute_accumulator(position, parameters)
        places[index].checkers = checkers_of(position)
        places[index].score = accumulator.score
        places[index].phase = accumulator.phase


@functools.cache
def workload() -> Workload:
    """The same in every revision whose moves are the same."""
    games = list(_successors())
    moves = [game.record.moves[: game.record.move_count] for game in games]
    places = np.zeros(len(games), PLACE_DTYPE)
    for place, game in zip(places, games, strict=True):
        for name, _ in POSITION_FIELDS:
            place[name] = game.record[name]
    places["end"] = np.cumsum([len(some) for some in moves])
    places["start"][1:] = places["end"][:-1]
    parameters = build_parameters()
    _complete(places, parameters)
    return Workload(places, np.concatenate(moves), parameters)


def _successors() -> Iterator[Game]:
    for fen in FENS:
        for move in Game(fen).legal_moves():
            game = Game(fen)
            game.push(move)
            yield game
