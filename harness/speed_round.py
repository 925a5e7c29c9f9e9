"""`python -m harness.speed_round SNAPSHOT`: how fast NEW searches beside BASE, once.

Reads a specification (JSON) from standard input; says ln(speed of NEW / speed of BASE), a speed
being nodes of a search by the processor time that all of its answer took: while others have the
processor, none is spent. Both search the same positions in turn, whoever was first being second the
next time (A B, B A, A B), so that what changes slowly, as a processor's frequency does, slows both.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from harness.child import die_with_parent, use_snapshot
from harness.errors import EngineStartError, HarnessError
from harness.limits import Limit

if TYPE_CHECKING:
    from harness.game import Player

#: About so many nodes of each side make a round: half a second of the built-in engine.
ROUND_NODES: Final = 500_000
#: Searches of a few nodes would take very many turns.
MOST_TURNS: Final = 100
#: A program that is seen to use less of the time than this has others search for it.
LEAST_SHARE: Final = 0.02


class Work(NamedTuple):
    """What one side has done: nodes, in so much processor time, while so much went by."""

    nodes: int = 0
    cpu_ns: int = 0
    wall_ns: int = 0


def turns_for(nodes: int, positions: int) -> int:
    """How often each position is searched by each side: an even number, so that both begin."""
    return min(MOST_TURNS, 2 * max(1, round(ROUND_NODES / (2 * nodes * positions))))


def in_turn(
    sides: Sequence[Player], fens: Sequence[str], limit: Limit, turns: int
) -> tuple[Work, Work]:
    """What both sides have done, once they were warm."""
    for side in sides:
        _search(side, fens[0], limit)
    done = [Work(), Work()]
    for turn in range(turns):
        for place, fen in enumerate(fens):
            first = (turn + place) % 2
            for number in (first, 1 - first):
                found = _search(sides[number], fen, limit)
                done[number] = Work(*map(sum, zip(done[number], found, strict=True)))
    return done[0], done[1]


def _search(player: Player, fen: str, limit: Limit) -> Work:
    import numpy as np

    player.new_game(fen, chess960=False, seed=0)
    begun_ns = player.cpu_ns()
    reply = player.play(np.zeros(1, np.uint16), 0, limit, None)
    return Work(reply.nodes, player.cpu_ns() - begun_ns, reply.search_ns)


def log_ratio(new: Work, base: Work, names: Sequence[str]) -> float:
    """ln(speed of NEW / speed of BASE). Raises EngineStartError where one cannot be told."""
    for work, name in zip((new, base), names, strict=True):
        if not work.nodes:
            raise EngineStartError(f"{name} does not say how many nodes it searches; expected that")
        if work.cpu_ns <= LEAST_SHARE * work.wall_ns:
            raise EngineStartError(
                f"{name} is seen to use no processor time; expected a program that searches by"
                " itself, not one that starts another"
            )
    return math.log(new.nodes / new.cpu_ns) - math.log(base.nodes / base.cpu_ns)


def main(snapshot: Path) -> None:
    """Measure a round of the specification on standard input, by the run's copy of the engine."""
    use_snapshot(snapshot)
    from harness.game import PlayerFault
    from harness.kernels.workload import FENS
    from harness.players import make_player
    from harness.spec import MatchSpec

    spec = MatchSpec.model_validate_json(sys.stdin.read())
    names = [config.name for config in spec.engines]
    players: list[Player] = []
    try:
        players += map(make_player, spec.engines)
        new, base = in_turn(players, FENS, spec.limit, turns_for(spec.limit.nodes, len(FENS)))
        sys.stdout.write(repr(log_ratio(new, base, names)))
    except (HarnessError, PlayerFault) as error:
        raise SystemExit(str(error)) from None
    finally:
        for player in players:
            player.close()


if __name__ == "__main__":
    die_with_parent()
    main(Path(sys.argv[1]))
