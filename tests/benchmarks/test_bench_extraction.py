"""Positions a second of one core, from games to rows; games of our engine at 500 nodes a move."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.jit import source_digest
from harness.datagen import generate
from harness.limits import Limit
from harness.playing import RunOptions
from harness.spec import EngineConfig, MatchSpec
from harness.texel.export import export_run
from harness.texel.extract import Extractor
from harness.texel.sources import blocks_of
from tests.unit.texel_games import extraction

GAMES = 100


@pytest.fixture(scope="module")
def run_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games") / "run"
    engine = EngineConfig(name="base")
    spec = MatchSpec(
        new=engine,
        base=engine,
        limit=Limit(nodes=500),
        sprt=None,
        max_games=2 * GAMES,
        source_digest=source_digest(),
    )
    generate(spec, RunOptions(folder, 2), print, print, lambda *_: None)
    return folder


def extracted(extractor: Extractor, source: Path) -> int:
    """How many positions were read, those left out included."""
    return sum(extractor.extract(block).census.positions for block in blocks_of(source))


@pytest.mark.parametrize("noisy", ["keep", "resolve"])
@pytest.mark.parametrize("form", ["run", "games.pgn", "positions.txt"])
def test_extraction(benchmark, run_dir: Path, form: str, noisy: str) -> None:
    source = run_dir if form == "run" else run_dir / form
    if not source.exists():
        export_run(run_dir, source)
    extractor = Extractor(extraction(noisy=noisy))
    extractor.warm_up()
    positions = benchmark(extracted, extractor, source)
    benchmark.extra_info["positions"] = positions
    benchmark.extra_info["positions_per_s"] = positions / benchmark.stats.stats.min
