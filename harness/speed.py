"""How fast NEW searches beside BASE, with the interval that times deserve; pure arithmetic.

Times on a busy machine swing by a third within seconds, so the sums over a run say little of a
small difference. The two sides of *one game* search alternately and share most of what disturbs
them: for each game x = ln(nps of NEW / nps of BASE) is taken, and the mean m of the x with its
standard error s. exp(m) is the ratio, exp(m -+ 1.96 s) its 95 % interval.

All this is measured time: it differs between equal runs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from harness.elo import Z95

#: A smaller difference is passed over (it is what an unrelated change of the code's layout costs),
#: and so is one that is not this many standard errors away from none: 0.3 % of equal engines are.
DIFFERENCE: Final = 0.02
STANDARD_ERRORS: Final = 3.0

#: Of fewer games the standard error is itself hardly known.
FEWEST_GAMES: Final = 10


@dataclass(frozen=True, slots=True)
class SpeedRatio:
    """Sums over games of x and of its square."""

    games: int = 0
    total: float = 0.0
    squares: float = 0.0

    def with_game(self, new_nps: float | None, base_nps: float | None) -> SpeedRatio:
        """One game more, unless a side's speed was not measured in it."""
        if not new_nps or not base_nps:
            return self
        x = math.log(new_nps / base_nps)
        return SpeedRatio(self.games + 1, self.total + x, self.squares + x * x)

    @property
    def ratio(self) -> float | None:
        """NEW's nodes per second over BASE's; None while there are too few games to tell."""
        return math.exp(self._mean) if self.games >= FEWEST_GAMES else None

    @property
    def ci95(self) -> tuple[float, float] | None:
        """The interval of the ratio; None while there is none."""
        if self.games < FEWEST_GAMES:
            return None
        reach = Z95 * self._standard_error
        return math.exp(self._mean - reach), math.exp(self._mean + reach)

    @property
    def differs(self) -> bool:
        """Whether one side is faster by more than is to be passed over, and surely so."""
        return self.differs_from(1.0)

    def differs_from(self, ratio: float) -> bool:
        """Whether the ratio is surely another one, and by more than is to be passed over."""
        if self.games < FEWEST_GAMES:
            return False
        x = self._mean - math.log(ratio)
        return abs(math.expm1(x)) > DIFFERENCE and abs(x) > STANDARD_ERRORS * self._standard_error

    @property
    def _mean(self) -> float:
        return self.total / self.games

    @property
    def _standard_error(self) -> float:
        variance = (self.squares - self.games * self._mean**2) / (self.games - 1)
        return math.sqrt(max(0.0, variance) / self.games)
