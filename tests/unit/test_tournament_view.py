"""What is shown of a tournament while it goes on and at its end."""

from __future__ import annotations

import io
from itertools import count

from rich.console import Console

from harness.tournament.crosstable import Crosstable
from harness.tournament.view import TOURNAMENT, TournamentProgress
from harness.view import LiveView, PlainView
from tests.match.test_tournament import tournament
from tests.unit.test_tally import game

SPEC = tournament(cycles=10, anchors={"null d": 2000.0})


def progress(pairs: int) -> TournamentProgress:
    """The first player of each pairing wins its first game and draws the second."""
    table = Crosstable(len(SPEC.players), SPEC.pairings, SPEC.pairs)
    for pair in range(pairs):
        for record in (game(pair, 0, 1), game(pair, 1, 0)):
            table.add(record)
    return TournamentProgress(SPEC, table, games=2 * pairs, elapsed_s=60.0, lost=1)


def test_a_line_of_a_log_tells_pace_and_ratings() -> None:
    line = TOURNAMENT.line(progress(48))
    assert line.startswith(
        "96 of 120 games · 1 min 00 s · 96 games/min · about 15 s to go · 1 fault"
    )
    assert line.count("null ") == 3, "an anchor's rating is no news"
    assert " ± " in line


def test_there_are_no_ratings_after_a_few_games() -> None:
    assert "null" not in TOURNAMENT.line(progress(6))
    assert "2000" in _text(TOURNAMENT.panel(progress(6)))  # but for the anchor's


def test_the_panel_has_a_row_for_each_player() -> None:
    text = _text(TOURNAMENT.panel(progress(48)))
    rows = text.splitlines()
    assert rows[0].split() == [
        "player",
        "Elo",
        "±",
        "games",
        "+",
        "=",
        "-",
        "score",
        "LOS",
        "depth",
    ]
    assert len({len(row) for row in rows[:5]}) == 1, "columns stand below each other"
    assert sum("anchor" in row for row in rows) == 1
    assert all(f"null {letter}" in text for letter in "abcd")


def test_both_views_tell_it() -> None:
    for view_of in (PlainView, LiveView):
        console = Console(file=io.StringIO(), force_terminal=view_of is LiveView, width=100)
        view = view_of(console, count(0.0, 100.0).__next__, wording=TOURNAMENT)
        view.update(progress(48))
        assert "96 of 120 games" in console.file.getvalue()  # type: ignore[attr-defined]
        if isinstance(view, LiveView):
            view._live.stop()


def _text(renderable: object) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(renderable)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text
