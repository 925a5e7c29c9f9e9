"""report.html as a file, whatever kind of run it is of."""

from __future__ import annotations

from pathlib import Path

from harness.files import write_whole
from harness.report.numbers import Document
from harness.report.page import render
from harness.report.tournament_page import render_tournament


def write_report(document: Document, path: Path) -> None:
    """Render the run that `document` (run.json) describes to `path`, all of it or nothing.

    Raises UsageError when the optional packages are missing.
    """
    of_kind = render_tournament if document.get("kind") == "tournament" else render
    write_whole(path, of_kind(document))
