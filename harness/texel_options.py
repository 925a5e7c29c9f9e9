"""The options of `harness tune texel`, each declared once, and the values they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from harness.errors import UsageError
from harness.options import (
    HYPOTHESES,
    LIMITS,
    check_output_file,
    check_output_folder,
    given_names,
    match_limit,
    option_name,
    sprt_spec,
    together,
)

if TYPE_CHECKING:
    from harness.texel.fit import FitOptions

INSTALL: Final = "tuning needs the extra packages: pip install 'numbishop[tune,report]'"

data_options = together(
    click.option(
        "--features",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Coefficients that another engine has counted, instead of SOURCE (docs/texel.md).",
    ),
    click.option(
        "--noisy",
        type=click.Choice(["resolve", "settled", "calm", "keep"]),
        default="resolve",
        show_default=True,
        metavar="WAY",
        help="With noisy positions: resolve (take the quiet end of their quiescence), settled"
        " (leave out those it changes), calm (those where a capture was played), or keep.",
    ),
    click.option(
        "--per-game",
        type=click.IntRange(0),
        default=0,
        metavar="N",
        help="At most so many positions of a game, drawn by --seed (default: all).",
    ),
    click.option(
        "--skip-plies",
        type=click.IntRange(0),
        metavar="N",
        help="Leave out so many plies of each game (default: the opening, as the game tells it).",
    ),
    click.option(
        "--view",
        type=click.Choice(["white", "mover"]),
        default="white",
        show_default=True,
        metavar="SIDE",
        help="Of results and scores in lines of positions: white's, or the side to move's.",
    ),
    click.option(
        "--validation",
        type=click.FloatRange(0, 0.9),
        default=0.1,
        show_default=True,
        metavar="SHARE",
        help="Of the games: kept apart, to say when to stop and how good the weights are.",
    ),
)

fit_options = together(
    click.option(
        "--only",
        multiple=True,
        metavar="GROUP",
        help="Tune only this group or term; may be given again. Groups: material, piece_square,"
        " mobility, pawns, pieces, threats, king, endings (default: all but endings).",
    ),
    click.option(
        "--freeze",
        multiple=True,
        metavar="GROUP",
        help="Leave this group or term as it is; may be given again.",
    ),
    click.option("--mirror", is_flag=True, help="Keep boards equal left and right."),
    click.option(
        "--monotone",
        multiple=True,
        metavar="TERM",
        help="This table shall rise, or fall, as its starting weights do; may be given again.",
    ),
    click.option(
        "--ridge",
        type=click.FloatRange(0),
        metavar="N",
        help="Pull to the start: as if N positions had confirmed each starting weight (default:"
        " what the validation says is best, from 10000 to 10).",
    ),
    click.option(
        "--smooth",
        type=click.FloatRange(0),
        default=0.0,
        show_default=True,
        metavar="N",
        help="Pull of a board's neighbouring squares to each other, counted in the same way.",
    ),
    click.option(
        "--loss",
        type=click.Choice(["squared", "entropy"]),
        default="squared",
        show_default=True,
        metavar="LOSS",
        help="squared (Texel's) or entropy (cross-entropy).",
    ),
    click.option(
        "--lambda",
        "result_share",
        type=click.FloatRange(0, 1),
        default=1.0,
        show_default=True,
        metavar="SHARE",
        help="Of the result in what is predicted; the rest is the search's score, where known.",
    ),
    click.option(
        "--scale",
        type=click.FloatRange(0.1, 30.0),
        metavar="K",
        help="Expected score 1/(1 + exp(-K cp/400)) (default: fitted to the starting weights).",
    ),
    click.option(
        "--method",
        type=click.Choice(["newton", "adam"]),
        default="newton",
        show_default=True,
        metavar="METHOD",
        help="newton (second order: a few steps) or adam (the classical way).",
    ),
    click.option(
        "--steps",
        type=click.IntRange(1),
        default=1000,
        show_default=True,
        metavar="N",
        help="Steps over all positions, at most (of newton: for each ridge).",
    ),
    click.option(
        "--patience",
        type=click.IntRange(1),
        default=50,
        show_default=True,
        metavar="N",
        help="Of adam: steps without a better validation loss, after which it stops.",
    ),
    click.option(
        "--rate",
        type=click.FloatRange(0, min_open=True),
        default=1.0,
        show_default=True,
        metavar="CP",
        help="Adam's learning rate, in centipawns a step.",
    ),
    click.option("--force", is_flag=True, help="Tune also on too few positions for the weights."),
)


def fit_options_of(values: Mapping[str, Any], threads: int) -> FitOptions:
    """How to fit, by the parameters of the command."""
    from harness.texel.fit import FitOptions

    return FitOptions(
        loss=values["loss"],
        method=values["method"],
        k=None if values["scale"] is None else values["scale"] / 400.0,
        result_share=values["result_share"],
        ridge=values["ridge"],
        smoothness=values["smooth"],
        only=tuple(values["only"]),
        freeze=tuple(values["freeze"]),
        mirror=values["mirror"],
        monotone=tuple(values["monotone"]),
        steps=values["steps"],
        patience=values["patience"],
        rate_cp=values["rate"],
        threads=threads,
        force=values["force"],
    )


#: What is said of the test of --verify.
VERIFY_NAMES: Final = frozenset({*LIMITS, *HYPOTHESES, "max_games"})
#: What may change when a tuning is resumed.
FREE_ON_RESUME: Final = VERIFY_NAMES | {"resume", "concurrency", "json_path", "quiet", "verify"}


def check_usage(context: click.Context) -> None:
    """Refuse what is wrong with the options themselves, at once. Raises UsageError."""
    values, given = context.params, given_names(context)
    if find_spec("scipy") is None:
        raise UsageError(f"{INSTALL} (scipy is missing)")
    check_output_file(values["json_path"])
    _check_verification(context)
    if values["resume"] is not None:
        fixed = sorted(given - FREE_ON_RESUME)
        if fixed:
            raise UsageError(
                f"{option_name(fixed[0])} cannot be given with --resume; expected at most"
                " --concurrency, --json, --quiet and --verify with its options"
            )
        return
    check_output_folder(values["out"])
    if bool(values["sources"]) == (values["features"] is not None):
        found = "both given" if values["sources"] else "neither given"
        raise UsageError(f"SOURCE and --features: {found}; expected one of them")
    for source in values["sources"]:
        if not source.exists():
            raise UsageError(f"{source}: no such file; expected games, positions or a run's folder")
    if values["monotone"] and values["method"] != "newton":
        raise UsageError("--monotone cannot be given with --method adam; expected newton")
    if values["features"] is None:
        from harness.config import load_engine_config
        from harness.texel.layout import engine_layout, free_weights

        base = load_engine_config(values["base"])
        if base.source_digest:
            raise UsageError(
                f"--base {values['base']}: engine.source = {base.source}: expected builtin, since"
                " weights are fitted to the terms of the working tree's engine"
            )
        free_weights(engine_layout(), values["only"], values["freeze"])


def _check_verification(context: click.Context) -> None:
    if not context.params["verify"]:
        given = sorted(given_names(context) & VERIFY_NAMES)
        if given:
            raise UsageError(
                f"{option_name(given[0])} cannot be given without --verify; expected both"
            )
        return
    if context.params["features"] is not None:
        raise UsageError(
            "--verify cannot be given with --features; expected weights of the built-in engine"
        )
    match_limit(context)
    sprt_spec(context)
