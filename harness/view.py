"""What a user sees while a run goes on: a live panel, plain lines, or only the verdict.

A view reads `RunProgress` values and the finished run's document; it decides nothing. All numbers
are from the point of view of the first-named engine, NEW.
"""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from harness.invocation import resume_command
from harness.pgn import format_score
from harness.report.numbers import (
    FEW_GAMES,
    Document,
    duration,
    key_numbers,
    number,
    pair_counts,
    paste_block,
    percent,
    speed_ratio,
    speed_warning,
    strength,
)

if TYPE_CHECKING:
    from harness.chunks import Glimpse
    from harness.result import RunProgress

BAR_CELLS = 44
#: More running games than this are a number.
MAX_GAME_LINES = 8
#: So that a line of a game fits 80 columns.
NAME_CELLS = 15
#: Drawn at most this often, however often a run reports.
REDRAW_S = 0.25
#: Plain lines: the first after this time, the next ones rarer as the run grows longer.
LINE_S = 5.0
LINE_SHARE_OF_RUN = 0.1
WAITING = Text("waiting for the first pair", style="dim")


@dataclass(frozen=True, slots=True)
class RunHeading:
    """What is played, in words, for the first lines of the output."""

    new: str
    base: str
    limit: str
    test: str
    openings: str
    seed: int
    concurrency: int
    run_dir: str

    def lines(self) -> tuple[str, str]:
        """The question, then how it is asked."""
        return (
            f"{self.new} against {self.base}: {self.test}",
            f"{self.limit}, {self.openings}, seed {self.seed}, "
            f"{self.concurrency} at a time, {self.run_dir}",
        )


class Heading(Protocol):
    """What is played, in words."""

    def lines(self) -> tuple[str, str]:
        """What it is, then how it is played."""


class Progress(Protocol):
    """How a run stands; what else there is to tell its `Wording` knows."""

    @property
    def pairs_done(self) -> int: ...

    @property
    def elapsed_s(self) -> float: ...

    @property
    def running(self) -> Sequence[Glimpse]: ...


@dataclass(frozen=True, slots=True)
class Wording:
    """How a kind of run is told: its progress as a panel and as a line, its document at the end."""

    panel: Callable[[Any], RenderableType]
    line: Callable[[Any], str]
    summary: Callable[[Document], RenderableType]


class View(Protocol):
    """What a run and the commands tell the user.

    `shows_games` says whether it has a use for glimpses of the running games.
    """

    @property
    def shows_games(self) -> bool: ...

    def compiling(self, kernel: str, done: int, total: int) -> None:
        """The engine is being compiled: `done` of `total` kernels, `kernel` is next."""

    def start(self, heading: Heading) -> None:
        """The run begins (or is taken up again)."""

    def update(self, progress: Progress) -> None:
        """The state after another result; may be called as often as it changes."""

    def message(self, text: str) -> None:
        """An event worth a line of its own, which stays."""

    def close(self) -> None:
        """Something else is shown next; what was said stays."""

    def finish(self, document: Document) -> None:
        """The run is over: verdict, numbers, where it is kept, how to go on."""


def make_view(
    *, quiet: bool = False, to_stderr: bool = False, wording: Wording | None = None
) -> View:
    """The view that fits the output: the verdict alone, a live panel, or plain lines.

    `wording` is that of a test unless it is given.
    """
    console = Console(stderr=to_stderr, highlight=False, soft_wrap=True)
    if quiet:
        return QuietView(console)
    kind = LiveView if console.is_terminal else PlainView
    return kind(console, wording=wording)


class QuietView:
    """Prints the verdict sentence and nothing else; what needs an answer goes to stderr."""

    shows_games = False

    def __init__(self, console: Console) -> None:
        self._console = console

    def compiling(self, kernel: str, done: int, total: int) -> None:
        """Says nothing."""

    def start(self, heading: Heading) -> None:
        """Says nothing."""

    def update(self, progress: Progress) -> None:
        """Says nothing."""

    def message(self, text: str) -> None:
        """Says nothing."""

    def close(self) -> None:
        """Nothing is shown."""

    def finish(self, document: Document) -> None:
        """The sentence; how to resume an interrupted run goes to stderr."""
        self._console.print(Text(document["sentence"]))
        hint = resume_hint(document)
        if hint:
            Console(stderr=True, highlight=False, soft_wrap=True).print(Text(hint))


