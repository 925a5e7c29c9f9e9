"""What a user sees of a tournament while it goes on, and at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from harness.report.numbers import FEW_GAMES, Document, duration, fault_counts, number
from harness.report.tournament_numbers import (
    ENCOUNTER_HEADS,
    OPPONENT_HEADS,
    STANDING_HEADS,
    encounter_row,
    match_numbers,
    opponent_rows,
    rated_by_anchors,
    rating,
    standing_row,
)
from harness.result import describe_openings, faults_of
from harness.tournament.document import standings_of
from harness.view import Wording, labelled, resume_hint

if TYPE_CHECKING:
    from harness.chunks import Glimpse
    from harness.playing import RunOptions
    from harness.tournament.crosstable import Crosstable
    from harness.tournament.spec import TournamentSpec


@dataclass(frozen=True, slots=True)
class TournamentHeading:
    """What is played, in words, for the first lines of the output."""

    spec: TournamentSpec
    options: RunOptions

    def lines(self) -> tuple[str, str]:
        """Who plays, then how."""
        spec, options = self.spec, self.options
        names = ", ".join(player.name for player in spec.players)
        each = 2 * spec.cycles
        return (
            f"{spec.form} of {names}: {each} games of each pairing, {2 * spec.pairs} in all",
            f"{spec.limit.describe()}, {describe_openings(spec.openings)}, seed {spec.seed}, "
            f"{options.concurrency} at a time, {options.run_dir}",
        )


@dataclass(frozen=True, slots=True)
class TournamentProgress:
    """A tournament as it stands: `games` were played in `elapsed_s`, `lost` workers died.

    `running` are the games that are being played, as far as they were seen.
    Ratings are fitted when they are shown: a view passes over most of what it is told.
    """

    spec: TournamentSpec
    table: Crosstable
    games: int
    elapsed_s: float
    lost: int
    running: Sequence[Glimpse] = ()

    @property
    def pairs_done(self) -> int:
        return self.table.pairs_done


def panel(progress: TournamentProgress) -> RenderableType:
    """The standings, and how fast it goes."""
    return Group(
        standings_table(standings_of(progress.spec, progress.table), bool(progress.spec.anchors)),
        Text(pace(progress), style="dim"),
    )


def progress_line(progress: TournamentProgress) -> str:
    """One line of a log, complete in itself."""
    anchored = bool(progress.spec.anchors)
    ratings = ", ".join(
        f"{row['name']} {rating(row['elo'], anchored)} ± {number(row['elo_error'], 0)}"
        for row in standings_of(progress.spec, progress.table)
        if row["games"] >= FEW_GAMES and not row["anchored"]
    )
    return f"{pace(progress)}  {ratings}"


def pace(progress: TournamentProgress) -> str:
    """How far it is, how fast it goes, how long it will take, and what went wrong."""
    table = progress.table
    games_per_s = progress.games / progress.elapsed_s if progress.elapsed_s > 0 else 0.0
    left = 2 * table.pairs - table.games_done
    parts = [
        f"{table.games_done:,} of {2 * table.pairs:,} games",
        duration(progress.elapsed_s),
        f"{number(60.0 * games_per_s, 0)} games/min",
        f"about {duration(left / games_per_s if games_per_s else None)} to go",
    ]
    faults = sum(faults_of(table.terminations, progress.lost).values())
    for count, one in ((table.duplicates, "duplicate pair"), (faults, "fault")):
        if count:
            parts.append(f"{count} {one}" if count == 1 else f"{count} {one}s")
    return " · ".join(parts)


def final_summary(document: Document) -> RenderableType:
    """Result, standings, encounters, what each opponent implies, and where the run is kept."""
    parts: list[RenderableType] = [Text(), Text(document["sentence"], style="bold"), Text()]
    if document["form"] == "match":
        parts += [*(labelled(label, value) for label, value in match_numbers(document)), Text()]
    if document["form"] != "match" or document["anchors"]:
        parts += [standings_table(document["standings"], bool(document["anchors"])), Text()]
    if document["form"] != "match":
        rows = [encounter_row(row) for row in document["encounters"]]
        parts += [text_table(ENCOUNTER_HEADS, rows), Text()]
    for row in rated_by_anchors(document):
        heads = (f"{row['name']} {OPPONENT_HEADS[0]}", *OPPONENT_HEADS[1:])
        parts += [text_table(heads, opponent_rows(row)), Text()]
    parts += [
        labelled("games", f"{document['games_played']:,} of {document['games_wanted']:,}"),
        labelled("pace", f"{number(document['games_per_min'], 0)} games a minute"),
        labelled("faults", fault_counts(document["faults"])),
        labelled("run folder", document["run_dir"]),
    ]
    hint = resume_hint(document)
    return Group(*parts, *([Text(hint)] if hint else []))


def standings_table(standings: Sequence[Document], anchored: bool) -> Text:
    """The rating table; on an anchored scale ratings have no sign."""
    return text_table(STANDING_HEADS, [standing_row(row, anchored) for row in standings])


def text_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Text:
    """Names to the left, numbers to the right; lines are never cut, so that they can be pasted."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(
            f"{cell:>{width}}" if place else f"{cell:<{width}}"
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )

    return Text("\n").join([Text(line(heads), style="dim"), *(Text(line(row)) for row in rows)])


#: How a tournament is told.
TOURNAMENT = Wording(panel, progress_line, final_summary)
