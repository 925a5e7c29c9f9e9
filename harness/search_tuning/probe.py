"""Searches of the bench's positions by any engine: without games, what it finds and how fast."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from engine.bench import POSITIONS
from harness.errors import EngineStartError
from harness.game import PlayerFault
from harness.limits import Limit
from harness.players import make_player
from harness.record import Reply
from harness.spec import EngineConfig


def searches(engine: EngineConfig, limit: Limit, positions: int | None = None) -> Iterator[Reply]:
    """What it answers in each of the first positions, each a new game; `limit` is not a clock's.

    Raises EngineStartError, also where the engine does not answer as it should.
    """
    player = make_player(engine)
    no_moves = np.zeros(1, np.uint16)
    try:
        for fen in islice(POSITIONS, positions):
            player.new_game(fen, False, 0)
            yield player.play(no_moves, 0, limit, None)
    except PlayerFault as fault:
        raise EngineStartError(
            f"{engine.name}: {fault.termination.value}, {fault.detail}; expected a move"
        ) from None
    finally:
        player.close()
