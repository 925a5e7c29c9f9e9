"""What a run says of itself: `RunProgress` while it goes on, the document of run.json at its end.

Two runs of one specification have equal documents, byte for byte, whatever played them, but for the
keys in `MACHINE_KEYS`: there is everything that depends on the machine, the clock, or luck.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from harness.adjudication import describe
from harness.config import differences
from harness.elo import Estimate, estimate
from harness.game import Termination
from harness.sprt import (
    Decision,
    SprtBounds,
    chance_to_pass,
    expected_games,
    unfinished_sentence,
    verdict_sentence,
)
from harness.stats import SCHEMA, sprt_numbers
from harness.tally import FAULTS, SideSums, Tally

if TYPE_CHECKING:
    from harness.chunks import Glimpse
    from harness.journal import Event, Journal
    from harness.spec import EngineConfig, MatchSpec, OpeningSpec, RunSpec

Document = dict[str, Any]

#: Keys that may differ between runs of one specification.
MACHINE_KEYS: Final = ("games_per_min", "faults", "run_dir", "machine")


@dataclass(frozen=True, slots=True)
class RunProgress:
    """A run as it stands; all counts are NEW's, of the complete pairs in order.

    `pair_classes` (digits) and `llr_path` are the tally's own, which grow: not to be kept.
    `running` are the games that are being played, as far as they were seen.
    """

    pairs_done: int
    pairs_played: int
    max_games: int
    ptnml: tuple[int, ...]
    llr: float
    bounds: SprtBounds
    estimate: Estimate
    games_per_min: float
    expected_games_left: float | None
    chance_to_pass: float | None
    eta_s: float | None
    faults: int
    duplicates: int
    elapsed_s: float
    pair_classes: Sequence[int] = ()
    llr_path: Sequence[float] = ()
    running: Sequence[Glimpse] = ()


def progress_of(
    tally: Tally,
    session_games: int,
    elapsed_s: float,
    lost: int,
    running: Sequence[Glimpse],
) -> RunProgress:
    """The view's numbers; `session_games` were played in `elapsed_s`, `lost` workers died."""
    games_left = expected_games(tally.state)
    most = 2 * tally.max_pairs - tally.games_done
    games_left = None if games_left is None else min(games_left, most)
    pace = session_games / elapsed_s if elapsed_s > 0 else 0.0
    return RunProgress(
        pairs_done=tally.pairs_done,
        pairs_played=tally.pairs_done + tally.games_waiting // 2,
        max_games=2 * tally.max_pairs,
        ptnml=tally.pentanomial.classes,
        llr=tally.state.llr,
        bounds=tally.state.bounds,
        estimate=estimate(tally.pentanomial),
        games_per_min=60.0 * pace,
        expected_games_left=games_left,
        chance_to_pass=chance_to_pass(tally.state),
        eta_s=games_left / pace if games_left is not None and pace else None,
        faults=sum(faults_of(tally.terminations, lost).values()),
        duplicates=tally.duplicates,
        elapsed_s=elapsed_s,
        pair_classes=tally.pairs,
        llr_path=tally.llr_path,
        running=running,
    )


def faults_of(terminations: Counter[Termination], lost: int) -> dict[str, int]:
    """How often something went wrong, by kind; only the games' part counts towards `invalid`."""
    kinds = (*FAULTS, Termination.TIME_FORFEIT)
    return {**{kind.value: terminations[kind] for kind in kinds}, "worker_lost": lost}


def endings_of(terminations: Counter[Termination]) -> dict[str, int]:
    """How games ended, as often as they did."""
    return {kind.value: terminations[kind] for kind in Termination if terminations[kind]}


def document_of(spec: MatchSpec, tally: Tally, journal: Journal, run_dir: Path) -> Document:
    """The document of a run that has ended, or goes on or was interrupted (then undecided)."""
    events = journal.events()
    lost = sum(event.kind == "worker_lost" for event in events)
    factor = 1.0 if spec.node_scaling is None else spec.node_scaling.factor
    machine = _machine(tally, factor, journal.provenance(), events)
    decision: Decision = tally.decision or "undecided"
    return {
        "schema": SCHEMA,
        **sprt_numbers(
            tally.state,
            tally.pentanomial,
            decision,
            _sentence(spec, tally, events),
            tally.games,
        ),
        "games_played": tally.games_done,
        "games_per_min": games_per_min(machine),
        "duplicates": tally.duplicates,
        "faults": faults_of(tally.terminations, lost),
        "mean_depth": [side.mean_depth for side in tally.sides],
        "terminations": endings_of(tally.terminations),
        "new": describe_side(spec.new),
        "base": describe_side(spec.base),
        "differences": differences(spec.new, spec.base),
        "max_games": spec.max_games,
        **conditions_of(spec),
        "limit": limit_of(spec),
        "run_dir": str(run_dir),
        "pairs": tally.pairs.decode("ascii"),
        "llr_path": tally.llr_path,
        "machine": machine,
    }


