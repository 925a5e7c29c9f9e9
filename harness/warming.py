"""`python -m harness.warming FOLDER [beside]`: compile the engine in FOLDER, and say how far it is.

Run by `harness.snapshot.warm`. Prints `name <tab> done <tab> total` before each step and at the
end; everything else goes to stderr. With `beside` it is compiled as another engine beside a run's
own, and tried out: an old revision may not be what this harness can play.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np

from harness.child import die_with_parent, use_snapshot


def main(folder: Path) -> None:
    """Compile every entry point, the statistics' kernel included."""
    use_snapshot(folder)
    from engine.shell import warm_up
    from harness.score import Pentanomial
    from harness.snapshot import mark_warm
    from harness.sprt import llr

    def report(name: str, done: int, total: int) -> None:
        # One more step than the engine has; its last report says no more than the next one.
        if done < total:
            _say(name, done, total + 1)
        else:
            _say("statistics", done, total + 1)
            llr(Pentanomial(1, 2, 4, 2, 1), 0.0, 5.0)
            _say("done", total + 1, total + 1)

    warm_up(report)
    mark_warm(folder)


def main_beside(folder: Path) -> None:
    """Compile the engine of another revision. Raises SystemExit, with the reason as its code."""
    from harness.engines import add_package
    from harness.snapshot import mark_warm

    try:
        shell = importlib.import_module(f"{add_package(folder)}.shell")
        shell.warm_up(_say)
        _try_out(shell)
    except (ImportError, AttributeError, TypeError) as error:
        raise SystemExit(
            f"the engine in {folder} cannot be played by this harness ({error}); expected a newer"
            " revision"
        ) from error
    mark_warm(folder, beside=True)


def _try_out(shell: Any) -> None:
    """Whatever `harness.players` asks of an engine. Raises AttributeError or TypeError."""
    searcher = shell.Searcher({}, None, 1)
    searcher.new_game(shell.STARTPOS, False)
    limit = shell.SearchLimit(
        nodes=1, depth=1, movetime_ms=None, time_left_ms=None, increment_ms=0, moves_to_go=0
    )
    result = searcher.go(np.zeros(1, np.uint16), 0, limit)
    _ = result.move, result.score_cp, result.depth, result.nodes, result.time_ns


def _say(name: str, done: int, total: int) -> None:
    sys.stdout.write(f"{name}\t{done}\t{total}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    die_with_parent()
    (main_beside if sys.argv[2:] else main)(Path(sys.argv[1]))
