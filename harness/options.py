"""The options of the commands, each declared once, and the values they stand for.

Nothing heavy is imported before an option is used, so that `--help` and mistakes answer at once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click
from click.core import ParameterSource

from harness.clock import TIME_MARGIN_MS
from harness.errors import UsageError

if TYPE_CHECKING:
    from harness.exports import Output
    from harness.limits import Limit
    from harness.spec import OpeningSpec, SprtSpec

Command = Callable[..., Any]

DEFAULT_NODES: Final = 5000
DEFAULT_PLIES: Final = 8
DEFAULT_BOUND_CP: Final = 120
#: A test of [0, 5] takes 42,000 games on average when the truth is in its middle, and one in a
#: thousand of them four times as many.
DEFAULT_MAX_GAMES: Final = 200_000
STANDARD_OUTPUT: Final = Path("-")
MAX_SEED: Final = 2**64 - 1
LIMITS: Final = ("nodes", "depth", "movetime", "tc")
MODELS: Final = ("normalized", "logistic", "trinomial")
#: A model for results of others: bounds in BayesElo, as many programs had them before 2020.
OLD_MODEL: Final = "bayesian"
PRESETS: Final = ("gain", "non_regression", "early")
HYPOTHESES: Final = frozenset({*PRESETS, "elo0", "elo1", "alpha", "beta", "model"})
#: Rules that end games before the rules of chess do, by their own options.
RULES: Final = ("draw", "resign", "resign_one_sided", "max_plies", "syzygy")
#: What may change when a run is resumed: nothing that has a say in its games or its verdict.
FREE_ON_RESUME: Final = frozenset(
    {"resume", "concurrency", "cluster", "affinity", "force_concurrency"}
    | {"json_path", "events", "quiet"}
    | {"pgn_comments", "pgn_append", "final_epd", "log_engine"}
)


class _ParsedType(click.ParamType):  # type: ignore[type-arg]  # generic in new clicks only
    """Text such as `10+0.1`, made what it means by `parse`, which gets the option's kind first."""

    def __init__(self, kind: str, parse: Callable[[str, str], Any]) -> None:
        self.name = kind
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return self._parse(self.name, value)
        except ValueError as error:
            self.fail(f"{value!r}: {error}.", param, ctx)


def _limit(kind: str, text: str) -> Limit:
    from harness.limits import Limit

    return Limit.parse(kind, text)


def _limit_type(kind: str) -> _ParsedType:
    return _ParsedType(kind, _limit)


def _rule(rule: str, text: str) -> dict[str, int]:
    from harness.adjudication import parse_rule

    return parse_rule(rule, text)


def together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """One decorator for several options; --help lists them in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def example(*lines: str) -> str:
    """The end of a command's --help."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


#: Limits of a single move; a game may have a clock as well.
move_limit_options = together(
    click.option(
        "--nodes",
        type=_limit_type("nodes"),
        metavar="N",
        help=f"Nodes of each move (the default, {DEFAULT_NODES}): exact and the same everywhere.",
    ),
    click.option("--depth", type=_limit_type("depth"), metavar="N", help="Depth of each move."),
    click.option(
        "--movetime", type=_limit_type("movetime"), metavar="MS", help="Milliseconds of each move."
    ),
)

limit_options = together(
    move_limit_options,
    click.option(
        "--tc",
        type=_limit_type("tc"),
        metavar="TC",
        help="A clock: [moves/][minutes:]seconds[+increment], such as 10+0.1.",
    ),
)

node_scaling_options = together(
    click.option(
        "--scale-nodes",
        is_flag=True,
        help="Speed counts: both sides' speeds are measured first, and NEW gets the nodes that it"
        " can search in the time of BASE's.",
    ),
    click.option(
        "--scale-nodes-by",
        type=float,
        metavar="FACTOR",
        help="The same by a factor that was measured before, such as 0.93.",
    ),
)

