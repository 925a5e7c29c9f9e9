"""What the commands of `harness.cli` do, once click has read their options.

Everything that can be wrong is checked before anything heavy is imported and before anything is
written.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness import options
from harness.errors import UsageError

if TYPE_CHECKING:
    from harness.score import Counts
    from harness.sprt import Hypotheses


def show_stats(context: click.Context) -> None:
    """`harness stats`: the document of `harness.stats` as text, and as JSON if asked for."""
    from harness import stats

    values = context.params
    options.check_output_file(values["json_path"])
    hypotheses = options.sprt_spec(context).hypotheses()
    counts = _counts(values, hypotheses)
    try:
        report = stats.stats_report(counts, hypotheses)
    except ValueError as error:
        raise UsageError(f"--model {hypotheses.model}: {error}") from None
    text = report["sentence"] if values["quiet"] else stats.render_report(report, hypotheses)
    click.echo(text)
    write_json(values["json_path"], report)


def _counts(values: Mapping[str, Any], hypotheses: Hypotheses) -> Counts:
    """The counts that exactly one of RUN|PGN, --ptnml and --wdl stands for."""
    from harness.pgn_pairs import pentanomial_from_pgn
    from harness.score import parse_ptnml, parse_wdl

    given = [name for name in ("source", "ptnml", "wdl") if values[name] is not None]
    if len(given) != 1:
        found = "none" if not given else "several"
        raise UsageError(f"{found} of RUN, PGN, --ptnml and --wdl given; expected one of them")
    source: Path | None = values["source"]
    if values["new"] is not None and (source is None or source.is_dir()):
        raise UsageError(f"--new {values['new']}: expected a PGN to find the name in")
    try:
        if values["ptnml"] is not None:
            return parse_ptnml(values["ptnml"])
        if values["wdl"] is not None:
            return parse_wdl(values["wdl"])
    except ValueError as error:
        raise UsageError(f"--{given[0]} {error}") from None
    assert source is not None
    if not source.exists():
        raise UsageError(f"{source}: no such file; expected a run's folder or a PGN")
    if source.is_dir():
        return _counts_of_run(source, hypotheses)
    try:
        return pentanomial_from_pgn(source, values["new"])
    except ValueError as error:
        raise UsageError(str(error)) from None


def write_book(count: int, seed: int, plies: int, out: Path) -> None:
    """`harness book`: positions as FEN lines, none twice; the file appears when it is complete."""
    from harness.openings import GeneratedOpenings
    from harness.spec import OpeningSpec

    options.check_output_file(out)
    spec = OpeningSpec(plies=plies)
    source = GeneratedOpenings(seed, plies, spec.bound_cp, spec.nodes)
    lines = source.distinct_fens(count)
    write_text(out, "".join(f"{line}\n" for line in lines))
    click.echo(f"{out}: {count} positions")


def warm_engine(quiet: bool) -> None:
    """`harness warm`: fill the compile cache."""
    from engine.jit import source_digest
    from harness import snapshot
    from harness.view import make_view

    view = make_view(quiet=quiet)
    folder = snapshot.create_snapshot(source_digest())
    if snapshot.is_warm(folder):
        view.message("the engine is compiled already")
    else:
        snapshot.warm(folder, view.compiling)


def write_json(path: Path | None, document: Mapping[str, Any]) -> None:
    """Write a document to a file that was asked for."""
    if path is not None:
        write_text(path, json.dumps(document, indent=2, allow_nan=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a file all at once: it is either as it was before, or complete."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)
