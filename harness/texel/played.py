"""The games and labelled positions of a block; what is wrong with others is counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

from harness.record import GameRecord, Termination
from harness.tally import FAULTS
from harness.texel.census import Census
from harness.texel.labels import LabelledPosition, NoPositionError, NoResultError, parse_line
from harness.texel.pgn_games import FAULT, NO_RESULT, UNREADABLE, read_games
from harness.texel.sources import PgnText, PositionLines, RecordedGames

#: Where no score is known.
NO_SCORE: Final = -(1 << 31)

#: Opening moves of a game from the initial position that does not say which were the book's.
DEFAULT_BOOK_PLIES: Final = 8


_NO_CHESS: Final = frozenset({*FAULTS, Termination.TIME_FORFEIT})


class PlayedGame(NamedTuple):
    """What a replay needs. Moves are wanted moves of `replay.kernel`; `result` is white's, 0 to 1.

    `scores_cp` is int64[n], of the positions that the moves were played from, from the side to
    move; NO_SCORE where none is known.
    """

    place: str
    fen: str
    moves: NDArray[np.int64]
    scores_cp: NDArray[np.int64]
    book_plies: int
    result: float


def recorded_games(
    block: RecordedGames, book_plies: int | None, census: Census
) -> Iterator[PlayedGame]:
    """Games of a run; `book_plies` are left out instead of the opening's own moves."""
    for told in block.lost:
        census.games += 1
        census.drop_game(UNREADABLE, told)
    for record in block.records:
        census.games += 1
        place = f"{block.source}, pair {record.pair}, game {record.game}"
        if record.termination is Termination.INTERRUPTED:
            census.drop_game(NO_RESULT)
        elif record.termination in _NO_CHESS:
            census.drop_game(FAULT)
        else:
            yield _recorded_game(record, place, book_plies)


def _recorded_game(record: GameRecord, place: str, book_plies: int | None) -> PlayedGame:
    columns = record.columns()
    scores_cp = np.full(record.plies, NO_SCORE, np.int64)
    # A move of depth 0 has no evaluation behind it.
    scores_cp[record.book_plies :] = np.where(columns.depths > 0, columns.scores_cp, NO_SCORE)
    return PlayedGame(
        place,
        record.fen,
        columns.moves.astype(np.int64),
        scores_cp,
        record.book_plies if book_plies is None else book_plies,
        (record.result + 1) / 2,
    )


def pgn_games(block: PgnText, book_plies: int | None, census: Census) -> Iterator[PlayedGame]:
    """Games of a PGN; `book_plies` are left out instead of what its comments call book."""
    for game in read_games(block.text.decode("utf-8", errors="replace")):
        census.games += 1
        place = f"{block.source}, game at line {block.first_line + game.line}"
        if game.result is None:
            named = game.flaw not in {NO_RESULT, FAULT}
            census.drop_game(game.flaw, f"{place}: {game.flaw}, {game.detail}" if named else "")
            continue
        scores_cp = np.full(len(game.moves), NO_SCORE, np.int64)
        for ply, score_cp in game.scores_cp.items():
            if 0 <= ply < len(scores_cp):
                scores_cp[ply] = score_cp
        told = game.book_plies
        if told is None:
            told = DEFAULT_BOOK_PLIES if game.fen == chess.STARTING_FEN else 0
        moves = np.array(game.moves, np.int64)
        book = told if book_plies is None else book_plies
        yield PlayedGame(place, game.fen, moves, scores_cp, book, game.result)


class PlacedPosition(NamedTuple):
    """A labelled position and where it stands."""

    place: str
    position: LabelledPosition


def labelled_positions(
    block: PositionLines, census: Census, *, movers_view: bool
) -> Iterator[PlacedPosition]:
    """Positions of lines; blank lines and those that begin with # are passed over."""
    text = block.text.decode("utf-8", errors="replace")
    for number, line in enumerate(text.split("\n"), block.first_line):
        if not line.strip() or line.startswith("#"):
            continue
        census.games += 1
        place = f"{block.source}, line {number}"
        try:
            yield PlacedPosition(place, parse_line(line.strip(), movers_view=movers_view))
        except NoPositionError as error:
            census.drop_game(UNREADABLE, f"{place}: {line.strip()[:80]!r}: {error}")
        except NoResultError:
            census.drop_game(NO_RESULT)
