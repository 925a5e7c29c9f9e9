"""What the seeds say of ordering, branching, tables and symmetry, measured: see docs/seeds.md.

By a textbook alpha-beta with one setting changed at a time, and for the table by the whole engine
too. Node counts of fixed searches, so any machine finds the same figures.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from statistics import geometric_mean
from typing import Any

import pytest

from engine.bench import POSITIONS
from engine.shell import Game, Searcher, SearchLimit
from tests.kernels.alphabeta import (
    ALWAYS_REPLACED,
    COLOURS,
    EIGHTFOLD,
    MIRROR,
    NO_TABLE,
    TWO_SLOTS,
)
from tests.oracle import NO_MOVES
from tests.textbook import Counts, symmetric_weights, textbook_search

MIDDLEGAMES = POSITIONS[:13]
ENDGAMES = POSITIONS[18:]
PAWNLESS = (
    "8/8/8/3k4/8/8/1R6/K7 w - - 0 1",
    "8/8/8/8/3k4/8/8/KBN5 w - - 0 1",
    "8/8/3qk3/8/8/8/3N4/1K1Q4 b - - 0 1",
    "1k6/8/3r4/8/8/8/4R1B1/K7 w - - 0 1",
)
#: Every piece on a1-h8, so that half of all first moves are images of the others.
DIAGONAL = ("7k/6n1/8/8/8/2Q5/8/K7 b - - 0 1", "7k/6b1/8/8/8/2Q5/8/K7 w - - 0 1")

Show = Callable[[str], None]


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Show:
    def write(line: str) -> None:
        with capsys.disabled():
            sys.stdout.write(f"\n{line}\n")

    return write


def searches(positions: Sequence[str], depth: int, **settings: Any) -> list[Counts]:
    return [textbook_search(fen, depth, **settings) for fen in positions]


def ratio(more: list[Counts], less: list[Counts]) -> float:
    """How many times the nodes: the geometric mean over positions."""
    return geometric_mean(m.nodes / n.nodes for m, n in zip(more, less, strict=True))


def branching(positions: Sequence[str], depth: int, nodes: Sequence[int]) -> float:
    return geometric_mean(count ** (1 / depth) for _, count in zip(positions, nodes, strict=True))


def test_ordering_and_branching(benchmark: Any, show: Show) -> None:
    """Seed 000: ordering saves ten times the nodes, the branching factor falls from 35 to 6."""
    depth = 5

    def measure() -> None:
        plain = searches(MIDDLEGAMES, depth, ordered=False, table=NO_TABLE)
        ordered = searches(MIDDLEGAMES, depth, table=NO_TABLE)
        full = [Game(fen).perft(depth) for fen in MIDDLEGAMES]
        factors = [
            branching(MIDDLEGAMES, depth, nodes)
            for nodes in (full, [c.nodes for c in plain], [c.nodes for c in ordered])
        ]
        show(f"ordering: {ratio(plain, ordered):.1f} times fewer nodes at depth {depth}")
        show("branching: minimax {:.1f}, alpha-beta {:.1f}, ordered {:.1f}".format(*factors))

    benchmark.pedantic(measure, rounds=1)


def test_table(benchmark: Any, show: Show) -> None:
    """Seed 000: a table saves two to four times the nodes."""

    def engine_nodes(fen: str, table: int, depth: int) -> int:
        # Where no table move is known the engine reduces: that would be everywhere without a table.
        switches = {
            "transposition_table": table,
            "transposition_cutoffs": table,
            "internal_iterative_reduction": 0,
        }
        searcher = Searcher(switches, hash_mb=16)
        searcher.new_game(fen)
        return searcher.go(NO_MOVES, 0, SearchLimit(depth=depth)).nodes

    def measure() -> None:
        for name, positions, depth in (("middlegames", MIDDLEGAMES, 5), ("endgames", ENDGAMES, 7)):
            without = searches(positions, depth, table=NO_TABLE)
            alone = ratio(without, searches(positions, depth))
            engine = geometric_mean(
                engine_nodes(fen, 0, depth + 6) / engine_nodes(fen, 1, depth + 6)
                for fen in positions
            )
            show(
                f"table, {name}: {alone:.2f} times fewer nodes at depth {depth}, "
                f"{engine:.2f} in the engine at depth {depth + 6}"
            )

    benchmark.pedantic(measure, rounds=1)


def test_replacement(benchmark: Any, show: Show) -> None:
    """Seed 002: replacing always needs 35 % more nodes, in a table that is too small."""

    def measure() -> None:
        for depth in (6, 7):
            two_slots = searches(MIDDLEGAMES[:6], depth, hash_mb=1)
            # Twice the memory, of which every second entry is used: as many entries.
            always = searches(MIDDLEGAMES[:6], depth, table=ALWAYS_REPLACED, hash_mb=2)
            more = ratio(always, two_slots) * 100 - 100
            show(f"always replaced: {more:+.0f} % nodes at depth {depth} with 65,536 entries")

    benchmark.pedantic(measure, rounds=1)


def test_first_move_cutoffs(benchmark: Any, show: Show) -> None:
    """Seed 002: 97 % of the cut-offs come on the first move tried."""

    def share(counts: list[Counts]) -> float:
        return 100 * sum(c.first_move_cutoffs for c in counts) / sum(c.cutoffs for c in counts)

    def engine_share() -> float:
        searcher = Searcher()
        searcher.keep_statistics()
        cutoffs = first = 0
        for fen in MIDDLEGAMES:
            searcher.new_game(fen)
            searcher.go(NO_MOVES, 0, SearchLimit(depth=12))
            counts = searcher.statistics()
            cutoffs += counts["cutoffs"]
            first += counts["first_move_cutoffs"]
        return 100 * first / cutoffs

    def measure() -> None:
        unordered = share(searches(MIDDLEGAMES, 5, ordered=False, table=NO_TABLE))
        ordered = share(searches(MIDDLEGAMES, 6, table=TWO_SLOTS))
        show(
            f"cut-offs on the first move: {ordered:.1f} %, unordered {unordered:.1f} %, "
            f"in the engine at depth 12 {engine_share():.1f} %"
        )

    benchmark.pedantic(measure, rounds=1)


def test_symmetry(benchmark: Any, show: Show) -> None:
    """Seed 002: symmetric positions that share an entry save four times the nodes (its game).

    Without ordering, since the move of a shared entry would have to be turned before it is tried.
    """

    def saved(positions: Sequence[str], depth: int, symmetry: int) -> float:
        alone, shared = (
            searches(
                positions, depth, symmetry=which, weights=symmetric_weights(symmetry), ordered=False
            )
            for which in (COLOURS, symmetry)
        )
        return ratio(alone, shared)

    def measure() -> None:
        show(
            "symmetry, times fewer nodes: "
            f"mirror with pawns {saved(ENDGAMES[4:8], 7, MIRROR):.2f}, "
            f"eightfold without pawns {saved(PAWNLESS, 8, EIGHTFOLD):.2f}, "
            f"from a position symmetric itself {saved(DIAGONAL, 8, EIGHTFOLD):.2f}"
        )

    benchmark.pedantic(measure, rounds=1)