class PlainView:
    """Lines of text for a log: one every few seconds, rarer as the run grows longer."""

    shows_games = False

    def __init__(
        self,
        console: Console,
        clock: Callable[[], float] = time.monotonic,
        wording: Wording | None = None,
    ) -> None:
        self._console = console
        self._clock = clock
        self._wording = wording or TEST
        self._next_line_at = clock() + LINE_S
        self._compiling_since = clock()

    def compiling(self, kernel: str, done: int, total: int) -> None:
        """A line for each kernel: there are few, and each takes seconds."""
        self._compiling_since = self._compiling_since if done else self._clock()
        self.message(compile_progress(kernel, done, total, self._clock() - self._compiling_since))

    def start(self, heading: Heading) -> None:
        """The heading."""
        for line in heading.lines():
            self.message(line)
        self._next_line_at = self._clock() + LINE_S

    def update(self, progress: Progress) -> None:
        """A line when one is due and there is something to tell."""
        now = self._clock()
        if progress.pairs_done and now >= self._next_line_at:
            self._next_line_at = now + max(LINE_S, LINE_SHARE_OF_RUN * progress.elapsed_s)
            self.message(self._wording.line(progress))

    def message(self, text: str) -> None:
        """A line."""
        self._console.print(Text(text))

    def close(self) -> None:
        """Lines stay."""

    def finish(self, document: Document) -> None:
        """The verdict and its numbers."""
        self._console.print(self._wording.summary(document))


class LiveView:
    """A panel that is drawn again in place, with messages scrolling above it."""

    shows_games = True

    def __init__(
        self,
        console: Console,
        clock: Callable[[], float] = time.monotonic,
        wording: Wording | None = None,
    ) -> None:
        self._console = console
        self._clock = clock
        self._wording = wording or TEST
        self._next_draw_at = 0.0
        self._compiling_since = clock()
        # Drawn by the caller's updates: no thread beside a parent that forks and handles signals.
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def compiling(self, kernel: str, done: int, total: int) -> None:
        """A bar of kernels compiled so far."""
        self._compiling_since = self._compiling_since if done else self._clock()
        told = compile_progress(kernel, done, total, self._clock() - self._compiling_since)
        self._draw(Group(Text(told), Text(bar(done / total, BAR_CELLS), style="cyan")))
        if done == total:
            self._live.stop()
            self.message(told)

    def start(self, heading: Heading) -> None:
        """The heading stays above the panel."""
        question, terms = heading.lines()
        self._console.print(Text(question, style="bold"))
        self._console.print(Text(terms, style="dim"))
        self._draw(WAITING)

    def update(self, progress: Progress) -> None:
        """The panel, when the last drawing is old enough to be read."""
        now = self._clock()
        if now >= self._next_draw_at:
            self._next_draw_at = now + REDRAW_S
            state = self._wording.panel(progress) if progress.pairs_done else WAITING
            self._draw(Group(state, *game_lines(progress.running)))

    def message(self, text: str) -> None:
        """A line above the panel."""
        self._console.print(Text(text))

    def close(self) -> None:
        """The panel goes."""
        self._live.stop()

    def finish(self, document: Document) -> None:
        """The panel gives way to the verdict and its numbers."""
        self.close()
        self._console.print(self._wording.summary(document))

    def _draw(self, content: RenderableType) -> None:
        if not self._live.is_started:
            self._live.start()
            # However the program ends, the terminal gets its cursor back.
            atexit.register(self._live.stop)
        self._live.update(content, refresh=True)


