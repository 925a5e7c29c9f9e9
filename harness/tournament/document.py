"""What a tournament says of itself, in run.json and to those who show it.

As of a test, everything that depends on the machine, the clock or luck is under
`harness.result.MACHINE_KEYS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.report.numbers import FEW_GAMES, number, percent
from harness.result import (
    Document,
    conditions_of,
    describe_side,
    endings_of,
    faults_of,
    games_per_min,
    sittings_of,
    was_interrupted,
)
from harness.stats import count_numbers
from harness.tournament.ratings import Ratings, fit_ratings, implied_ratings, spread_elo

if TYPE_CHECKING:
    from harness.journal import Event, Journal
    from harness.tournament.crosstable import Crosstable
    from harness.tournament.spec import TournamentSpec

SCHEMA = 1


def document_of(
    spec: TournamentSpec, table: Crosstable, journal: Journal, run_dir: Path
) -> Document:
    """The document of a tournament that has ended, or goes on or was interrupted."""
    events = journal.events()
    lost = sum(event.kind == "worker_lost" for event in events)
    standings = standings_of(spec, table)
    encounters = _encounters(spec, table)
    machine = {
        "nps": [table.deeds[row["player"]].searched.nps for row in standings],
        "games_waiting": table.games_waiting,
        "interrupted": not table.reached,
        **sittings_of(journal.provenance(), events),
    }
    return {
        "schema": SCHEMA,
        "kind": spec.kind,
        "form": spec.form,
        "title": spec.title,
        "decision": _decision(table),
        "sentence": _sentence(spec, table, standings, encounters, events),
        "standings": standings,
        "encounters": encounters,
        "anchors": spec.anchors,
        "games_played": table.games_done,
        "games_wanted": 2 * table.pairs,
        "games_per_min": games_per_min(machine),
        "duplicates": table.duplicates,
        "faults": faults_of(table.terminations, lost),
        "terminations": endings_of(table.terminations),
        "players": [describe_side(player) for player in spec.players],
        **conditions_of(spec),
        "run_dir": str(run_dir),
        "machine": machine,
    }


def ratings_of(spec: TournamentSpec, table: Crosstable) -> Ratings:
    """The ratings of the players by their numbers."""
    names = [player.name for player in spec.players]
    anchors = {names.index(name): elo for name, elo in spec.anchors.items()}
    return fit_ratings(len(spec.players), table.meetings, anchors)


def standings_of(spec: TournamentSpec, table: Crosstable) -> list[Document]:
    """A row for each player, the strongest first.

    Ratings are on the anchors' scale, or have mean 0. `los` is the likelihood that the player is
    stronger than the next one, `opponents` what the score against each of them alone would say.
    """
    ratings = ratings_of(spec, table)
    players = range(len(spec.players))
    ranking = sorted(players, key=lambda player: (-ratings.elo[player], player))
    following = dict(pairwise(ranking))
    return [
        {
            "player": player,
            "name": spec.players[player].name,
            "elo": ratings.elo[player],
            "elo_error": ratings.error95(player),
            "anchored": spec.players[player].name in spec.anchors,
            "los": ratings.los(player, following[player]) if player in following else None,
            **_points(table, player),
            "mean_depth": table.deeds[player].searched.mean_depth,
            "faults": {kind.value: n for kind, n in sorted(table.deeds[player].faults.items())},
            **_opponents(spec, table, ratings, player),
        }
        for player in ranking
    ]


def _points(table: Crosstable, player: int) -> Document:
    wins = draws = losses = 0
    for pairing, encounter in zip(table.cycle, table.encounters, strict=True):
        if player in pairing:
            games = encounter.games if player == pairing.first else encounter.games.inverted()
            wins, draws, losses = wins + games.wins, draws + games.draws, losses + games.losses
    total = wins + draws + losses
    return {
        "games": total,
        "wdl": [wins, draws, losses],
        "score": (wins + draws / 2) / total if total else None,
    }


def _opponents(
    spec: TournamentSpec, table: Crosstable, ratings: Ratings, player: int
) -> dict[str, Any]:
    """What each opponent implies; where there are anchors, each of these.

    The others' ratings rest on this very player's games: they would only agree with it.
    """
    implied = [
        one
        for one in implied_ratings(player, table.meetings, ratings)
        if not spec.anchors or spec.players[one.opponent].name in spec.anchors
    ]
    return {
        "opponents": [
            {
                "name": spec.players[one.opponent].name,
                "games": one.games,
                "score": one.score,
                "elo": one.elo,
                "elo_ci95": list(one.elo_ci95),
            }
            for one in implied
        ],
        "spread_elo": spread_elo(implied),
    }


def _encounters(spec: TournamentSpec, table: Crosstable) -> list[Document]:
    """The numbers of each pairing from the view of its first player."""
    return [
        {
            "first": spec.players[pairing.first].name,
            "second": spec.players[pairing.second].name,
            **count_numbers(encounter.pairs, encounter.games),
            "duplicates": encounter.duplicates,
        }
        for pairing, encounter in zip(table.cycle, table.encounters, strict=True)
    ]


def _decision(table: Crosstable) -> str:
    if table.spoilt is not None:
        return "invalid"
    return "finished" if table.reached else "unfinished"


def _sentence(
    spec: TournamentSpec,
    table: Crosstable,
    standings: Sequence[Document],
    encounters: Sequence[Document],
    events: Sequence[Event],
) -> str:
    """The result in one sentence, or why there is none."""
    games = f"{table.games_done:,} games"
    if table.spoilt is not None:
        player, reason = table.spoilt
        return f"Invalid: of {spec.players[player].name} {reason}; no result is given."
    if not table.reached:
        how = "Interrupted" if was_interrupted(events) else "Unfinished"
        return f"{how} after {games} of {2 * table.pairs:,}."
    if spec.form == "match":
        return f"{_match_result(encounters[0])} after {games}."
    challenger = next(row for row in standings if row["player"] == 0)
    if spec.form == "gauntlet":
        return f"{challenger['name']}: {_rating(challenger, spec)} after {games}."
    best = standings[0]
    return f"{best['name']} is first of {len(standings)}: {_rating(best, spec)} after {games}."


def _rating(row: Document, spec: TournamentSpec) -> str:
    """A player's rating in words."""
    if row["anchored"]:
        return f"anchored at {row['elo']:g} Elo"
    if row["games"] < FEW_GAMES:
        return "too few games for a rating"
    error = f"± {number(row['elo_error'], 0)} (95 %)"
    if spec.anchors:
        return f"Elo {row['elo']:.0f} {error} on the anchors' scale"
    return f"Elo {number(row['elo'], 0, signed=True)} {error} from the mean of all players"


def _match_result(encounter: Document) -> str:
    score = (
        f"{encounter['first']} scored {percent(encounter['score'])} against {encounter['second']}"
    )
    if encounter["games_counted"] < FEW_GAMES:
        return score
    low, high = encounter["elo_ci95"]
    return (
        f"{score}: Elo {number(encounter['elo'], 1, signed=True)} ±"
        f" {number((high - low) / 2, 1)} (95 %), LOS {percent(encounter['los'])},"
    )
