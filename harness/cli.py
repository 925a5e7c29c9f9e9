"""The `harness` program: its commands, and how each of them ends.

exit code  meaning
0          done; for sprt: H1 accepted
10 11 12   H0 accepted (or: what was checked is not so), undecided at the limit, invalid
1          a bug of ours (traceback)
2          usage or bad input       } one sentence,
4          something did not start  } see `harness.errors`
130        interrupted, resumable
"""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from harness import __version__, options, search_options, texel_options
from harness.errors import EngineStartError, HarnessError, Interrupted, UsageError
from harness.run_queue.cli import queue

if TYPE_CHECKING:
    from harness.tournament.pairings import Format

EXIT_CODES: Final = {"H1": 0, "finished": 0, "H0": 10, "undecided": 11, "invalid": 12}
EXIT_BUG: Final = 1
#: A count, signature or solution is not what was expected of it.
EXIT_CHECK_FAILED: Final = 10


class _Program(click.Group):
    """Ends each command with its exit code, and each mistake with one sentence."""

    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> NoReturn:
        _write_what_can_be_written()
        try:
            code = super().main(args, prog_name="harness", standalone_mode=False)
        except click.ClickException as error:
            _say_error(error.format_message())
            code = UsageError.exit_code
        except Interrupted as error:
            code = error.exit_code  # the view has said how to go on
        except HarnessError as error:
            _say_error(str(error))
            code = error.exit_code
        except click.Abort:
            _say_error("interrupted")
            code = Interrupted.exit_code
        except OSError as error:
            if error.errno in _NOBODY_READS:
                # Nothing is left to be said, nor at the exit of the interpreter.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                code = EXIT_BUG
            elif error.filename is None:
                code = _say_bug()
            else:
                _say_error(f"{error.filename}: {error.strerror}; {_EXPECTED_OF_A_PATH}")
                code = _exit_code_of(error)
        except Exception:  # noqa: BLE001  # whatever it is, the user is told what to do with it
            code = _say_bug()
        sys.exit(code)


#: Whoever read our output has gone: a program such as `head`, or the terminal.
_NOBODY_READS: Final = frozenset({errno.EPIPE, errno.EIO})

_EXPECTED_OF_A_PATH: Final = "expected a place that can be used all the while"


