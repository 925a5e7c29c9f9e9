"""K: how many centipawns are worth how much of a game, fitted first with the starting weights.

sigma(E) = 1/(1 + exp(-k E)), k in 1/centipawn. Texel's K is 400 k / ln 10, and tuners that write
exp(-K E / 400) mean 400 k.
"""

from __future__ import annotations

import math
from typing import Final

from scipy.optimize import minimize_scalar

from harness.errors import UsageError
from harness.texel.positions import Positions
from harness.texel.sums.kernel import Floats

#: Bounds of the search. At 0.0005 a queen is worth 61 % of a game, at 0.05 half a pawn is 92 %: no
#: evaluation in centipawns has its scale outside.
LOWEST: Final = 0.0005
HIGHEST: Final = 0.05
#: Relative, of k: far below what would change a weight by a centipawn.
_TOLERANCE: Final = 1e-7
_AT_THE_BOUND: Final = 0.01


def find_scale(positions: Positions, weights: Floats) -> float:
    """The k between the bounds by which the weights predict the targets best.

    Raises UsageError when it runs to a bound: the weights then do not tell won positions from lost
    ones, or tell them apart without an error.
    """
    found = minimize_scalar(
        lambda log_k: positions.loss(weights, math.exp(log_k)),
        bounds=(math.log(LOWEST), math.log(HIGHEST)),
        method="bounded",
        options={"xatol": _TOLERANCE},
    )
    for bound, reason in (
        (LOWEST, "the starting weights do not tell won positions from lost ones"),
        (HIGHEST, "the starting weights foretell every result, as no evaluation does"),
    ):
        if abs(found.x - math.log(bound)) < _AT_THE_BOUND:
            raise UsageError(
                f"K runs away to {bound:g}/cp: {reason}; expected results that fit the positions"
                " (whose point of view?), or the scale by --scale"
            )
    return math.exp(found.x)
