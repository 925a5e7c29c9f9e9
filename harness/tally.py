"""The results of a run in the order of its pairs, and when they end it: records in, verdict out.

Games finish in any order; they are *counted* in pair order only, for otherwise short games would be
counted first and the error rates of the test would not be what they are promised to be (measured:
14-60 % instead of 5 % false positives at 64 workers). So everything here is a function of the
prefix of pairs that are complete, and the same whoever played them when.

A pair equal, move for move, to an earlier counted pair is a duplicate: reported, not counted. The
two games of one pair may be equal (they are whenever an engine plays itself) and count.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

from harness.game import GameRecord, Termination
from harness.score import Pentanomial, Trinomial, pair_class
from harness.speed import SpeedRatio
from harness.sprt import Decision, Hypotheses, SprtState

#: Endings that say something about a program and nothing about chess.
FAULTS: Final = (
    Termination.ILLEGAL_MOVE,
    Termination.CRASH,
    Termination.HANG,
    Termination.FLOOD,
)

# A crash is a lost game and counts, but a verdict must not be made of crashes: fastchess accepted
# H0 from 28 crashes in 28 games. A run is invalid as soon as faults are more than a few and more
# than 2 % of its games. Losses on time are chess, until they are so many that the machine is to
# blame: 10 %, as in fishtest.
FEW_FAULTS: Final = 3
FAULT_SHARE: Final = 0.02
FEW_FORFEITS: Final = 10
FORFEIT_SHARE: Final = 0.10


@dataclass(frozen=True, slots=True)
class SideSums:
    """What one player did in the counted prefix."""

    moves: int = 0
    depths: int = 0
    nodes: int = 0
    search_ns: int = 0
    #: Of the moves of programs in games with a clock: the clock's time, the processor's, and how
    #: long it was waited for a processor.
    clock_us: int = 0
    cpu_us: int = 0
    delay_us: int = 0

    def __add__(self, other: SideSums) -> SideSums:
        return SideSums(
            self.moves + other.moves,
            self.depths + other.depths,
            self.nodes + other.nodes,
            self.search_ns + other.search_ns,
            self.clock_us + other.clock_us,
            self.cpu_us + other.cpu_us,
            self.delay_us + other.delay_us,
        )

    @property
    def mean_depth(self) -> float | None:
        return self.depths / self.moves if self.moves else None

    @property
    def nps(self) -> float | None:
        return self.nodes * 1e9 / self.search_ns if self.search_ns else None

    @property
    def cpu_share(self) -> float | None:
        """Processor time of its moves for each second of its clock."""
        return self.cpu_us / self.clock_us if self.clock_us else None

    @property
    def delay_share(self) -> float | None:
        """How much of its clock's time it has waited for a processor."""
        return self.delay_us / self.clock_us if self.clock_us else None


@dataclass(frozen=True, slots=True)
class GameDigest:
    """What the tally keeps of a game until its pair's turn comes: a long run has many games."""

    new_result: int
    termination: Termination
    moves: bytes
    sides: tuple[SideSums, SideSums]

    @property
    def loser(self) -> int:
        """0 = NEW, 1 = BASE, of a game that was lost: of one that ended by a fault, the culprit."""
        return 0 if self.new_result < 0 else 1


def digest_game(record: GameRecord) -> GameDigest:
    """The digest of a game; sides are (NEW, BASE)."""
    first, second = _moves_in_turn(record)
    new_first = _first_mover(record) == record.game
    return GameDigest(
        record.new_result,
        record.termination,
        blake2b(record.fen.encode() + b"\0" + record.moves, digest_size=16).digest(),
        (first, second) if new_first else (second, first),
    )


def _first_mover(record: GameRecord) -> int:
    """The colour (0 white, 1 black) of the first move after the opening."""
    starts_black = record.fen.split(" ", 2)[1] == "b"
    return int(starts_black) ^ (record.book_plies & 1)


def _moves_in_turn(record: GameRecord) -> tuple[SideSums, SideSums]:
    """Sums over the moves of the player who moves first after the opening, and of the other."""
    # Sums over slices of the raw columns: this is done for each game, and arrays cost more to make.
    nodes = memoryview(record.nodes).cast("I")
    new_ns, base_ns = record.search_ns
    times = (new_ns, base_ns) if _first_mover(record) == record.game else (base_ns, new_ns)
    first, second = (
        SideSums(
            len(record.depths[turn::2]),
            sum(record.depths[turn::2]),
            sum(nodes[turn::2]),
            time_ns,
            *_clock_sums(record, turn),
        )
        for turn, time_ns in enumerate(times)
    )
    return first, second


def _clock_sums(record: GameRecord, turn: int) -> tuple[int, ...]:
    """Sums of a player's times in us: clock, processor, waits; 0 where they were not measured."""
    if not record.cpus_us:
        return 0, 0, 0
    return tuple(
        sum(memoryview(column).cast("I")[turn::2])
        for column in (record.times_us, record.cpus_us, record.delays_us)
    )


