"""`harness tune search`: from a space and a base to a candidate, its evidence and its test."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from harness import __version__, options
from harness.config import load_engine_config
from harness.errors import EngineStartError, Interrupted, UsageError
from harness.exports import write_json, write_report_if_possible
from harness.files import write_whole
from harness.journal import FILE_NAME, Journal
from harness.playing import RunOptions
from harness.report.search_page import STUDY, write_search_report
from harness.run_start import view_of
from harness.search_options import base_and_space, study_name
from harness.search_tuning.candidate import candidate_config
from harness.search_tuning.confirm import confirm
from harness.search_tuning.document import study_document
from harness.search_tuning.plan import make_plan, measured_games_per_hour
from harness.search_tuning.rules import rules_of
from harness.search_tuning.space import Space
from harness.search_tuning.storage import check_usable
from harness.search_tuning.study import StudyResult, play_study
from harness.search_tuning.study_spec import StudySpec
from harness.search_view import SEARCH, StudyHeading, progress_of
from harness.spec import EngineConfig
from harness.texel_verify import verification_of
from harness.view import View

#: Moves that are timed for the plan.
_TIMED_MOVES: Final = 8


def run_search(context: click.Context) -> str | None:
    """Tune, or go on with a study; the decision of the final test, None without one."""
    values = context.params
    base, space = base_and_space(values)
    if values["screen"]:
        show_screen(space, base)
        return None
    view = view_of(values, SEARCH)
    spec = study_spec(context, base, space)
    folder = values["out"] / f"search-{spec.name}"
    if values["storage"] is not None:
        check_usable(values["storage"], folder, spec.name, spec.facts())
    workers = values["concurrency"] or len(os.sched_getaffinity(0))
    show_plan(context, spec, workers, view)
    if values["plan"]:
        return None
    resume = (folder / FILE_NAME).exists()
    if resume:
        check_same_study(folder, spec)
    document = _to_the_end(context, spec, RunOptions(folder, workers, resume), view)
    view.finish(document)
    options.write_result(values["json_path"], document)
    if document["claimed"] is None:
        raise EngineStartError(
            f"{document['sentence']}, as {folder / 'report.html'} shows; expected values with which"
            " the engine plays"
        )
    return document["confirmed"][0]["decision"] if document["confirmed"] else None


def _to_the_end(
    context: click.Context, spec: StudySpec, run: RunOptions, view: View
) -> dict[str, Any]:
    """Search, race, test and report."""
    try:
        view.start(StudyHeading(spec, run.concurrency, str(run.run_dir)))
        result = play_study(
            spec,
            run,
            context.params["storage"],
            view,
            lambda progress: view.update(progress_of(spec, progress)),
        )
        view.close()
        document = _write(spec, run, result, [], view)
        if result.conclusion is not None and not context.params["no_test"]:
            tests = _test(context, spec, run, result, view_of(context.params))
            document = _write(spec, run, result, tests, view)
    except Interrupted:
        view.close()
        click.echo("interrupted; to go on: the same command again", err=True)
        raise
    return document


def _test(
    context: click.Context, spec: StudySpec, run: RunOptions, result: StudyResult, view: View
) -> list[dict[str, Any]]:
    candidate = load_engine_config(str(run.run_dir / f"{spec.name}.cfg"))
    verification = verification_of(context, spec.base, spec.seed)
    return confirm(
        verification,
        run.run_dir,
        candidate,
        result.openings,
        run.concurrency,
        context.params["transfer_games"],
        view,
    )


def _write(
    spec: StudySpec, run: RunOptions, result: StudyResult, tests: list[dict[str, Any]], view: View
) -> dict[str, Any]:
    """search.json, the candidate's config and the report, as far as there is something to say."""
    folder = run.run_dir
    document = {**study_document(spec, result, tests), "folder": str(folder)}
    write_json(folder / STUDY, document)
    if result.conclusion is not None:
        remark = f"Made by `harness tune search`. {document['sentence']}."
        config = candidate_config(spec, result.conclusion.values, folder, remark)
        write_whole(folder / f"{spec.name}.cfg", config)
    write_report_if_possible(
        partial(write_search_report, document, folder / "report.html"), view.message
    )
    return document


def check_same_study(folder: Path, spec: StudySpec) -> None:
    """Refuse to go on with another study of that name."""
    with Journal.read(folder) as journal:
        begun = journal.spec_of(StudySpec)
    before, now = begun.hashed(), spec.hashed()
    before, now = before | before.pop("rules"), now | now.pop("rules")
    other = sorted(key for key in now if before.get(key) != now[key])
    if other:
        raise UsageError(
            f"{folder} holds a study {spec.name!r} with another {other[0]}:"
            f" {_brief(before.get(other[0]))}, not {_brief(now[other[0]])}; expected what it began"
            " with, or another --name"
        )


def _brief(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def show_screen(space: Space, base: EngineConfig) -> None:
    """The effect of each parameter, a line each."""
    from harness.search_tuning.screen import screen

    for effect in screen(space, base):
        click.echo(effect.sentence)


def show_plan(context: click.Context, spec: StudySpec, workers: int, view: View) -> None:
    """What the study can be expected to find."""
    test = options.sprt_spec(context).hypotheses()
    speed = _games_per_hour(spec, workers)
    plan = make_plan(
        len(spec.space.dimensions),
        spec.rules.games,
        test,
        context.params["max_games"],
        speed,
        context.params["draw_ratio"],
    )
    for line in plan.lines:
        view.message(line)


def _games_per_hour(spec: StudySpec, workers: int) -> float | None:
    """Measured on the first of the bench's positions; None where a clock is played by."""
    if not spec.limit.is_deterministic:
        return None
    from harness.search_tuning.probe import searches

    replies = searches(spec.base, spec.limit, _TIMED_MOVES + 1)
    seconds = [reply.search_ns / 1e9 for reply in replies]
    return measured_games_per_hour(seconds[1:], workers)


def study_spec(context: click.Context, base: EngineConfig, space: Space) -> StudySpec:
    """The study that the options stand for. Raises UsageError."""
    from engine.jit import source_digest

    values = context.params
    return StudySpec(
        name=study_name(values),
        base=base,
        space=space,
        rules=rules_of(values["sampler"], values["games"], values["trial_pairs"]),
        limit=options.match_limit(context),
        seed=values["seed"],
        source_digest=source_digest(),
        tool_version=__version__,
    )
