"""From a block of a source to rows of evaluation terms: what a worker does."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.shell import STARTPOS, FenError, Game, Searcher, Status
from harness.errors import HarnessError
from harness.spec import Weights
from harness.splitmix import derive_seed
from harness.texel.census import Census
from harness.texel.labels import LabelledPosition
from harness.texel.pgn_games import CONTRADICTING, UNREADABLE
from harness.texel.played import (
    NO_SCORE,
    PlacedPosition,
    PlayedGame,
    labelled_positions,
    pgn_games,
    recorded_games,
)
from harness.texel.replay import kernel as kernels
from harness.texel.replay.setup import place_fens
from harness.texel.sources import Block, PgnText, PositionLines, RecordedGames

Noisy = Literal["resolve", "settled", "calm", "keep"]

_WAYS: Final = {
    "keep": kernels.KEEP,
    "resolve": kernels.RESOLVE,
    "settled": kernels.SETTLED,
    "calm": kernels.CALM,
}

#: Why a position is left out, by its fate.
_REASONS: Final = {
    int(kernels.BOOK): "opening moves",
    int(kernels.IN_CHECK): "in check",
    int(kernels.OVER): "game over by the rules",
    int(kernels.MATE_SCORE): "mate scores",
    int(kernels.NOISY): "noisy",
    int(kernels.UNPICKED): "beyond the most of a game",
}

#: The search without what it has learnt: a quiescence value is a function of the position alone.
_PLAIN_SEARCH: Final = {"transposition_table": 0, "lazy_evaluation": 0, "correction_history": 0}

#: Lines do not say which game they are from. Neighbours of one result are taken for one, up to so
#: many, so that the split by game holds where a file was not shuffled.
MAX_LINES_OF_A_GAME: Final = 100

_NEVER: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class Extraction:
    """How positions are taken from games.

    `noisy` positions are resolved (the quiet end of their quiescence search is taken instead),
    left out unless they are settled (the static evaluation is the quiescence value) or calm (the
    move played does not capture or promote), or kept. `most_per_game` 0 is all. `book_plies` None
    is as the games tell. `movers_view`: of the numbers in lines of positions.
    """

    weights: Weights
    search: dict[str, int]
    noisy: Noisy = "resolve"
    most_per_game: int = 0
    book_plies: int | None = None
    movers_view: bool = False
    seed: int = 1


class InexactTraceError(HarnessError):
    """The terms of a position do not add up to its evaluation."""

    exit_code = 10


class Batch(NamedTuple):
    """The rows of a block: n of them, with m coefficients in all.

    rows : ROW_DTYPE[n]. indices : uint16[m]. counts : int8[m], white's view. result : float32[n],
    white's. game : int32[n], not falling. games : uint64[g], an identity of each: equal games have
    equal ones. openings : uint64[up to g], keys of the positions in which players began to think.
    """

    rows: NDArray[np.void]
    indices: NDArray[np.uint16]
    counts: NDArray[np.int8]
    result: NDArray[np.float32]
    game: NDArray[np.int32]
    games: NDArray[np.uint64]
    openings: NDArray[np.uint64]
    census: Census


class Extractor:
    """Takes rows from blocks; holds the records and buffers of the kernels."""

    def __init__(self, how: Extraction) -> None:
        self._how = how
        self._searcher = Searcher(how.search | _PLAIN_SEARCH, how.weights, hash_mb=1)
        record = self._searcher.record
        record.node_limit = kernels.MAX_QUIESCENCE_NODES
        record.deadline_ns = _NEVER
        self._addresses = tuple(
            int(taken.__array_interface__["data"][0])
            for taken in (record, self._searcher.parameters)
        )
        self._game = Game(chess960=True)
        self._trace = np.zeros((2, kernels.MAX_ROW), np.int64)
        self._make_room(256)

    def _make_room(self, plies: int) -> None:
        self._plies = np.zeros(plies, kernels.PLY_DTYPE).view(np.recarray)
        self._chosen = np.zeros(plies, np.int64)
        self._rows = np.zeros(plies, kernels.ROW_DTYPE).view(np.recarray)
        self._indices = np.zeros(plies * kernels.MAX_ROW, np.uint16)
        self._counts = np.zeros(plies * kernels.MAX_ROW, np.int8)

    def warm_up(self) -> None:
        """Compile the kernels, or load them."""
        self.extract(PgnText("warm-up", 1, b"1. e4 1-0"))
        self.extract(PositionLines("warm-up", 1, f"{STARTPOS} [0.5]".encode()))

    def extract(self, block: Block) -> Batch:
        """The rows of a block. Raises InexactTraceError."""
        parts = _Parts()
        match block:
            case PositionLines():
                self._add_positions(block, parts)
            case RecordedGames():
                for game in recorded_games(block, self._how.book_plies, parts.census):
                    self._add_game(game, parts)
            case PgnText():
                for game in pgn_games(block, self._how.book_plies, parts.census):
                    self._add_game(game, parts)
        return parts.joined()

    def _add_game(self, game: PlayedGame, parts: _Parts) -> None:
        """The rows of a game, or a reason why there are none."""
        try:
            self._game.restart(game.fen)
        except FenError as error:
            parts.census.drop_game(UNREADABLE, f"{game.place}: {error}")
            return
        if len(game.moves) > len(self._plies):
            self._make_room(2 * len(game.moves))
        identity = _identity(game.fen.encode(), game.moves.tobytes())
        fates = np.zeros(kernels.FATES, np.int64)
        ending, number, *values = kernels.extract_game(
            self._game.address,
            *self._addresses,
            game.moves,
            game.scores_cp,
            game.book_plies,
            self._how.most_per_game,
            np.uint64(derive_seed(self._how.seed, identity)),
            *self._buffers(),
            fates,
        )
        if ending == kernels.ILLEGAL:
            detail = f"its ply {number + 1} is not legal in {self._game.fen}"
            parts.census.drop_game(UNREADABLE, f"{game.place}: {detail}")
        elif ending == kernels.INEXACT:
            raise self._inexact(number, *values)
        elif self._contradicts(game.result):
            ended = self._game.status.name.lower()
            detail = f"{ended} on the board, but the result is {game.result:g} for white"
            parts.census.drop_game(CONTRADICTING, f"{game.place}: {detail}")
        else:
            self._take(parts, fates, np.full(number, game.result, np.float32))
            parts.add_games(np.zeros(number, np.int32), [identity])
            parts.census.results[_result_name(game.result)] += 1
            if game.moves.size:
                begun = min(game.book_plies, game.moves.size - 1)
                parts.openings.append(int(self._plies.key[begun]))

    def _add_positions(self, block: PositionLines, parts: _Parts) -> None:
        """The rows of positions that stand alone."""
        movers_view = self._how.movers_view
        placed = list(labelled_positions(block, parts.census, movers_view=movers_view))
        sound = self._place(placed, parts.census)
        count = len(sound)
        fates = np.zeros(kernels.FATES, np.int64)
        ending, number, *values = kernels.extract_positions(
            *self._addresses, count, *self._buffers(), fates
        )
        if ending == kernels.INEXACT:
            raise self._inexact(number, *values)
        result = np.array([position.result for _, position in sound], np.float32)
        parts.census.results.update(_result_name(position.result) for _, position in sound)
        ply = self._rows["ply"][:number].copy()
        self._take(parts, fates, result[ply])
        game, first = _games_of_lines(result)
        identities = [_identity(sound[line].position.fen.encode()) for line in first]
        parts.add_games(game[ply], identities)

    def _place(self, placed: list[PlacedPosition], census: Census) -> list[PlacedPosition]:
        """Put the positions into `plies`, those that can be; returns these."""
        count = len(placed)
        if count > len(self._plies):
            self._make_room(count)
        fens = [position.fen for _, position in placed]
        starts = np.zeros(count, np.int64)
        np.cumsum([len(fen) + 1 for fen in fens[:-1]], out=starts[1:])
        text = np.frombuffer("\n".join([*fens, ""]).encode(), np.uint8)
        sound = np.zeros(count, np.bool_)
        place_fens(self._game.address, text, starts, self._plies, sound)
        for number in np.flatnonzero(~sound).tolist():
            sound[number] = self._place_unusual(number, *placed[number], census)
        scores_cp = [position.score_cp for _, position in placed]
        plies = self._plies[:count]
        plies["score_cp"] = [NO_SCORE if score is None else score for score in scores_cp]
        plies["noisy"] = 0
        kept = np.flatnonzero(sound)
        self._plies[: len(kept)] = plies[kept]
        return [placed[number] for number in kept.tolist()]

    def _place_unusual(
        self, number: int, place: str, position: LabelledPosition, census: Census
    ) -> bool:
        """Put a position into `plies` by the engine's own reader; False where it cannot be."""
        try:
            self._game.restart(position.fen)
        except FenError as error:
            census.drop_game(UNREADABLE, f"{place}: {error}")
            return False
        ply, record = self._plies[number], self._game.record
        for name in kernels.GAME_FIELDS:
            ply[name] = record[name]
        return True

    def _buffers(self) -> tuple[object, ...]:
        return (
            _WAYS[self._how.noisy],
            self._plies,
            self._chosen,
            self._trace,
            self._rows,
            self._indices,
            self._counts,
        )

    def _contradicts(self, result: float) -> bool:
        """Whether the position at the end of the game says another result."""
        status = self._game.status
        if status is Status.CHECKMATE:
            return result != float(self._game.side_to_move)
        return status is Status.STALEMATE and result != 0.5

    def _take(self, parts: _Parts, fates: NDArray[np.int64], result: NDArray[np.float32]) -> None:
        """Copy the rows out of the buffers, a result for each."""
        rows = self._rows[: len(result)].view(kernels.ROW_DTYPE, np.ndarray)
        length = int(rows["length"].sum())
        parts.rows.append(rows.copy())
        parts.indices.append(self._indices[:length].copy())
        parts.counts.append(self._counts[:length].copy())
        parts.results.append(result)
        parts.census.positions += int(fates.sum())
        for fate, reason in _REASONS.items():
            if fates[fate]:
                parts.census.positions_dropped[reason] += int(fates[fate])

    def _inexact(self, place: int, traced: int, evaluated: int) -> InexactTraceError:
        record, ply = self._game.record, self._plies[place]
        for name in kernels.GAME_FIELDS:
            record[name] = ply[name]
        return InexactTraceError(
            f"{self._game.fen}: its terms add up to {traced} cp, the engine's evaluation is"
            f" {evaluated} cp; expected the same number (does a term feed its trace otherwise than"
            " it counts?)"
        )


