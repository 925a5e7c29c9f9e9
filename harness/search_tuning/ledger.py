"""The trials of a study, kept in Optuna: what was asked, what was told, and in which order.

A trial has an *ordinal*, its place in the study's course, besides Optuna's number: one that a dead
coordinator left running is failed, and a copy with the same ordinal goes on with its pairs. What a
trial was asked for stands in its user attributes, which the samplers and the dashboard read.

    attribute      meaning
    order          what it was asked for: an `Order`
    ptnml          pairs by score, lowest first
    variance_elo2  of the trial's value
    reason         why it failed
    first_failed   whether the first of its two players did
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import optuna
from optuna.distributions import IntDistribution
from optuna.trial import FrozenTrial, TrialState, create_trial

from harness.score import Pentanomial
from harness.search_tuning.evidence import Evidence
from harness.search_tuning.space import Space, Values

Kind = Literal["search", "re-evaluation", "race"]
OpeningSet = Literal["search", "fresh"]

ABANDONED = "its coordinator ended before it did"


@dataclass(frozen=True, slots=True)
class Order:
    """A trial as it was asked for; it plays the openings of its set from `first_opening` on."""

    ordinal: int
    kind: Kind
    played: Values
    opponent: Values | None = None
    threshold_elo: float | None = None
    first_opening: int = 0

    @property
    def opening_set(self) -> OpeningSet:
        """The race and re-evaluations have openings that the search never sees."""
        return "search" if self.kind == "search" else "fresh"

    @property
    def players(self) -> frozenset[tuple[int, ...]]:
        """The values of the two that meet, whichever of them is named first; the base has none."""
        return frozenset(tuple((side or {}).values()) for side in (self.played, self.opponent))


@dataclass(frozen=True, slots=True)
class Told:
    """A finished trial; without evidence it has failed, by the first player or by the second."""

    order: Order
    counts: Pentanomial
    evidence: Evidence | None
    reason: str = ""
    first_failed: bool = False

    @property
    def failed_values(self) -> Values | None:
        """The values with which the engine failed, unless it was the base."""
        if self.evidence is not None:
            return None
        return self.order.played if self.first_failed else self.order.opponent


def distributions(space: Space) -> dict[str, Any]:
    """The space as Optuna has it, in the integers of the engine."""
    return {
        one.name: IntDistribution(one.low, one.high, log=one.log, step=one.step)
        for one in space.dimensions
    }


def order_of(trial: FrozenTrial) -> Order | None:
    """What a trial was asked for; None when its coordinator died before it could say so."""
    about = trial.user_attrs
    if "order" not in about:
        return None
    return Order(**about["order"])


def told_of(trial: FrozenTrial) -> Told | None:
    """A finished trial of the course; None for a copy's original, and for what is not ours."""
    order, about = order_of(trial), trial.user_attrs
    if order is None or about.get("reason") == ABANDONED:
        return None
    counts = Pentanomial(*about.get("ptnml", (0, 0, 0, 0, 0)))
    if trial.state != TrialState.COMPLETE or trial.value is None:
        failed = about.get("first_failed", False)
        return Told(order, counts, None, about.get("reason", "unknown"), failed)
    found = Evidence(trial.value, about["variance_elo2"], counts.observations)
    return Told(order, counts, found)


class Ledger:
    """The study, by ordinals. `told` are the finished trials in order.

    `settle` is called before a trial is told: its games are to be on the disk by then, else a kill
    in between would leave a trial that counts games which nobody has.
    """

    def __init__(
        self, study: optuna.Study, space: Space, settle: Callable[[], None] = lambda: None
    ) -> None:
        self._study = study
        self._settle = settle
        self._distributions = distributions(space)
        self._open: dict[int, optuna.Trial] = {}
        finished = study.get_trials(
            deepcopy=False, states=(TrialState.COMPLETE, TrialState.FAIL, TrialState.PRUNED)
        )
        records = [told for told in map(told_of, finished) if told is not None]
        self.told = sorted(records, key=lambda told: told.order.ordinal)
        self._told_ordinals = {told.order.ordinal for told in self.told}

    def take_up(self) -> list[Order]:
        """Fail what a dead coordinator left running, and go on with copies; their orders, sorted.

        One that died between being asked and having its order written is only failed.
        """
        left = self._study.get_trials(states=(TrialState.RUNNING,))
        for trial in left:
            optuna.Trial(self._study, trial._trial_id).set_user_attr("reason", ABANDONED)
            self._study.tell(trial.number, state=TrialState.FAIL)
        orders = [(order, trial) for trial in left if (order := order_of(trial)) is not None]
        for order, trial in sorted(orders, key=lambda pair: pair[0].ordinal):
            self._open[order.ordinal] = self._begin(order, trial.params, trial.system_attrs)
        return sorted((order for order, _ in orders), key=lambda order: order.ordinal)

    def ask(self, ordinal: int, sampler: optuna.samplers.BaseSampler) -> Values:
        """The values that the sampler wants next; `begin` must follow."""
        self._study.sampler = sampler
        trial = self._open[ordinal] = self._study.ask(self._distributions)
        return dict(trial.params)

    def begin(self, order: Order) -> None:
        """Note what a trial is asked for; one that no sampler has proposed begins here."""
        if order.ordinal in self._told_ordinals:
            return
        if order.ordinal in self._open:
            self._open[order.ordinal].set_user_attr("order", _document(order))
        else:
            self._open[order.ordinal] = self._begin(order, order.played, {})

    def _begin(
        self, order: Order, params: Mapping[str, int], system_attrs: Mapping[str, Any]
    ) -> optuna.Trial:
        self._study.add_trial(
            create_trial(
                state=TrialState.RUNNING,
                params=dict(params),
                distributions=self._distributions,
                user_attrs={"order": _document(order)},
                system_attrs=dict(system_attrs),
            )
        )
        self._study.sampler = optuna.samplers.RandomSampler()  # whose trials it leaves alone
        newest = self._study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))[-1]
        return optuna.Trial(self._study, newest._trial_id)

    def report(self, ordinal: int, found: Evidence) -> None:
        """What the first pairs of an open trial say."""
        if ordinal in self._told_ordinals:
            return
        trial = self._open[ordinal]
        trial.report(found.elo, found.pairs)
        trial.set_user_attr(f"error_elo_{found.pairs}", round(found.error_elo, 2))

    def tell(self, told: Told) -> None:
        """End the next trial of the course, unless that was done before an interruption."""
        if told.order.ordinal in self._told_ordinals:
            return
        self._settle()
        trial = self._open.pop(told.order.ordinal)
        trial.set_user_attr("ptnml", list(told.counts.classes))
        if told.evidence is None:
            trial.set_user_attr("reason", told.reason)
            trial.set_user_attr("first_failed", told.first_failed)
            self._study.tell(trial.number, state=TrialState.FAIL)
        else:
            trial.set_user_attr("variance_elo2", told.evidence.variance_elo2)
            self._study.tell(trial.number, told.evidence.elo)
        self.told.append(told)


def _document(order: Order) -> dict[str, Any]:
    return asdict(order)
