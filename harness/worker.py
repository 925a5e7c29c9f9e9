"""What a worker process does: it plays chunks of games until it is told to end.

Only what `serve` needs at once is imported at the top: the run's copy of the engine has to be
chosen before anything imports `engine`. A worker keeps its players, with their tables, from game to
game; each game begins with cleared tables all the same.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable, Set
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING

from harness.child import die_with_coordinator, die_with_parent, use_snapshot
from harness.descendants import VARIABLE, kill_descendants
from harness.errors import HarnessError, VoidGame

if TYPE_CHECKING:
    from harness.books import Opening
    from harness.chunks import Bundle, Chunk, Conversation, Done, Failed, Glimpse, Void
    from harness.game import GameRecord, Watch
    from harness.schedule import GameTask
    from harness.spec import RunSpec, Sides


def serve(
    connection: Connection,
    spec_json: str,
    snapshot: str,
    mark: str,
    cores: Set[int] = frozenset(),
) -> None:
    """Play the chunks that come through `connection` and send a reply for each.

    All that is started here has the `mark` of `harness.descendants`, and runs on `cores`, if any.
    """
    if cores:
        os.sched_setaffinity(0, cores)  # before anything is started, which inherits it
    os.environ[VARIABLE] = mark
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the coordinator's to handle
    die_with_parent()
    die_with_coordinator(partial(kill_descendants, [mark]))
    try:
        use_snapshot(Path(snapshot))
        table = Table(spec_json, _sender_of_glimpses(connection))
    except Exception as error:  # noqa: BLE001 - sent to the coordinator, which raises it
        connection.send(_failed(error))
        return
    try:
        while True:
            connection.send(table.play(connection.recv()))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the coordinator is gone, and with it the run
    finally:
        table.close()
        kill_descendants([mark])


class Table:
    """Players and what their games are played by."""

    def __init__(self, spec_json: str, show: Callable[[Glimpse], None]) -> None:
        """`show` gets glimpses of the games of chunks that are watched."""
        from harness.openings import open_source
        from harness.player_pool import PlayerPool
        from harness.spec import parse_spec
        from harness.tablebases import open_tablebases

        self._spec: RunSpec = parse_spec(spec_json)
        spec = self._spec
        self._source = (
            open_source(spec.openings, spec.seed) if spec.openings.kind == "generated" else None
        )
        self._show = show
        self._made: tuple[int, Opening] | None = None
        self._pool = PlayerPool()
        self._tablebases = open_tablebases(spec.adjudication)
        for config in spec.engines:
            # Made now, so that one that cannot be had is known before the first game.
            self._pool.give_back(config, self._pool.take(config))

    def close(self) -> None:
        """End the players; what they have started ends with them."""
        self._pool.close()
        if self._tablebases is not None:
            self._tablebases.close()

    def play(self, chunk: Chunk) -> Done | Failed:
        """Play all games of a chunk."""
        from harness.chunks import Done, Void

        started_ns = perf_counter_ns()
        records: list[GameRecord] = []
        voids: list[Void] = []
        bundles: list[Bundle] = []
        talks: list[Conversation] = []
        try:
            for task, opening, sides in zip(chunk.games, chunk.openings, chunk.sides, strict=True):
                try:
                    record, bundle, talk = self._play_game(chunk, task, opening, sides)
                except VoidGame as fault:
                    voids.append(Void(task, fault.kind, str(fault)))
                else:
                    records.append(record)
                    bundles += [bundle] if bundle is not None else []
                    talks += [talk] if talk is not None else []
        except Exception as error:  # noqa: BLE001 - sent to the coordinator, which raises it
            return _failed(error)
        wall_ns = perf_counter_ns() - started_ns
        return Done(
            chunk.number, tuple(records), wall_ns, tuple(voids), tuple(bundles), tuple(talks)
        )

    def _play_game(
        self, chunk: Chunk, task: GameTask, opening: Opening | None, sides: Sides | None
    ) -> tuple[GameRecord, Bundle | None, Conversation | None]:
        from harness.bundle import bundle_of
        from harness.conversation import conversation_of
        from harness.game import play_game
        from harness.tally import FAULTS

        opening = opening or self._make_opening(task.opening)
        sides = sides or self._spec.sides_of(task.pair)
        assert sides is not None  # a specification that does not know them has chunks that do
        first, second = sides
        players = (self._pool.take(first), self._pool.take(second))
        fit = False
        try:
            record = play_game(
                task,
                players,
                opening,
                (first.limit or self._spec.limit, second.limit or self._spec.limit),
                self._spec.adjudication,
                chess960=opening.chess960,
                margin_ms=self._spec.time_margin_ms,
                tablebases=self._tablebases,
                watch=self._watcher(task, sides) if chunk.watched else None,
            )
            fit = record.termination not in FAULTS
            bundle = bundle_of(record, sides, self._spec.limit, players)
            return record, bundle, conversation_of(record, sides, players) if chunk.logged else None
        finally:
            for config, player in zip(sides, players, strict=True):
                if fit:
                    self._pool.give_back(config, player)
                else:
                    player.close()  # whatever state it left behind must not reach the next game

    def _watcher(self, task: GameTask, sides: Sides) -> Watch:
        from harness.glimpses import Watcher

        white, black = (sides[player].name for player in (task.white, 1 - task.white))
        return Watcher(task, white, black, self._show)

    def _make_opening(self, number: int) -> Opening:
        """Both games of a pair usually come to one worker: its opening is made once."""
        if self._made is None or self._made[0] != number:
            assert self._source is not None
            self._made = (number, self._source.opening(number))
        return self._made[1]


def _sender_of_glimpses(connection: Connection) -> Callable[[Glimpse], None]:
    from harness.glimpses import send_if_room

    return partial(send_if_room, connection)


def _failed(error: Exception) -> Failed:
    from harness.chunks import Failed

    told = error if isinstance(error, HarnessError) else None
    return Failed(told, traceback.format_exc())


if __name__ == "__main__":
    # Started by harness.seats, with the number of a pipe's end; the rest comes through the pipe.
    _connection = Connection(int(sys.argv[1]))
    serve(_connection, *_connection.recv())