opening_options = together(
    click.option(
        "--openings",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="A book: EPD, FEN, PGN or Polyglot; plain, .gz, .zip or .zst. Without it, openings are"
        " made from random plies and kept when a short search finds them balanced.",
    ),
    click.option(
        "--order",
        type=click.Choice(["random", "sequential"]),
        metavar="ORDER",
        help="Of the book's openings: random (by --seed, the default) or sequential.",
    ),
    click.option(
        "--start",
        type=click.IntRange(1),
        default=1,
        metavar="N",
        help="Begin with opening number N.",
    ),
    click.option(
        "--plies",
        type=click.IntRange(1, 200),
        metavar="N",
        help=f"Random plies of an opening (default {DEFAULT_PLIES}), or the length to which a"
        " PGN's lines (default: whole lines) or a Polyglot book's (default 8) are cut.",
    ),
    click.option(
        "--variant",
        type=click.Choice(["standard", "chess960"]),
        default="standard",
        show_default=True,
        metavar="VARIANT",
        help="standard or chess960; without a book the games begin from the 960 positions. A book's"
        " positions that only Chess960 knows are played by its rules anyway.",
    ),
)


def _check_seed(context: click.Context, parameter: click.Parameter, seed: int) -> int:
    if not 0 <= seed <= MAX_SEED:
        raise click.BadParameter(f"{seed}: expected an integer from 0 to {MAX_SEED}.")
    return seed


seed_option = click.option(
    "--seed",
    type=int,
    callback=_check_seed,
    default=1,
    show_default=True,
    metavar="N",
    help="Decides the openings and their order; equal seeds give equal games.",
)


def _hypothesis_options(models: Sequence[str], about: str) -> Callable[[Command], Command]:
    return together(
        click.option("--gain", is_flag=True, help="Test for a gain: [0, 5] nElo (the default)."),
        click.option(
            "--non-regression",
            is_flag=True,
            help="Test that nothing of weight was lost: [-5, 0] nElo.",
        ),
        click.option("--early", is_flag=True, help="A quick look for a large gain: [0, 10] nElo."),
        click.option(
            "--elo0",
            type=float,
            metavar="ELO",
            help="Strength difference under H0, in nElo (in Elo with another --model).",
        ),
        click.option(
            "--elo1",
            type=float,
            metavar="ELO",
            help="Strength difference under H1, in nElo (in Elo with another --model).",
        ),
        click.option(
            "--alpha",
            type=float,
            default=0.05,
            show_default=True,
            metavar="P",
            help="Probability of accepting H1 when H0 is true.",
        ),
        click.option(
            "--beta",
            type=float,
            default=0.05,
            show_default=True,
            metavar="P",
            help="Probability of accepting H0 when H1 is true.",
        ),
        click.option(
            "--model",
            type=click.Choice(models),
            default="normalized",
            show_default=True,
            metavar="MODEL",
            help=about + " The presets keep their numbers.",
        ),
    )


hypothesis_options = _hypothesis_options(
    MODELS, "normalized (bounds in nElo), logistic (in Elo) or trinomial (in Elo, by games)."
)
#: For results that are there already.
hindsight_options = _hypothesis_options(
    (*MODELS, OLD_MODEL),
    "normalized (bounds in nElo), logistic (in Elo), trinomial (in Elo, by games) or bayesian (in"
    " BayesElo, by games).",
)

#: More workers than this only wait for each other and, at 100 MB each, may exhaust the machine.
MAX_CONCURRENCY: Final = 8 * len(os.sched_getaffinity(0))


def concurrency_option(meaning: str) -> Callable[[Command], Command]:
    """How much of the machine a command may use."""
    return click.option(
        "--concurrency", type=click.IntRange(1, MAX_CONCURRENCY), metavar="N", help=meaning
    )


def folder_options(instead: str = "") -> Callable[[Command], Command]:
    """Where a run's folder is made, or which one is gone on with (`instead` of what)."""
    return together(
        click.option(
            "--out",
            type=click.Path(path_type=Path),
            default="reports",
            show_default=True,
            metavar="DIR",
            help="Where the run's folder is made.",
        ),
        click.option(
            "--resume",
            type=click.Path(path_type=Path),
            metavar="RUN",
            help=f"Go on with the run in this folder{instead}.",
        ),
    )


