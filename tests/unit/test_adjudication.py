from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.adjudication import Adjudicator, Verdict, describe, parse_rule
from harness.config import AdjudicationConfig

CONFIG = AdjudicationConfig(
    draw_move_number=10,
    draw_move_count=3,
    draw_score_cp=10,
    resign_move_count=2,
    resign_score_cp=500,
    resign_two_sided=True,
    max_plies=60,
)


def run(
    scores_cp: Iterable[int],
    config: AdjudicationConfig = CONFIG,
    irreversible: frozenset[int] = frozenset(),
    first_ply: int = 0,
    without_evaluation: frozenset[int] = frozenset(),
) -> tuple[int, Verdict]:
    """Plies played and verdict, with the movers' scores of alternate sides, white first."""
    adjudicator = Adjudicator(config)
    verdict = Verdict.NONE
    plies = first_ply
    for index, score_cp in enumerate(scores_cp):
        plies += 1
        depth = 0 if index in without_evaluation else 5
        verdict = adjudicator.update(index % 2, score_cp, depth, index in irreversible, plies)
        if verdict:
            break
    return plies, verdict


@pytest.mark.parametrize(
    ("rule", "text", "fields"),
    [
        ("draw", "34/8/20", {"draw_move_number": 34, "draw_move_count": 8, "draw_score_cp": 20}),
        ("draw", "0/1/0", {"draw_move_number": 0, "draw_move_count": 1, "draw_score_cp": 0}),
        ("draw", "none", {"draw_move_count": 0}),
        ("resign", "4/500", {"resign_move_count": 4, "resign_score_cp": 500}),
        ("resign", "none", {"resign_move_count": 0}),
    ],
)
def test_rules_are_written_as_their_numbers(rule: str, text: str, fields: dict[str, int]) -> None:
    assert parse_rule(rule, text) == fields
    AdjudicationConfig(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", ["draw", "resign"])
@pytest.mark.parametrize(
    "text", ["", "8", "-1/8/10", "3/x", "1/2/3/4", "4 /5/6", "3/123456", "٣/5"]
)
def test_other_texts_are_no_rule(rule: str, text: str) -> None:
    with pytest.raises(ValueError, match=r"such as .*, or none"):
        parse_rule(rule, text)


@pytest.mark.parametrize(("rule", "text"), [("draw", "40/0/10"), ("resign", "0/600")])
def test_a_rule_of_no_moves_is_none(rule: str, text: str) -> None:
    with pytest.raises(ValueError, match="COUNT is 1 or more"):
        parse_rule(rule, text)


def test_a_draw_waits_for_the_move_number() -> None:
    assert run([0] * 50) == (20, Verdict.DRAW)


def test_opening_moves_count_for_the_move_number() -> None:
    assert run([0] * 50, first_ply=16) == (22, Verdict.DRAW)


def test_a_draw_needs_both_sides_within_the_bound() -> None:
    assert run([10, -10] * 25) == (20, Verdict.DRAW)
    assert run([10, 11] * 25) == (50, Verdict.NONE)
    assert run([-11, 0] * 25) == (50, Verdict.NONE)


def test_one_large_score_starts_the_count_anew() -> None:
    scores = [0] * 50
    scores[17] = 30
    assert run(scores) == (24, Verdict.DRAW)


def test_a_pawn_move_or_capture_starts_the_count_anew_with_itself() -> None:
    assert run([0] * 50, irreversible=frozenset({17})) == (23, Verdict.DRAW)


def test_a_move_without_evaluation_starts_the_counts_anew() -> None:
    assert run([0] * 50, without_evaluation=frozenset({17})) == (24, Verdict.DRAW)
    scores = [600, -600] * 10
    assert run(scores, without_evaluation=frozenset({2})) == (7, Verdict.WHITE_WINS)


def test_resignation_takes_the_last_moves_of_both_sides() -> None:
    assert run([600, -600] * 10) == (4, Verdict.WHITE_WINS)
    assert run([-500, 500] * 10) == (4, Verdict.BLACK_WINS)
    assert run([600, -499] * 10) == (20, Verdict.NONE)


def test_resignation_counts_consecutive_moves_only() -> None:
    assert run([600, -600, 100, -600, 600, -600, 600]) == (7, Verdict.WHITE_WINS)


def test_two_sides_that_both_believe_in_winning_play_on() -> None:
    assert run([600] * 20) == (20, Verdict.NONE)


def test_a_change_of_sign_starts_the_count_anew() -> None:
    assert run([600, -600, -600, 600, -600, 600]) == (5 + 1, Verdict.BLACK_WINS)


def test_mate_scores_resign() -> None:
    assert run([48_990, -48_991] * 3) == (4, Verdict.WHITE_WINS)


def test_one_sided_resignation_asks_the_loser_alone() -> None:
    config = CONFIG.model_copy(update={"resign_two_sided": False})
    assert run([0, -600] * 10, config) == (4, Verdict.WHITE_WINS)
    assert run([600, 0] * 10, config) == (20, Verdict.NONE)


def test_the_length_is_bounded() -> None:
    assert run([100] * 100) == (60, Verdict.TOO_LONG)
    assert run([100] * 100, first_ply=10) == (60, Verdict.TOO_LONG)


def test_zero_switches_a_rule_off() -> None:
    off = CONFIG.model_copy(update={"draw_move_count": 0, "resign_move_count": 0, "max_plies": 0})
    assert run([0] * 100, off) == (100, Verdict.NONE)
    assert run([900, -900] * 50, off) == (100, Verdict.NONE)
    assert describe(off) == "none"


@given(scores=st.lists(st.integers(-1_000, 1_000), max_size=80))
def test_colours_are_treated_alike(scores: list[int]) -> None:
    """Black moving first with the same scores gives the mirrored verdict after the same ply."""
    mirror = {Verdict.WHITE_WINS: Verdict.BLACK_WINS, Verdict.BLACK_WINS: Verdict.WHITE_WINS}
    ours, theirs = Adjudicator(CONFIG), Adjudicator(CONFIG)
    for index, score_cp in enumerate(scores):
        here = ours.update(index % 2, score_cp, 5, False, index + 1)
        there = theirs.update(1 - index % 2, score_cp, 5, False, index + 1)
        assert there == mirror.get(here, here)
        if here:
            break


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            {},
            "draw: 3 moves within 10 cp from move 10; resign: 2 moves at 500 cp, both sides;"
            " length: 60 plies",
        ),
        (
            {"resign_two_sided": False, "draw_move_count": 0},
            "resign: 2 moves at 500 cp, the loser alone; length: 60 plies",
        ),
        ({"enabled": False}, "none"),
    ],
)
def test_description(change: dict[str, object], text: str) -> None:
    assert describe(CONFIG.model_copy(update=change)) == text
