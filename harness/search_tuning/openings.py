"""The openings of a study: three sets without a common position.

search        every trial plays them from the first on, in the same order
fresh         re-evaluations of the incumbent and the race of the last three
confirmation  the final test (see `harness.search_tuning.confirm`), made when it begins
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.books import Opening
from harness.errors import UsageError
from harness.files import write_whole
from harness.openings import GeneratedOpenings
from harness.search_tuning.course import PairRef
from harness.search_tuning.rules import Rules

if TYPE_CHECKING:
    from harness.journal import Journal
    from harness.spec import RunSpec

BOOK: Final = "openings.epd"
#: The event of the journal that says what they are.
_NOTE: Final = "openings"


class StudyOpenings:
    """The first two sets, by their numbers; positions of a file in the study's folder."""

    def __init__(self, fens: list[str], rules: Rules) -> None:
        self._fens = fens
        self._rules = rules

    def opening(self, pair: PairRef) -> Opening:
        """The opening of a pair; a set that has been played through begins anew."""
        first, size = 0, self._rules.search_openings
        if pair.opening_set == "fresh":
            first, size = size, self._rules.fresh_openings
        place = pair.opening % size
        return Opening(self._fens[first + place], (), f"{pair.opening_set} {place + 1}")

    @property
    def fens(self) -> list[str]:
        return self._fens

    def check_same(self, journal: Journal, folder: Path) -> None:
        """Note in the study's journal what they are; refuse others later on. Raises UsageError."""
        sha256 = hashlib.sha256("\n".join(self._fens).encode()).hexdigest()
        begun = [one.detail["sha256"] for one in journal.events() if one.kind == _NOTE]
        if not begun:
            journal.add_event(_NOTE, sha256=sha256)
        elif begun[0] != sha256:
            raise UsageError(
                f"{folder / BOOK}: not the positions that the study began with; expected them, or"
                " no file: then the study makes it again"
            )


def study_openings(folder: Path, spec: RunSpec, rules: Rules) -> StudyOpenings:
    """Those of the study in a folder, made when it begins."""
    book = folder / BOOK
    if not book.exists():
        chosen = spec.openings
        source = GeneratedOpenings(spec.seed, chosen.plies, chosen.bound_cp, chosen.nodes)
        wanted = rules.search_openings + rules.fresh_openings
        write_whole(book, "".join(f"{fen}\n" for fen in source.distinct_fens(wanted)))
    return read_openings(folder, rules)


def read_openings(folder: Path, rules: Rules) -> StudyOpenings:
    """Those of the study in a folder. Raises UsageError where there are none."""
    book = folder / BOOK
    if not book.exists():
        raise UsageError(f"{book}: no such file; expected the openings of the study")
    fens = book.read_text(encoding="utf-8").splitlines()
    wanted = rules.search_openings + rules.fresh_openings
    if len(fens) != wanted:
        raise UsageError(
            f"{book}: {len(fens)} positions; expected the study's {wanted}, or no file: then the"
            " study makes it again"
        )
    return StudyOpenings(fens, rules)
