"""A finished run as run.json describes it, made by hand for the readers' tests."""

import random
from collections.abc import Mapping
from typing import Any


def run_document(pairs: int = 120, **changes: Any) -> dict[str, Any]:
    """A run of `pairs` pairs that accepted H1; `changes` replace top-level keys."""
    classes = "".join(random.Random(pairs).choices("01234", [2, 18, 45, 27, 8], k=pairs))
    document: dict[str, Any] = {
        "schema": 1,
        "decision": "H1",
        "sentence": "new gains: H1 of [0, 10] nElo accepted.",
        "llr": 2.97,
        "bounds": [-2.944439, 2.944439],
        "elo": 44.5,
        "elo_ci95": [28.4, 60.8],
        "nelo": 66.8,
        "nelo_ci95": [42.6, 91.2],
        "los": 0.99987,
        "draw_ratio": 0.396,
        "ptnml": [classes.count(digit) for digit in "01234"],
        "pairs": classes,
        "llr_path": [2.97 * number / pairs for number in range(1, pairs + 1)],
        "games_counted": 2 * pairs,
        "games_played": 2 * pairs + 6,
        "games_per_min": 512.3,
        "duplicates": 3,
        "faults": {"crash": 0, "worker_lost": 0},
        "seed": 1,
        "spec_hash": "3f" * 32,
        "source_digest": "a9" * 32,
        "run_dir": "reports/some-run",
        "new": {"name": "new", "source": "builtin", "digest": "ab" * 32},
        "base": {"name": "base", "source": "builtin", "digest": "cd" * 32},
        "limit": "nodes=5000",
        "model": "normalized",
        "elo0": 0.0,
        "elo1": 10.0,
        "alpha": 0.05,
        "beta": 0.05,
        "mean_depth": [8.41, 8.33],
        "openings": "generated, 8 plies",
        "terminations": {"checkmate": 100, "threefold": 140},
        "tool_version": "0.1.0",
        "machine": {
            "nps": [1_300_000, 1_301_000],
            "nps_ratio": 1.001,
            "nps_ratio_ci95": [0.991, 1.011],
            "nps_differ": False,
            "elapsed_s": 97.2,
            "concurrency": 2,
            "interrupted": False,
        },
    }
    return document | changes


def machine(document: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """`document` with values of its "machine" part replaced."""
    return {**document, "machine": {**document["machine"], **changes}}
