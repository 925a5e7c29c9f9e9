"""The numbers of a tournament as text, the same for the terminal and for report.html."""

from __future__ import annotations

from typing import Final

from harness.report.numbers import (
    FEW_GAMES,
    Document,
    number,
    pair_counts,
    percent,
    strength,
    strength_rows,
    win_counts,
)

STANDING_HEADS: Final = ("player", "Elo", "±", "games", "+", "=", "-", "score", "LOS", "depth")
ENCOUNTER_HEADS: Final = ("pairing", "games", "+", "=", "-", "ptnml", "Elo", "95 %", "LOS")
OPPONENT_HEADS: Final = ("against", "games", "score", "rating", "from", "to (95 %)")


def rating(elo: float | None, anchored: bool) -> str:
    """On the anchors' scale a number such as 2503; else the signed distance from the mean."""
    if anchored:
        return "–" if elo is None else f"{elo:.0f}"
    return number(elo, 1, signed=True)


def standing_row(row: Document, anchored: bool) -> tuple[str, ...]:
    """A line of the rating table; `anchored`: ratings are on the anchors' scale.

    After a few games there is no rating yet; an anchor has its own from the start.
    """
    few = row["games"] < FEW_GAMES
    known = row["elo"] if row["anchored"] or not few else None
    return (
        row["name"],
        rating(known, anchored),
        "anchor" if row["anchored"] else number(None if few else row["elo_error"], 1),
        f"{row['games']:,}",
        *map(str, row["wdl"]),
        percent(row["score"]),
        percent(None if few else row["los"]),
        number(row["mean_depth"], 1),
    )


def match_numbers(document: Document) -> list[tuple[str, str]]:
    """Label and value of each statistic of a match, from the view of the first-named."""
    row = document["encounters"][0]
    return [
        *strength_rows(row, 1),
        ("LOS", percent(row["los"] if row["games_counted"] >= FEW_GAMES else None, 2)),
        ("score", f"{percent(row['score'], 2)} of {row['games_counted']:,} games"),
        ("W/D/L", win_counts(row["wdl"])),
        ("ptnml", pair_counts(row["ptnml"])),
        ("even pairs", percent(row["draw_ratio"])),
    ]


def versus_heads(document: Document) -> tuple[str, ...]:
    """The columns of the table of everyone against everyone."""
    return ("points", *(str(place) for place, _ in enumerate(document["standings"], 1)))


def versus_rows(document: Document) -> list[tuple[str, ...]]:
    """The points of each player, in the order of the standings, against each other one."""
    points = {}
    for row in document["encounters"]:
        wins, draws, losses = row["wdl"]
        points[row["first"], row["second"]] = (wins + draws / 2, row["games_counted"])
        points[row["second"], row["first"]] = (losses + draws / 2, row["games_counted"])
    names = [row["name"] for row in document["standings"]]
    return [
        (f"{place}. {name}", *(_points(points.get((name, other))) for other in names))
        for place, name in enumerate(names, 1)
    ]


def _points(points: tuple[float, int] | None) -> str:
    return "" if points is None else f"{points[0]:g} / {points[1]}"


def rated_by_anchors(document: Document) -> list[Document]:
    """The players whose rating stands on several opponents of given ratings."""
    return [
        row
        for row in document["standings"]
        if document["anchors"] and not row["anchored"] and len(row["opponents"]) > 1
    ]


def encounter_row(row: Document) -> tuple[str, ...]:
    """A line of the table of pairings, from the view of the first-named."""
    games = row["games_counted"]
    elo, ends = strength(row["elo"], row["elo_ci95"], games)
    return (
        f"{row['first']} – {row['second']}",
        f"{games:,}",
        *map(str, row["wdl"]),
        pair_counts(row["ptnml"]),
        elo,
        ends,
        percent(row["los"] if games >= FEW_GAMES else None),
    )


def opponent_rows(row: Document) -> list[tuple[str, ...]]:
    """What each opponent's rating and the score against it say of a player; then their spread."""
    enough = all(one["games"] >= FEW_GAMES for one in row["opponents"])
    lines = [
        (
            one["name"],
            f"{one['games']:,}",
            percent(one["score"]),
            *(
                rating(value if one["games"] >= FEW_GAMES else None, True)
                for value in (one["elo"], *one["elo_ci95"])
            ),
        )
        for one in row["opponents"]
    ]
    return [
        *lines,
        ("standard deviation", "", "", rating(row["spread_elo"] if enough else None, True), "", ""),
    ]
