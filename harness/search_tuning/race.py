"""The race of the last few: who is still in it, by differences on the same openings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def race_survivors(classes: Mapping[int, Sequence[int]], z: float) -> list[int]:
    """Entrants that are not yet behind the leader, after equally many pairs each, best first.

    classes : of each entrant's pairs (0 to 4), pair k of all of them from the same opening. An
    entrant is out when its mean difference from the leader lies more than `z` standard errors
    below 0; what an opening gives to all of them cancels in the difference.
    """
    ranked = sorted(classes, key=lambda entrant: (-sum(classes[entrant]), entrant))
    leader = classes[ranked[0]]
    return [entrant for entrant in ranked if not _is_behind(classes[entrant], leader, z)]


def _is_behind(pairs: Sequence[int], leader: Sequence[int], z: float) -> bool:
    differences = [a - b for a, b in zip(pairs, leader, strict=True)]
    count = len(differences)
    mean = sum(differences) / count
    variance = sum((d - mean) ** 2 for d in differences) / max(1, count - 1)
    return mean + z * math.sqrt(variance / count) < 0
