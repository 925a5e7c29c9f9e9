"""The numbers of a finished run as text, the same for the terminal and for report.html.

Reads the document that is written to run.json (docs/sprt.md has its keys). All values are from the
point of view of the first-named engine, NEW.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.sprt import without_minus_zero

Document = Mapping[str, Any]

PAIR_CLASSES = ("0-2", "½-1½", "1-1", "1½-½", "2-0")


#: Before so many games an estimate and its interval say nothing, and are not shown.
FEW_GAMES = 20

#: Estimates and ends of intervals beyond are matters of the formula, not of chess.
LARGEST_ELO = 1199.0


def number(value: float | None, digits: int = 2, *, signed: bool = False) -> str:
    """`value` with fixed digits, zero without a sign; a dash where there is no such number."""
    if value is None:
        return "–"
    return without_minus_zero(f"{value:{'+' if signed else ''},.{digits}f}")


def interval(ends: Sequence[float | None], digits: int = 1) -> str:
    """A 95 % interval as `[-1.2, +3.4]`; an open end reads as a dash."""
    low, high = ends
    return f"[{number(low, digits, signed=True)}, {number(high, digits, signed=True)}]"


def strength(value: float, ends: Sequence[float], games: int, digits: int = 1) -> tuple[str, str]:
    """Elo or nElo after so many games, and its interval; dashes where they say nothing yet."""
    shown = [None if games < FEW_GAMES or abs(x) > LARGEST_ELO else x for x in (value, *ends)]
    return number(shown[0], digits, signed=True), interval(shown[1:], digits)


def percent(share: float | None, digits: int = 1) -> str:
    """A share of one as a percentage."""
    return "–" if share is None else f"{100 * share:.{digits}f} %"


def duration(seconds: float | None) -> str:
    """Whole seconds as `45 s`, `3 min 20 s` or `2 h 05 min`."""
    if seconds is None:
        return "–"
    whole = max(0, round(seconds))
    minutes, rest_s = divmod(whole, 60)
    hours, rest_min = divmod(minutes, 60)
    if hours:
        return f"{hours} h {rest_min:02d} min"
    return f"{minutes} min {rest_s:02d} s" if minutes else f"{rest_s} s"


def key_numbers(document: Document) -> list[tuple[str, str]]:
    """Label and value of each statistic, in reading order."""
    low, high = document["bounds"]
    counted, played = document["games_counted"], document["games_played"]
    return [
        ("LLR", f"{number(document['llr'])}  (bounds {number(low)}, {number(high)})"),
        *strength_rows(document, 1),
        *unbiased_rows(document, 1),
        ("LOS", percent(document["los"] if counted >= FEW_GAMES else None, 2)),
        ("W/D/L", win_counts(document["wdl"])),
        ("ptnml", pair_counts(document["ptnml"])),
        ("even pairs", percent(document["draw_ratio"])),
        ("games", f"{counted:,} counted, {played:,} played, at most {document['max_games']:,}"),
        ("pace", f"{number(document['games_per_min'], 0)} games a minute"),
        ("duplicates", f"{document['duplicates']:,}"),
        ("faults", fault_counts(document["faults"])),
    ]


def strength_rows(document: Document, digits: int) -> list[tuple[str, str]]:
    """Elo and nElo with their intervals."""
    games = document["games_counted"]
    return [
        (label, "  ".join(strength(document[key], document[f"{key}_ci95"], games, digits)))
        for label, key in (("Elo", "elo"), ("nElo", "nelo"))
    ]


def unbiased_rows(document: Document, digits: int) -> list[tuple[str, str]]:
    """The same by the estimates that know of the stop rule; none where there are none."""
    if document.get("elo_unbiased") is None:
        return []
    games = document["games_counted"]
    rows = (("Elo, unbiased", "elo_unbiased"), ("nElo, unbiased", "nelo_unbiased"))
    return [
        (label, "  ".join(strength(document[key], document[f"{key}_ci95"], games, digits)))
        for label, key in rows
    ]


def paste_block(document: Document) -> list[str]:
    """The result in the form that engine developers paste into pull requests.

    A line is left out where the document does not have its numbers (of bare counts, for example).
    """
    low, high = document["bounds"]
    unit = "nElo" if document["model"] == "normalized" else "Elo"
    test = f"[{document['elo0']:.2f}, {document['elo1']:.2f}] {unit}"
    games = f"N: {document['games_counted']}"
    if document["wdl"] is not None:
        games += " W: {} D: {} L: {}".format(*document["wdl"])
    rows = [
        *strength_rows(document, 2),
        ("SPRT", f"{document['limit']}{_hash_sizes(document)}" if "limit" in document else None),
        ("LLR", f"{number(document['llr'])} ({number(low)}, {number(high)}) {test}"),
        ("Games", games),
        ("Penta", pair_counts(document["ptnml"]) if document["ptnml"] is not None else None),
        (
            "Book",
            f"{document['openings']}, seed {document['seed']}" if "openings" in document else None,
        ),
    ]
    return [f"{label:<5} | {value}" for label, value in rows if value is not None]


def _hash_sizes(document: Document) -> str:
    """`, Hash 16 MB`, or both sizes where the two sides have different ones."""
    sizes = [document[side]["options"].get("Hash") for side in ("new", "base")]
    if None in sizes:
        return ""
    return ", Hash " + " against ".join(dict.fromkeys(sizes)) + " MB"


def win_counts(wdl: Sequence[int]) -> str:
    """Games won, drawn and lost by NEW."""
    return " / ".join(str(count) for count in wdl)


def pair_counts(ptnml: Sequence[int]) -> str:
    """The five counts in the usual brackets."""
    return "[" + ", ".join(str(count) for count in ptnml) + "]"


def fault_counts(faults: Mapping[str, int]) -> str:
    """What went wrong, by kind: `3: crash 1, hang 2`; `0` when nothing did."""
    kinds = ", ".join(f"{kind.replace('_', ' ')} {n}" for kind, n in faults.items() if n)
    return f"{sum(faults.values())}: {kinds}" if kinds else "0"


def speed_ratio(document: Document) -> str:
    """Nodes per second of NEW over BASE with the 95 % interval; a dash where not measured."""
    machine = document["machine"]
    low, high = machine["nps_ratio_ci95"] or (None, None)
    return f"{number(machine['nps_ratio'], 3)}  [{number(low, 3)}, {number(high, 3)}]"


def speed_warning(document: Document) -> str | None:
    """One sentence when the two sides' speeds surely differ by more than is to be passed over."""
    machine = document["machine"]
    if not machine["nps_differ"]:
        return None
    meant = machine.get("nps_ratio_meant", 1.0)
    if meant != 1.0:
        return (
            f"In these games the ratio of speeds was {speed_ratio(document)}, and"
            f" {document['new']['name']} had {meant:g} times the nodes; play the test again with"
            f" --scale-nodes-by {machine['nps_ratio']:.3f}."
        )
    change = machine["nps_ratio"] - 1
    least, most = sorted(abs(end - 1) for end in machine["nps_ratio_ci95"])
    return (
        f"{document['new']['name']} searches {abs(change):.1%}"
        f" {'more' if change > 0 else 'fewer'} nodes a second than {document['base']['name']}"
        f" (95 % interval {least:.1%} to {most:.1%}); a verdict at fixed nodes or depth leaves"
        " that out, one with --scale-nodes or at a clock (--tc) does not."
    )