no_adjudicate_option = click.option(
    "--no-adjudicate",
    is_flag=True,
    help="Play every game to its end by the rules. Otherwise it is drawn when from move 40 on 8"
    " moves of each side were within 10 cp of 0, won when both sides saw 600 cp or more for it"
    " over 3 moves each, and drawn after 1000 plies.",
)

judging_options = together(
    no_adjudicate_option,
    click.option(
        "--draw",
        type=_ParsedType("draw", _rule),
        metavar="MOVE/COUNT/CP",
        help="A game is drawn when from move MOVE on COUNT moves of each side were within CP cp of"
        " 0 (default 40/8/10); none: never.",
    ),
    click.option(
        "--resign",
        type=_ParsedType("resign", _rule),
        metavar="COUNT/CP",
        help="A game is won when over COUNT moves of each side both saw CP cp or more for the"
        " winner (default 3/600); none: never.",
    ),
    click.option(
        "--resign-one-sided",
        is_flag=True,
        help="A game is won when the loser alone sees so much against it.",
    ),
    click.option(
        "--max-plies",
        type=click.IntRange(0, 10_000),
        metavar="N",
        help="A game of so many plies is drawn (default 1000; 0: none).",
    ),
    click.option(
        "--syzygy",
        metavar="DIR",
        help="A game is over as soon as the Syzygy tables in this folder know its result.",
    ),
    click.option(
        "--time-margin",
        "time_margin_ms",
        type=click.IntRange(0, 60_000),
        default=TIME_MARGIN_MS,
        show_default=True,
        metavar="MS",
        help="How far an engine may overstep its time before it loses.",
    ),
)


def judging(context: click.Context) -> dict[str, Any]:
    """The fields of a run's specification that say how its games are judged. Raises UsageError."""
    from harness.spec import AdjudicationConfig
    from harness.tablebases import open_tablebases

    values = context.params
    rules = [name for name in RULES if values[name] not in (None, False)]
    if values["no_adjudicate"] and rules:
        raise UsageError(
            f"{option_name(rules[0])} cannot be given with --no-adjudicate; expected one of them"
        )
    length = {} if values["max_plies"] is None else {"max_plies": values["max_plies"]}
    syzygy = os.pathsep.join(map(os.path.abspath, (values["syzygy"] or "").split(os.pathsep)))
    config = AdjudicationConfig(
        enabled=not values["no_adjudicate"],
        **(values["draw"] or {}),
        **(values["resign"] or {}),
        resign_two_sided=not values["resign_one_sided"],
        **length,
        syzygy=syzygy if values["syzygy"] else "",
    )
    tables = open_tablebases(config)
    if tables is not None:
        tables.close()
    return {"adjudication": config, "time_margin_ms": values["time_margin_ms"]}


tournament_options = together(
    click.option(
        "--games",
        type=click.IntRange(2),
        default=100,
        show_default=True,
        metavar="N",
        help="Games of each pairing, half of them with each colour.",
    ),
    click.option(
        "--anchor",
        "anchors",
        multiple=True,
        metavar="NAME=ELO",
        help="Fix a player's rating; the others are on that scale then. May be given again.",
    ),
)

output_options = together(
    click.option(
        "--pgn",
        "pgn_comments",
        type=click.Choice(["full", "minimal"]),
        default="full",
        show_default=True,
        metavar="STYLE",
        help="full: each move of games.pgn with its score, depth, time and nodes; minimal: the"
        " moves alone.",
    ),
    click.option(
        "--pgn-append",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Add the games to this collection too, at the end of the run.",
    ),
    click.option(
        "--final-epd",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Write the positions in which the games ended, with their results.",
    ),
    click.option(
        "--log-engine",
        is_flag=True,
        help="Keep what UCI programs are told and say: a file for each game in the run's folder.",
    ),
)

