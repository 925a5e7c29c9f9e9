"""The repro bundle of an engine's fault: all that is known of its game, in one JSON file.

Made where the game was played, kept in `faults/` of the run's folder, and read again by `harness
reproduce`. Talk is text of one byte a character (latin-1), so that bytes that are no UTF-8 survive.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from harness.chunks import Bundle
from harness.files import write_whole
from harness.record import GameRecord, Termination
from harness.tally import FAULTS

if TYPE_CHECKING:
    from harness.game import Player
    from harness.limits import Limit
    from harness.spec import Sides

SCHEMA: Final = 1
FOLDER: Final = "faults"
#: So many are kept of one run: an engine that fails in each game does it in the same way.
MAX_BUNDLES: Final = 20


def bundle_of(
    record: GameRecord, sides: Sides, limit: Limit, players: Sequence[Player]
) -> Bundle | None:
    """The bundle of a game that was lost by a fault or on time; None of any other."""
    if record.termination not in (*FAULTS, Termination.TIME_FORFEIT):
        return None
    document = {
        "schema": SCHEMA,
        "pair": record.pair,
        "game": record.game,
        "termination": record.termination.value,
        "detail": record.detail,
        "culprit": int(record.new_result > 0),
        **_moves(record),
        "players": [
            {
                "config": config.model_dump(mode="json", exclude={"weights", "search"}),
                "colour": "white" if number == record.game else "black",
                "limit": (config.limit or limit).model_dump(exclude_defaults=True),
                **_exhibit(player),
            }
            for number, (config, player) in enumerate(zip(sides, players, strict=True))
        ],
    }
    return Bundle(record.pair, record.game, json.dumps(document, indent=1) + "\n")


def _moves(record: GameRecord) -> dict[str, Any]:
    """The game's start, its moves, and where it ended."""
    from engine.shell import Game

    game = Game(record.fen, True)
    moves = []
    for move in record.columns().moves.tolist():
        moves.append(game.format_uci(move))
        game.push(move)
    return {"fen": record.fen, "moves": moves, "position": game.fen}


def _exhibit(player: Player) -> dict[str, Any]:
    exhibit = player.exhibit()
    return {} if exhibit is None else exhibit._asdict()


class BundleFolder:
    """Where a run keeps its bundles."""

    def __init__(self, run_dir: Path) -> None:
        self._folder = run_dir / FOLDER

    def keep(self, bundle: Bundle) -> Path | None:
        """Write it, and say where; None when there are enough."""
        path = self._folder / f"pair-{bundle.pair}-game-{bundle.game}.json"
        if self._folder.is_dir() and sum(1 for _ in self._folder.iterdir()) >= MAX_BUNDLES:
            return None
        self._folder.mkdir(exist_ok=True)
        write_whole(path, bundle.text)
        return path
