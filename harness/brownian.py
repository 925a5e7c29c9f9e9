"""A Brownian motion between two bounds: where it leaves, and when; exact, by images.

The LLR of a sequential test is nearly such a motion (Van den Bergh, brownian_approximation.pdf).
Here it starts at 0, has variance 1 per unit of time and the drift `drift`, and stops at `lower` < 0
or `upper` > 0. With L = upper - lower, reflection at both bounds and Girsanov's factor give

    P(it has left at the top by t) = sum over k of e^(drift upper) I(upper + 2 k L),
    I(a) = sgn a (e^(-drift |a|) Phi((drift t - |a|)/sqrt t)
                  + e^(drift |a|) Phi((-drift t - |a|)/sqrt t)),

    P(it has not left by t and is below y) = sum over k of J(2 k L) - J(2 upper + 2 k L),
    J(c) = e^(drift c) (Phi((y - c - drift t)/sqrt t) - Phi((lower - c - drift t)/sqrt t)).

(Borodin and Salminen, Handbook of Brownian Motion, 2nd edition, II.1.15 and II.3.0; the spectral
series of the same quantities converges fast for late times only, this one for all that tests take.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

#: Images whose terms are below e^-40 are left out.
_NEGLIGIBLE: Final = 40.0

#: Beyond a time by which all but this share has stopped, an integral over time has nothing to add.
_SURELY_STOPPED: Final = 1e-9
#: Of Simpson's rule, even.
_STEPS: Final = 400

#: Below, erfc is near underflow and the asymptotic series has more digits than are needed.
_FAR: Final = -25.0


@dataclass(frozen=True, slots=True)
class Motion:
    """A Brownian motion of variance 1 per unit of time that starts at 0 and stops at two bounds."""

    drift: float
    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not self.lower < 0.0 < self.upper:
            raise ValueError(f"bounds {self.lower:g}, {self.upper:g}: expected 0 between them")

    @property
    def _width(self) -> float:
        return self.upper - self.lower

    def mirrored(self) -> Motion:
        """The same motion seen upside down."""
        return Motion(-self.drift, -self.upper, -self.lower)

    def top(self) -> float:
        """The probability that it stops at the upper bound, whenever."""
        if self.drift < 0.0:
            return 1.0 - self.mirrored().top()
        if self.drift * self._width < 1e-12:
            return -self.lower / self._width
        return math.expm1(2.0 * self.drift * self.lower) / math.expm1(
            -2.0 * self.drift * self._width
        )

    def mean_time(self) -> float:
        """How long it takes on average to stop."""
        if abs(self.drift) < 5e-7:
            return -self.lower * self.upper
        top = self.top()
        return (self.upper * top + self.lower * (1.0 - top)) / self.drift

    def mean_time_within(self, limit: float) -> float:
        """How long it takes on average to stop, or `limit` where that is sooner.

        The integral of the probability that it has not stopped, by Simpson's rule.
        """
        if self.not_stopped_by(limit) < _SURELY_STOPPED:
            return self.mean_time()
        step = limit / _STEPS
        inside = [self.not_stopped_by(step * place) for place in range(_STEPS + 1)]
        odd, even = sum(inside[1:-1:2]), sum(inside[2:-1:2])
        return step / 3.0 * (inside[0] + 4.0 * odd + 2.0 * even + inside[-1])

    def not_stopped_by(self, time: float) -> float:
        """The probability that it is still on its way at `time`."""
        return max(0.0, 1.0 - self.top_by(time) - self.bottom_by(time))

    def top_by(self, time: float) -> float:
        """The probability that it has stopped at the upper bound by `time`."""
        if time <= 0.0:
            return 0.0
        root, drift = math.sqrt(time), self.drift
        total = 0.0
        for k in self._images(time):
            place = self.upper + 2.0 * k * self._width
            way = abs(place)
            term = _product(drift * (self.upper - way), (drift * time - way) / root) + _product(
                drift * (self.upper + way), (-drift * time - way) / root
            )
            total += math.copysign(term, place)
        return min(1.0, max(0.0, total))

    def bottom_by(self, time: float) -> float:
        """The probability that it has stopped at the lower bound by `time`."""
        return self.mirrored().top_by(time)

    def inside_below(self, value: float, time: float) -> float:
        """The probability that it has not stopped by `time` and is then at `value` or below."""
        if time <= 0.0:
            return float(value >= 0.0)
        value = min(max(value, self.lower), self.upper)
        total = 0.0
        for k in self._images(time):
            shift = 2.0 * k * self._width
            total += self._image(shift, value, time)
            total -= self._image(2.0 * self.upper + shift, value, time)
        return min(1.0, max(0.0, total))

    def _image(self, place: float, value: float, time: float) -> float:
        root, centre = math.sqrt(time), place + self.drift * time
        low, high = (self.lower - centre) / root, (value - centre) / root
        if low > 0.0:  # the upper tail: its digits are lost where Phi is near 1
            low, high = -high, -low
        weight = self.drift * place
        return _product(weight, high) - _product(weight, low)

    def _images(self, time: float) -> range:
        reach = math.sqrt(2.0 * _NEGLIGIBLE * time + self._width**2)
        most = math.ceil((reach / self._width + 1.0) / 2.0) + 1
        return range(-most, most + 1)


def _product(exponent: float, x: float) -> float:
    """e^exponent Phi(x), also where the one is huge and the other tiny."""
    return math.exp(exponent + log_normal_cdf(x))


def log_normal_cdf(x: float) -> float:
    """ln Phi(x), without underflow."""
    if x > _FAR:
        return math.log(0.5 * math.erfc(-x / math.sqrt(2.0)))
    square = x * x
    return (
        -0.5 * square
        - math.log(-x * math.sqrt(2.0 * math.pi))
        + math.log1p(-1.0 / square + 3.0 / square**2)
    )
