"""`harness tune search --screen`: which parameters change anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli import main
from harness.search_tuning import screen


def test_a_parameter_of_a_technique_that_is_off_is_dead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen, "DEPTH", 6)
    space = tmp_path / "space.cfg"
    space.write_text(
        "[search]\nnull_move_margin_cp = 100 to 300\nlmr_base = 0.00 to 2.00\n"
        "[fixed]\nnull_move = 0\n"
    )
    shown = CliRunner().invoke(main, ["tune", "search", str(space), "base.cfg", "--screen"])
    assert shown.exit_code == 0, shown.output
    dead, living = shown.output.splitlines()
    assert dead.startswith("null_move_margin_cp: dead, it changes nothing on ")
    assert living.startswith("lmr_base: other node counts on ")
