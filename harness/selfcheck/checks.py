"""The checks: small runs of the engine against itself, and what must come out of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from harness import __version__
from harness.chunks import Done, Event
from harness.journal import Journal
from harness.limits import Limit
from harness.match import RunOptions, run_match
from harness.report.numbers import interval, number
from harness.selfcheck.homogeneity import homogeneity
from harness.selfcheck.resampling import share_accepted, tilted_to, tolerated
from harness.spec import EngineConfig, MatchSpec, OpeningSpec, SprtSpec
from harness.sprt import Hypotheses
from harness.workers import LocalWorkers

#: Sizes for five minutes. Each worker plays so many games by the clock as its comparison needs.
EXACT_PAIRS: Final = 30
CLOCK_PAIRS_PER_WORKER: Final = 30
CLOCK_MS: Final = 10
NODES: Final = 2000
#: Node odds of two to one are worth some 100 Elo in games this short.
HANDICAP_TEST: Final = SprtSpec(elo0=0.0, elo1=50.0, overshoot=True)
HANDICAP_PAIRS: Final = 300
RESAMPLED_TESTS: Final = 2000

#: Workers that are all alike differ by so much once in a thousand times.
SUSPICIOUS_P: Final = 0.001

#: A test that its limit ends.
_NO_VERDICT: Final = SprtSpec(elo0=-50.0, elo1=50.0, alpha=1e-12, beta=1e-12)


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, whether it is as it should be, and what was found."""

    name: str
    passed: bool
    found: str


@dataclass(frozen=True, slots=True)
class Bench:
    """How the checks play: with which engine, where, by how many workers, told to whom."""

    engine: EngineConfig
    folder: Path
    concurrency: int
    seed: int
    source_digest: str
    tell: Callable[[str], None]
    compiling: Callable[[str, int, int], None]

    def play(self, name: str, spec: MatchSpec, hire: Any) -> dict[str, Any]:
        """The document of a run."""
        self.tell(f"{name} ...")
        options = RunOptions(self.folder / name, self.concurrency, hire=hire)
        return run_match(spec, options, _Silent(self.compiling, self.tell))

    def spec(self, pairs: int, limit: Limit, **changes: Any) -> MatchSpec:
        """A run of the engine against itself."""
        values: dict[str, Any] = {
            "new": self.engine.model_copy(update={"name": "new"}),
            "base": self.engine.model_copy(update={"name": "base"}),
            "limit": limit,
            "openings": OpeningSpec(),
            "seed": self.seed,
            "sprt": _NO_VERDICT,
            "max_games": 2 * pairs,
            "source_digest": self.source_digest,
            "tool_version": __version__,
        }
        return MatchSpec(**(values | changes))


class _Silent:
    """A view that tells of compilation and of faults only."""

    shows_games = False

    def __init__(
        self, compiling: Callable[[str, int, int], None], tell: Callable[[str], None]
    ) -> None:
        self.compiling = compiling
        self.message = tell

    def start(self, heading: Any) -> None:
        """Says nothing."""

    def update(self, progress: Any) -> None:
        """Says nothing."""

    def close(self) -> None:
        """Nothing is shown."""

    def finish(self, document: Mapping[str, Any]) -> None:
        """Says nothing."""


@dataclass(slots=True)
class Ledger:
    """Which worker process played which game."""

    players: dict[tuple[int, int], int] = field(default_factory=dict)

    def hire(self, spec_json: str, snapshot: Path, count: int) -> LocalWorkers:
        """Workers on this machine whose games are noted."""
        return _NotedWorkers(spec_json, snapshot, count, self)

    def table(self, journal: Journal) -> list[list[int]]:
        """NEW's losses, draws and wins by worker."""
        rows: dict[int, list[int]] = {}
        for record in journal.games():
            worker = self.players[record.pair, record.game]
            rows.setdefault(worker, [0, 0, 0])[record.new_result + 1] += 1
        return list(rows.values())


