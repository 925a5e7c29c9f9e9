"""The players of a worker, kept from game to game: a game between other players costs no start.

A player is known by `EngineConfig.digest()`, so that two names of one configuration share players.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from harness.players import Player, make_player

if TYPE_CHECKING:
    from harness.spec import EngineConfig

#: Idle players that a worker keeps. Each holds its hash table, and perhaps a process: a bound on
#: memory, well above the two of a match and enough for the opponents of a usual tournament.
MAX_IDLE: Final = 8


class PlayerPool:
    """Lends players to games; of the idle ones it keeps the last used, and closes the others."""

    def __init__(self) -> None:
        self._idle: list[tuple[str, Player]] = []  # the longest unused first

    def take(self, config: EngineConfig) -> Player:
        """A player for one side of a game. Raises EngineStartError when there can be none."""
        digest = config.digest()
        for place in reversed(range(len(self._idle))):
            if self._idle[place][0] == digest:
                return self._idle.pop(place)[1]
        return make_player(config)

    def give_back(self, config: EngineConfig, player: Player) -> None:
        """The game is over, and the player fit for another one."""
        self._idle.append((config.digest(), player))
        while len(self._idle) > MAX_IDLE:
            self._idle.pop(0)[1].close()

    def close(self) -> None:
        """Close them all."""
        while self._idle:
            self._idle.pop()[1].close()
