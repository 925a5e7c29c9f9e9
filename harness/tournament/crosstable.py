"""The results of a tournament as they come: records in, a table of everyone against everyone out.

All sums are of whole numbers and of complete pairs, so that they are the same in whatever order
the games end. A pair equal, move for move, to an earlier one of its pairing is a duplicate: it is
reported and not counted, as in a test (see `harness.tally`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.game import GameRecord, Termination
from harness.score import Pentanomial, Trinomial
from harness.tally import FAULTS, GameDigest, SideSums, digest_game, invalid_reason
from harness.tournament.pairings import Pairing
from harness.tournament.ratings import Meeting


@dataclass(slots=True)
class Encounter:
    """What two players have played against each other; counts are the first one's."""

    pairs: Pentanomial = field(default_factory=Pentanomial)
    games: Trinomial = field(default_factory=Trinomial)
    duplicates: int = 0
    seen: set[bytes] = field(default_factory=set)

    def add(self, first: GameDigest, second: GameDigest) -> None:
        """The two games of a pair."""
        moves = first.moves + second.moves
        if moves in self.seen:
            self.duplicates += 1
            return
        self.seen.add(moves)
        results = (first.new_result, second.new_result)
        self.pairs += Pentanomial.from_pair(*results)
        self.games += Trinomial.from_pair(*results)


@dataclass(slots=True)
class Deeds:
    """What one player did, whoever the opponent was."""

    games: int = 0
    searched: SideSums = field(default_factory=SideSums)
    faults: Counter[Termination] = field(default_factory=Counter)

    @property
    def invalid_reason(self) -> str | None:
        """Why nothing can be said of this player; None when something can."""
        faults = sum(self.faults[fault] for fault in FAULTS)
        return invalid_reason(self.games, faults, self.faults[Termination.TIME_FORFEIT])


class Crosstable:
    """A goal of `harness.playing`: all pairs of a tournament, unless a player spoils it."""

    def __init__(self, players: int, cycle: Sequence[Pairing], pairs: int) -> None:
        """`cycle` are the pairings in their order, `pairs` how many pairs are wanted in all."""
        self.cycle = tuple(cycle)
        self.pairs = pairs
        self.pairs_done = 0
        self.encounters = tuple(Encounter() for _ in self.cycle)
        self.deeds = tuple(Deeds() for _ in range(players))
        self.terminations: Counter[Termination] = Counter()
        self._halves: dict[int, GameDigest] = {}

    def add(self, record: GameRecord) -> None:
        """Take a finished game; it counts when both games of its pair are there."""
        game = digest_game(record)
        other = self._halves.pop(record.pair, None)
        if other is None:
            self._halves[record.pair] = game
            return
        self.pairs_done += 1
        place = record.pair % len(self.cycle)
        # Which of the two came first has no say: their results are added up.
        first, second = (game, other) if record.game == 0 else (other, game)
        self.encounters[place].add(first, second)
        for one in (first, second):
            self._note_deeds(self.cycle[place], one)

    def _note_deeds(self, pairing: Pairing, game: GameDigest) -> None:
        self.terminations[game.termination] += 1
        for player, searched in zip(pairing, game.sides, strict=True):
            self.deeds[player].games += 1
            self.deeds[player].searched += searched
        if game.termination in (*FAULTS, Termination.TIME_FORFEIT):
            self.deeds[pairing[game.loser]].faults[game.termination] += 1

    @property
    def reached(self) -> bool:
        """Whether no more games are wanted."""
        return self.pairs_done >= self.pairs or self.spoilt is not None

    @property
    def spoilt(self) -> tuple[int, str] | None:
        """The first player, by number, of whom nothing can be said, and why."""
        reasons = ((player, deeds.invalid_reason) for player, deeds in enumerate(self.deeds))
        return next(((player, reason) for player, reason in reasons if reason), None)

    @property
    def games_done(self) -> int:
        """Games of complete pairs, duplicates included."""
        return 2 * self.pairs_done

    @property
    def games_waiting(self) -> int:
        """Finished games whose pair is not complete."""
        return len(self._halves)

    def counts(self, record: GameRecord) -> bool:
        """Whether a game that was added is one of a complete pair."""
        return record.pair not in self._halves

    @property
    def duplicates(self) -> int:
        return sum(encounter.duplicates for encounter in self.encounters)

    @property
    def meetings(self) -> tuple[Meeting, ...]:
        """The counts in the form that ratings are made of."""
        return tuple(
            Meeting(pairing.first, pairing.second, encounter.pairs)
            for pairing, encounter in zip(self.cycle, self.encounters, strict=True)
        )
