"""`harness sprt`: from the options to a specification, then to a run.

Everything that can be wrong is checked before anything heavy is imported and before anything is
written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness import __version__, options
from harness.errors import UsageError
from harness.event_stream import told_to
from harness.run_folder import new_run_folder
from harness.run_start import (
    WARNING,
    begun_run,
    crowding,
    games_at_a_time,
    repeats_itself,
    tell,
    view_of,
    workforce,
)
from harness.second_test import second_context

if TYPE_CHECKING:
    from harness.config import EngineConfig
    from harness.limits import Limit
    from harness.spec import MatchSpec, NodeScaling


def start_sprt(context: click.Context) -> str:
    """`harness sprt NEW BASE`: play a new run, and with --then a second one; the last decision."""
    values = context.params
    options.check_workers(context)
    options.check_output_folder(values["out"])
    options.check_output_file(values["json_path"])
    first, second = _specified(context), second_context(context)
    # Specified now, so that what is wrong with it is said now, and so that it is the same engine.
    last = None if second is None else _specified(second)
    if second is not None and last is not None and values["cluster"] is None:
        games_at_a_time(last[0], second.params)
    decision = _play(context, *first)
    if last is None:
        return decision
    if decision != "H1":
        view_of(values).message("the second test is not played, since the first did not accept H1")
        return decision
    return _play(context, *last)


def _specified(context: click.Context) -> tuple[MatchSpec, list[str]]:
    """The run that the options stand for, and what is to be said of it before it begins."""
    values = context.params
    new, base = _sides(values["new"], values["base"], values["rev"])
    settings = _settings(context)
    scaling = _scaling(values, settings["limit"], (new, base))
    openings = options.opening_spec(context, values["max_games"] // 2)

    from engine.jit import source_digest
    from harness.node_scaling import scaled
    from harness.spec import MatchSpec

    spec = MatchSpec(
        new=new,
        base=base,
        openings=openings.spec,
        **settings,
        source_digest=source_digest(),
        tool_version=__version__,
    )
    if scaling is not None:
        spec = scaled(spec, scaling)
    spec, remarks = _fit_to_book(spec, values["openings"], openings.different_pairs)
    checked = openings.checked_pairs
    if checked is not None and checked < spec.max_games // 2:
        remarks.append(
            f"{values['openings']}: the openings of the first {checked} pairs can be played; a"
            " later one that cannot ends the run when its turn comes"
        )
    return spec, [*_describe_sides(spec), *remarks]


def resume_sprt(context: click.Context) -> str:
    """`harness sprt --resume RUN`: play what is missing of a run; returns the decision."""
    values = context.params
    options.refuse_with_resume(context)
    options.check_workers(context)
    options.check_output_file(values["json_path"])
    options.check_run(values["resume"])

    from harness.spec import MatchSpec

    spec, remarks = begun_run(values["resume"], MatchSpec)
    return _play(context, spec, [*_describe_sides(spec), *remarks])


def _play(context: click.Context, spec: MatchSpec, remarks: Iterable[str]) -> str:
    from harness.match import RunOptions, run_match

    values = context.params
    output = options.output_of(context)
    resume = values["resume"] is not None
    with (
        told_to(values["events"], view_of(values)) as view,
        workforce(values, spec) as (concurrency, hire),
        nullcontext(values["resume"])
        if resume
        else new_run_folder(values["out"], f"{spec.new.name}-{spec.base.name}") as run_dir,
    ):
        tell([*remarks, *_cautions(spec, concurrency, values["cluster"])], view, values["quiet"])
        if values["scale_nodes"]:
            from harness.node_scaling import scaled_by_measuring

            spec, scaling = scaled_by_measuring(spec, run_dir, view)
            tell(scaling, view, values["quiet"])
        run = RunOptions(run_dir, concurrency, resume, hire, output)
        document = run_match(spec, run, view)
    options.write_result(values["json_path"], document)
    return str(document["decision"])


def _sides(
    new_path: str | None, base_path: str | None, revision: str | None
) -> tuple[EngineConfig, EngineConfig]:
    """Both players, with names that tell them apart."""
    from harness.config import EngineConfig, load_engine_config, revision_config

    if revision is not None:
        if base_path is not None:
            raise UsageError(
                f"BASE = {base_path} cannot be given with --rev; expected one of them, since the"
                " engine of the revision is BASE"
            )
        # Not base.cfg: it lists the defaults, and would hide a default that was changed.
        tree = EngineConfig(name="working tree")
        new = tree if new_path is None else load_engine_config(new_path)
        return _apart(new, revision_config(revision))
    if new_path is None or base_path is None:
        missing = "NEW and BASE are" if new_path is None else "BASE is"
        raise UsageError(
            f"{missing} missing; expected two config files, or --rev REV, or --resume RUN"
        )
    return _apart(load_engine_config(new_path), load_engine_config(base_path))


def _apart(new: EngineConfig, base: EngineConfig) -> tuple[EngineConfig, EngineConfig]:
    """Both with names that tell them apart."""
    if new.name != base.name:
        return new, base
    return (
        new.model_copy(update={"name": f"{new.name}-1"}),
        base.model_copy(update={"name": f"{base.name}-2"}),
    )


def _settings(context: click.Context) -> dict[str, Any]:
    """What the options say of a run, but for its players and its openings."""
    values = context.params
    if values["max_games"] % 2:
        raise UsageError(
            f"--max-games {values['max_games']}: expected an even number, since games are played"
            " in pairs"
        )
    return {
        "limit": options.match_limit(context),
        **options.judging(context),
        "seed": values["seed"],
        "sprt": options.sprt_spec(context).model_copy(update={"overshoot": True}),
        "max_games": values["max_games"],
    }


def _describe_sides(spec: MatchSpec) -> list[str]:
    from harness.config import differences
    from harness.node_scaling import describe

    new, base = (f"{side.name} ({side.path or side.source})" for side in (spec.new, spec.base))
    scaling = [describe(spec)] if spec.node_scaling is not None else []
    return [f"NEW is {new}, BASE is {base}", *differences(spec.new, spec.base), *scaling]


def _scaling(
    values: Mapping[str, Any], limit: Limit, sides: Iterable[EngineConfig]
) -> NodeScaling | None:
    """The factor of --scale-nodes-by; of --scale-nodes nothing yet but that it can be measured."""
    from harness.node_scaling import check_scalable
    from harness.spec import NodeScaling

    factor, measure = values["scale_nodes_by"], values["scale_nodes"]
    if factor is not None and measure:
        raise UsageError(
            "--scale-nodes-by cannot be given with --scale-nodes; expected one of them, since the"
            " factor is given or measured"
        )
    if factor is not None or measure:
        check_scalable(limit, sides)
    try:
        return None if factor is None else NodeScaling(factor=factor)
    except ValueError:
        raise UsageError(f"--scale-nodes-by {factor:g}: expected 0.001 to 1000") from None


def _fit_to_book(
    spec: MatchSpec, book: Path | None, different_pairs: int | None
) -> tuple[MatchSpec, list[str]]:
    """No more games than the book has openings for, if they would only be the same ones again."""
    wanted = spec.max_games // 2
    if different_pairs is None or different_pairs >= wanted:
        return spec, []
    if not repeats_itself(spec):
        return spec, [
            f"{book} has openings for {different_pairs} pairs: they are repeated from pair"
            f" {different_pairs + 1} on, should the run get there ({wanted} pairs at most)"
        ]
    most = 2 * different_pairs
    return spec.model_copy(update={"max_games": most}), [
        f"{WARNING}{book} has openings for {different_pairs} pairs; repeated at fixed nodes or"
        f" depth they give the same games, which do not count, so the run ends after {most} games"
        f" instead of {spec.max_games}"
    ]


def _cautions(spec: MatchSpec, concurrency: int, cluster: str | None) -> Iterator[str]:
    """What is possible but hardly meant."""
    assert spec.sprt is not None
    for sentence in spec.sprt.hypotheses().warnings():
        yield f"{WARNING}{sentence}"
    if spec.new.digest() == spec.base.digest():
        yield (f"{WARNING}both sides are identical; a control, which shows what chance alone does")
    yield from crowding(spec, concurrency, cluster)
