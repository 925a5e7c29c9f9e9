"""The numbers of a finished run as text, the same for the terminal and for report.html.

Reads the document that is written to run.json (docs/sprt.md has its keys). All values are from the
point of view of the first-named engine, NEW.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Document = Mapping[str, Any]

PAIR_CLASSES = ("0-2", "½-1½", "1-1", "1½-½", "2-0")


def number(value: float | None, digits: int = 2, *, signed: bool = False) -> str:
    """`value` with fixed digits; a dash where the run could not compute it."""
    if value is None:
        return "–"
    return f"{value:{'+' if signed else ''},.{digits}f}"


def interval(ends: Sequence[float | None], digits: int = 1) -> str:
    """A 95 % interval as `[-1.2, +3.4]`; an open end reads as a dash."""
    low, high = ends
    return f"[{number(low, digits, signed=True)}, {number(high, digits, signed=True)}]"


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
    rows = [
        ("LLR", f"{number(document['llr'])}  (bounds {number(low)}, {number(high)})"),
        ("Elo", f"{number(document['elo'], 1, signed=True)}  {interval(document['elo_ci95'])}"),
        ("nElo", f"{number(document['nelo'], 1, signed=True)}  {interval(document['nelo_ci95'])}"),
        ("LOS", percent(document["los"], 2)),
        ("ptnml", pair_counts(document["ptnml"])),
        ("draw ratio", percent(document["draw_ratio"])),
    ]
    counted, played = document["games_counted"], document["games_played"]
    rows += [
        ("games", f"{counted:,} counted, {played:,} played"),
        ("pace", f"{number(document['games_per_min'], 0)} games a minute"),
        ("duplicates", f"{document['duplicates']:,}"),
        ("faults", fault_counts(document["faults"])),
    ]
    return rows


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
    change = machine["nps_ratio"] - 1
    least, most = sorted(abs(end - 1) for end in machine["nps_ratio_ci95"])
    return (
        f"new searches {abs(change):.1%} {'more' if change > 0 else 'fewer'} nodes a second than"
        f" base (95 % interval {least:.1%} to {most:.1%}); a verdict at fixed nodes or depth leaves"
        " that out, one at a clock (--tc) does not."
    )
