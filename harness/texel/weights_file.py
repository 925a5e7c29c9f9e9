"""Weights as a config: boards rank 8 first, ready for `extends` and for `weights =`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.weights import EVALUATION
from harness.base_config import term_lines
from harness.spec import Weights
from harness.texel.layout import Layout
from harness.texel.sums.kernel import Floats


def vector(weights: Weights) -> Floats:
    """float64[W, 2] of the engine's terms, boards a1 first."""
    return np.concatenate(
        [
            np.stack([_turned(np.array(half)) for half in weights[term.name]], axis=1)
            for term in EVALUATION
        ]
    ).astype(np.float64)


def tables(layout: Layout, weights: NDArray[np.int64]) -> Weights:
    """The weights (int64[W, 2]) by term, boards as printed."""
    return {
        name: (
            tuple(map(int, _turned(weights[layout.places(name), 0]))),
            tuple(map(int, _turned(weights[layout.places(name), 1]))),
        )
        for name in layout.names
    }


def _turned(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """A board a1 first becomes one rank 8 first, and the other way round; other terms stay."""
    return values.reshape(8, 8)[::-1].reshape(-1) if values.size == 64 else values


def weights_config(weights: Weights, remarks: list[str]) -> str:
    """The text of a file with an [evaluation] section and no other."""
    lines = [f"# {remark}" for remark in remarks]
    lines += ["", "[evaluation]"]
    for term in EVALUATION:
        lines += term_lines(term, *weights[term.name])
    return "\n".join(lines) + "\n"


def engine_config(name: str, base: str, weights_file: str) -> str:
    """The text of an engine's file: the base with other weights; paths relative to the file."""
    return f"[engine]\nname = {name}\nextends = {base}\n\n[evaluation]\nweights = {weights_file}\n"
