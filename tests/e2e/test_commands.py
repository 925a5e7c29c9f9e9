"""The installed commands in a process of their own: help, and the sentence each mistake gets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness import options
from harness.adjudication import parse_rule
from harness.spec import AdjudicationConfig, MatchSpec, OpeningSpec

ROOT = Path(__file__).parents[2]
SCRIPTED = ROOT / "tests" / "match" / "scripted_engine.py"
CORES = len(os.sched_getaffinity(0))
COMMANDS = (
    "sprt", "match", "gauntlet", "roundrobin", "check", "import", "stats", "perft", "bench", "epd",
    "nightly", "book", "datagen", "warm", "replay", "report", "reproduce", "tune", "queue",
    "selfcheck", "plan",
)  # fmt: skip

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}


def harness(
    *arguments: str, cwd: Path, code: str = "from harness.cli import main; main()"
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=500,  # the first one may have to compile the engine
        check=False,
    )


# Importing numba fails: help and mistakes must be answered at once, without the engine.
NO_NUMBA = """
import sys
sys.modules["numba"] = None
from harness.cli import main
main()
"""


def refused(*arguments: str, cwd: Path) -> str:
    """The sentence of a usage error: exit code 2, nothing else said, nothing written, no engine."""
    before = sorted(cwd.rglob("*"))
    done = harness(*arguments, cwd=cwd, code=NO_NUMBA)
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.returncode == 2
    assert sorted(cwd.rglob("*")) == before
    return done.stderr.removeprefix("error: ").rstrip("\n")


# --- Help --------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [*COMMANDS, "tune texel"])
def test_every_help_ends_with_an_example(command, tmp_path):
    done = harness(*command.split(), "--help", cwd=tmp_path, code=NO_NUMBA)
    assert (done.returncode, done.stderr) == (0, "")
    _, _, example = done.stdout.partition("\n  Example:\n")
    lines = [line.strip() for line in example.splitlines()]
    assert lines
    assert all(line.startswith(f"harness {command}") for line in lines)


def test_help_without_a_command_lists_the_commands(tmp_path):
    done = harness(cwd=tmp_path, code=NO_NUMBA)
    assert (done.returncode, done.stderr) == (0, "")
    listed = [
        line.split()[0]
        for line in done.stdout.split("Commands:\n")[1].splitlines()[: len(COMMANDS)]
    ]
    assert sorted(listed) == sorted(COMMANDS)
    assert done.stdout.endswith("Example:\n    harness sprt demo/new.cfg demo/base.cfg\n")
    assert done.stdout == harness("--help", cwd=tmp_path, code=NO_NUMBA).stdout


def test_no_summary_is_cut(tmp_path):
    listed = harness("--help", cwd=tmp_path, code=NO_NUMBA).stdout.split("Commands:\n")[1]
    assert "..." not in listed


def test_help_and_readme_tell_the_adjudication(tmp_path):
    rules = AdjudicationConfig()
    done = harness("sprt", "--help", cwd=tmp_path, code=NO_NUMBA)
    readme = (ROOT / "README.md").read_text("utf-8")
    draw, resign = parse_rule("draw", "40/8/10"), parse_rule("resign", "3/600")
    assert rules == AdjudicationConfig(**draw, **resign), "the defaults that --help tells"
    assert "(default 40/8/10)" in " ".join(done.stdout.split())
    assert "(default 3/600)" in " ".join(done.stdout.split())
    for text in (" ".join(done.stdout.split()), " ".join(readme.split())):
        assert f"from move {rules.draw_move_number} on {rules.draw_move_count} moves" in text
        assert f"within {rules.draw_score_cp} cp" in text
        assert f"{rules.resign_score_cp} cp or more for it over {rules.resign_move_count}" in text
        assert f"after {rules.max_plies} plies" in text


def test_the_defaults_of_options_are_those_of_the_specification():
    assert OpeningSpec().bound_cp == options.DEFAULT_BOUND_CP
    assert OpeningSpec().plies == options.DEFAULT_PLIES
    assert MatchSpec.model_fields["max_games"].default == options.DEFAULT_MAX_GAMES


def test_the_installed_script_is_this_program(tmp_path):
    script = Path(sys.executable).parent / "harness"
    if not script.exists():
        pytest.skip("numbishop is not installed in this environment")
    done = subprocess.run(
        [script, "--version"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout == "Numbishop 0.1.0\n"


# --- Mistakes ----------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.cfg").write_text("[search]\nnull_move = 0\n")
    (tmp_path / "typo.cfg").write_text("[search]\nnull_mov = 0\n")
    (tmp_path / "uci.cfg").write_text("[engine]\nsource = uci\n")
    (tmp_path / "foreign.cfg").write_text(
        f"[engine]\nsource = uci\ncommand = {sys.executable}\narguments = -IS {SCRIPTED}\n"
    )
    (tmp_path / "hash.cfg").write_text("[options]\nHsah = 1 to 8\n")
    (tmp_path / "null.cfg").write_text("[engine]\nsource = null\n")
    (tmp_path / "what.cfg").write_text("[engine]\nsource = what\n")
    (tmp_path / "empty.epd").write_text("\n")
    (tmp_path / "bad.epd").write_text("4k3/8/8/8/8/8/8/4K3 w - - 0 1\nnonsense\n")
    (tmp_path / "one.epd").write_text("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n")
    (tmp_path / "bad.pgn").write_text("1. e4 e5 2. Ke3 *\n")
    (tmp_path / "damaged.gz").write_bytes(b"\x1f\x8b\x08\x00garbage")
    (tmp_path / "run").mkdir()
    return tmp_path


MISTAKES = [
    ("nonsense", "No such command 'nonsense'."),
    ("--nonsense", "No such option '--nonsense'."),
    ("sprt", "NEW and BASE are missing; expected two config files, or --rev REV, or --resume RUN"),
    ("plan --draw-ratio 1", "--draw-ratio 1: expected a share from 0 to 1.00 at 0 Elo"),
    ("plan nil", "nil: no run there; expected a folder with run.sqlite"),
    ("plan nil --gain", "--gain cannot be given with RUN = nil; expected RUN alone"),
    ("plan --elo 2000", "--elo 2000: expected a number from -1000 to 1000"),
    ("replay nil 0", "nil: no run there; expected a folder with run.sqlite"),
    ("replay nil", "Missing argument 'PAIR...'."),
    ("replay nil x", "PAIR = x: expected a pair's number, such as 7, or a range, 0-49"),
    ("replay nil 9-3", "PAIR = 9-3: expected a range of 1 to 100000 pairs, lower first"),
    ("sprt --rev nix", "nix: no such revision; expected one that git knows"),
    (
        "sprt base.cfg base.cfg --rev HEAD",
        "BASE = base.cfg cannot be given with --rev; expected one of them, since the engine of the"
        " revision is BASE",
    ),
    (
        "sprt good.cfg",
        "BASE is missing; expected two config files, or --rev REV, or --resume RUN",
    ),
    ("sprt good.cfg nil.cfg", "config file 'nil.cfg' not found; looked for nil.cfg, configs/nil"),
    (
        "sprt typo.cfg good.cfg",
        "typo.cfg, line 2: search.null_mov = 0: no such key; did you mean null_move?",
    ),
    (
        "sprt good.cfg uci.cfg",
        "uci.cfg, line 2: engine.source = uci: no engine.command; expected the program to be",
    ),
    (
        "sprt good.cfg what.cfg",
        "what.cfg, line 2: engine.source = what: unknown source; expected builtin",
    ),
    (
        "sprt good.cfg good.cfg --nodes 0",
        "Invalid value for '--nodes': '0': expected an integer from 1 to 1000000000.",
    ),
    (
        "sprt good.cfg good.cfg --draw 40",
        "Invalid value for '--draw': '40': expected MOVE/COUNT/CP such as 40/8/10, or none.",
    ),
    (
        "match good.cfg good.cfg --no-adjudicate --resign 3/600",
        "--resign cannot be given with --no-adjudicate; expected one of them",
    ),
    ("sprt good.cfg good.cfg --tc fast", "Invalid value for '--tc': 'fast': expected [moves/]"),
    (
        "sprt good.cfg good.cfg --nodes 5 --depth 5",
        "--depth cannot be given with --nodes; expected one kind of limit",
    ),
    (
        "sprt good.cfg good.cfg --scale-nodes --tc 1+0.1",
        "--scale-nodes cannot be given with a clock of 1+0.1 s; expected --nodes, since",
    ),
    (
        "sprt good.cfg good.cfg --scale-nodes --scale-nodes-by 0.9",
        "--scale-nodes-by cannot be given with --scale-nodes; expected one of them, since the",
    ),
    (
        "sprt good.cfg good.cfg --scale-nodes-by nan",
        "--scale-nodes-by nan: expected 0.001 to 1000",
    ),
    (
        "sprt good.cfg good.cfg --elo0 5 --elo1 5",
        "--elo1 = 5: expected more than elo0 = 5",
    ),
    (
        "sprt good.cfg good.cfg --alpha 0.5",
        "--alpha = 0.5: expected a number between 0 and 0.5",
    ),
    ("sprt good.cfg good.cfg --beta 0", "--beta = 0: expected a number between 0 and 0.5"),
    ("sprt good.cfg good.cfg --elo1 nan", "--elo1 = nan: expected a number from"),
    (
        "sprt good.cfg good.cfg --gain --early",
        "--early cannot be given with --gain; expected one pair of bounds",
    ),
    (
        "sprt good.cfg good.cfg --early --elo1 3",
        "--elo1 cannot be given with --early; expected one pair of bounds",
    ),
    (
        "sprt good.cfg good.cfg --model bayes",
        "Invalid value for '--model': 'bayes' is not one of 'normalized', 'logistic', 'trinomial'.",
    ),
    (
        "sprt good.cfg good.cfg --max-games 3",
        "--max-games 3: expected an even number, since games are played in pairs",
    ),
    (
        "sprt good.cfg good.cfg --concurrency 0",
        "Invalid value for '--concurrency': 0 is not in the range"
        f" 1<=x<={options.MAX_CONCURRENCY}.",
    ),
    (
        "sprt good.cfg good.cfg --seed -1",
        "Invalid value for '--seed': -1: expected an integer from 0 to 18446744073709551615.",
    ),
    ("sprt good.cfg good.cfg --openings nil.epd", "nil.epd: no such file"),
    (
        "sprt good.cfg good.cfg --openings empty.epd",
        "empty.epd: the opening file is empty; expected EPD, FEN or PGN",
    ),
    (
        "sprt good.cfg good.cfg --openings bad.epd",
        "bad.epd, line 2: 'nonsense': expected a FEN or EPD position",
    ),
    (
        "sprt good.cfg good.cfg --openings bad.pgn",
        "bad.pgn, game at line 1: illegal san: 'Ke3' in",
    ),
    ("sprt good.cfg good.cfg --openings damaged.gz", "damaged.gz: the archive is damaged ("),
    (
        "sprt good.cfg good.cfg --openings one.epd --plies 8",
        "--plies 8 cannot be given with one.epd; expected a book of lines, and this is a list of"
        " positions",
    ),
    (
        "sprt good.cfg good.cfg --openings one.epd --start 2",
        "--start 2: expected at most 1, the size of one.epd",
    ),
    (
        "sprt good.cfg good.cfg --order random",
        "--order cannot be given without --openings; expected a book",
    ),
    (
        "sprt good.cfg good.cfg --out one.epd/runs",
        "one.epd/runs: one.epd is no folder; expected a folder that can be written",
    ),
    (
        "sprt good.cfg good.cfg --json nil/x.json",
        "nil/x.json: nil does not exist; expected a folder that can be written",
    ),
    ("sprt good.cfg good.cfg --json run", "run: is a folder; expected a file to write"),
    ("sprt --resume nil", "nil: no run there; expected a folder with run.sqlite"),
    (
        "sprt good.cfg good.cfg --resume run",
        "NEW = good.cfg cannot be given with --resume; expected RUN alone, which knows its",
    ),
    (
        "sprt --resume run --nodes 7",
        "--nodes cannot be given with --resume; expected at most --affinity, --cluster,",
    ),
    (
        "match good.cfg",
        "engines given: 1; expected two config files, or --resume RUN",
    ),
    (
        "gauntlet good.cfg",
        "engines given: 1; expected two config files or more, or --resume RUN",
    ),
    (
        "roundrobin good.cfg good.cfg --games 3",
        "--games 3: expected an even number, since games are played in pairs",
    ),
    ("check nil", "nil: no such program; expected a path, or a name in PATH"),
    (
        "import nil",
        "nil: no such file; expected one with a fastchess command line, its config.json",
    ),
    (
        "reproduce nil.json",
        "nil.json: No such file or directory; expected a bundle from the folder faults/ of a run",
    ),
    (
        "queue remove 7",
        "reports/queue.sqlite: no queue there; expected one made by `harness queue add`",
    ),
    ("selfcheck --concurrency 0", "Invalid value for '--concurrency': 0 is not in the range"),
    ("datagen", "--games is missing; expected how many games to play, or --resume RUN"),
    ("datagen good.cfg --games 0", "Invalid value for '--games': 0 is not in the range x>=1."),
    (
        "datagen good.cfg --resume run",
        "CFG = good.cfg cannot be given with --resume; expected RUN alone, which knows its",
    ),
    (
        "datagen --resume run --games 7",
        "--games cannot be given with --resume; expected at most --affinity, --cluster,",
    ),
    (
        "datagen good.cfg --games 7 --export nil/x.bin",
        "nil/x.bin: nil does not exist; expected a folder that can be written",
    ),
    (
        "datagen good.cfg --games 7 --openings one.epd",
        "--games 7: expected at most 1, the openings of one.epd, since repeated at fixed nodes",
    ),
    (
        "sprt good.cfg good.cfg --concurrency 2 --cluster tcp://host:8786",
        "--concurrency cannot be given with --cluster; expected one of them, since a cluster",
    ),
    (
        "match good.cfg good.cfg --affinity --cluster tcp://host:8786",
        "--affinity cannot be given with --cluster; expected one of them, since the cores are",
    ),
    ("perft", "--depth is missing; expected it, or a --suite"),
    ("epd", "Missing argument 'SUITE...'."),
    ("nightly --budget 0", "Invalid value for '--budget': 0.0 is not in the range x>0."),
    ("bench --rounds 1", "Invalid value for '--rounds': 1 is not in the range 10<=x<=1000."),
    (
        "stats",
        "none of RUN, PGN, --ptnml and --wdl given; expected one of them",
    ),
    (
        "stats --ptnml 1,2,3,4,5 --wdl 1,2,3",
        "several of RUN, PGN, --ptnml and --wdl given; expected one of them",
    ),
    (
        "stats --ptnml 1,2,3",
        "--ptnml '1,2,3': expected five counts LL,LD,DD+WL,WD,WW, whole numbers from 0",
    ),
    (
        "stats --wdl 1,2,x",
        "--wdl '1,2,x': expected three counts wins,draws,losses, whole numbers from 0",
    ),
    ("stats --wdl 1,2,3 --alpha 1", "--alpha = 1: expected a number between 0 and 0.5"),
    (
        "stats --wdl 1,2,3 --new x",
        "--new x: expected a PGN to find the name in",
    ),
    ("stats nil.pgn", "nil.pgn: no such file; expected a run's folder or a PGN"),
    ("stats run", "run: no run there; expected a folder with run.sqlite"),
    ("book --count 5", "Missing option '--out'."),
    ("book --out x.epd", "Missing option '--count'."),
    ("book --count 0 --out x.epd", "Invalid value for '--count': 0 is not in the range x>=1."),
    (
        "book --count 5 --out one.epd",
        "one.epd: exists; expected a new file, or --force to replace it",
    ),
    ("book --count 5 --out nil/x.epd", "nil/x.epd: nil does not exist; expected a folder"),
    ("report", "Missing argument 'RUN'."),
    ("report run", "run: no run there; expected a folder with run.sqlite"),
    ("tune search nil.cfg good.cfg", "config file 'nil.cfg' not found; looked for nil.cfg,"),
    (
        "tune search hash.cfg foreign.cfg",
        "hash.cfg, line 2: options.Hsah = 1 to 8: no such option of type spin of the engine; did"
        " you mean Hash?",
    ),
    (
        "tune search spaces/lmr.cfg null.cfg",
        "BASE = null.cfg: source = null; expected builtin, uci, git: the parameters of the",
    ),
    (
        "tune search spaces/lmr.cfg base.cfg --name base",
        "--name base: the base is called so; expected another name",
    ),
    (
        "tune search spaces/lmr.cfg base.cfg --name a/b",
        "--name 'a/b': expected a name for files",
    ),
    (
        "tune texel",
        "SOURCE and --features: neither given; expected one of them",
    ),
]


@pytest.mark.parametrize(("line", "sentence"), MISTAKES, ids=[line for line, _ in MISTAKES])
def test_each_mistake_gets_one_sentence(line, sentence, folder):
    assert refused(*line.split(), cwd=folder).startswith(sentence)


@pytest.mark.parametrize(
    "line",
    [
        "sprt good.cfg good.cfg --tc 1+0.1",
        "sprt good.cfg good.cfg --then --tc=1+0.1",
        "match good.cfg good.cfg --tc 1+0.1",
    ],
)
def test_more_games_with_clocks_than_cores_are_refused_before_anything_is_written(line, folder):
    before = sorted(folder.rglob("*"))
    done = harness(*line.split(), "--concurrency", str(CORES + 1), cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith(f"error: games with clocks, {CORES + 1} at a time, need")
    assert sorted(folder.rglob("*")) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_an_unwritable_output_folder(folder):
    (folder / "run").chmod(0o500)
    assert refused("sprt", "good.cfg", "good.cfg", "--out", "run/x", cwd=folder) == (
        "run/x: no permission to write; expected a folder that can be written"
    )


def test_every_command_is_covered_by_a_mistake():
    tested = {line.split()[0] for line, _ in MISTAKES}
    assert tested >= set(COMMANDS) - {"warm"}  # `warm` can be given nothing wrong


def test_a_bug_keeps_its_traceback_and_asks_for_a_report(tmp_path):
    code = """