worker_options = together(
    concurrency_option("Games at a time (default: one for each core; at most eight)."),
    click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Play on the workers of the Dask scheduler there, such as tcp://host:8786.",
    ),
    click.option(
        "--affinity",
        is_flag=True,
        help="Each game has processor cores of its own, as many as its engines have threads.",
    ),
    click.option(
        "--force-concurrency",
        is_flag=True,
        help="Play more games with clocks at a time than there are cores for their threads.",
    ),
)

threads_option = concurrency_option("Positions at a time (default: one for each core).")

junit_option = click.option(
    "--junit",
    "junit_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the result as JUnit XML too.",
)

json_option = click.option(
    "--json",
    "json_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the result as JSON too; to standard output with -, and then all else to standard"
    " error.",
)

events_option = click.option(
    "--events",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write what happens as JSON lines, while it happens (docs/events.md).",
)

quiet_option = click.option(
    "--quiet", is_flag=True, help="Print the verdict only; warnings go to standard error."
)


def option_name(name: str) -> str:
    """A parameter's name as the user writes it: `max_games` is `--max-games`."""
    spelt = {
        "json_path": "json",
        "time_margin_ms": "time_margin",
        "result_share": "lambda",
        "anchors": "anchor",
        "pgn_comments": "pgn",
    }.get(name, name)
    return "--" + spelt.replace("_", "-")


def given_names(context: click.Context) -> set[str]:
    """The parameters that the user has set."""
    return {
        name
        for name in context.params
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT
    }


def refuse_with_resume(context: click.Context, free: frozenset[str] = FREE_ON_RESUME) -> None:
    """A resumed run plays on as it was begun: refuse whatever would change it."""
    given = {name for name in given_names(context) if context.params[name] != ()}
    fixed = sorted(given - free - {"new", "base", "config", "engines"})
    for name, shown in (("new", "NEW"), ("config", "CFG"), ("engines", "ENGINE")):
        if name in given:
            value = context.params[name]
            text = " ".join(value) if isinstance(value, tuple) else value
            raise UsageError(
                f"{shown} = {text} cannot be given with --resume; expected RUN"
                " alone, which knows its configurations"
            )
    if fixed:
        raise UsageError(
            f"{option_name(fixed[0])} cannot be given with --resume; expected at most"
            f" {', '.join(map(option_name, sorted(free - {'resume'})))}, since the run plays on as"
            " it was begun"
        )


def check_workers(context: click.Context) -> None:
    """Refuse two answers to who plays the games."""
    if context.params["cluster"] is not None and context.params["concurrency"] is not None:
        raise UsageError(
            "--concurrency cannot be given with --cluster; expected one of them, since a cluster"
            " plays as many games at a time as its workers have threads"
        )
    if context.params["cluster"] is not None and context.params["affinity"]:
        raise UsageError(
            "--affinity cannot be given with --cluster; expected one of them, since the cores are"
            " those of this machine"
        )


def match_limit(context: click.Context) -> Limit:
    """The one limit that was given, or the default."""
    from harness.limits import Limit

    chosen = [name for name in LIMITS if context.params.get(name) is not None]
    if len(chosen) > 1:
        first, second = map(option_name, chosen[:2])
        raise UsageError(f"{second} cannot be given with {first}; expected one kind of limit")
    limit: Limit = context.params[chosen[0]] if chosen else Limit(nodes=DEFAULT_NODES)
    return limit


def sprt_spec(context: click.Context) -> SprtSpec:
    """The hypotheses that the options stand for. Raises UsageError where there is no such test."""
    from harness import sprt
    from harness.spec import SprtSpec

    values = context.params
    presets = [name for name in PRESETS if values[name]]
    bounds = [name for name in ("elo0", "elo1") if values[name] is not None]
    if len(presets + bounds) > 1 and presets:
        first, second = map(option_name, (presets + bounds)[:2])
        raise UsageError(f"{second} cannot be given with {first}; expected one pair of bounds")
    elo0, elo1 = getattr(sprt, presets[0].upper() if presets else "GAIN")
    elo0 = elo0 if values["elo0"] is None else values["elo0"]
    elo1 = elo1 if values["elo1"] is None else values["elo1"]
    try:
        test = sprt.Hypotheses(elo0, elo1, values["alpha"], values["beta"], values["model"])
    except ValueError as error:
        raise UsageError(f"--{error}") from None
    return SprtSpec(
        elo0=test.elo0, elo1=test.elo1, alpha=test.alpha, beta=test.beta, model=test.model
    )