def compile_progress(kernel: str, done: int, total: int, elapsed_s: float) -> str:
    """How far the compiler is: `done` of `total` kernels, `kernel` is next."""
    if done == total:
        return f"compiled the engine in {duration(elapsed_s)}"
    waited = f" ({duration(elapsed_s)} so far)" if done else ""
    return f"compiling the engine (first run only): {done + 1} of {total}, {kernel}{waited}"


def bar(share: float, cells: int) -> str:
    """A bar of `cells` cells, filled up to `share` of one."""
    filled = round(cells * min(1.0, max(0.0, share)))
    return "█" * filled + "░" * (cells - filled)


def llr_scale(llr: float | None, lower: float, upper: float, cells: int = BAR_CELLS) -> str:
    """The way between the bounds, with a mark at zero and one where the LLR stands."""
    scale = ["─"] * cells

    def cell(value: float) -> int:
        share = (value - lower) / (upper - lower)
        return min(cells - 1, max(0, int(share * cells)))

    scale[cell(0.0)] = "┼"
    if llr is not None:
        scale[cell(llr)] = "●"
    return f"├{''.join(scale)}┤"


def panel(progress: RunProgress) -> RenderableType:
    """All there is to know while the games go on."""
    now, bounds = progress.estimate, progress.bounds
    leaning = "green" if (progress.llr or 0.0) > 0 else "red"
    scale = Text.assemble(
        (f"H0 {number(bounds.lower)}", "red"),
        " ",
        (llr_scale(progress.llr, bounds.lower, bounds.upper), leaning),
        " ",
        (f"{number(bounds.upper, signed=True)} H1", "green"),
    )
    elo, nelo = strengths(progress)
    games = 2 * progress.pairs_done
    rows: list[tuple[str, str, RenderableType]] = [
        ("LLR", number(progress.llr, signed=True), scale),
        ("Elo", elo[0], Text(elo[1])),
        ("nElo", nelo[0], Text(nelo[1])),
        ("LOS", likelihood(progress), Text(f"even pairs {percent(now.draw_ratio)}")),
        ("ptnml", "", Text(pair_counts(progress.ptnml))),
        ("games", f"{games:,}", Text(f"of at most {progress.max_games:,}")),
    ]
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(justify="right", style="bold")
    table.add_column()
    for row in rows:
        table.add_row(*row)
    return Group(table, Text(pace(progress), style="dim"))


def game_lines(running: Sequence[Glimpse]) -> list[RenderableType]:
    """A line for each game that was seen, as long as there are few of them; nothing for none.

    It says which game it is, who plays whom, the move, what was said of it last (White's view) and
    what the clocks show.
    """
    if not running:
        return []
    table = Table.grid(padding=(0, 2))
    for column in ("right", "left", "right", "right", "left"):
        table.add_column(justify=column, no_wrap=True)
    for glimpse in running[:MAX_GAME_LINES]:
        table.add_row(*game_cells(glimpse))
    more = len(running) - MAX_GAME_LINES
    rest = [Text(f"and {more} more games", style="dim")] if more > 0 else []
    return [Text(), table, *rest]


def game_cells(glimpse: Glimpse) -> tuple[str, str, str, str, str]:
    """`12.1`, `White - Black`, `move 34`, `+0.35/12`, `1:05.2 - 0:48.9`."""
    white, black = map(shortened, (glimpse.white, glimpse.black))
    clocks = [clock_text(left_ms) for left_ms in glimpse.left_ms if left_ms is not None]
    return (
        f"{glimpse.pair}.{glimpse.game}",
        f"{white} - {black}",
        f"move {(glimpse.plies + 1) // 2}",
        f"{format_score(glimpse.score_cp)}/{glimpse.depth}",
        " - ".join(clocks),
    )


def shortened(name: str) -> str:
    """A name that fits its column."""
    return name if len(name) <= NAME_CELLS else f"{name[: NAME_CELLS - 1]}…"


def clock_text(left_ms: int) -> str:
    """Minutes, seconds and tenths, rounded down as on a chess clock: `1:05.2`."""
    minutes, rest_ms = divmod(left_ms, 60_000)
    return f"{minutes}:{rest_ms // 1000:02d}.{rest_ms % 1000 // 100}"


