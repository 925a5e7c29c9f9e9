"""The test of tuned weights against the base, on openings that none of the data began with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from numpy.typing import NDArray

from harness import __version__, options
from harness.files import write_whole
from harness.match import RunOptions, run_match
from harness.openings import BookOpenings, GeneratedOpenings
from harness.spec import AdjudicationConfig, EngineConfig, MatchSpec, OpeningSpec
from harness.splitmix import derive_seed
from harness.view import View

_VERIFY_STEP: Final = 0x766572696679  # "verify"
_BOOK: Final = "verify.epd"
RUN: Final = "verify"
#: At most half of the openings, and so many, may be among the positions of the data.
_FEW: Final = 1000


@dataclass(frozen=True, slots=True)
class Verification:
    """A test to be played once the weights are there; its openings do not depend on them."""

    base: EngineConfig
    spec: MatchSpec

    def play(
        self,
        folder: Path,
        new: EngineConfig,
        taken: NDArray[np.uint64],
        workers: int,
        view: View,
        run_name: str = RUN,
    ) -> dict[str, Any]:
        """Play it in `folder`, or what is missing of it; the document of the run.

        taken : uint64[...], increasing keys of positions that no opening shall be.
        """
        book = folder / _BOOK
        if not book.exists():
            count = self.spec.max_games // 2
            view.message(f"making {count:,} openings that the data does not begin with")
            write_whole(book, "".join(f"{fen}\n" for fen in self._openings(taken)))
        openings = BookOpenings(book, "sequential", self.spec.seed)
        spec = self.spec.model_copy(
            update={
                "new": new,
                "openings": OpeningSpec(
                    kind="book",
                    path=str(book.resolve()),
                    sha256=openings.sha256,
                    order="sequential",
                ),
            }
        )
        run = folder / run_name
        resume = run.exists()
        run.mkdir(exist_ok=True)
        return run_match(spec, RunOptions(run, workers, resume), view)

    def _openings(self, taken: NDArray[np.uint64]) -> Iterator[str]:
        from engine.shell import Game

        defaults = OpeningSpec()
        source = GeneratedOpenings(
            self.spec.seed, defaults.plies, defaults.bound_cp, defaults.nodes
        )
        wanted = self.spec.max_games // 2
        fens = source.distinct_fens(2 * wanted + _FEW)
        return islice((fen for fen in fens if not _is_among(Game(fen).key, taken)), wanted)


def _is_among(key: int, keys: NDArray[np.uint64]) -> bool:
    """Whether it is one of the increasing keys."""
    place = np.searchsorted(keys, np.uint64(key))
    return bool(place < keys.size and keys[place] == key)


def verification_of(context: click.Context, base: EngineConfig, seed: int) -> Verification:
    """The test that the options stand for. Raises UsageError."""
    from engine.jit import source_digest

    values = context.params
    spec = MatchSpec(
        new=base,
        base=base,
        limit=options.match_limit(context),
        adjudication=AdjudicationConfig(),
        seed=derive_seed(seed, _VERIFY_STEP),
        sprt=options.sprt_spec(context).model_copy(update={"overshoot": True}),
        max_games=values["max_games"],
        source_digest=source_digest(),
        tool_version=__version__,
    )
    return Verification(base, spec)