class ChosenOpenings(NamedTuple):
    """The openings of a run, and for how many pairs they are different, and known to be playable.

    None says: for any number.
    """

    spec: OpeningSpec
    different_pairs: int | None = None
    checked_pairs: int | None = None


def opening_spec(context: click.Context, pairs: int) -> ChosenOpenings:
    """The openings of so many pairs that the options stand for, a book read and checked."""
    from harness.spec import OpeningSpec

    values = context.params
    if values["openings"] is not None:
        return _book_spec(context, pairs)
    if values["order"] is not None:
        raise UsageError("--order cannot be given without --openings; expected a book")
    plies = values["plies"] or DEFAULT_PLIES
    return ChosenOpenings(
        OpeningSpec(start=values["start"] - 1, plies=plies, variant=values["variant"])
    )


def _book_spec(context: click.Context, pairs: int) -> ChosenOpenings:
    from harness.openings import BookOpenings
    from harness.spec import OpeningSpec

    values = context.params
    path, start, plies = values["openings"], values["start"] - 1, values["plies"]
    order = values["order"] or "random"
    book = BookOpenings(path, order, values["seed"], plies or 0, values["variant"] == "chess960")
    if plies is not None and not book.has_moves:
        raise UsageError(
            f"--plies {plies} cannot be given with {path}; expected a book of lines, and this is a"
            " list of positions"
        )
    if start >= book.size:
        raise UsageError(f"--start {start + 1}: expected at most {book.size}, the size of {path}")
    checked = book.check(start, pairs)
    spec = OpeningSpec(
        kind="book",
        path=str(path.resolve()),
        sha256=book.sha256,
        order=order,
        start=start,
        plies=plies or 0,
        variant=values["variant"],
    )
    return ChosenOpenings(spec, book.count_before_repetition(start), checked)


def output_of(context: click.Context) -> Output:
    """Where a run's games go. Raises UsageError where they could not be written."""
    from harness.exports import Output

    values = context.params
    for path in (values["pgn_append"], values["final_epd"]):
        check_output_file(path)
    return Output(
        comments=values["pgn_comments"] == "full",
        pgn_append=values["pgn_append"],
        final_epd=values["final_epd"],
        conversations=values["log_engine"],
    )


def write_result(path: Path | None, document: dict[str, Any]) -> None:
    """Write the JSON that --json asks for."""
    from harness.exports import write_json

    if path == STANDARD_OUTPUT:
        click.echo(json.dumps(document, indent=1, allow_nan=False))
    elif path is not None:
        write_json(path, document)


def check_output_file(path: Path | None) -> None:
    """Refuse early a file that could not be written at the end."""
    if path is None or path == STANDARD_OUTPUT:
        return
    if path.is_dir():
        raise UsageError(f"{path}: is a folder; expected a file to write")
    _check_folder(path.parent, path)


def check_output_folder(path: Path) -> None:
    """Refuse early a folder that could not be made or written."""
    existing = path
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    _check_folder(existing, path)


def _check_folder(folder: Path, wanted: Path) -> None:
    if not folder.is_dir():
        reason = "is no folder" if folder.exists() else "does not exist"
        raise UsageError(f"{wanted}: {folder} {reason}; expected a folder that can be written")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"{wanted}: no permission to write; expected a folder that can be written")


def check_run(run: Path) -> None:
    """Refuse early a folder that holds no run."""
    from harness.journal import FILE_NAME

    if not (run / FILE_NAME).is_file():
        raise UsageError(f"{run}: no run there; expected a folder with {FILE_NAME}")