def _write_what_can_be_written() -> None:
    """A sign that the output's encoding lacks is a question mark there, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _exit_code_of(error: OSError) -> int:
    """A name that cannot be used is bad input; a place that failed on the way is not."""
    bad_name = error.errno in {errno.ENAMETOOLONG, errno.EACCES, errno.EPERM, errno.ENOTDIR}
    return UsageError.exit_code if bad_name else EngineStartError.exit_code


def _say_bug() -> int:
    traceback.print_exc()
    _say_error("this is a bug in numbishop; please report it with the lines above")
    return EXIT_BUG


def _say_error(sentence: str) -> None:
    click.echo(f"error: {sentence}", err=True)


_example = options.example


@click.group(
    cls=_Program,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_example("harness sprt demo/new.cfg demo/base.cfg"),
    invoke_without_command=True,
)
@click.version_option(__version__, message="Numbishop %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Find out whether a change makes a chess engine stronger."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@main.command(
    short_help="Is NEW stronger than BASE? Play until a test says so.",
    epilog=_example(
        "harness sprt new.cfg base.cfg --tc 10+0.1 --openings book.epd.gz",
        "harness sprt --rev HEAD~1",
    ),
)
@click.argument("new", required=False)
@click.argument("base", required=False)
@click.option(
    "--rev",
    metavar="REV",
    help="BASE is the engine of a git revision, at its own defaults; NEW is then the working"
    " tree's, at its own, unless it is given.",
)
@options.limit_options
@options.node_scaling_options
@options.opening_options
@options.seed_option
@options.hypothesis_options
@click.option(
    "--max-games",
    type=click.IntRange(2),
    default=options.DEFAULT_MAX_GAMES,
    show_default=True,
    metavar="N",
    help="Stop undecided after so many games. A book at fixed nodes or depth ends the run earlier:"
    " each of its openings can be played once.",
)
@options.judging_options
@options.output_options
@options.worker_options
@options.folder_options(", instead of NEW BASE")
@click.option(
    "--then",
    metavar="OPTIONS",
    help="When H1 is accepted, play a second test that has these options otherwise, such as"
    ' "--nodes 20000 --gain". The exit code is that of the last test played.',
)
@options.json_option
@options.events_option
@options.quiet_option
@click.pass_context
def sprt(context: click.Context, /, **values: Any) -> int:
    """Is NEW stronger than BASE?

    NEW and BASE are config files; they are looked for here and in configs/. Pairs of games are
    played until a sequential test is decided. Exit code 0: H1 accepted; 10: H0; 11: undecided at
    --max-games; 12: invalid; 130: interrupted.
    """
    from harness.sprt_command import resume_sprt, start_sprt

    if values["resume"] is not None:
        return EXIT_CODES[resume_sprt(context)]
    return EXIT_CODES[start_sprt(context)]


def _tournament_command(form: Format, short_help: str, example: str, help_text: str) -> None:
    """One of the commands that play a fixed number of games; they differ in who meets whom."""

    @main.command(form, short_help=short_help, help=help_text, epilog=_example(example))
    @click.argument("engines", nargs=-1, metavar="ENGINE...")
    @options.limit_options
    @options.tournament_options
    @options.opening_options
    @options.seed_option
    @options.judging_options
    @options.output_options
    @options.worker_options
    @options.folder_options(", instead of ENGINE...")
    @options.json_option
    @options.quiet_option
    @click.pass_context
    def command(context: click.Context, /, **_: Any) -> int:
        from harness.tournament_command import play_tournament

        return EXIT_CODES[play_tournament(context, form)]


_TOURNAMENT_HELP: Final = (
    " Engines are config files; they are looked for here and in configs/. Each opening is played by"
    " all pairings, and twice, with the colours swapped. Exit code 0: all games are played;"
    " 12: invalid, a player made too many faults; 130: interrupted."
)
_tournament_command(
    "match",
    "How much stronger is one engine than another?",
    "harness match new.cfg base.cfg --games 1000",
    "Play a fixed number of games between two engines: Elo with its interval, and LOS."
    + _TOURNAMENT_HELP,
)
_tournament_command(
    "gauntlet",
    "One engine against all the others: its rating.",
    "harness gauntlet new.cfg agata.cfg mango.cfg --anchor agata=1700 --games 200",
    "Play the first engine against each of the others; with --anchor its rating on their scale."
    + _TOURNAMENT_HELP,
)
_tournament_command(
    "roundrobin",
    "All engines against each other: a rating list.",
    "harness roundrobin base.cfg agata.cfg mango.cfg monik.cfg --games 100",
    "Play each engine against each other one: a list of ratings with their intervals."
    + _TOURNAMENT_HELP,
)


@main.command(
    short_help="What will a test cost, and will it pass?",
    epilog=_example("harness plan --gain --elo 3 --draw-ratio 0.6", "harness plan reports/RUN"),
)
@click.argument("run", required=False, type=click.Path(path_type=Path), metavar="[RUN]")
@click.option(
    "--elo",
    type=float,
    multiple=True,
    metavar="ELO",
    help="Suppose that NEW is stronger by this; may be given again (default: five strengths around"
    " the hypotheses).",
)
@click.option(
    "--draw-ratio",
    type=float,
    metavar="P",
    help="Share of games that are drawn between equals (default 0.5).",
)
@options.hypothesis_options
@click.option(
    "--max-games",
    type=click.IntRange(2),
    default=options.DEFAULT_MAX_GAMES,
    show_default=True,
    metavar="N",
    help="Undecided after so many games.",
)
@options.json_option
@click.pass_context
def plan(context: click.Context, /, **_: Any) -> int:
    """How likely a test is to pass, and how many games it takes, for supposed strengths.

    With RUN: the test of that run, from where it stands now, by the spread of its own games.
    """
    from harness.plan_command import run_plan

    run_plan(context)
    return 0


@main.command(
    short_help="The test's numbers for counts, a run or a PGN.",
    epilog=_example(
        "harness stats --ptnml 43,61,144,55,37 --elo0 0 --elo1 5", "harness stats games.pgn"
    ),
)
@click.argument("source", required=False, type=click.Path(path_type=Path), metavar="[RUN|PGN]")
@click.option("--ptnml", metavar="COUNTS", help="Pairs: LL,LD,DD+WL,WD,WW of NEW.")
@click.option("--wdl", metavar="COUNTS", help="Games: wins,draws,losses of NEW.")
@click.option("--new", metavar="NAME", help="NEW's name in the PGN (default: the first white).")
@options.hindsight_options
@options.json_option
@options.quiet_option
@click.pass_context
def stats(context: click.Context, /, **_: Any) -> int:
    """What results say: the test's numbers for counts, a run's folder or a PGN.

    All numbers are from the point of view of NEW. A PGN may come from another program; its games
    must form pairs.
    """
    from harness.commands import show_stats

    show_stats(context)
    return 0


@main.command(
    short_help="Does a program keep to the UCI protocol?",
    epilog=_example("harness check stockfish", "harness check engine.cfg --json result.json"),
)
@click.argument("engine", metavar="ENGINE")
@click.option(
    "--option",
    "engine_options",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option to set before; may be given again.",
)
@options.json_option
@options.quiet_option
@click.pass_context
def check(context: click.Context, /, **_: Any) -> int:
    """Examine a UCI program step by step, in less than a minute.

    ENGINE is its command, or a config file. Of a step that fails, what was sent (>) and what came
    (<) is shown. Exit code 10 when something fails that a match needs.
    """
    from harness.check_command import run_check

    return 0 if run_check(context) else EXIT_CHECK_FAILED


@main.command(
    "import",
    short_help="A run of fastchess as config files and a command.",
    epilog=_example("harness import config.json --out engines"),
)
@click.argument("source", metavar="SOURCE")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the config files into this folder, instead of printing them.",
)
def import_(source: str, out: Path | None) -> int:
    """Print the config files and the command that are equal to a run of fastchess.

    SOURCE is the config.json that fastchess saves, a file with its command line, or that command
    line itself in quotes. What has no equal here is told on standard error.
    """
    from harness.import_command import run_import

    run_import(source, out)
    return 0


@main.command(
    short_help="Write balanced openings to a file.",
    epilog=_example("harness book --count 1000 --seed 7 --out openings.epd"),
)
@click.option(
    "--count", type=click.IntRange(1), required=True, metavar="N", help="How many positions."
)
@options.seed_option
@click.option(
    "--plies",
    type=click.IntRange(1, 200),
    default=options.DEFAULT_PLIES,
    show_default=True,
    metavar="N",
    help="Random plies from the start position.",
)
@click.option(
    "--bound",
    type=click.IntRange(0, 10_000),
    default=options.DEFAULT_BOUND_CP,
    show_default=True,
    metavar="CP",
    help="Keep a position when a short search sees no more than so many centipawns for a side.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="The file to write: one FEN a line.",
)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
def book(count: int, seed: int, plies: int, bound: int, out: Path, force: bool) -> int:
    """Write openings to a file: balanced positions after random plies, no position twice."""
    from harness.commands import write_book

    write_book(count, seed, plies, bound, out, force=force)
    return 0


@main.command(
    short_help="Compile the engine, so that the next run starts at once.",
    epilog=_example("harness warm"),
)
@options.quiet_option
def warm(quiet: bool) -> int:
    """Compile the engine now, so that the next run starts at once."""
    from harness.commands import warm_engine

    warm_engine(quiet)
    return 0


@main.command(
    short_help="Play recorded pairs again: are they equal?",
    epilog=_example(
        "harness replay reports/RUN 7",
        "harness replay reports/RUN 0-49",
        "harness replay reports/search-lmr --trial 17",
    ),
)
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("pairs", nargs=-1, metavar="PAIR...")
@click.option(
    "--trial",
    type=click.IntRange(0),
    metavar="N",
    help="Of a study: PAIR counts within trial N; without PAIR all of its pairs.",
)
@options.concurrency_option("Games at a time (default: one for each core).")
@options.json_option
@options.quiet_option
@click.pass_context
def replay(context: click.Context, /, **_: Any) -> int:
    """Play pairs of the run in folder RUN again and compare them with their record, move by move.

    PAIR is a number, from 0 as in games.pgn, or a range such as 0-49. Exit code 10: a game differs;
    its first ply that does is shown. The run's folder is not changed.
    """
    from harness.replay_command import run_replay

    return 0 if run_replay(context) else EXIT_CHECK_FAILED


@main.command(
    short_help="See an engine's fault again.",
    epilog=_example("harness reproduce reports/RUN/faults/pair-3-game-1.json"),
)
@click.argument("bundle", type=click.Path(path_type=Path))
def reproduce(bundle: Path) -> int:
    """Tell the engine at fault the same again, and see whether it fails again.

    BUNDLE is a file from the folder faults/ of a run. Exit code 0: it failed again; 10: it did not.
    """
    from harness.reproduce import reproduce as tell_again

    return 0 if tell_again(bundle) else EXIT_CHECK_FAILED


@main.command(
    short_help="Regenerate report.html of a run.", epilog=_example("harness report reports/RUN")
)
@click.argument("run", type=click.Path(path_type=Path))
def report(run: Path) -> int:
    """Regenerate report.html from the journal of the run in folder RUN."""
    from harness.commands import rebuild_report

    rebuild_report(run)
    return 0


@main.command(
    short_help="Count move sequences: is the move generator right?",
    epilog=_example(
        "harness perft --suite tests/perft/standard.perft --max-nodes 1000000",
        "harness perft --suite tests/perft/standard.perft --against stockfish",
    ),
)
@click.option(
    "--suite",
    "suites",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Positions with their counts (`FEN ;D1 20 ;D2 400`, EPD, python-chess's .perft); may be"
    " given again.",
)
@click.option("--fen", metavar="FEN", help="One position (default: the start position).")
@click.option(
    "--depth", type=click.IntRange(1, 100), metavar="N", help="Plies; at most, in a suite."
)
@click.option("--divide", is_flag=True, help="Show the leaves below each move of the one position.")
@click.option(
    "--max-nodes",
    type=click.IntRange(1),
    metavar="N",
    help="Of each position the deepest count of at most N leaves (default: the deepest).",
)
@click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help="Begin no position or comparison after so many seconds; small counts come first then.",
)
@click.option(
    "--through",
    type=click.Choice(["generator", "picker", "oracle", "back-ends"]),
    default="generator",
    show_default=True,
    metavar="WAY",
    help="What makes the moves: the generator, the search's staged picker, the oracle (a second"
    " generator), or the generator with each of the slider back-ends.",
)
@click.option(
    "--against",
    metavar="ENGINE",
    help="Find the first difference from python-chess, from builtin@REV (the engine of a revision)"
    " or from a UCI engine that has `go perft`, given as its command.",
)
@click.option(
    "--hash",
    "hash_mb",
    type=click.IntRange(1, 1 << 20),
    metavar="MB",
    help="For deep counts: a table of positions already counted, shared out among the threads."
    " Counts stay exact; moves of a position met again are not made again.",
)
@options.threads_option
@options.json_option
@options.junit_option
@options.quiet_option
@click.pass_context
def perft(context: click.Context, /, **_: Any) -> int:
    """Count the legal move sequences of positions, and check the counts.

    A suite's counts must all be right: exit code 10 when one is wrong. With --against two
    generators are compared, and the position is found where their moves differ.
    """
    from harness.perft_command import run_perft

    return 0 if run_perft(context) else EXIT_CHECK_FAILED


@main.command(
    short_help="The search's signature and speed; is it as fast as a revision?",
    epilog=_example(
        "harness bench --expect-commit",
        "harness bench --against main",
    ),
)
@click.option("--depth", type=click.IntRange(1, 64), metavar="N", help="Plies of each position.")
@click.option(
    "--repeat",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    metavar="N",
    help="Runs over the positions; their speeds are told with the spread.",
)
@click.option(
    "--expect", type=click.IntRange(1), metavar="N", help="Nodes that the signature should have."
)
@click.option(
    "--expect-commit",
    is_flag=True,
    help="Expect what the last commit says that has a line `Bench: N`.",
)
@click.option(
    "--against",
    metavar="REV",
    help="Measure in turn with the engine of a git revision: ratios of speed, kernel by kernel.",
)
@click.option(
    "--rounds",
    type=click.IntRange(10, 1000),
    default=12,
    show_default=True,
    metavar="N",
    help="Runs of each side with --against.",
)
@click.option("--kernels", is_flag=True, help="Time the kernels one by one too.")
@click.option("--attacks", is_flag=True, help="With each slider back-end.")
@options.json_option
@options.quiet_option
@click.pass_context
def bench(context: click.Context, /, **_: Any) -> int:
    """Search fixed positions to a fixed depth: the nodes are the signature of the search.

    Exit code 10: the signature is not the expected one, or the search or a kernel is surely slower
    than the revision's.
    """
    from harness.bench_command import run_bench

    return 0 if run_bench(context) else EXIT_CHECK_FAILED


@main.command(
    short_help="How many positions of an EPD suite does an engine solve?",
    epilog=_example(
        "harness epd wac.epd --movetime 200",
        "harness epd wac.epd --engine 'stockfish' --option Threads=1 --nodes 100000",
    ),
)
@click.argument(
    "suites", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="SUITE..."
)
@options.move_limit_options
@click.option(
    "--engine",
    metavar="ENGINE",
    help="A config file (.cfg), builtin@REV (the engine of a revision), or the"
    " command of a UCI engine (default: base.cfg).",
)
@click.option(
    "--option",
    "engine_options",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the UCI engine; may be given again.",
)
@click.option(
    "--at-least", type=click.IntRange(0), metavar="N", help="Exit code 10 when fewer are solved."
)
@options.threads_option
@options.json_option
@options.quiet_option
@click.pass_context
def epd(context: click.Context, /, **_: Any) -> int:
    """Search each position of the SUITEs and compare the move with bm, am or the grades of c0."""
    from harness.epd_command import run_epd

    return 0 if run_epd(context) else EXIT_CHECK_FAILED


@main.command(
    short_help="Play labelled games for the tuner, or for a trainer of networks.",
    epilog=_example(
        "harness datagen --games 10000 --seed 7",
        "harness datagen new.cfg --games 1000 --export positions.bin",
        "harness datagen --resume reports/RUN --export positions.txt",
    ),
)
@click.argument("config", required=False, default="base.cfg", metavar="[CFG]")
@click.option("--games", type=click.IntRange(1), metavar="N", help="How many games to play.")
@options.limit_options
@options.opening_options
@options.seed_option
@click.option(
    "--no-adjudicate",
    is_flag=True,
    help="Play every game to its end by the rules, instead of as `harness sprt` does.",
)
@options.worker_options
@options.folder_options()
@click.option(
    "--export",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Then write the games as PGN (FILE.pgn), their quiet positions as bulletformat (FILE.bin)"
    " or, by any other name, as lines `FEN | score | result`.",
)
@options.json_option
@options.quiet_option
@click.pass_context
def datagen(context: click.Context, /, **_: Any) -> int:
    """Let the engine of CFG (default: base.cfg) play itself, one game from each opening.

    The games are kept in the folder of a run, which `harness tune texel` reads. Equal seeds give
    equal games on any number of workers.
    """
    from harness.datagen_command import run_datagen

    run_datagen(context)
    return 0


@main.command(
    short_help="Perft, bench, EPD, benchmarks and slow tests: is anything worse?",
    epilog=_example(
        "harness nightly --history nightly.sqlite --page history.html",
        "harness nightly --skip tests --skip benchmarks --budget 60",
    ),
)
@click.option(
    "--history",
    type=click.Path(path_type=Path),
    default="reports/nightly.sqlite",
    show_default=True,
    metavar="FILE",
    help="Where the records of all nights are; this one is added.",
)
@click.option(
    "--page",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write speed and counts over the revisions as HTML.",
)
@click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    default=300.0,
    show_default=True,
    metavar="S",
    help="Seconds for perft.",
)
@click.option(
    "--skip",
    type=click.Choice(["perft", "bench", "epd", "benchmarks", "tests"]),
    multiple=True,
    metavar="STEP",
    help="Leave out perft, bench, epd, benchmarks or tests; may be given again.",
)
@options.json_option
@options.quiet_option
@click.pass_context
def nightly(context: click.Context, /, **_: Any) -> int:
    """Check and measure everything, and compare with the nights before.

    Exit code 10: a check has failed, or a measure is worse by more than its noise.
    """
    from harness.nightly_command import run_nightly

    return 0 if run_nightly(context) else EXIT_CHECK_FAILED


@main.group(
    short_help="Find better numbers for the engine.",
    epilog=_example("harness tune texel games.pgn.zst --verify --early"),
)
def tune() -> None:
    """Find better numbers for the engine."""


@tune.command(
    short_help="Fit the evaluation's weights to the results of games.",
    epilog=_example(
        "harness tune texel games.pgn.zst --verify --early",
        "harness tune texel reports/RUN --only piece_square --mirror",
    ),
)
@click.argument("sources", nargs=-1, type=click.Path(path_type=Path), metavar="[SOURCE]...")
@click.option(
    "--base",
    default="base.cfg",
    show_default=True,
    metavar="CFG",
    help="The engine whose weights are the start.",
)
@click.option("--name", default="tuned", show_default=True, metavar="NAME", help="Of the result.")
@texel_options.data_options
@options.seed_option
@texel_options.fit_options
@click.option("--verify", is_flag=True, help="Then test the tuned weights against the base.")
@options.limit_options
@options.hypothesis_options
@click.option(
    "--max-games",
    type=click.IntRange(2),
    default=20_000,
    show_default=True,
    metavar="N",
    help="Of the test: undecided after so many.",
)
@options.concurrency_option("Processes, threads, games at a time (default: one for each core).")
@options.folder_options(", instead of SOURCE")
@options.json_option
@options.quiet_option
@click.pass_context
def texel(context: click.Context, /, **_: Any) -> int:
    """Fit the evaluation's weights to the results of games, and test them.

    SOURCE is a file of games (PGN) or of positions with results (FEN or EPD lines), plain or
    packed, the folder of a run, or that of an earlier tuning, whose positions are used again. The
    weights come as a config that extends the base. Exit code with --verify: as of sprt.
    """
    texel_options.check_usage(context)

    from harness.texel_command import run_tuning

    decision = run_tuning(context)
    return 0 if decision is None else EXIT_CODES[decision]


@tune.command(
    short_help="Search for better search parameters by self-play, and test them.",
    epilog=_example(
        "harness tune search spaces/lmr.cfg base.cfg --games 20000",
        "harness tune search spaces/all.cfg base.cfg --screen",
    ),
)
@click.argument("space")
@click.argument("base", default="base.cfg")
@search_options.study_options
@options.limit_options
@options.hypothesis_options
@click.option(
    "--max-games",
    type=click.IntRange(2),
    default=20_000,
    show_default=True,
    metavar="N",
    help="Of the final test: undecided after so many.",
)
@options.seed_option
@options.concurrency_option("Games at a time (default: one for each core).")
@search_options.out_option
@options.json_option
@options.quiet_option
@click.pass_context
def search(context: click.Context, /, **_: Any) -> int:
    """Look for better search parameters of BASE in a SPACE of them, by games.

    The same command goes on with a study that was stopped. The winner comes as a config that
    extends the base, with the evidence, and is tested against the base on openings that the search
    has not seen. Exit code: as of sprt.
    """
    search_options.check_usage(context)

    from harness.search_command import run_search

    decision = run_search(context)
    return 0 if decision is None else EXIT_CODES[decision]


@main.command(
    short_help="Does this machine give the verdicts that are promised?",
    epilog=options.example("harness selfcheck"),
)
@click.argument("config", required=False, default="base.cfg", metavar="[CFG]")
@options.seed_option
@options.concurrency_option("Games at a time (default: one for each core).")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default="reports",
    show_default=True,
    metavar="DIR",
    help="Where the folder of its runs is made.",
)
@options.json_option
@options.quiet_option
@click.pass_context
def selfcheck(context: click.Context, /, **_: Any) -> int:
    """Play the engine of CFG (default: base.cfg) against itself, and look at what comes out.

    Equal at fixed nodes; no difference by the clock, for no worker; a handicap is found; the error
    rates are those of the test. Some minutes. Exit code 10: a check has failed.
    """
    from harness.selfcheck.command import run_selfcheck

    return 0 if run_selfcheck(context) else EXIT_CHECK_FAILED


main.add_command(queue)


if __name__ == "__main__":
    main()
