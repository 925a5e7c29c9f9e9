"""The course of a study, without its games: which pairs it wants next, and what they decide.

Pairs come back in any order, from any number of workers; everything is decided in the order of
trials and of pairs within them. A trial is asked for when the one `in_flight` places before it has
been told, with exactly the trials up to that one known. So the course is a function of the rules,
the seed and the results, and a study that was cut off goes on as if it had not been.

    search   trials against the base (SPSA: of two perturbed points), each so-many-th the incumbent
    race     the last three on fresh openings, until two of them are behind
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from harness.errors import EngineStartError
from harness.score import Pentanomial
from harness.search_tuning.answers import Proposer
from harness.search_tuning.evidence import evidence, look_z
from harness.search_tuning.ledger import Ledger, OpeningSet, Order, Told
from harness.search_tuning.race import race_survivors
from harness.search_tuning.rules import RACE_ENTRANTS, REEVALUATION_SETS, Rules

#: So many told trials before any is measured against an incumbent.
_TRIALS_BEFORE_ENDING: Final = 12
#: So many trials failing one after another, at the start or later, say that it is not the
#: parameters: some values may well be more than an engine bears.
_FAILURES: Final = 5
_FAILURES_LATER: Final = 20
RACE_LOOKS: Final = 10


class Failure(NamedTuple):
    """A fault of an engine in a pair: why, and whether it was the trial's first player."""

    reason: str
    first: bool


class PairRef(NamedTuple):
    """A pair of a trial, by its place in it; `opening` counts from 0 within its set."""

    ordinal: int
    place: int
    opening_set: OpeningSet
    opening: int


@dataclass(slots=True)
class _Open:
    """A trial while it is played: pairs of classes 0 to 4, counted in order."""

    order: Order
    most_pairs: int
    results: dict[int, int | Failure] = field(default_factory=dict)
    classes: list[int] = field(default_factory=list)
    handed_out: int = 0
    allowed: int = 0
    done: bool = False
    failure: Failure | None = None

    def counts(self) -> Pentanomial:
        return Pentanomial(*(self.classes.count(i) for i in range(5)))

    def told(self) -> Told:
        counts = self.counts()
        if self.failure is not None:
            return Told(self.order, counts, None, *self.failure)
        return Told(self.order, counts, evidence(counts))


