"""The options of `harness tune search`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from harness.options import check_output_file, check_output_folder, together

if TYPE_CHECKING:
    from harness.search_tuning.space import Space
    from harness.spec import EngineConfig

_NAME: Final = re.compile(r"\w[\w+\-.= ]{0,63}")
#: Those of `harness.search_tuning.rules`, which costs the start of every command too much.
SAMPLERS: Final = ("gp", "spsa", "cma-es", "tpe", "random")

study_options = together(
    click.option(
        "--games",
        type=click.IntRange(100),
        default=20_000,
        show_default=True,
        metavar="N",
        help="Of search, re-evaluations and race together; the final test's are its own.",
    ),
    click.option(
        "--sampler",
        type=click.Choice(SAMPLERS),
        default="gp",
        show_default=True,
        metavar="NAME",
        help="What proposes values: gp, spsa, cma-es, tpe or random.",
    ),
    click.option(
        "--trial-pairs",
        type=click.IntRange(1),
        metavar="N",
        help="Most pairs of games of a trial (default: 100, with spsa 8; fewer of few games).",
    ),
    click.option("--name", metavar="NAME", help="Of the study and its result (default: SPACE's)."),
    click.option(
        "--storage",
        metavar="URL",
        help="Keep the trials there, such as postgresql://user@host/base (default: a file).",
    ),
    click.option("--no-test", is_flag=True, help="End with the candidate, without the final test."),
    click.option(
        "--transfer-games",
        type=click.IntRange(0),
        default=2000,
        show_default=True,
        metavar="N",
        help="Most games of each test at two and four times the nodes; 0: none.",
    ),
    click.option(
        "--draw-ratio",
        type=click.FloatRange(0, 1, max_open=True),
        default=0.4,
        show_default=True,
        metavar="P",
        help="For the plan: share of games that are drawn between equals.",
    ),
    click.option("--plan", is_flag=True, help="Play nothing; say what can be expected."),
    click.option(
        "--screen", is_flag=True, help="Play nothing; say which parameters change the search."
    ),
)

out_option = click.option(
    "--out",
    type=click.Path(path_type=Path),
    default="reports",
    show_default=True,
    metavar="DIR",
    help="Where the study's folder is made, or found again.",
)


def check_usage(context: click.Context) -> None:
    """Refuse what is wrong with the options and files, before anything is loaded or written."""
    check_output_file(context.params["json_path"])
    check_output_folder(context.params["out"])
    base_and_space(context.params)


def study_name(values: Mapping[str, Any]) -> str:
    """What the study and its candidate are called."""
    return str(values["name"] or Path(values["space"]).stem)


def base_and_space(values: Mapping[str, Any]) -> tuple[EngineConfig, Space]:
    """BASE, its config saying all that is tuned, and SPACE.

    Raises UsageError, and EngineStartError where a program does not start.
    """
    from harness.config import load_engine_config
    from harness.errors import UsageError
    from harness.search_tuning.space_file import read_space
    from harness.search_tuning.tunables import SOURCES, tunables_of

    base = load_engine_config(values["base"])
    if base.source not in SOURCES:
        raise UsageError(
            f"BASE = {values['base']}: source = {base.source}; expected {', '.join(SOURCES)}: the"
            " parameters of the working tree's engine are tuned, or the options of a program"
        )
    name = study_name(values)
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"--name {name!r}: expected a name for files: at most 64 letters, digits, blanks or any"
            " of _+-.=, none of these first but the letters, digits and _"
        )
    if name == base.name:
        raise UsageError(f"--name {base.name}: the base is called so; expected another name")
    space = read_space(values["space"], base)
    return tunables_of(base).completed(base, [*space.names, *space.fixed]), space
