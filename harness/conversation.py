"""What two programs were told and said in a game, as text: `--log-engine`.

Made where the game was played, kept in `conversations/` of the run's folder, a file for each game.
As much of a player's talk is kept as it remembers (see `harness.uci_process.TALK_BYTES`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.chunks import Conversation
from harness.files import write_whole

if TYPE_CHECKING:
    from harness.game import Player
    from harness.record import GameRecord
    from harness.spec import Sides

FOLDER: Final = "conversations"


def conversation_of(record: GameRecord, sides: Sides, players: Sequence[Player]) -> Conversation:
    """The talk with each player, and what it wrote to its standard error; built-in ones are silent.

    A line has the milliseconds since the game began for this player, `>` for what was sent and `<`
    for what came.
    """
    lines = [f"pair {record.pair}, game {record.game}: {record.termination.value} {record.detail}"]
    for number, (config, player) in enumerate(zip(sides, players, strict=True)):
        colour = "white" if number == record.game else "black"
        lines += ["", f"== {config.name}, {colour}", *_talk(player)]
    return Conversation(record.pair, record.game, "\n".join(lines) + "\n")


def _talk(player: Player) -> Iterator[str]:
    exhibit = player.exhibit()
    if exhibit is None:
        return
    for time_ms, direction, data in exhibit.talk:
        for line in data.splitlines():
            yield f"{time_ms:10.3f} {direction} {line}"
    if exhibit.stderr:
        yield "-- standard error"
        yield from exhibit.stderr.splitlines()


def keep_conversation(run_dir: Path, conversation: Conversation) -> None:
    """Write it into the run's folder."""
    folder = run_dir / FOLDER
    folder.mkdir(exist_ok=True)
    write_whole(
        folder / f"pair-{conversation.pair}-game-{conversation.game}.log", conversation.text
    )