@dataclass(slots=True)
class Tally:
    """The counted prefix of a run, and games that wait for their turn."""

    hypotheses: Hypotheses
    max_pairs: int
    state: SprtState = field(init=False)
    pentanomial: Pentanomial = field(default_factory=Pentanomial)
    games: Trinomial = field(default_factory=Trinomial)  # the single games of those pairs
    pairs: bytearray = field(default_factory=bytearray)  # a digit for each counted pair: its class
    llr_path: list[float] = field(default_factory=list)  # after each counted pair
    pairs_done: int = 0  # in the prefix, duplicates included
    duplicates: int = 0
    terminations: Counter[Termination] = field(default_factory=Counter)
    faults: Counter[tuple[int, Termination]] = field(default_factory=Counter)  # by (culprit, kind)
    sides: tuple[SideSums, SideSums] = (SideSums(), SideSums())
    speed: SpeedRatio = field(default_factory=SpeedRatio)
    decision: Decision | None = None
    _seen: set[bytes] = field(default_factory=set)
    _waiting: dict[int, list[GameDigest | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.state = SprtState.start(self.hypotheses)

    def add(self, record: GameRecord) -> None:
        """Take a finished game; counts it, and any that waited for it, when its turn has come."""
        self._waiting.setdefault(record.pair, [None, None])[record.game] = digest_game(record)
        while self.decision is None and (pair := self._next_pair()) is not None:
            self._count(*pair)

    def _next_pair(self) -> tuple[GameDigest, GameDigest] | None:
        first, second = self._waiting.get(self.pairs_done, (None, None))
        if first is None or second is None:
            return None
        del self._waiting[self.pairs_done]
        return first, second

    def _count(self, first: GameDigest, second: GameDigest) -> None:
        self.pairs_done += 1
        for game in (first, second):
            self.terminations[game.termination] += 1
            if game.termination in (*FAULTS, Termination.TIME_FORFEIT):
                self.faults[game.loser, game.termination] += 1
            self.speed = self.speed.with_game(*(side.nps for side in game.sides))
        self.sides = (
            self.sides[0] + first.sides[0] + second.sides[0],
            self.sides[1] + first.sides[1] + second.sides[1],
        )
        moves = first.moves + second.moves
        if moves in self._seen:
            self.duplicates += 1
        else:
            self._seen.add(moves)
            self._count_result(first.new_result, second.new_result)
        self.decision = self._decide()

    def _count_result(self, first: int, second: int) -> None:
        self.state = self.state.update_pair(first, second)
        self.pentanomial += Pentanomial.from_pair(first, second)
        self.games += Trinomial.from_pair(first, second)
        self.pairs.append(ord("0") + pair_class(first, second))
        self.llr_path.append(self.state.llr)

    def _decide(self) -> Decision | None:
        if self.invalid_reason is not None:
            return "invalid"
        if self.state.decision is not None:
            return self.state.decision
        return "undecided" if self.pairs_done >= self.max_pairs else None

    @property
    def reached(self) -> bool:
        """Whether there is a verdict, and no more games are wanted."""
        return self.decision is not None

    @property
    def games_done(self) -> int:
        """Games of the prefix, duplicates included."""
        return 2 * self.pairs_done

    @property
    def games_waiting(self) -> int:
        """Finished games that are not in the prefix: out of order, or beyond the end."""
        return sum(game is not None for pair in self._waiting.values() for game in pair)

    @property
    def fault_count(self) -> int:
        """Games of the prefix lost by a program's fault."""
        return sum(self.terminations[fault] for fault in FAULTS)

    @property
    def invalid_reason(self) -> str | None:
        """Why no verdict can be made of these games; None when one can."""
        return self.reason_against("NEW", "BASE")

    def reason_against(self, *names: str) -> str | None:
        """The same with the names of NEW and BASE, and what each of them did."""
        forfeits = self.terminations[Termination.TIME_FORFEIT]
        reason = invalid_reason(self.games_done, self.fault_count, forfeits)
        return reason and f"{reason}: {self._blame(names)}"

    def _blame(self, names: tuple[str, ...]) -> str:
        """`sf crash 3, hang 1; toga time forfeit 2`."""
        told = []
        for side, name in enumerate(names):
            kinds = [
                f"{kind.value.replace('_', ' ')} {count}"
                for (culprit, kind), count in sorted(self.faults.items())
                if culprit == side
            ]
            if kinds:
                told.append(f"{name} {', '.join(kinds)}")
        return "; ".join(told)


def invalid_reason(games: int, faults: int, forfeits: int) -> str | None:
    """Why games with so many faults and losses on time say nothing; None when they do."""
    if faults > max(FEW_FAULTS, FAULT_SHARE * games):
        return f"{faults} of {games} games ended by an engine's fault"
    if forfeits > max(FEW_FORFEITS, FORFEIT_SHARE * games):
        return f"{forfeits} of {games} games were lost on time"
    return None
