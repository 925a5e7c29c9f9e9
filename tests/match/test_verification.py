"""The test of tuned weights: its openings, and that it can be gone on with."""

from __future__ import annotations

import numpy as np
from rich.console import Console

from engine.jit import source_digest
from engine.shell import Game
from harness.limits import Limit
from harness.spec import EngineConfig, MatchSpec
from harness.texel_verify import Verification
from harness.view import QuietView


def test_no_opening_is_among_the_positions_of_the_data(tmp_path):
    spec = MatchSpec(
        new=EngineConfig(name="new", source="null"),
        base=EngineConfig(name="base", source="null"),
        limit=Limit(nodes=100),
        max_games=8,
        seed=3,
        source_digest=source_digest(),
    )
    new, view = EngineConfig(name="tuned", source="null"), QuietView(Console())
    verification = Verification(spec.base, spec)

    def play(name, taken):
        folder = tmp_path / name
        folder.mkdir()
        document = verification.play(folder, new, np.sort(np.array(taken, np.uint64)), 1, view)
        fens = (folder / "verify.epd").read_text().splitlines()
        return document, [Game(fen).key for fen in fens]

    document, keys = play("free", [])
    assert document["new"]["name"] == "tuned"
    assert document["games_played"] == 8
    assert len(set(keys)) == 4
    _, others = play("taken", keys[1:3])
    assert not set(others) & set(keys[1:3])
    assert others[:2] == [keys[0], keys[3]]
    again = verification.play(tmp_path / "free", new, np.zeros(0, np.uint64), 1, view)
    assert again["games_played"] == 8
