"""What the live view, the plain lines and --quiet print."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from harness.chunks import Glimpse
from harness.elo import estimate
from harness.invocation import program
from harness.result import RunProgress
from harness.score import Pentanomial
from harness.sprt import SprtBounds
from harness.view import (
    LINE_S,
    MAX_GAME_LINES,
    REDRAW_S,
    LiveView,
    PlainView,
    QuietView,
    RunHeading,
    View,
    bar,
    game_cells,
    game_lines,
    llr_scale,
    make_view,
    progress_line,
)
from tests.unit.run_document import machine, run_document

HEADING = RunHeading(
    new="new",
    base="base",
    limit="5000 nodes a move",
    test="SPRT [0, 10] nElo",
    openings="generated, 8 plies",
    seed=1,
    concurrency=2,
    run_dir="reports/some-run",
)
COUNTS = Pentanomial(4, 21, 61, 40, 12)
PROGRESS = RunProgress(
    pairs_done=140,
    pairs_played=142,
    max_games=400,
    ptnml=COUNTS.classes,
    llr=1.27,
    bounds=SprtBounds(-2.944439, 2.944439),
    estimate=estimate(COUNTS),
    games_per_min=512.4,
    expected_games_left=339.6,
    chance_to_pass=0.64,
    eta_s=39.8,
    faults=0,
    duplicates=2,
    elapsed_s=33.0,
)
#: Before the first pair there is nothing to estimate from.
FIRST = replace(
    PROGRESS,
    pairs_done=0,
    pairs_played=0,
    ptnml=(0, 0, 0, 0, 0),
    llr=0.0,
    estimate=estimate(Pentanomial()),
    games_per_min=0.0,
    expected_games_left=None,
    chance_to_pass=0.64,
    eta_s=None,
)
WANTED = [
    "1.27",
    "2.94",
    "Elo",
    "nElo",
    "LOS",
    "[4, 21, 61, 40, 12]",
    "512 games/min",
    "340",
    "40 s",
]


#: A game with a clock.
TIMED = Glimpse(12, 1, "Stockfish dev-20260101", "base", 67, 35, 12, (65_299, 600_000))


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def text_console() -> Console:
    return Console(file=io.StringIO(), force_terminal=False, width=300, highlight=False)


def terminal() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=100, highlight=False)


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


class TestPlainView:
    def test_line_is_complete_in_itself(self) -> None:
        line = progress_line(PROGRESS)
        assert "\n" not in line
        assert [word for word in WANTED if word not in line] == []

    def test_line_before_the_first_pair_has_no_nan(self) -> None:
        assert "nan" not in progress_line(FIRST)
        assert "about – games and – to go" in progress_line(FIRST)

    def test_nothing_is_told_before_the_first_pair(self) -> None:
        clock, console = Clock(), text_console()
        view = PlainView(console, clock)
        clock.now_s += 100 * LINE_S
        view.update(FIRST)
        assert written(console) == ""

    def test_a_line_every_few_seconds_rarer_in_a_long_run(self) -> None:
        clock, console = Clock(), text_console()
        view = PlainView(console, clock)
        view.start(HEADING)
        heading = len(written(console).splitlines())
        for second in range(601):
            clock.now_s = 100.0 + second
            view.update(replace(PROGRESS, elapsed_s=float(second)))
        lines = len(written(console).splitlines()) - heading
        assert lines < 600 / LINE_S / 2
        assert lines > 20

    def test_no_line_is_due_at_once(self) -> None:
        clock, console = Clock(), text_console()
        view = PlainView(console, clock)
        clock.now_s += LINE_S - 0.1
        view.update(PROGRESS)
        assert written(console) == ""
        clock.now_s += 0.1
        view.update(PROGRESS)
        assert len(written(console).splitlines()) == 1

    def test_has_no_control_codes(self) -> None:
        console = text_console()
        view = PlainView(console)
        view.compiling("search", 0, 2)
        view.start(HEADING)
        view.message("the book wraps after 500 pairs [bold]")
        view.finish(run_document())
        assert "\x1b" not in written(console)
        assert "pairs [bold]" in written(console)

    def test_compilation_is_told_kernel_by_kernel(self) -> None:
        clock, console = Clock(), text_console()
        view = PlainView(console, clock)
        for done, kernel in enumerate(["search", "perft", "done"]):
            view.compiling(kernel, done, 2)
            clock.now_s += 7.0
        assert written(console).splitlines() == [
            "compiling the engine (first run only): 1 of 2, search",
            "compiling the engine (first run only): 2 of 2, perft (7 s so far)",
            "compiled the engine in 14 s",
        ]


class TestSummary:
    def summary(self, document: dict[str, object]) -> str:
        console = text_console()
        PlainView(console).finish(document)
        return written(console)

    def test_sentence_stands_first_on_a_line_of_its_own(self) -> None:
        lines = self.summary(run_document()).split("\n")
        assert lines[:4] == [
            "",
            "new gains: H1 of [0, 10] nElo accepted.",
            "search.lmr_base: 0.60 against 0.75",
            "",
        ]

    def test_a_block_to_paste_follows(self) -> None:
        document = run_document()
        lines = self.summary(document).splitlines()
        assert lines[4:11] == [
            "Elo   | +44.50  [+28.40, +60.80]",
            "nElo  | +66.80  [+42.60, +91.20]",
            "SPRT  | nodes=5000, Hash 16 MB",
            "LLR   | 2.97 (-2.94, 2.94) [0.00, 10.00] nElo",
            "Games | N: 240 W: 120 D: 60 L: 60",
            f"Penta | {document['ptnml']}",
            "Book  | generated, 8 plies, seed 1",
        ]

    def test_the_sides_have_their_names(self) -> None:
        document = run_document()
        document["new"]["name"] = "lmr"
        assert ["lmr", "base"] in [line.split() for line in self.summary(document).splitlines()]

    def test_no_line_ends_in_blanks(self) -> None:
        lines = self.summary(run_document()).splitlines()
        assert [line for line in lines if line != line.rstrip()] == []

    def test_numbers_speed_depth_and_folder_follow(self) -> None:
        text = self.summary(run_document())
        for expected in ("+44.5", "[+42.6, +91.2]", "1,300,000", "8.4", "reports/some-run"):
            assert expected in text
        assert "warning" not in text
        assert "resume" not in text

    def test_different_speeds_are_warned_of(self) -> None:
        assert "warning: new searches 10.0% fewer" in self.summary(
            machine(run_document(), nps_ratio=0.9, nps_ratio_ci95=[0.88, 0.92], nps_differ=True)
        )

    def test_interrupted_run_shows_how_to_go_on(self) -> None:
        text = self.summary(machine(run_document(), interrupted=True))
        assert f"{program()} sprt --resume reports/some-run" in text

    def test_run_without_a_move_has_dashes(self) -> None:
        document = machine(run_document(mean_depth=[None, None]), nps=[None, None])
        assert ["mean", "depth", "–", "–"] in [
            line.split() for line in self.summary(document).splitlines()
        ]


class TestLiveView:
    def test_panel_shows_the_state(self) -> None:
        console = terminal()
        view = LiveView(console)
        view.start(HEADING)
        view.update(PROGRESS)
        text = written(console)
        assert [word for word in WANTED if word not in text] == []
        for word in ("H0 -2.94", "+2.94 H1", "of at most 400", "even pairs 44.2 %"):
            assert word in text

    def test_a_few_games_have_no_interval(self) -> None:
        counts = Pentanomial(0, 1, 3, 2, 0)
        few = replace(PROGRESS, pairs_done=6, ptnml=counts.classes, estimate=estimate(counts))
        line = progress_line(few)
        assert "Elo – [–, –]  nElo – [–, –]  LOS –  even pairs 50.0 %" in line
        assert line.startswith("12 of 400 games [0, 1, 3, 2, 0]")

    def test_waits_for_the_first_pair(self) -> None:
        console = terminal()
        view = LiveView(console)
        view.start(HEADING)
        view.update(FIRST)
        assert "waiting for the first pair" in written(console)
        assert "LLR" not in written(console)

    def test_running_games_have_a_line_each_below_the_panel(self) -> None:
        console = terminal()
        view = LiveView(console)
        view.update(replace(FIRST, running=[TIMED]))
        text = written(console)
        assert text.index("waiting") < text.index("12.1")
        words = "12.1 Stockfish dev-… - base move 34 +0.35/12 1:05.2 - 10:00.0"
        assert words.split() in [line.split() for line in text.splitlines()]

    def test_lines_of_games_fit_eighty_columns_and_are_few(self) -> None:
        widest = replace(
            TIMED,
            pair=99_999,
            black="b" * 99,
            plies=999,
            score_cp=-48_950,
            left_ms=(3_599_999,) * 2,
        )
        console = Console(file=io.StringIO(), width=80, soft_wrap=True)
        for part in game_lines([replace(widest, pair=99_000 + n) for n in range(20)]):
            console.print(part)
        lines = written(console).splitlines()
        assert len(lines) == MAX_GAME_LINES + 2
        assert lines[-1] == "and 12 more games"
        assert max(map(len, lines)) <= 80
        assert sum("-M50/12" in line and "59:59.9 - 59:59.9" in line for line in lines) == 8

    def test_untimed_games_have_no_clocks(self) -> None:
        assert game_cells(replace(TIMED, left_ms=(None, None)))[-1] == ""
        assert game_lines([]) == []

    def test_is_drawn_no_more_often_than_it_can_be_read(self) -> None:
        clock, console = Clock(), terminal()
        view = LiveView(console, clock)
        for _ in range(1000):
            view.update(PROGRESS)
        assert written(console).count("games/min") == 1
        clock.now_s += REDRAW_S
        view.update(PROGRESS)
        assert written(console).count("games/min") == 2

    def test_verdict_replaces_the_panel(self) -> None:
        console = terminal()
        view = LiveView(console)
        view.update(PROGRESS)
        view.finish(run_document())
        after_panel = written(console).rpartition("games/min")[2]
        assert "new gains" in after_panel
        assert "\x1b[?25h" in after_panel  # the cursor is shown again

    def test_compilation_has_a_bar_that_goes(self) -> None:
        console = terminal()
        view = LiveView(console)
        view.compiling("search", 0, 2)
        view.compiling("done", 2, 2)
        assert "compiling the engine (first run only): 1 of 2, search" in written(console)
        assert "\x1b[?25h" in written(console)


class TestQuietView:
    def test_prints_the_sentence_only(self, capsys: pytest.CaptureFixture[str]) -> None:
        console = text_console()
        view: View = QuietView(console)
        view.compiling("search", 0, 1)
        view.start(HEADING)
        view.update(PROGRESS)
        view.message("the book wraps")
        view.finish(run_document())
        assert written(console) == "new gains: H1 of [0, 10] nElo accepted.\n"
        assert capsys.readouterr() == ("", "")

    def test_interrupted_run_is_told_on_stderr(self, capsys: pytest.CaptureFixture[str]) -> None:
        console = text_console()
        QuietView(console).finish(machine(run_document(), interrupted=True))
        assert "--resume reports/some-run" in capsys.readouterr().err
        assert "resume" not in written(console)


class TestParts:
    def test_view_without_a_terminal_is_plain(self) -> None:
        assert isinstance(make_view(), PlainView)
        assert isinstance(make_view(quiet=True), QuietView)

    @pytest.mark.parametrize(
        ("share", "text"),
        [(-0.1, "░░░░"), (0.0, "░░░░"), (0.5, "██░░"), (1.0, "████"), (9.0, "████")],
    )
    def test_bar(self, share: float, text: str) -> None:
        assert bar(share, 4) == text

    @pytest.mark.parametrize(
        ("llr", "scale"),
        [(-3.0, "●────┼────"), (-0.5, "────●┼────"), (0.0, "─────●────"), (3.5, "─────┼───●")],
    )
    def test_llr_scale(self, llr: float, scale: str) -> None:
        assert llr_scale(llr, -3.0, 3.0, cells=10) == f"├{scale}┤"

    def test_llr_scale_with_unequal_bounds(self) -> None:
        assert llr_scale(-1.0, -1.0, 3.0, cells=8) == "├●─┼─────┤"
