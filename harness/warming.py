"""`python -m harness.warming FOLDER`: compile the engine copy in FOLDER, and say how far it is.

Run by `harness.snapshot.warm`. Prints `name <tab> done <tab> total` before each step and at the
end; everything else goes to stderr.
"""

from __future__ import annotations

import sys
from pathlib import Path

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


def _say(name: str, done: int, total: int) -> None:
    sys.stdout.write(f"{name}\t{done}\t{total}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    die_with_parent()
    main(Path(sys.argv[1]))