class _Parts:
    """Rows as they come."""

    def __init__(self) -> None:
        self.rows: list[NDArray[np.void]] = [np.zeros(0, kernels.ROW_DTYPE)]
        self.indices: list[NDArray[np.uint16]] = [np.zeros(0, np.uint16)]
        self.counts: list[NDArray[np.int8]] = [np.zeros(0, np.int8)]
        self.results: list[NDArray[np.float32]] = [np.zeros(0, np.float32)]
        self.games: list[NDArray[np.int32]] = [np.zeros(0, np.int32)]
        self.identities: list[int] = []
        self.openings: list[int] = []
        self.census = Census()

    def add_games(self, game: NDArray[np.int32], identities: list[int]) -> None:
        """The games of the latest rows, numbered from 0, and what each is."""
        self.games.append(game + np.int32(len(self.identities)))
        self.identities += identities

    def joined(self) -> Batch:
        return Batch(
            np.concatenate(self.rows),
            np.concatenate(self.indices),
            np.concatenate(self.counts),
            np.concatenate(self.results),
            np.concatenate(self.games),
            np.array(self.identities, np.uint64),
            np.array(self.openings, np.uint64),
            self.census,
        )


def _identity(*parts: bytes) -> int:
    """64 bits that tell games apart, wherever they stand."""
    return int.from_bytes(blake2b(b"".join(parts), digest_size=8).digest(), "little")


def _result_name(result: float) -> str:
    if result in (0.0, 0.5, 1.0):
        return {0.0: "black wins", 0.5: "draws", 1.0: "white wins"}[result]
    return "blends"


def _games_of_lines(
    result: NDArray[np.float32],
) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Which game each line is taken to be from, from 0, and the first line of each game."""
    number = np.arange(len(result))
    begins = np.ones(len(result), bool)
    begins[1:] = result[1:] != result[:-1]
    since_change = number - np.maximum.accumulate(np.where(begins, number, 0))
    begins |= since_change % MAX_LINES_OF_A_GAME == 0
    return (np.cumsum(begins) - 1).astype(np.int32), np.flatnonzero(begins)
