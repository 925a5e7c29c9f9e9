"""Games of a run written in the forms that trainers of networks read.

A position is exported when it is quiet: not in check, no capture or promotion played, no mate seen,
and with a score of its own (opening moves have none).

    FILE.pgn     the games
    FILE.bin     32 bytes a position (bulletformat, see replay/bullet.py)
    any other    a line a position: `FEN | score | result`, centipawns and 1.0, 0.5, 0.0, white's
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.shell import Game
from harness.files import whole_bytes, whole_file
from harness.journal import Journal
from harness.pgn import write_pgn
from harness.spec import MatchSpec
from harness.texel.census import Census
from harness.texel.played import NO_SCORE, PlayedGame, recorded_games
from harness.texel.replay import kernel as kernels
from harness.texel.replay.bullet import BULLET_DTYPE, pack_boards
from harness.texel.sources import RecordedGames, blocks_of

#: What fits into a score of two bytes; larger ones are cut to it.
_MAX_SCORE_CP: Final = 32_000

_PGN, _BINARY = ".pgn", ".bin"


class QuietGame(NamedTuple):
    """A game and which of its positions are exported; `plies` is PLY_DTYPE, `chosen` places."""

    game: PlayedGame
    plies: NDArray[np.void]
    chosen: NDArray[np.int64]


def export_run(run_dir: Path, path: Path) -> tuple[int, str]:
    """Write the games of a run to a file; how many of what."""
    if path.suffix == _PGN:
        return _export_games(run_dir, path), "games"
    games = _quiet_games(run_dir)
    if path.suffix == _BINARY:
        with whole_bytes(path) as file:
            return sum(
                file.write(packed(game)) // BULLET_DTYPE.itemsize for game in games
            ), _POSITIONS
    count = 0
    with whole_file(path) as text:
        for game in games:
            for line in lines(game):
                text.write(line)
                count += 1
    return count, _POSITIONS


_POSITIONS: Final = "positions"


def _export_games(run_dir: Path, path: Path) -> int:
    with Journal.read(run_dir) as journal:
        date = journal.provenance()["started"][:10].replace("-", ".")
        return write_pgn(journal.games(), journal.spec_of(MatchSpec), path, date)


def _quiet_games(run_dir: Path) -> Iterator[QuietGame]:
    board = Game(chess960=True)
    for block in blocks_of(run_dir):
        assert isinstance(block, RecordedGames)
        for game in recorded_games(block, None, Census()):
            yield quiet_positions(board, game)


def quiet_positions(board: Game, game: PlayedGame) -> QuietGame:
    """The positions of a game that are exported; it is played on the board."""
    board.restart(game.fen)
    count = len(game.moves)
    plies = np.zeros(count, kernels.PLY_DTYPE).view(np.recarray)
    chosen = np.zeros(count, np.int64)
    _, number = kernels.choose_of_game(
        board.address,
        game.moves,
        game.scores_cp,
        game.book_plies,
        0,
        np.uint64(0),
        kernels.CALM,
        plies,
        chosen,
        np.zeros(kernels.FATES, np.int64),
    )
    chosen = chosen[:number]
    return QuietGame(game, plies, chosen[plies["score_cp"][chosen] != NO_SCORE])


def lines(quiet: QuietGame) -> Iterator[str]:
    """A line for each position."""
    board = Game(quiet.game.fen, chess960=True)
    result = f"{quiet.game.result:.1f}"
    for place in quiet.chosen.tolist():
        ply = quiet.plies[place]
        for name in kernels.GAME_FIELDS:
            board.record[name] = ply[name]
        board.record["plies"] = place
        score_cp = -int(ply["score_cp"]) if board.side_to_move else int(ply["score_cp"])
        yield f"{board.fen} | {score_cp} | {result}\n"


def packed(quiet: QuietGame) -> bytes:
    """32 bytes for each position."""
    boards = np.zeros(len(quiet.chosen), BULLET_DTYPE).view(np.recarray)
    pack_boards(quiet.plies, quiet.chosen, len(boards), boards)
    of_mover = np.where(quiet.plies["side"][quiet.chosen] == 0, 1.0, -1.0)
    score_cp = quiet.plies["score_cp"][quiet.chosen]
    boards["score_cp"] = np.clip(score_cp, -_MAX_SCORE_CP, _MAX_SCORE_CP)
    boards["result"] = 1 + of_mover * (2 * quiet.game.result - 1)
    return boards.tobytes()
