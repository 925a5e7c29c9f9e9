"""What a player is configured with, as the record that the kernels read."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from .move import KING
from .parameters import SEARCH, search_defaults
from .state import PARAMETERS_DTYPE, REDUCTION_LIMIT, new_record
from .terms import OFFSETS, SQUARES_INDEX, VALUE_INDEX
from .weights import EVALUATION, weight_defaults

Weights = Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]]

_KING_VALUE_CP = 20_000


def _a1_first(term_weights: tuple[int, ...]) -> NDArray[np.int64]:
    """A board printed rank 8 first becomes a1 first; a scalar stays."""
    values = np.array(term_weights, np.int64)
    return values.reshape(8, 8)[::-1].reshape(64) if len(values) == 64 else values


def build_parameters(
    search: Mapping[str, int] | None = None, weights: Weights | None = None
) -> np.recarray:
    """The parameter record of a configuration; names left out have their defaults."""
    record = new_record(PARAMETERS_DTYPE)
    values = search_defaults() | dict(search or {})
    for parameter in SEARCH:
        record[parameter.name] = values[parameter.name]
    terms = weight_defaults() | dict(weights or {})
    for term in EVALUATION:
        middlegame, endgame = (_a1_first(part) for part in terms[term.name])
        offset = OFFSETS[term.name]
        record.weights[offset : offset + len(middlegame)] = middlegame + (endgame << 32)
    for piece in range(6):
        squares = record.weights[SQUARES_INDEX[piece] :][:64]
        value = record.weights[VALUE_INDEX[piece]] if piece != KING else 0
        record.placement[piece] = squares + value
        if piece != KING:
            name = EVALUATION[piece].name
            record.exchange_values[piece] = (terms[name][0][0] + terms[name][1][0]) // 2
    record.exchange_values[int(KING)] = _KING_VALUE_CP
    base = values["lmr_base"] / 100
    divisor = values["lmr_divisor"] / 100
    logarithms = [math.log(number) for number in range(1, REDUCTION_LIMIT)]
    record.reductions[1:, 1:] = [
        [int(base + by_depth * by_number / divisor) for by_number in logarithms]
        for by_depth in logarithms
    ]
    return record
