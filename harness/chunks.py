"""The seam between a run and whoever plays its games: chunks go out, events come back.

A chunk is a few games worth about a second of one worker, so that passing it on costs nothing
beside playing it; when single games take that long, it is one game, and a game is in the journal as
soon as it is over. `Workers` is all that a run knows of where its games are played.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, Protocol

from harness.schedule import GameTask, pair_task

if TYPE_CHECKING:
    from harness.books import Opening
    from harness.errors import HarnessError
    from harness.game import GameRecord
    from harness.openings import OpeningSource
    from harness.spec import Sides

#: What one chunk should take. Short enough to stop within a second or two, long enough that the
#: 1 ms it takes to hand over a chunk is nothing (a judgement; throughput is flat around it).
CHUNK_SECONDS: Final = 0.75
MAX_GAMES: Final = 128

#: Chunks a worker has in hand, the one it plays included: it never waits for the next one.
QUEUE_DEPTH: Final = 2

GAMES_PER_PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class Chunk:
    """Games to play one after another.

    For each game: its opening (None where the worker makes its own), and the two players (None
    where the run's specification says it of every pair). `logged`: conversations are wanted,
    `watched`: glimpses are.
    """

    number: int
    games: tuple[GameTask, ...]
    openings: tuple[Opening | None, ...]
    sides: tuple[Sides | None, ...]
    logged: bool = False
    watched: bool = False


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """All games of some chunks as one."""
    return Chunk(
        chunks[0].number,
        tuple(game for chunk in chunks for game in chunk.games),
        tuple(opening for chunk in chunks for opening in chunk.openings),
        tuple(sides for chunk in chunks for sides in chunk.sides),
    )


@dataclass(frozen=True, slots=True)
class Void:
    """A game that the machine or the harness (`kind`) has spoilt."""

    game: GameTask
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Bundle:
    """All that is known of a game that ended by an engine's fault, as JSON."""

    pair: int
    game: int
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """What the players of a game were told and said, as text."""

    pair: int
    game: int
    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """All games of a chunk were played, in `wall_ns` of the worker's time; `voids` came to none."""

    number: int
    records: tuple[GameRecord, ...]
    wall_ns: int
    voids: tuple[Void, ...] = ()
    bundles: tuple[Bundle, ...] = ()
    conversations: tuple[Conversation, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """A worker could not go on: an error to tell the user, or a bug with its traceback."""

    error: HarnessError | None
    traceback: str


@dataclass(frozen=True, slots=True)
class Lost:
    """A worker, named by its process, died while playing `chunk` (None: while idle)."""

    chunk: Chunk | None
    worker: int | str
    reason: str


@dataclass(frozen=True, slots=True)
class Glimpse:
    """A game that is being played, as it stood a moment ago: for eyes only, and seldom.

    `score_cp` and `depth` are those of the last move, from White's view; `left_ms` is what the
    clocks of White and Black show, None for a player that has none.
    """

    pair: int
    game: int
    white: str
    black: str
    plies: int
    score_cp: int
    depth: int
    left_ms: tuple[int | None, int | None]


Event = Done | Failed | Lost | Glimpse


class Workers(Protocol):
    """Processes, here or on other machines, that play chunks."""

    def start(self) -> None:
        """Make them ready for the first chunk."""

    @property
    def capacity(self) -> int:
        """How many chunks they should be given now, so that none has to wait for work."""

    def submit(self, chunk: Chunk) -> None:
        """Have a chunk played."""

    def events(self, timeout_s: float) -> list[Event]:
        """What has happened; waits for the first event, `timeout_s` at most."""

    def stop(self) -> None:
        """End all workers now; the games they are playing are dropped."""


class Queue(Protocol):
    """Where a run's chunks come from."""

    def next_chunk(self) -> Chunk | None:
        """The next games to play; None when there are none now."""

    def give_back(self, games: Iterable[GameTask]) -> None:
        """These were not played after all; they are next."""

    def measured(self, games: int, wall_ns: int) -> None:
        """So many games took a worker so long."""


class GameQueue:
    """The games still to be played, in order, cut into chunks of the right size."""

    def __init__(
        self,
        games: Iterable[GameTask],
        count: int,
        workers: int,
        book: OpeningSource | None = None,
    ) -> None:
        """`games`, which are `count`, for so many workers; the specification says who plays."""
        self._games = iter(games)
        self._left = count
        self._returned: deque[GameTask] = deque()
        self._workers = workers
        self._book = book
        self._chunks = 0
        self._game_s: float | None = None
        self._latest: tuple[int, Opening] | None = None

    @property
    def games_left(self) -> int:
        """Games that were not handed out yet, or were given back."""
        return self._left

    def next_chunk(self) -> Chunk | None:
        """The next games to play; None when all were handed out."""
        if self._returned:
            # One by one: should one of them kill its worker again, it will be known which.
            games: tuple[GameTask, ...] = (self._returned.popleft(),)
        else:
            games = tuple(islice(self._games, self._size()))
        if not games:
            return None
        self._left -= len(games)
        self._chunks += 1
        return Chunk(
            self._chunks,
            games,
            tuple(map(self._opening, games)),
            (None,) * len(games),
        )

    def give_back(self, games: Iterable[GameTask]) -> None:
        """These were not played after all; they are next."""
        returned = tuple(games)
        self._returned.extend(returned)
        self._left += len(returned)

    def measured(self, games: int, wall_ns: int) -> None:
        """Learn how long a game takes: half from the latest chunk, half from all before it."""
        latest_s = wall_ns / 1e9 / games
        self._game_s = latest_s if self._game_s is None else (self._game_s + latest_s) / 2

    def _size(self) -> int:
        """Whole pairs where possible; near the end small, so that all workers finish together."""
        if self._game_s is None:
            return 1
        wanted = min(MAX_GAMES, int(CHUNK_SECONDS / max(self._game_s, 1e-9)))
        share = -(-self._left // (self._workers * QUEUE_DEPTH))
        size = max(1, min(wanted, share))
        return size - size % GAMES_PER_PAIR if size >= GAMES_PER_PAIR else size

    def _opening(self, game: GameTask) -> Opening | None:
        if self._book is None:
            return None
        if self._latest is None or self._latest[0] != game.opening:
            self._latest = (game.opening, self._book.opening(game.opening))
        return self._latest[1]


def match_queue(
    seed: int,
    start: int,
    pairs: int,
    workers: int,
    finished: Set[tuple[int, int]] = frozenset(),
    book: OpeningSource | None = None,
    games_per_pair: int = GAMES_PER_PAIR,
) -> GameQueue:
    """Pairs 0 to `pairs` - 1 of two players but for the `finished` games, given as (pair, game).

    `games_per_pair` is 1 where the first game of a pair is all that is wanted of it.
    """
    games = (
        game
        for pair in range(pairs)
        for game in pair_task(seed, pair, start).games[:games_per_pair]
        if (pair, game.game) not in finished
    )
    return GameQueue(games, games_per_pair * pairs - len(finished), workers, book)
