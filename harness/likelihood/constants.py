"""Numbers that the compiled ratio shares with the estimates of `harness.elo`."""

from __future__ import annotations

import math
from typing import Final

#: What a class without results counts as (fishtest's choice): keeps every formula finite.
ZERO_COUNT: Final = 1e-3

#: C: one unit of (mean - 1/2)/(standard deviation per game), in normalized Elo.
NORMALIZED_ELO_SCALE: Final = 800.0 / math.log(10.0)
