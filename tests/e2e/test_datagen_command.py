"""`harness datagen` as it is installed: games, their files, and what the tuner reads of them."""

from __future__ import annotations

import json
from pathlib import Path

import chess.pgn

from harness.texel.build import build
from tests.e2e.test_commands import harness
from tests.unit.texel_games import options


def test_games_are_made_exported_and_read(tmp_path: Path) -> None:
    done = harness(
        *("datagen", "--games", "6", "--nodes", "60", "--seed", "5", "--concurrency", "2"),
        *("--out", "runs", "--export", "positions.bin", "--json", "made.json"),
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    made = json.loads((tmp_path / "made.json").read_text())
    run = made["run_dir"]
    positions = made["exported"]["positions"]
    assert done.stdout.splitlines()[-2:] == [
        f"6 games, {made['plies'] - 48} plies ({made['results']['1-0']} 1-0,"
        f" {made['results']['1/2-1/2']} 1/2-1/2, {made['results']['0-1']} 0-1): {run}",
        f"{positions} positions: positions.bin",
    ]
    assert (tmp_path / "positions.bin").stat().st_size == 32 * positions > 0

    for name in ("games.pgn", "positions.txt"):
        done = harness("datagen", "--resume", run, "--export", name, cwd=tmp_path)
        assert done.returncode == 0
    with (tmp_path / "games.pgn").open() as file:
        games = list(iter(lambda: chess.pgn.read_game(file), None))
    assert sum(len(list(game.mainline_moves())) for game in games) == made["plies"]
    assert len((tmp_path / "positions.txt").read_text().splitlines()) == positions

    censuses = [
        build([tmp_path / source], options(noisy=noisy), None).census
        for source, noisy in ((run, "calm"), ("games.pgn", "calm"), ("positions.txt", "keep"))
    ]
    assert censuses[0].positions == censuses[1].positions == made["plies"]
    assert censuses[0].positions_dropped == censuses[1].positions_dropped
    # Of moves without a search behind them the tuner keeps the positions, a trainer cannot.
    assert censuses[0].train == censuses[1].train >= censuses[2].train > 0
    assert censuses[2].positions == positions
