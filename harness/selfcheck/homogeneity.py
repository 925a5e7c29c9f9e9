"""Whether the results of several workers could come from one source: Pearson's chi-square; pure.

fishtest does this to find machines that spoil a test. Rows that are expected to have too few
results for the approximation are left out, as there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

#: Expected counts of this size or less make the approximation bad.
FEW: Final = 5.0


class ChiSquare(NamedTuple):
    """The statistic, its degrees of freedom, and the probability of as much by chance alone."""

    statistic: float
    freedom: int
    p: float


def homogeneity(table: Sequence[Sequence[int]]) -> ChiSquare:
    """Of the rows of a table of counts; p is 1 where fewer than two rows have enough results."""
    columns = [column for column in zip(*table, strict=True) if sum(column)]
    rows = [row for row in zip(*columns, strict=True) if min(_expected(row, columns)) > FEW]
    freedom = (len(rows) - 1) * (len(columns) - 1)
    if freedom < 1:
        return ChiSquare(0.0, 0, 1.0)
    kept = list(zip(*rows, strict=True))
    statistic = sum(
        (count - expected) ** 2 / expected
        for row in rows
        for count, expected in zip(row, _expected(row, kept), strict=True)
    )
    return ChiSquare(statistic, freedom, chi_square_tail(statistic, freedom))


def _expected(row: Sequence[int], columns: Sequence[Sequence[int]]) -> list[float]:
    total = sum(map(sum, columns))
    return [sum(row) * sum(column) / total for column in columns]


def chi_square_tail(statistic: float, freedom: int) -> float:
    """P(chi-square with so many degrees of freedom >= statistic).

    Q(a, x) = Gamma(a, x)/Gamma(a) by Q(a + 1, x) = Q(a, x) + x^a e^-x/Gamma(a + 1), from
    Q(1/2, x) = erfc(sqrt x) or Q(1, x) = e^-x.
    """
    x = statistic / 2.0
    if x <= 0.0:
        return 1.0
    a = 0.5 if freedom % 2 else 1.0
    tail = math.erfc(math.sqrt(x)) if freedom % 2 else math.exp(-x)
    while a < freedom / 2.0:
        tail += math.exp(a * math.log(x) - x - math.lgamma(a + 1.0))
        a += 1.0
    return tail
