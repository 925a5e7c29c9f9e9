"""What the smaller commands of `harness.cli` do, once click has read their options."""

from __future__ import annotations

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
    from harness.stats import render_report

    values = context.params
    options.check_output_file(values["json_path"])
    hypotheses = options.sprt_spec(context).hypotheses()
    _check_source(values)
    run: Path | None = values["source"]
    if run is not None and run.is_dir() and not options.given_names(context) & options.HYPOTHESES:
        report, hypotheses = _own_report(run)
    else:
        report = _report(values, hypotheses)
    text = report["sentence"] if values["quiet"] else render_report(report, hypotheses)
    click.echo(text, err=values["json_path"] == options.STANDARD_OUTPUT)
    options.write_result(values["json_path"], report)


def _own_report(run: Path) -> tuple[dict[str, Any], Hypotheses]:
    """A run's own test as it stands."""
    from harness.match import read_run, read_spec

    test = read_spec(run).sprt
    assert test is not None
    return read_run(run, warn), test.hypotheses()


def _report(values: Mapping[str, Any], hypotheses: Hypotheses) -> dict[str, Any]:
    """The document of a test of whatever counts were given."""
    from harness.stats import stats_of_match, stats_report

    source: Path | None = values["source"]
    if source is None:
        try:
            return stats_report(_typed_counts(values), hypotheses)
        except ValueError as error:
            raise UsageError(f"--model {hypotheses.model}: {error}") from None
    if source.is_dir():
        from harness.match import judge_run

        return judge_run(source, hypotheses, warn)
    from harness.pgn_pairs import read_match

    try:
        match = read_match(source, values["new"])
    except ValueError as error:
        raise UsageError(str(error)) from None
    return stats_of_match(match, hypotheses)


def warn(sentence: str) -> None:
    """Tell of something that is not as it should be, and does not end the command."""
    click.echo(f"warning: {sentence}", err=True)


def _check_source(values: Mapping[str, Any]) -> None:
    """Refuse all but exactly one of RUN|PGN, --ptnml and --wdl, and a source that is not there."""
    source: Path | None = values["source"]
    given = [name for name in ("source", "ptnml", "wdl") if values[name] is not None]
    if len(given) != 1:
        found = "none" if not given else "several"
        raise UsageError(f"{found} of RUN, PGN, --ptnml and --wdl given; expected one of them")
    if values["new"] is not None and (source is None or source.is_dir()):
        raise UsageError(f"--new {values['new']}: expected a PGN to find the name in")
    if source is not None and not source.exists():
        raise UsageError(f"{source}: no such file; expected a run's folder or a PGN")
    if source is not None and source.is_dir():
        options.check_run(source)


def _typed_counts(values: Mapping[str, Any]) -> Counts:
    """The counts of --ptnml or --wdl, whichever was given."""
    from harness.score import parse_ptnml, parse_wdl

    name = "wdl" if values["ptnml"] is None else "ptnml"
    parse = parse_wdl if name == "wdl" else parse_ptnml
    try:
        return parse(values[name])
    except ValueError as error:
        raise UsageError(f"--{name} {error}") from None


def write_book(count: int, seed: int, plies: int, bound_cp: int, out: Path, *, force: bool) -> None:
    """`harness book`: positions as FEN lines, none twice; the file appears when it is complete."""
    from harness.files import write_whole
    from harness.openings import GeneratedOpenings
    from harness.spec import OpeningSpec

    options.check_output_file(out)
    if out.exists() and not force:
        raise UsageError(f"{out}: exists; expected a new file, or --force to replace it")
    spec = OpeningSpec(plies=plies, bound_cp=bound_cp)
    source = GeneratedOpenings(seed, plies, spec.bound_cp, spec.nodes)
    write_whole(out, "".join(f"{fen}\n" for fen in source.distinct_fens(count)))
    click.echo(f"{out}: {count} positions (seed {seed}, {plies} plies, within {bound_cp} cp)")


def warm_engine(quiet: bool) -> None:
    """`harness warm`: fill the compile cache, for games and for reading them."""
    from engine.jit import source_digest
    from harness import snapshot
    from harness.config import load_engine_config
    from harness.texel.extract import Extraction, Extractor
    from harness.view import make_view

    view = make_view(quiet=quiet)
    folder = snapshot.create_snapshot(source_digest())
    if snapshot.is_warm(folder):
        view.message("the engine is compiled")
    else:
        snapshot.warm(folder, view.compiling)
    base = load_engine_config("base.cfg")
    Extractor(Extraction(base.weights, base.search)).warm_up()
    view.message("the reader of games is compiled")


def rebuild_report(run: Path) -> None:
    """`harness report`: report.html from the run's journal; a study's from its document."""
    options.check_run(run)

    from harness.journal import Journal
    from harness.match import read_run
    from harness.report import write_report
    from harness.report.search_page import read_study, write_search_report
    from harness.tournament.run import read_tournament

    with Journal.reading(run, lambda sentence: None) as journal:  # told by what reads its games
        kind = journal.spec().kind
    path = run / "report.html"
    if kind == "study":
        write_search_report(read_study(run), path)
    else:
        read = read_tournament if kind == "tournament" else read_run
        write_report(read(run, warn), path)
    click.echo(path)