class Course:
    """A study on its way. `ledger` holds what was told, here or before an interruption."""

    def __init__(self, rules: Rules, proposer: Proposer, ledger: Ledger) -> None:
        self._rules = rules
        self._proposer = proposer
        self._ledger = ledger
        self._pairs = 0
        self._raced_pairs = 0
        self._searched: list[Told] = []
        for told in ledger.told:
            if told.order.kind != "race":
                self._note(told)
        self._z = look_z(rules.error_rate, rules.looks)
        self._race: list[int] = []
        self._open: dict[int, _Open] = {}
        self.finished = False
        for order in ledger.take_up():
            if order.kind != "race":
                self._open_trial(order)
        self._advance()

    @property
    def open_ordinals(self) -> list[int]:
        """The trials that are being played."""
        return sorted(self._open)

    def order(self, ordinal: int) -> Order:
        """What an open trial was asked for."""
        return self._open[ordinal].order

    @property
    def told(self) -> list[Told]:
        """The told trials of the search, in order."""
        return self._searched

    @property
    def pairs_done(self) -> int:
        """All pairs that count so far, those of open trials included."""
        open_pairs = sum(len(one.classes) for one in self._open.values())
        return self._pairs + self._raced_pairs + open_pairs

    def next_pair(self) -> PairRef | None:
        """The pair to be played next; None when all wanted ones were handed out."""
        for ordinal in sorted(self._open):
            one = self._open[ordinal]
            while one.handed_out < one.allowed:
                index = one.handed_out
                one.handed_out += 1
                if index not in one.results:
                    return self._pair(one, index)
        return None

    def _pair(self, one: _Open, index: int) -> PairRef:
        order = one.order
        return PairRef(order.ordinal, index, order.opening_set, order.first_opening + index)

    def take(self, ordinal: int, index: int, result: int | Failure) -> None:
        """The class (0 to 4) of a pair, or what fault ended it.

        Pairs that come after their trial's end, or again, are not counted.
        """
        one = self._open.get(ordinal)
        if one is None or index in one.results:
            return
        one.results[index] = result
        if self._has_news(one):
            self._advance()

    def _has_news(self, one: _Open) -> bool:
        """Count what has its turn; whether that makes a batch complete, or the trial fail."""
        news = False
        while not one.done and len(one.classes) < one.allowed:
            result = one.results.get(len(one.classes))
            if result is None:
                break
            if isinstance(result, Failure):
                one.failure, one.done = result, True
                return True
            one.classes.append(result)
            if len(one.classes) == one.allowed:
                self._look(one)
                news = True
        return news

    def _look(self, one: _Open) -> None:
        """Report a complete batch; a trial of the search ends here, or gets another one."""
        found = evidence(one.counts())
        self._ledger.report(one.order.ordinal, found)
        if one.order.kind == "race":
            return
        threshold = one.order.threshold_elo
        below = threshold is not None and found.upper_elo(self._z) < threshold
        one.done = below or len(one.classes) >= one.most_pairs
        if not one.done:
            self._allow_batch(one, self._rules.batch_pairs)

    def _allow_batch(self, one: _Open, pairs: int) -> None:
        one.allowed = min(one.most_pairs, one.allowed + pairs)

    def _advance(self) -> None:
        """Tell what is finished, ask for what is next, and see the phases through."""
        while not self._race and self._tell_next():
            self._ask_some()
        self._ask_some()
        if not self._open and not self._race:
            self._begin_race()
        while self._race and not self.finished and not self._race_waits():
            self._judge_race()

    def _tell_next(self) -> bool:
        """Tell the first of the open trials, if it is done."""
        if not self._open:
            return False
        first = self._open[min(self._open)]
        if not first.done:
            return False
        del self._open[first.order.ordinal]
        told = first.told()
        self._ledger.tell(told)
        if told.order.kind == "race":
            self._raced_pairs += told.counts.observations
        else:
            self._note(told)
        return True

    def _note(self, told: Told) -> None:
        """Take a told trial of the search. Raises EngineStartError after failures only."""
        self._searched.append(told)
        self._pairs += told.counts.observations
        failed = 0
        while failed < len(self._searched) and self._searched[-1 - failed].evidence is None:
            failed += 1
        if failed >= (_FAILURES if failed == len(self._searched) else _FAILURES_LATER):
            raise EngineStartError(
                f"{failed} trials failed one after another, the last one: {told.reason};"
                " expected an engine that plays"
            )

    def _ask_some(self) -> None:
        """Keep `in_flight` trials open while there are games for one more."""
        if self._race:
            return
        while (
            len(self._open) < self._rules.in_flight
            and self._pairs + (len(self._open) + 1) * self._rules.trial_pairs
            <= self._rules.search_pairs
        ):
            self._ask(len(self._searched) + len(self._open))

    def _ask(self, ordinal: int) -> None:
        every = self._rules.reevaluate_every
        threshold = None
        if not self._proposer.plays_itself and len(self._searched) >= _TRIALS_BEFORE_ENDING:
            incumbent = self._proposer.incumbent(self._searched)
            if ordinal % every == every - 1:
                self._begin(Order(ordinal, "re-evaluation", incumbent))
                return
            threshold = self._proposer.mean_elo(incumbent, self._searched)
        played, opponent = self._proposer.propose(self._ledger, ordinal)
        below = threshold if opponent is None else None
        self._begin(Order(ordinal, "search", played, opponent, below))

    def _begin(self, order: Order) -> None:
        order = replace(order, first_opening=self._first_opening(order))
        self._ledger.begin(order)
        self._open_trial(order)

    def _open_trial(self, order: Order) -> None:
        one = _Open(order, self._rules.trial_pairs)
        self._allow_batch(one, self._rules.batch_pairs)
        self._open[order.ordinal] = one

    def _first_opening(self, order: Order) -> int:
        """Where a trial begins in its set of openings: mostly at the first, as all others do.

        Games of the same two from the same openings would be the same games. So players that meet
        again go on where they were last; SPSA, whose iterations are never compared, goes through
        all openings; and each re-evaluation has others than the one before.
        """
        pairs = self._rules.trial_pairs
        if order.kind == "re-evaluation":
            return order.ordinal // self._rules.reevaluate_every % REEVALUATION_SETS * pairs
        if self._proposer.plays_itself:
            return order.ordinal * pairs
        earlier = [told.order for told in self._searched] + [
            one.order for one in self._open.values()
        ]
        return pairs * sum(one.players == order.players and one.kind == "search" for one in earlier)

    def _begin_race(self) -> None:
        """The last few, each on the same fresh openings, which no re-evaluation had."""
        first = self._rules.first_race_opening
        for played in self._proposer.answers(self._searched):
            ordinal = len(self._searched) + len(self._race)
            order = Order(ordinal, "race", played, first_opening=first)
            self._ledger.begin(order)
            one = _Open(order, RACE_ENTRANTS * self._rules.race_pairs)
            self._allow_batch(one, self._race_batch)
            self._open[order.ordinal] = one
            self._race.append(order.ordinal)

    @property
    def _race_batch(self) -> int:
        return max(1, -(-self._rules.race_pairs // RACE_LOOKS))

    def _race_waits(self) -> bool:
        """Whether an entrant has not played its batch to the end."""
        entrants = [self._open[ordinal] for ordinal in self._race]
        return any(len(one.classes) < one.allowed for one in entrants if not one.done)

    def _judge_race(self) -> None:
        """After a batch of every entrant: who is behind is out, the others go on.

        The games are spent to the last, by ever fewer: what is claimed of the winner rests on them.
        """
        entrants = [self._open[ordinal] for ordinal in self._race]
        running = [one for one in entrants if not one.done]
        if len(running) > 1:
            classes = {one.order.ordinal: one.classes for one in running}
            left = race_survivors(classes, look_z(self._rules.error_rate, RACE_LOOKS))
            for one in running:
                one.done = one.order.ordinal not in left
            running = [one for one in running if not one.done]
        played = sum(len(one.classes) for one in entrants)
        batch = (RACE_ENTRANTS * self._rules.race_pairs - played) // max(1, len(running))
        for one in running:
            one.done = batch < 1
            self._allow_batch(one, min(batch, self._race_batch))
            self._has_news(one)  # pairs that were played before an interruption
        self.finished = all(one.done for one in entrants)
        while self.finished and self._open:
            self._tell_next()
