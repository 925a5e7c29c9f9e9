"""Pair counts from a PGN file: which two games share an opening with the colours swapped.

Only headers are read. Tournament programs write games in the order in which they end and number
them differently, so two rules are tried, in this order:

  1. games of one round, where rounds `7.0` and `7.1`, as ours are named, are both of round `7`;
  2. neighbours in the file that start from the same FEN.

Every game must find its partner: a guess would be an error in the statistics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import chess.pgn

from harness.score import Pentanomial

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


def pentanomial_from_pgn(path: Path, new: str | None = None) -> Pentanomial:
    """Count the pairs of a two-player match for `new` (default: white of the first game).

    Raises ValueError with one sentence where the games do not form pairs.
    """
    games = _read_games(path)
    players = {games[0].white, games[0].black}
    first_named = games[0].white if new is None else new
    for game in games:
        if {game.white, game.black} != players:
            raise ValueError(
                f"{path}: {game} is not between {games[0].white} and {games[0].black}: "
                "expected the games of two players"
            )
    if first_named not in players:
        raise ValueError(
            f"{path}: no player {first_named!r}: expected {games[0].white!r} or {games[0].black!r}"
        )
    total = Pentanomial()
    for first, second in _pairs_by_round(games) or _pairs_of_neighbours(path, games):
        # An engine that plays itself has one name: then it is "new" as white in the first game.
        sign = 1 if first.white == first_named else -1
        total += Pentanomial.from_pair(sign * first.result, -sign * second.result)
    return total


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


def _pairs_by_round(games: Sequence[_Game]) -> list[tuple[_Game, _Game]] | None:
    """None unless every round consists of two games that are a pair."""
    rounds: dict[str, list[_Game]] = {}
    for game in games:
        rounds.setdefault(game.pair_round, []).append(game)
    pairs = []
    for members in rounds.values():
        if len(members) != 2 or not members[1].is_return_of(members[0]):
            return None
        pairs.append((members[0], members[1]))
    return pairs


def _pairs_of_neighbours(path: Path, games: Sequence[_Game]) -> list[tuple[_Game, _Game]]:
    pairs = []
    for first, second in zip(games[::2], games[1::2], strict=False):
        if not (first.fen and second.is_return_of(first)):
            raise _unpaired(path, first)
        pairs.append((first, second))
    if len(games) % 2:
        raise _unpaired(path, games[-1])
    return pairs


def _unpaired(path: Path, game: _Game) -> ValueError:
    return ValueError(
        f"{path}: {game} has no partner with the same round or FEN and the colours swapped: "
        "expected pairs of games; for other matches give the counts by --wdl"
    )
