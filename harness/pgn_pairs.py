"""Pair counts from a PGN file: which two games share an opening with the colours swapped.

Only headers are read. Tournament programs write games in the order in which they end and number
them differently, so two rules are tried, and the one that pairs more games is taken:

  1. games of one round, where rounds `7.0` and `7.1`, as ours are named, are both of round `7`;
  2. neighbours in the file that start from the same FEN.

The few games that the end of a match left without partner are not counted, and named; where they
are more, the file is refused: a guess would be an error in the statistics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import chess.pgn

from harness.score import Pentanomial, Trinomial

_WHITE_RESULTS = {"1-0": 1, "1/2-1/2": 0, "0-1": -1}


@dataclass(frozen=True, slots=True)
class _Game:
    number: int  # in the file, from 1
    white: str
    black: str
    round: str
    fen: str
    result: int  # white's view

    def __str__(self) -> str:
        return f"game {self.number} ({self.white} - {self.black}, round {self.round})"

    @property
    def pair_round(self) -> str:
        return self.round.rpartition(".")[0] or self.round

    def is_return_of(self, other: _Game) -> bool:
        """Whether the opening is the same, as far as headers say, and the colours are swapped."""
        swapped = (self.white, self.black) == (other.black, other.white)
        return swapped and self.fen == other.fen


@dataclass(frozen=True, slots=True)
class PgnMatch:
    """The complete pairs of a match, from the point of view of `new`, and what was left out."""

    new: str
    base: str
    pairs: Pentanomial
    games: Trinomial
    ignored: tuple[str, ...]  # the games without partner, in words

    def notes(self) -> list[str]:
        """Who is NEW, and which games were left out; one sentence each."""
        notes = [f"NEW is {self.new}, BASE is {self.base} (as the PGN names them)"]
        if self.ignored:
            count = len(self.ignored)
            what = "1 game" if count == 1 else f"{count} games"
            notes.append(f"{what} without partner ignored: {', '.join(self.ignored)}")
        return notes


def read_match(path: Path, new: str | None = None) -> PgnMatch:
    """Count the pairs of a two-player match for `new` (default: white of the first game).

    Raises ValueError with one sentence where the games do not form pairs.
    """
    games = _read_games(path)
    first_named, other = _players(path, games, new)
    pairs, alone = _paired(path, games)
    total, singles = Pentanomial(), Trinomial()
    for first, second in pairs:
        # An engine that plays itself has one name: then it is NEW as white in the first game.
        sign = 1 if first.white == first_named else -1
        results = sign * first.result, -sign * second.result
        total += Pentanomial.from_pair(*results)
        singles += Trinomial.from_pair(*results)
    return PgnMatch(first_named, other, total, singles, tuple(str(game) for game in alone))


def _players(path: Path, games: Sequence[_Game], new: str | None) -> tuple[str, str]:
    """NEW and the other one."""
    white, black = games[0].white, games[0].black
    for game in games:
        if {game.white, game.black} != {white, black}:
            raise ValueError(
                f"{path}: {game} is not between {white} and {black}: "
                "expected the games of two players"
            )
    if new not in {None, white, black}:
        raise ValueError(f"{path}: no player {new!r}: expected {white!r} or {black!r}")
    return (black, white) if new == black else (white, black)


def _read_games(path: Path) -> list[_Game]:
    games: list[_Game] = []
    with path.open(encoding="utf-8", errors="replace") as file:
        while (headers := chess.pgn.read_headers(file)) is not None:
            number = len(games) + 1
            result = headers.get("Result", "*")
            if result not in _WHITE_RESULTS:
                raise ValueError(
                    f"{path}: game {number} has the result {result!r}: expected 1-0, 0-1 or 1/2-1/2"
                )
            white, black, round_ = (headers.get(tag, "?") for tag in ("White", "Black", "Round"))
            fen = headers.get("FEN", "")
            games.append(_Game(number, white, black, round_, fen, _WHITE_RESULTS[result]))
    if not games:
        raise ValueError(f"{path}: no games found: expected a PGN file")
    return games


#: Pairs, and the games that belong to none.
_Pairing = tuple[list[tuple[_Game, _Game]], list[_Game]]

#: At most this share of the games (and one in any case) may be without partner, as the end of an
#: interrupted match leaves them. More of them mean that the pairs found are found by chance.
_SHARE_ALONE = 0.1

_EXPECTATION = (
    "has no partner with the same round or FEN and the colours swapped: "
    "expected pairs of games; for other matches give the counts by --wdl"
)


def _paired(path: Path, games: Sequence[_Game]) -> _Pairing:
    """The games as pairs, by the rule that leaves fewer of them alone."""
    pairs, alone = min(_pairs_by_round(games), _pairs_of_neighbours(games), key=_count_alone)
    if not pairs or len(alone) > max(1.0, _SHARE_ALONE * len(games)):
        raise ValueError(f"{path}: {alone[0]} {_EXPECTATION}")
    return pairs, alone


def _count_alone(pairing: _Pairing) -> int:
    return len(pairing[1])


def _pairs_by_round(games: Sequence[_Game]) -> _Pairing:
    rounds: dict[str, list[_Game]] = {}
    for game in games:
        rounds.setdefault(game.pair_round, []).append(game)
    pairs: list[tuple[_Game, _Game]] = []
    alone: list[_Game] = []
    for members in rounds.values():
        if len(members) == 2 and members[1].is_return_of(members[0]):
            pairs.append((members[0], members[1]))
        else:
            alone += members
    return pairs, alone


def _pairs_of_neighbours(games: Sequence[_Game]) -> _Pairing:
    pairs: list[tuple[_Game, _Game]] = []
    alone: list[_Game] = []
    waiting: _Game | None = None
    for game in games:
        if waiting is not None and waiting.fen and game.is_return_of(waiting):
            pairs.append((waiting, game))
            waiting = None
            continue
        if waiting is not None:
            alone.append(waiting)
        waiting = game
    return pairs, alone if waiting is None else [*alone, waiting]
