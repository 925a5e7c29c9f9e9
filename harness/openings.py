"""Opening i of a run: from a book, or made as needed, always a pure function of (seed, i).

The number i counts from 0 and includes the run's start offset (see `harness.schedule`).
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import chess
import numpy as np
from numpy.typing import NDArray

from engine.parameters import search_defaults
from engine.weights import weight_defaults
from harness.archives import read_file
from harness.books import Opening, read_book
from harness.errors import UsageError
from harness.splitmix import SplitMix64, derive_seed, permutation

if TYPE_CHECKING:
    from engine.shell import Searcher
    from harness.spec import OpeningSpec

__all__ = [
    "BookOpenings",
    "GeneratedOpenings",
    "Opening",
    "OpeningSource",
    "open_source",
]

# Steps of `derive_seed`, so that openings share no stream with anything else of the run.
_ORDER_STEP: Final = 0x6F72646572  # "order"
_OPENING_STEP: Final = 0x6F70656E  # "open"
_MAX_ATTEMPTS: Final = 1000
_HASH_MB: Final = 1
_CHECKED_AHEAD: Final = 500


class OpeningSource(Protocol):
    """A supply of openings; `size` is None when it never ends."""

    @property
    def size(self) -> int | None: ...

    def opening(self, i: int) -> Opening:
        """Opening number i, from 0; beyond `size` the supply begins anew."""


class BookOpenings:
    """The openings of a file, in its order or in a random one.

    A random order is a permutation of the whole book: no opening comes twice before all have
    come once; each further round has an order of its own.
    """

    def __init__(
        self, path: Path, order: str, seed: int, plies: int = 0, chess960: bool = False
    ) -> None:
        """`chess960`: all games by these rules, whatever their positions look like."""
        data = read_file(path)
        self.path = path
        self.sha256 = hashlib.sha256(data).hexdigest()
        self._book = read_book(path, data, plies)
        self._random = order == "random"
        self._chess960 = chess960
        self._seed = derive_seed(seed, _ORDER_STEP)

    @property
    def size(self) -> int:
        return len(self._book)

    @property
    def has_moves(self) -> bool:
        """Whether it has lines, which can be cut, and is not a list of positions."""
        return self._book.has_moves

    def count_before_repetition(self, start: int) -> int:
        """How many openings from `start` on are all different places of the book.

        In order the book goes on from its beginning; at random each round has its own order, so
        that only the rest of this round is sure to be new.
        """
        return self.size - start if self._random else self.size

    def check(self, start: int, count: int) -> int:
        """How many openings from `start` on are known to be playable; UsageError when one is not.

        Positions were checked when they were read. The moves of a PGN are checked when they are
        used, since a whole book takes many seconds: this brings the likeliest mistake, a file
        that is not what it should be, before the first game.
        """
        if not self.has_moves:
            return count
        checked = min(count, self.size, _CHECKED_AHEAD)
        for i in range(start, start + checked):
            self.opening(i)
        return count if checked == self.size else checked

    def opening(self, i: int) -> Opening:
        turn, place = divmod(i, self.size)
        if self._random:
            place = int(_order(self.size, derive_seed(self._seed, turn))[place])
        opening = self._book.opening(place)
        return replace(opening, chess960=opening.chess960 or self._chess960)


@lru_cache(maxsize=2)
def _order(size: int, seed: int) -> NDArray[np.intp]:
    return permutation(size, seed)


class GeneratedOpenings:
    """Random legal plies from a start position, kept when a short search finds them level.

    Opening i is the first attempt of its own stream of choices that leaves a game going on and a
    score within `bound_cp` either way after a search of `nodes` with the engine's default
    parameters. The start position is chess's, or one of the 960 that the same choices begin with.
    Needs `engine.shell` from the first opening on.
    """

    size: None = None

    def __init__(
        self, seed: int, plies: int, bound_cp: int, nodes: int, chess960: bool = False
    ) -> None:
        self._seed = derive_seed(seed, _OPENING_STEP)
        self._plies = plies
        self._bound_cp = bound_cp
        self._nodes = nodes
        self._chess960 = chess960
        self._searcher: Searcher | None = None

    def opening(self, i: int) -> Opening:
        stream = SplitMix64(derive_seed(self._seed, i))
        for _ in range(_MAX_ATTEMPTS):
            start = _random_start(stream) if self._chess960 else chess.STARTING_FEN
            moves = _random_line(stream, start, self._plies, self._chess960)
            if moves is not None and self._is_level(start, moves):
                return Opening(start, moves, f"generated {i + 1}", self._chess960)
        raise UsageError(
            f"no position within {self._bound_cp} cp after {self._plies} random plies in"
            f" {_MAX_ATTEMPTS} attempts; expected a wider bound or fewer plies"
        )

    def distinct_fens(self, count: int) -> Iterator[str]:
        """The positions of the first openings, `count` of them, none twice."""
        from engine.shell import Game

        seen: set[str] = set()
        repeats = 0
        for i in itertools.count():
            if len(seen) == count:
                return
            opening = self.opening(i)
            game = Game(opening.fen, opening.chess960)
            for move in opening.moves:
                game.push(move)
            fen = game.fen
            position = fen.rsplit(" ", 2)[0]
            if position not in seen:
                seen.add(position)
                repeats = 0
                yield fen
            elif (repeats := repeats + 1) == _MAX_ATTEMPTS:
                raise UsageError(
                    f"--count {count}: only {len(seen)} positions found after {self._plies} plies;"
                    " expected a smaller count or more plies"
                )

    def _is_level(self, start: str, moves: tuple[int, ...]) -> bool:
        from engine.shell import Searcher, SearchLimit

        if self._searcher is None:
            self._searcher = Searcher(search_defaults(), weight_defaults(), _HASH_MB)
        self._searcher.new_game(start, self._chess960)
        line = np.array(moves, dtype=np.uint16)
        result = self._searcher.go(line, len(line), SearchLimit(nodes=self._nodes))
        return bool(abs(result.score_cp) <= self._bound_cp)


def _random_start(stream: SplitMix64) -> str:
    """One of the 960 start positions (Scharnagl's numbers)."""
    return chess.Board.from_chess960_pos(stream.below(960)).fen()


def _random_line(
    stream: SplitMix64, start: str, plies: int, chess960: bool
) -> tuple[int, ...] | None:
    """`plies` random legal moves from a start position; None when they end the game.

    The moves are sorted, so that the choice does not depend on the order of generation.
    """
    from engine.shell import Game, Status

    game = Game(start, chess960)
    line = []
    for _ in range(plies):
        legal_moves = sorted(game.legal_moves())
        move = legal_moves[stream.below(len(legal_moves))]
        line.append(move)
        if game.push(move) != Status.ONGOING:
            return None
    return tuple(line)


def open_source(spec: OpeningSpec, seed: int) -> OpeningSource:
    """The source that a run's spec describes. Raises UsageError when its book has changed."""
    if spec.kind == "generated":
        return GeneratedOpenings(seed, spec.plies, spec.bound_cp, spec.nodes, spec.chess960)
    book = BookOpenings(Path(spec.path), spec.order, seed, spec.plies, spec.chess960)
    if book.sha256 != spec.sha256:
        raise UsageError(
            f"{spec.path}: SHA-256 {book.sha256[:12]}; expected {spec.sha256[:12]}, the book that"
            " the run began with"
        )
    return book
