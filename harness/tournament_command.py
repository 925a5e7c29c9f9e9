"""`harness match`, `gauntlet` and `roundrobin`: from the options to a tournament, then its games.

Everything that can be wrong is checked before anything heavy is imported and before anything is
written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from harness import __version__, options
from harness.errors import UsageError
from harness.run_folder import new_run_folder
from harness.run_start import (
    WARNING,
    begun_run,
    crowding,
    repeats_itself,
    tell,
    view_of,
    workforce,
)

if TYPE_CHECKING:
    from pathlib import Path

    from harness.exports import Output
    from harness.spec import EngineConfig
    from harness.tournament.pairings import Format
    from harness.tournament.spec import TournamentSpec


def play_tournament(context: click.Context, form: Format) -> str:
    """Play a new tournament, or go on with one; returns the decision."""
    options.check_workers(context)
    options.check_output_file(context.params["json_path"])
    output = options.output_of(context)
    if context.params["resume"] is not None:
        spec, remarks = _resumed(context)
    else:
        spec, remarks = _new(context, form)
    return _play(context, spec, remarks, output)


def _resumed(context: click.Context) -> tuple[TournamentSpec, list[str]]:
    values = context.params
    options.refuse_with_resume(context)
    options.check_run(values["resume"])

    from harness.tournament.spec import TournamentSpec

    return begun_run(values["resume"], TournamentSpec)


def _new(context: click.Context, form: Format) -> tuple[TournamentSpec, list[str]]:
    values = context.params
    players = _players(values["engines"], form)
    anchors = _anchors(values["anchors"], players)
    limit, judging = options.match_limit(context), options.judging(context)
    if values["games"] % 2:
        raise UsageError(
            f"--games {values['games']}: expected an even number, since games are played in pairs"
        )
    cycles = values["games"] // 2
    openings = options.opening_spec(context, cycles)
    options.check_output_folder(values["out"])

    from engine.jit import source_digest
    from harness.tournament.spec import TournamentSpec

    spec = TournamentSpec(
        form=form,
        players=players,
        cycles=cycles,
        anchors=anchors,
        limit=limit,
        openings=openings.spec,
        **judging,
        seed=values["seed"],
        source_digest=source_digest(),
        tool_version=__version__,
    )
    return _fit_to_book(spec, values["openings"], openings.different_pairs)


def _players(paths: Sequence[str], form: Format) -> tuple[EngineConfig, ...]:
    """The players, with names that tell them apart."""
    from harness.config import load_engine_config

    if form == "match" and len(paths) != 2:
        raise UsageError(f"engines given: {len(paths)}; expected two config files, or --resume RUN")
    if len(paths) < 2:
        raise UsageError(
            f"engines given: {len(paths)}; expected two config files or more, or --resume RUN"
        )
    players = [load_engine_config(path) for path in paths]
    often = Counter(player.name for player in players)
    met: Counter[str] = Counter()
    named = []
    for player in players:
        met[player.name] += 1
        name = f"{player.name}-{met[player.name]}" if often[player.name] > 1 else player.name
        named.append(player.model_copy(update={"name": name}))
    return tuple(named)


def _anchors(texts: Iterable[str], players: Sequence[EngineConfig]) -> dict[str, float]:
    """Ratings in Elo by name: those in the configs, and what --anchor says."""
    from harness.config import parse_elo

    names = [player.name for player in players]
    anchors = {p.name: p.rating_elo for p in players if p.rating_elo is not None}
    for text in texts:
        name, _, rating = text.rpartition("=")
        if name not in names:
            raise UsageError(
                f"--anchor {text}: expected NAME=ELO with one of the names {', '.join(names)}"
            )
        try:
            anchors[name] = parse_elo(rating)
        except ValueError as error:
            raise UsageError(f"--anchor {text}: {error}") from None
    return anchors


def _fit_to_book(
    spec: TournamentSpec, book: Path | None, different: int | None
) -> tuple[TournamentSpec, list[str]]:
    """No more games than the book has openings for, if they would only be the same ones again."""
    if different is None or different >= spec.cycles:
        return spec, []
    if not repeats_itself(spec):
        return spec, [f"{book} has {different} openings: they are repeated from the next one on"]
    return spec.model_copy(update={"cycles": different}), [
        f"{WARNING}{book} has {different} openings; repeated at fixed nodes or depth they give the"
        f" same games, so each pairing plays {2 * different} games instead of {2 * spec.cycles}"
    ]


def _play(
    context: click.Context, spec: TournamentSpec, remarks: Iterable[str], output: Output
) -> str:
    from harness.playing import RunOptions
    from harness.tournament.run import run_tournament
    from harness.tournament.view import TOURNAMENT

    values = context.params
    view = view_of(values, TOURNAMENT)
    resume = values["resume"] is not None
    label = spec.title.replace(" vs ", "-")
    folder = nullcontext(values["resume"]) if resume else new_run_folder(values["out"], label)
    with workforce(values, spec) as (concurrency, hire), folder as run_dir:
        tell([*remarks, *crowding(spec, concurrency, values["cluster"])], view, values["quiet"])
        document = run_tournament(
            spec, RunOptions(run_dir, concurrency, resume, hire, output), view
        )
    options.write_result(values["json_path"], document)
    return str(document["decision"])
