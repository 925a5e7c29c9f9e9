"""`--events FILE`: what happens in a test, as JSON lines, while it happens (docs/events.md).

A view like the others, around the one that the user sees. Each line is an object whose `event` says
what else it has. The lines `pair` come in the order of the counted pairs and are the same in equal
runs; times and paces are not.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from harness.errors import UsageError

if TYPE_CHECKING:
    from harness.result import RunProgress
    from harness.view import View

#: Version of the lines; it grows when a key changes its meaning or disappears.
SCHEMA: Final = 1

#: How often a line tells how the run stands.
PROGRESS_S: Final = 1.0

#: What the last line leaves out of run.json: the lines before have it.
_TOLD: Final = ("schema", "pairs", "llr_path")


@contextmanager
def told_to(path: Path | None, view: View) -> Iterator[View]:
    """The view itself, or with a path one that also writes the lines to the file there.

    Raises UsageError when it cannot be written.
    """
    if path is None:
        yield view
        return
    try:
        stream = path.open("w", encoding="utf-8", buffering=1)  # a line at a time
    except OSError as error:
        raise UsageError(f"--events {path}: {error.strerror}; expected a file to write") from None
    with stream:
        yield EventView(view, stream)


class EventView:
    """Keeps the promises of `harness.view.View`; writes to `stream`, then tells `view`."""

    def __init__(
        self, view: View, stream: TextIO, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._view = view
        self._stream = stream
        self._clock = clock
        self.shows_games = view.shows_games
        self._pairs = 0
        self._next_progress_at = clock()
        self._write("stream", schema=SCHEMA)

    def _write(self, event: str, **values: Any) -> None:
        self._stream.write(json.dumps({"event": event, **values}, allow_nan=False) + "\n")

    def compiling(self, kernel: str, done: int, total: int) -> None:
        self._write("compiling", kernel=kernel, done=done, total=total)
        self._view.compiling(kernel, done, total)

    def start(self, heading: Any) -> None:
        self._write("start", **asdict(heading))
        self._view.start(heading)

    def update(self, progress: Any) -> None:
        self._write_pairs(progress.pair_classes, progress.llr_path)
        if self._clock() >= self._next_progress_at:
            self._next_progress_at = self._clock() + PROGRESS_S
            self._write("progress", **progress_numbers(progress))
        self._view.update(progress)

    def _write_pairs(self, classes: Sequence[int], llr_path: Sequence[float]) -> None:
        """A line for each counted pair that was not told yet; classes are digits."""
        for number in range(self._pairs, len(llr_path)):
            pair_class = classes[number] - ord("0")
            self._write("pair", counted=number + 1, pair_class=pair_class, llr=llr_path[number])
        self._pairs = len(llr_path)

    def message(self, text: str) -> None:
        self._write("message", text=text)
        self._view.message(text)

    def close(self) -> None:
        self._view.close()

    def finish(self, document: Mapping[str, Any]) -> None:
        self._write_pairs(document["pairs"].encode(), document["llr_path"])
        self._write("end", **{key: value for key, value in document.items() if key not in _TOLD})
        self._view.finish(document)


def progress_numbers(progress: RunProgress) -> dict[str, Any]:
    """How a run stands, in the words of run.json where that has them."""
    now = progress.estimate
    return {
        "games_played": 2 * progress.pairs_done,
        "max_games": progress.max_games,
        "ptnml": list(progress.ptnml),
        "llr": progress.llr,
        "bounds": [progress.bounds.lower, progress.bounds.upper],
        "elo": now.elo,
        "elo_ci95": list(now.elo_ci95),
        "nelo": now.nelo,
        "nelo_ci95": list(now.nelo_ci95),
        "los": now.los,
        "duplicates": progress.duplicates,
        "faults": progress.faults,
        "games_per_min": progress.games_per_min,
        "expected_games_left": progress.expected_games_left,
        "chance_to_pass": progress.chance_to_pass,
        "eta_s": progress.eta_s,
        "elapsed_s": progress.elapsed_s,
    }
