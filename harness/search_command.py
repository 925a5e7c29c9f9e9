"""`harness tune search`: from a space and a base to a candidate, its evidence and its test."""

from __future__ import annotations

import os
from pathlib import Path

import click

from harness import __version__, options
from harness.config import load_engine_config
from harness.errors import UsageError
from harness.files import write_whole
from harness.playing import RunOptions
from harness.search_tuning.candidate import candidate_config
from harness.search_tuning.rules import rules_of
from harness.search_tuning.space import Space
from harness.search_tuning.space_file import read_space
from harness.search_tuning.study import play_study
from harness.search_tuning.study_spec import StudySpec
from harness.spec import EngineConfig
from harness.view import make_view


def run_search(context: click.Context) -> str | None:
    """Tune, or go on with a study; the decision of the final test, None without one."""
    values = context.params
    base = load_engine_config(values["base"])
    space = read_space(values["space"])
    view = make_view(
        quiet=values["quiet"], to_stderr=values["json_path"] == options.STANDARD_OUTPUT
    )
    if values["screen"]:
        show_screen(space, base)
        return None
    spec = study_spec(context, base, space)
    folder = values["out"] / f"search-{spec.name}"
    workers = values["concurrency"] or len(os.sched_getaffinity(0))
    run = RunOptions(folder, workers, resume=(folder / "run.sqlite").exists())
    result = play_study(
        spec, run, values["storage"], view.message, view.compiling, lambda progress: None
    )
    if result.conclusion is None:
        raise UsageError("every trial of the race has failed; see the report")
    path = folder / f"{spec.name}.cfg"
    remark = f"Made by `harness tune search`: {result.conclusion.sentence}."
    write_whole(path, candidate_config(spec, result.conclusion.values, folder, remark))
    click.echo(result.conclusion.sentence, err=values["json_path"] == options.STANDARD_OUTPUT)
    view.message(f"in {path}")
    return None


def show_screen(space: Space, base: EngineConfig) -> None:
    """The effect of each parameter, a line each."""
    from harness.search_tuning.screen import screen

    for effect in screen(space, base):
        click.echo(effect.sentence)


def study_spec(context: click.Context, base: EngineConfig, space: Space) -> StudySpec:
    """The study that the options stand for. Raises UsageError."""
    from engine.jit import source_digest

    values = context.params
    rules = rules_of(values["sampler"], values["games"], values["trial_pairs"])
    return StudySpec(
        name=values["name"] or Path(values["space"]).stem,
        base=base,
        space=space,
        rules=rules,
        limit=options.match_limit(context),
        seed=values["seed"],
        source_digest=source_digest(),
        tool_version=__version__,
    )
