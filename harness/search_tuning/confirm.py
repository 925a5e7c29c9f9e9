"""What becomes of a study's claim: the final test, and the same test with more nodes a move.

The test is that of `harness sprt`, on openings that neither search nor race has seen. Values that
were found at few nodes need not be as good at many: so a candidate that has passed is tested again
at two and at four times the nodes.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from harness.limits import Limit
from harness.search_tuning.openings import StudyOpenings
from harness.spec import EngineConfig
from harness.texel_verify import Verification
from harness.view import View

NODE_FACTORS: Final = (2, 4)


def confirm(
    verification: Verification,
    folder: Path,
    candidate: EngineConfig,
    openings: StudyOpenings,
    workers: int,
    transfer_games: int,
    view: View,
) -> list[dict[str, Any]]:
    """The documents of the test, and of those with more nodes where it was passed."""
    taken = keys_of(openings)
    documents = [verification.play(folder, candidate, taken, workers, view)]
    nodes = verification.spec.limit.nodes
    if documents[0]["decision"] != "H1" or not nodes or transfer_games < 2:
        return documents
    for factor in NODE_FACTORS:
        spec = verification.spec.model_copy(
            update={
                "limit": Limit(nodes=factor * nodes),
                "max_games": min(verification.spec.max_games, transfer_games - transfer_games % 2),
            }
        )
        more = replace(verification, spec=spec)
        name = f"verify-{factor}x"
        documents.append(more.play(folder, candidate, taken, workers, view, name))
    return documents


def keys_of(openings: StudyOpenings) -> NDArray[np.uint64]:
    """uint64[...]: the keys of the study's positions, increasing."""
    from engine.shell import Game

    return np.unique(np.array([Game(fen).key for fen in openings.fens], np.uint64))
