"""What a user sees of a study while it goes on: its best trials, its speed, the time left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.elo import Z95
from harness.report.numbers import Document, duration
from harness.search_tuning.ledger import Told
from harness.search_tuning.space import Values
from harness.search_tuning.study import Progress
from harness.search_tuning.study_spec import StudySpec
from harness.view import BAR_CELLS, Wording, bar

if TYPE_CHECKING:
    from harness.chunks import Glimpse

_BEST: Final = 3


@dataclass(frozen=True, slots=True)
class StudyHeading:
    """What is tuned, in words, for the first lines of the output."""

    spec: StudySpec
    workers: int
    folder: str

    def lines(self) -> tuple[str, str]:
        """What is searched, then how."""
        spec, rules = self.spec, self.spec.rules
        return (
            f"{spec.title}: {rules.games:,} games, sampler {rules.sampler}, trials of at most"
            f" {rules.trial_pairs} pairs",
            f"{spec.limit.describe()}, seed {spec.seed}, {self.workers} at a time, {self.folder}",
        )


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """A study as it stands: `games` were played in `elapsed_s`, `told` are its finished trials.

    `incumbent` are the best values by what is known, which may never have been played, and
    `estimate` their Elo against the base and its standard error, if anything tells of that.
    """

    spec: StudySpec
    told: Sequence[Told]
    pairs_done: int
    games: int
    elapsed_s: float
    incumbent: Values | None = None
    estimate: tuple[float, float] | None = None
    running: Sequence[Glimpse] = ()


def progress_of(spec: StudySpec, now: Progress) -> StudyProgress:
    """How a study stands."""
    told = now.course.told
    incumbent = now.proposer.incumbent(told) if any(one.evidence for one in told) else None
    return StudyProgress(
        spec,
        told,
        now.course.pairs_done,
        now.session.games,
        now.session.elapsed_s,
        incumbent,
        None if incumbent is None else now.proposer.estimate(incumbent, told),
        now.session.glimpses,
    )


def panel(progress: StudyProgress) -> RenderableType:
    """How far it is, the best trials, and the values that are best by all of them."""
    share = 2 * progress.pairs_done / progress.spec.rules.games
    table = Table.grid(padding=(0, 2))
    for _ in range(3):
        table.add_column(justify="right", no_wrap=True)
    table.add_column()
    for told in best_trials(progress.told):
        number, elo, pairs = trial_cells(told)
        table.add_row(number, Text(elo, style="bold"), pairs, shown(progress, told.order.played))
    best = [Text(line) for line in incumbent_lines(progress)]
    return Group(
        Text(bar(share, BAR_CELLS), style="cyan"), table, *best, Text(pace(progress), style="dim")
    )


def progress_lines(progress: StudyProgress) -> str:
    """The same as lines of a log."""
    best = [
        f"  {' '.join(trial_cells(told))}; {shown(progress, told.order.played)}"
        for told in best_trials(progress.told)
    ]
    incumbent = [f"  {line}" for line in incumbent_lines(progress)]
    return "\n".join([pace(progress), *best, *incumbent])


def incumbent_lines(progress: StudyProgress) -> list[str]:
    """The incumbent in words, once there is one."""
    if progress.incumbent is None:
        return []
    name = "theta" if progress.spec.rules.sampler == "spsa" else "by all trials"
    values = shown(progress, progress.incumbent)
    if progress.estimate is None:
        return [f"{name}: {values}"]
    elo, error_elo = progress.estimate
    return [f"{name}: {elo:+.0f} ± {Z95 * error_elo:.0f} Elo; {values}"]


def pace(progress: StudyProgress) -> str:
    """How far it is, how fast it goes, and how long it will take."""
    total = progress.spec.rules.games
    per_s = progress.games / progress.elapsed_s if progress.elapsed_s > 0 else 0.0
    left = max(0, total - 2 * progress.pairs_done)
    parts = [
        f"{len(progress.told)} trials",
        f"{2 * progress.pairs_done:,} of {total:,} games",
        f"{60 * per_s:.0f} games/min",
    ]
    return " · ".join([*parts, f"about {duration(left / per_s)} to go"] if per_s else parts)


def best_trials(told: Sequence[Told]) -> list[Told]:
    """Those whose lower bounds are highest: of the merely highest most are lucky."""
    known = [one for one in told if one.evidence is not None and one.order.opponent is None]
    return sorted(known, key=_lower_elo, reverse=True)[:_BEST]


def _lower_elo(told: Told) -> float:
    assert told.evidence is not None
    return told.evidence.upper_elo(-Z95)


def trial_cells(told: Told) -> tuple[str, str, str]:
    """Which trial it is, its result with its interval, and of how many pairs."""
    found = told.evidence
    assert found is not None
    return (
        f"trial {told.order.ordinal}:",
        f"{found.elo:+.0f} ± {Z95 * found.error_elo:.0f} Elo",
        f"in {found.pairs} pairs",
    )


def shown(progress: StudyProgress, values: Values) -> str:
    """A set of values, in words."""
    dimensions = progress.spec.space.dimensions
    return ", ".join(f"{one.name} {one.format(values[one.name])}" for one in dimensions)


def summary(document: Document) -> RenderableType:
    """Claimed beside confirmed, and where everything else is."""
    folder, name = document["folder"], document["name"]
    lines = [f"in {folder}: {name}.cfg, search.json, report.html"]
    if document["claimed"] is not None and not document["confirmed"]:
        lines.append("to test it: the same command without --no-test")
    return Group(Text(), Text(document["sentence"], style="bold"), *map(Text, lines))


#: How a study is told.
SEARCH: Final = Wording(panel, progress_lines, summary)
