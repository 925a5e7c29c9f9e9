"""`harness datagen`: from the options to a production of games, and out of it to files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from harness import __version__, options
from harness.errors import Interrupted, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from harness.datagen import Document, Production
    from harness.playing import Session
    from harness.spec import MatchSpec

#: What may change when a production is resumed.
_FREE_ON_RESUME: Final = options.FREE_ON_RESUME | {"export"}


def run_datagen(context: click.Context) -> None:
    """`harness datagen [CFG]`: play games, or the rest of them, and export them."""
    from rich.console import Console

    values = context.params
    options.check_workers(context)
    options.check_output_file(values["json_path"])
    options.check_output_file(values["export"])
    to_stderr = values["json_path"] == options.STANDARD_OUTPUT
    console = Console(stderr=to_stderr, highlight=False, soft_wrap=True, markup=False)
    spec = _resumed_spec(context) if values["resume"] else _new_spec(context)
    document = _play(values, spec, console)
    if values["export"] is not None:
        from harness.texel.export import export_run

        count, what = export_run(Path(document["run_dir"]), values["export"])
        document["exported"] = {"file": str(values["export"]), what: count}
    click.echo(_sentence(document), err=to_stderr)
    options.write_result(values["json_path"], document)


def _resumed_spec(context: click.Context) -> MatchSpec:
    options.refuse_with_resume(context, _FREE_ON_RESUME)
    options.check_run(context.params["resume"])

    from harness.match import read_spec

    return read_spec(context.params["resume"])


def _new_spec(context: click.Context) -> MatchSpec:
    """A match of the engine against itself in as many pairs as games are wanted."""
    from harness.config import load_engine_config

    values = context.params
    games = values["games"]
    if games is None:
        raise UsageError("--games is missing; expected how many games to play, or --resume RUN")
    engine = load_engine_config(values["config"])
    limit = options.match_limit(context)
    options.check_output_folder(values["out"])
    openings = options.opening_spec(context, games)
    most = openings.different_pairs
    if most is not None and games > most and (engine.limit or limit).is_deterministic:
        raise UsageError(
            f"--games {games}: expected at most {most}, the openings of {values['openings']}, since"
            " repeated at fixed nodes or depth they give the same games"
        )

    from engine.jit import source_digest
    from harness.spec import AdjudicationConfig, MatchSpec

    return MatchSpec(
        new=engine,
        base=engine,
        limit=limit,
        openings=openings.spec,
        adjudication=AdjudicationConfig(enabled=not values["no_adjudicate"]),
        seed=values["seed"],
        sprt=None,
        max_games=2 * games,
        source_digest=source_digest(),
        tool_version=__version__,
    )


def _play(values: Mapping[str, Any], spec: MatchSpec, console: Console) -> Document:
    from harness.datagen import games_wanted, generate
    from harness.invocation import resume_command
    from harness.playing import RunOptions
    from harness.run_folder import new_run_folder
    from harness.run_start import workforce
    from harness.view import make_view

    resume = values["resume"]
    view = make_view(quiet=values["quiet"])
    folder = (
        nullcontext(resume) if resume else new_run_folder(values["out"], f"{spec.new.name}-games")
    )
    with workforce(values, spec) as (concurrency, hire), folder as run_dir:
        run = RunOptions(run_dir, concurrency, resume is not None, hire)
        with _progress(console, games_wanted(spec), values["quiet"]) as update:
            try:
                return generate(spec, run, view.message, view.compiling, update)
            except Interrupted:
                console.print(f"interrupted; to go on: {resume_command(run_dir, 'datagen')}")
                raise


@contextmanager
def _progress(
    console: Console, wanted: int, quiet: bool
) -> Iterator[Callable[[Production, Session], None]]:
    """A bar on a terminal; nothing elsewhere."""
    if quiet or not console.is_terminal:
        yield lambda production, session: None
        return
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (*Progress.get_default_columns()[:3], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("games", total=wanted)
        yield lambda production, session: bar.update(task, completed=production.games)


def _sentence(document: Document) -> str:
    results = ", ".join(f"{count} {text}" for text, count in document["results"].items())
    sentence = (
        f"{document['games']} games, {document['plies'] - document['opening_plies']} plies"
        f" ({results}): {document['run_dir']}"
    )
    exported = document.get("exported")
    if exported is None:
        return sentence
    file, (what, count) = exported["file"], list(exported.items())[1]
    return f"{sentence}\n{count} {what}: {file}"