import harness.commands
def fail(*_): raise ZeroDivisionError("made by the test")
harness.commands.show_stats = fail
from harness.cli import main
main()
"""
    done = harness("stats", cwd=tmp_path, code=code)
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback (most recent call last):")
    assert "ZeroDivisionError: made by the test\nerror: this is a bug in numbishop" in done.stderr


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        ("UsageError", 2, "error: a sentence\n"),
        ("EngineStartError", 4, "error: a sentence\n"),
        ("Interrupted", 130, ""),  # the view has said it, and how to go on
    ],
)
def test_exit_codes_of_the_errors(error, code, said, tmp_path):
    program = f"""
import harness.commands, harness.errors
def fail(*_): raise harness.errors.{error}("a sentence")
harness.commands.show_stats = fail
from harness.cli import main
main()
"""
    done = harness("stats", cwd=tmp_path, code=program)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", said)


# --- The offline calculator ---------------------------------------------------------------------


def test_stats_as_text_and_json(tmp_path):
    line = "stats --ptnml 43,61,144,55,37 --model normalized --elo0 0 --elo1 5"
    arguments = line.split()
    done = harness(*arguments, "--json", "x.json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads((tmp_path / "x.json").read_text("utf-8"))
    assert done.stdout.startswith(document["sentence"] + "\n")
    assert document["ptnml"] == [43, 61, 144, 55, 37]
    assert [document["elo0"], document["elo1"]] == [0, 5]
    quiet = harness(*arguments, "--quiet", cwd=tmp_path)
    assert quiet.stdout == document["sentence"] + "\n"
    piped = harness(*arguments, "--quiet", "--json", "-", cwd=tmp_path)
    assert json.loads(piped.stdout) == document
    assert piped.stderr == document["sentence"] + "\n"


def test_stats_of_games_under_the_trinomial_model(tmp_path):
    done = harness("stats", "--wdl", "300,400,200", "--model", "trinomial", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "SPRT [0.00, 5.00] trinomial" in done.stdout


def test_stats_of_pairs_under_the_trinomial_model_is_refused(tmp_path):
    done = harness("stats", "--ptnml", "1,2,3,2,1", "--model", "trinomial", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: --model trinomial: the trinomial model counts games")


# --- Compiling ----------------------------------------------------------------------------------


def test_warm_compiles_once(tmp_path):
    first = harness("warm", cwd=tmp_path)
    assert (first.returncode, first.stderr) == (0, "")
    told = "the engine is compiled\nthe reader of games is compiled\n"
    assert harness("warm", cwd=tmp_path).stdout == told
    assert list(tmp_path.iterdir()) == []


# --- Books -------------------------------------------------------------------------------------


def test_book_writes_distinct_positions_the_same_for_a_seed(tmp_path):
    for name in ("a.epd", "b.epd"):
        done = harness("book", "--count", "20", "--seed", "7", "--out", name, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"{name}: 20 positions (seed 7, 8 plies, within 120 cp)\n"
    text = (tmp_path / "a.epd").read_text("ascii")
    assert text == (tmp_path / "b.epd").read_text("ascii")
    assert len({line.rsplit(" ", 2)[0] for line in text.splitlines()}) == 20
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.epd", "b.epd"]


def test_book_replaces_a_file_only_by_force_and_keeps_within_the_bound(tmp_path):
    (tmp_path / "x.epd").write_text("mine\n")
    line = ("book", "--count", "3", "--bound", "20", "--out", "x.epd")
    assert harness(*line, cwd=tmp_path).returncode == 2
    assert (tmp_path / "x.epd").read_text("ascii") == "mine\n"
    done = harness(*line, "--force", cwd=tmp_path)
    assert done.stdout == "x.epd: 3 positions (seed 1, 8 plies, within 20 cp)\n"
    assert len((tmp_path / "x.epd").read_text("ascii").splitlines()) == 3


def test_a_folder_that_cannot_be_made(folder):
    done = harness("sprt", "good.cfg", "good.cfg", "--out", "/proc/x", cwd=folder)
    assert done.returncode == 2
    assert done.stderr.startswith("error: /proc/x")
    assert "the folder cannot be made (" in done.stderr


def test_book_of_more_positions_than_there_are(tmp_path):
    done = harness("book", "--count", "21", "--plies", "1", "--out", "x.epd", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: --count 21: only ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
def test_signs_that_the_output_lacks_are_replaced(tmp_path: Path, encoding: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "harness.cli", "stats", "--ptnml", "0,1,2,3,0"],
        cwd=tmp_path,
        env=ENVIRONMENT | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    sign = "–" if encoding == "utf-8" else "?"
    assert f"LOS             {sign}\n" in done.stdout.decode(encoding)


def test_a_name_that_no_file_can_have_is_told_in_a_sentence(tmp_path: Path) -> None:
    name = "a" * 300
    done = harness("sprt", name, "base.cfg", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert "File name too long" in done.stderr
