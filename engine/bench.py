"""The search's signature: the nodes of a fixed-depth search of fixed positions, and their speed.

A change that is meant to alter speed only must leave the signature as it was; one that alters play
quotes the new one. The positions are our own choice among well-known games, studies and tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from .protocol import format_score
from .shell import MATE, MATE_BOUND, STARTPOS, Game, Searcher, SearchLimit

DEFAULT_DEPTH = 12
MAX_DEPTH = 64
HASH_MB = 16  # part of the signature: another size gives other nodes

# fmt: off
POSITIONS = (
    # Openings.
    STARTPOS,
    "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 9",  # closed Ruy Lopez
    "r1b1k2r/1pqnbppp/p2ppn2/6B1/3NPP2/2N2Q2/PPP3PP/2KR1B1R w kq - 5 10",  # Najdorf, 6.Bg5
    "r1bq1rk1/pppnn1bp/3p4/3Pp1p1/2P1Pp2/2N2P2/PP2BBPP/R2QNRK1 w - - 0 13",  # King's Indian
    "rnb1k1r1/ppq1np1Q/4p3/3pP3/3p4/P1P5/2P2PPP/R1B1KBNR w KQq - 0 10",  # French, Winawer
    "r1bqrnk1/pp2bppp/2p2n2/3p2B1/3P4/2NBPN2/PPQ2PPP/R4RK1 w - - 2 11",  # Carlsbad structure
    "r2qkbnr/pp1n1ppp/4p3/2ppPb2/3P4/4BN2/PPP1BPPP/RN1QK2R w KQkq - 2 7",  # Caro-Kann, advance
    # Attacks and tactics.
    "r1bq1b1r/ppp3pp/2n1k3/3np3/2B5/2N2Q2/PPPP1PPP/R1B1K2R b KQ - 3 8",  # Fried Liver
    "4kb1r/p2r1ppp/4qn2/1B2p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 2 15",  # Morphy, the Opera game
    "rnb1k1nr/p2p1ppp/8/1pbN1N1P/4PBP1/3P1Q2/PqP5/R4KR1 w kq - 0 18",  # the Immortal game
    "1r2k1r1/pbppnp1p/1bn2P2/7q/Q7/B1PB1N2/P4PPP/R3R1K1 w - - 1 19",  # the Evergreen game
    "r3r1k1/pp3pbp/1qp3p1/2B5/2BP2b1/Q1n2N2/P4PPP/3R1K1R b - - 3 17",  # Byrne - Fischer 1956
    "b2r3r/k4p1p/p2q1np1/NppP4/3p1Q2/P4PPB/1PP4P/1K1RR3 w - - 1 24",  # Kasparov - Topalov 1999
    # Positions known from perft: every kind of move.
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    # Endgames.
    "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1",  # Lucena
    "4k3/8/8/3KP3/8/r7/8/7R b - - 0 1",  # Philidor's defence
    "7K/8/k1P5/7p/8/8/8/8 w - - 0 1",  # Reti 1921
    "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1",  # Saavedra 1895
    "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1",  # king and pawn
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",  # corresponding squares
    "8/8/8/8/3k4/8/8/KBN5 w - - 0 1",  # mate with bishop and knight
    "8/5k2/4p1p1/3b2P1/3P1P2/3KB3/8/8 w - - 0 1",  # opposite bishops
    "8/6P1/5K2/8/3q4/8/7k/4Q3 w - - 0 1",  # queens and a pawn
    "8/5pk1/4p1p1/R6p/r6P/6P1/5PK1/8 w - - 0 1",  # rooks and pawns
    "8/3k4/3p4/2pPp3/1pP1Pp2/1P3P2/3BK3/4b3 w - - 88 120",  # the fifty-move rule is near
)
# fmt: on


class Searched(NamedTuple):
    """A position and what its search found: the move, the mover's score, the nodes."""

    fen: str
    move: str
    score_cp: int
    nodes: int


class Bench:
    """One run over the positions, each a new game; `nodes` is the signature once it is through."""

    def __init__(self, depth: int = DEFAULT_DEPTH, search: Mapping[str, int] | None = None) -> None:
        self.depth = depth
        self.searcher = Searcher(search, hash_mb=HASH_MB)
        self.nodes = 0
        self.time_ns = 0

    def search(self) -> Iterator[Searched]:
        """Search position by position."""
        no_moves = np.zeros(1, np.uint16)
        for fen in POSITIONS:
            self.searcher.new_game(fen)
            result = self.searcher.go(no_moves, 0, SearchLimit(depth=self.depth))
            self.nodes += result.nodes
            self.time_ns += result.time_ns
            yield Searched(fen, Game(fen).format_uci(result.move), result.score_cp, result.nodes)

    def run(self) -> Iterator[str]:
        """A line of the report for each position: nodes, best move, score."""
        for number, found in enumerate(self.search(), 1):
            score = format_score(found.score_cp, int(MATE), int(MATE_BOUND))
            yield (
                f"{number:2}/{len(POSITIONS)} {found.nodes:10} nodes"
                f" {found.move:>6} {score:>9}  {found.fen}"
            )

    @property
    def nps(self) -> int:
        return self.nodes * 10**9 // max(1, self.time_ns)

    @property
    def summary(self) -> str:
        return (
            f"\nTime (ms)     : {self.time_ns // 10**6}"
            f"\nNodes searched: {self.nodes}"
            f"\nNodes/second  : {self.nps}"
        )