def conditions_of(spec: RunSpec) -> Document:
    """What the games of any run were played under."""
    return {
        "limit": spec.limit.describe(),
        "openings": describe_openings(spec.openings),
        "adjudication": describe(spec.adjudication),
        "seed": spec.seed,
        "spec_hash": spec.spec_hash(),
        "source_digest": spec.source_digest,
        "tool_version": spec.tool_version,
    }


def limit_of(spec: MatchSpec) -> str:
    """The limit in words, and that of a side which has another one."""
    own = [
        f"{side.name}: {side.limit.describe()}"
        for side in spec.engines
        if side.limit not in (None, spec.limit)
    ]
    return "; ".join([spec.limit.describe(), *own])


def _sentence(spec: MatchSpec, tally: Tally, events: Sequence[Event]) -> str:
    """The verdict, or that there is none yet."""
    names = spec.new.name, spec.base.name
    if tally.decision is None:
        how = "Interrupted" if was_interrupted(events) else "Unfinished"
        progress = f"{tally.games_done} of {spec.max_games} games"
        return unfinished_sentence(tally.state, how, progress, *names)
    games, reason = tally.pentanomial.games, tally.reason_against(*names) or ""
    state = tally.state
    return verdict_sentence(
        tally.decision, state.hypotheses, state.llr, games, *names, reason, state.bounds
    )


#: A machine that takes so much of the time away is too busy for the clock that is played by: a
#: judgement; 5 % less time is some 5 Elo.
NOISY_SHARE: Final = 0.05


def noise(sides: Sequence[SideSums]) -> str | None:
    """A sentence on a machine that is too noisy for the time control; None when it is not."""
    delay_us, clock_us = (sum(getattr(side, name) for side in sides) for name in _NOISE)
    if delay_us <= NOISY_SHARE * clock_us:
        return None
    return (
        f"the machine is too noisy for this time control: engines waited for a processor"
        f" {delay_us / clock_us:.0%} of their time; expected fewer games at a time, or more time"
    )


_NOISE: Final = ("delay_us", "clock_us")

#: Kinds of events between which a run is played or rests.
_STAGES: Final = ("started", "resumed", "finished", "interrupted")


def was_interrupted(events: Sequence[Event]) -> bool:
    """Whether a run that has no end rests, as far as its journal knows, and is not being played."""
    stages = [event.kind for event in events if event.kind in _STAGES]
    return stages[-1:] == ["interrupted"]


def _machine(
    tally: Tally, factor: float, facts: Mapping[str, Any], events: Sequence[Event]
) -> dict[str, Any]:
    """Everything about a test that its specification does not decide, for the "machine" key.

    NEW was meant to be `factor` times as fast as BASE.
    """
    return {
        "nps": [side.nps for side in tally.sides],
        "cpu_share": [side.cpu_share for side in tally.sides],
        "delay_share": [side.delay_share for side in tally.sides],
        "noise": noise(tally.sides),
        "nps_ratio": tally.speed.ratio,
        "nps_ratio_ci95": tally.speed.ci95 and list(tally.speed.ci95),
        "nps_ratio_meant": factor,
        "nps_differ": tally.speed.differs_from(factor),
        "games_beyond": tally.games_waiting,
        "interrupted": tally.decision is None,
        **sittings_of(facts, events),
    }


def sittings_of(facts: Mapping[str, Any], events: Sequence[Event]) -> Document:
    """When, how long and on what any run was played."""
    sittings = [event.detail for event in events if event.kind in {"finished", "interrupted"}]
    begun = [event.detail for event in events if event.kind in {"started", "resumed"}]
    return {
        "elapsed_s": sum(sitting["elapsed_s"] for sitting in sittings),
        "busy_s": sum(sitting["busy_s"] for sitting in sittings),
        "games": sum(sitting["games"] for sitting in sittings),
        "sittings": len(begun),
        "concurrency": begun[-1]["concurrency"] if begun else None,
        **{name: facts[name] for name in _MACHINE_FACTS},
        # None where the sources were no git checkout, and in runs older than these facts.
        **{name: facts.get(name) for name in ("git_commit", "git_dirty")},
    }


def games_per_min(machine: Mapping[str, Any]) -> float:
    """The pace of all sittings together."""
    return 60.0 * machine["games"] / machine["elapsed_s"] if machine["elapsed_s"] else 0.0


_MACHINE_FACTS: Final = (
    "started",
    "cpu",
    "cores",
    "platform",
    "python",
    "numba",
    "numpy",
    "build_digest",
)


def describe_side(config: EngineConfig) -> dict[str, Any]:
    return {
        "name": config.name,
        "source": config.source,
        "digest": config.digest(),
        "options": dict(sorted(config.options.items())),
    }


def describe_openings(openings: OpeningSpec) -> str:
    """Where the openings come from, in a few words."""
    first = f", from number {openings.start + 1}" if openings.start else ""
    first += ", Chess960" if openings.chess960 else ""
    if openings.kind == "generated":
        return f"generated, {openings.plies} plies{first}"
    cut = f", {openings.plies} plies" if openings.plies else ""
    book = openings.path.rpartition("/")[2]
    return f"{book} ({openings.sha256[:12]}), {openings.order}{cut}{first}"