class _NotedWorkers(LocalWorkers):
    def __init__(self, spec_json: str, snapshot: Path, count: int, ledger: Ledger) -> None:
        super().__init__(spec_json, snapshot, count)
        self._ledger = ledger

    def _receive(self, slot: Any) -> Iterator[Event]:
        worker = slot.process.pid or 0
        for event in super()._receive(slot):
            if isinstance(event, Done):
                for record in event.records:
                    self._ledger.players[record.pair, record.game] = worker
            yield event


def checks(bench: Bench) -> Iterator[Check]:
    """All checks, one after the other."""
    yield _exact(bench)
    ledger = Ledger()
    pairs = CLOCK_PAIRS_PER_WORKER * bench.concurrency
    clocks = bench.play("clocks", bench.spec(pairs, Limit(movetime_ms=CLOCK_MS)), ledger.hire)
    yield _no_difference(clocks)
    with Journal.read(bench.folder / "clocks") as journal:
        yield _alike(ledger.table(journal))
    handicap = _handicapped(bench)
    yield _found(handicap)
    recorded = [sum(pair) for pair in zip(clocks["ptnml"], handicap["ptnml"], strict=True)]
    yield from error_rates(recorded, bench.seed)


def _exact(bench: Bench) -> Check:
    document = bench.play("exact", bench.spec(EXACT_PAIRS, Limit(nodes=NODES)), Ledger().hire)
    uneven = EXACT_PAIRS - document["ptnml"][2] - document["duplicates"]
    return Check(
        "against itself at fixed nodes, every pair is even",
        uneven == 0,
        f"{uneven} of {EXACT_PAIRS} pairs uneven",
    )


def _no_difference(document: Mapping[str, Any]) -> Check:
    low, high = document["elo_ci95"]
    forfeits = document["faults"]["time_forfeit"]
    return Check(
        "against itself by the clock, there is no difference",
        low <= 0.0 <= high and not forfeits,
        f"Elo {number(document['elo'], 1, signed=True)} {interval(document['elo_ci95'])},"
        f" {forfeits} losses on time in {document['games_played']} games",
    )


def _alike(table: list[list[int]]) -> Check:
    """A single worker has no others; results too few to compare show nothing, and do not pass."""
    found = homogeneity(table)
    compared = (
        f"chi-square {found.statistic:.2f} with {found.freedom} degrees of freedom,"
        f" p = {found.p:.3f}"
    )
    return Check(
        "no worker's results differ from the others'",
        len(table) == 1 or (found.freedom > 0 and found.p >= SUSPICIOUS_P),
        f"{len(table)} workers, {compared if found.freedom else 'nothing to compare'}",
    )


def _handicapped(bench: Bench) -> dict[str, Any]:
    weak = bench.engine.model_copy(update={"name": "base", "limit": Limit(nodes=NODES // 2)})
    spec = bench.spec(HANDICAP_PAIRS, Limit(nodes=NODES), base=weak, sprt=HANDICAP_TEST)
    return bench.play("handicap", spec, Ledger().hire)


def _found(document: Mapping[str, Any]) -> Check:
    return Check(
        "an opponent with half the nodes is found to be weaker",
        document["decision"] == "H1",
        f"{document['decision']} after {document['games_counted']} games, Elo"
        f" {number(document['elo'], 1, signed=True)} {interval(document['elo_ci95'])}",
    )


def error_rates(recorded: list[int], seed: int) -> Iterator[Check]:
    """Alpha and beta of the test, measured by pairs like the recorded ones."""
    test = Hypotheses(0.0, 50.0, overshoot=True)
    for name, nelo, rate in (("alpha", test.elo0, test.alpha), ("beta", test.elo1, test.beta)):
        accepted = share_accepted(test, tilted_to(recorded, nelo), RESAMPLED_TESTS, seed)
        wrong = accepted if name == "alpha" else 1.0 - accepted
        yield Check(
            f"{name} is at most what the test promises",
            wrong <= tolerated(rate, RESAMPLED_TESTS),
            f"{100 * wrong:.1f} % of {RESAMPLED_TESTS} tests of [0, 50] nElo by recorded pairs,"
            f" promised {100 * rate:g} %",
        )