def strengths(progress: RunProgress) -> tuple[tuple[str, str], tuple[str, str]]:
    """Elo and nElo, each with its interval, as far as there is enough to tell them from."""
    now, games = progress.estimate, counted(progress)
    return strength(now.elo, now.elo_ci95, games), strength(now.nelo, now.nelo_ci95, games)


def likelihood(progress: RunProgress) -> str:
    """The likelihood of superiority, as far as there is enough to tell it from."""
    return percent(progress.estimate.los if counted(progress) >= FEW_GAMES else None)


def counted(progress: RunProgress) -> int:
    """The games that were counted: duplicates are not."""
    return 2 * sum(progress.ptnml)


def pace(progress: RunProgress) -> str:
    """How fast it goes, how long it will take, and what went wrong."""
    parts = [
        duration(progress.elapsed_s),
        f"{number(progress.games_per_min, 0)} games/min",
        f"about {number(progress.expected_games_left, 0)} games and "
        f"{duration(progress.eta_s)} to go",
        f"chance to pass {percent(progress.chance_to_pass, 0)}",
    ]
    waiting = progress.pairs_played - progress.pairs_done
    if waiting:
        parts.append(f"{waiting} pairs wait for an earlier one")
    for count, one in ((progress.duplicates, "duplicate"), (progress.faults, "fault")):
        if count:
            parts.append(f"{count} {one}" if count == 1 else f"{count} {one}s")
    return " · ".join(parts)


def progress_line(progress: RunProgress) -> str:
    """One line of a log, complete in itself."""
    bounds = progress.bounds
    elo, nelo = strengths(progress)
    return (
        f"{2 * progress.pairs_done} of {progress.max_games} games {pair_counts(progress.ptnml)}"
        f"  LLR {number(progress.llr)} ({number(bounds.lower)}, {number(bounds.upper)})"
        f"  Elo {' '.join(elo)}  nElo {' '.join(nelo)}"
        f"  LOS {likelihood(progress)}"
        f"  even pairs {percent(progress.estimate.draw_ratio)}  {pace(progress)}"
    )


def final_summary(document: Document) -> RenderableType:
    """Verdict, numbers, both sides, and where the run is kept."""
    parts = [
        Text(),
        Text(document["sentence"], style="bold"),
        *(Text(line) for line in document["differences"]),
        Text(),
        *(Text(line) for line in paste_block(document)),
        Text(),
        *(labelled(label, value) for label, value in key_numbers(document)),
        Text(),
        *sides(document),
    ]
    warning = speed_warning(document)
    if warning:
        parts.append(Text(f"warning: {warning}", style="yellow"))
    parts += [Text(), Text(f"run folder: {document['run_dir']}")]
    hint = resume_hint(document)
    if hint:
        parts.append(Text(hint))
    return Group(*parts)


#: How a test is told.
TEST = Wording(panel, progress_line, final_summary)


def sides(document: Document) -> list[Text]:
    """Nodes per second and mean depth of NEW and BASE side by side, and how the former compare."""
    rows = {
        "": [document[side]["name"] for side in ("new", "base")],
        "nodes/s": [number(nps, 0) for nps in document["machine"]["nps"]],
        "mean depth": [number(depth, 1) for depth in document["mean_depth"]],
    }
    lines = [labelled(label, f"{new:>11}  {base:>11}") for label, (new, base) in rows.items()]
    return [*lines, labelled("nps ratio", speed_ratio(document))]


def labelled(label: str, value: str) -> Text:
    """A line of a table; it ends with its value, so that it can be pasted."""
    return Text.assemble((f"{label:<15}", "dim"), value)


def resume_hint(document: Document) -> str | None:
    """How to go on with an interrupted run; a study has a document only when it is through."""
    if not document.get("machine", {}).get("interrupted"):
        return None
    command = document.get("form", "sprt")  # a tournament's form is the command that plays it
    return f"interrupted; to go on: {resume_command(document['run_dir'], command)}"
