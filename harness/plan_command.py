"""`harness plan`: what a test will cost, before it begins or while it goes on."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import click

from harness import options
from harness.errors import UsageError
from harness.planning import Outlook, game_deviation, outlook, table, usual_strengths
from harness.sprt import SprtState

_MOST_ELO: Final = 1000.0


class _Ground(NamedTuple):
    """What a plan starts from: the test as it stands, a game's spread, games left, the pace."""

    state: SprtState
    deviation: float
    max_games: int
    games_per_min: float | None


def run_plan(context: click.Context) -> None:
    """`harness plan`: a table for supposed strengths, and the same as JSON if asked for."""
    values = context.params
    options.check_output_file(values["json_path"])
    ground = _new_ground(context) if values["run"] is None else _ground_of_run(context)
    supposed = values["elo"] or list(usual_strengths(ground.state.hypotheses, ground.deviation))
    rows = []
    for elo in supposed:
        if abs(elo) > _MOST_ELO:
            raise UsageError(
                f"--elo {elo:g}: expected a number from -{_MOST_ELO:g} to {_MOST_ELO:g}"
            )
        rows.append(outlook(ground.state, elo, ground.deviation, ground.max_games))
    to_stderr = values["json_path"] == options.STANDARD_OUTPUT
    click.echo(_heading(ground), err=to_stderr)
    for line in table(rows, ground.games_per_min):
        click.echo(line, err=to_stderr)
    options.write_result(values["json_path"], _document(ground, rows))


def _new_ground(context: click.Context) -> _Ground:
    values = context.params
    test = options.sprt_spec(context).hypotheses()
    draws = 0.5 if values["draw_ratio"] is None else values["draw_ratio"]
    try:
        deviation = game_deviation(0.0, draws)
    except ValueError as error:
        raise UsageError(f"--draw-ratio {error}") from None
    return _Ground(SprtState.start(test), deviation, values["max_games"], None)


def _ground_of_run(context: click.Context) -> _Ground:
    values = context.params
    given = options.given_names(context) & (options.HYPOTHESES | {"draw_ratio", "max_games"})
    if given:
        raise UsageError(
            f"{options.option_name(sorted(given)[0])} cannot be given with RUN = {values['run']};"
            " expected RUN alone, whose test and games are known"
        )
    options.check_run(values["run"])

    from harness.commands import warn
    from harness.match import read_tally
    from harness.stopped import game_deviation_of

    tally, games_per_min = read_tally(values["run"], warn)
    if tally.decision is not None:
        raise UsageError(f"{values['run']}: the test has ended; expected one that goes on")
    counts = tally.pentanomial
    if not counts.observations:
        raise UsageError(f"{values['run']}: no pair is finished; expected some, to learn from")
    deviation = game_deviation_of(counts)
    left = 2 * tally.max_pairs - tally.games_done
    return _Ground(tally.state, deviation, left, games_per_min)


def _heading(ground: _Ground) -> str:
    test, counts = ground.state.hypotheses, ground.state.counts
    begun = f" after {counts.games} games, LLR {ground.state.llr:.2f}" if counts.games else ""
    return (
        f"SPRT [{test.elo0:g}, {test.elo1:g}] {test.unit}, alpha {test.alpha:g}, beta"
        f" {test.beta:g}{begun}, at most {ground.max_games:,} games"
        f"{' more' if begun else ''}; if NEW is really stronger by"
    )


def _document(ground: _Ground, rows: list[Outlook]) -> dict[str, Any]:
    test = ground.state.hypotheses
    return {
        "elo0": test.elo0,
        "elo1": test.elo1,
        "alpha": test.alpha,
        "beta": test.beta,
        "model": test.model,
        "llr": ground.state.llr,
        "games_counted": ground.state.counts.games,
        "max_games": ground.max_games,
        "outlook": [row._asdict() for row in rows],
    }
