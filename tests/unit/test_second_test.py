"""`--then`: which options a second test has from the first, and which it may have otherwise."""

from __future__ import annotations

import click
import pytest

from harness import sprt_command
from harness.cli import main
from harness.errors import UsageError
from harness.options import judging, match_limit, sprt_spec
from harness.second_test import second_context
from harness.spec import AdjudicationConfig


def context(*arguments: str) -> click.Context:
    command = main.commands["sprt"]
    return command.make_context("sprt", ["new.cfg", "base.cfg", *arguments])


def second(*arguments: str) -> click.Context:
    found = second_context(context(*arguments))
    assert found is not None
    return found


def test_without_it_there_is_no_second_test() -> None:
    assert second_context(context("--nodes", "9")) is None


def test_what_it_names_replaces_the_first_s_and_the_rest_stays() -> None:
    found = second(
        "--nodes", "5000", "--early", "--seed", "7", "--then", "--tc 10+0.1 --elo0 0 --elo1 5"
    )
    assert match_limit(found).describe() == match_limit(context("--tc", "10+0.1")).describe()
    assert (sprt_spec(found).elo0, sprt_spec(found).elo1) == (0, 5)
    assert (found.params["seed"], found.params["new"]) == (7, "new.cfg")


def test_error_rates_stay_when_only_the_limit_changes() -> None:
    found = second("--early", "--alpha", "0.01", "--then", "--nodes 20000")
    assert (sprt_spec(found).elo1, sprt_spec(found).alpha) == (10, 0.01)


def test_the_rules_that_end_games_are_one_group() -> None:
    rules = ("--draw", "34/8/20", "--resign", "none", "--resign-one-sided", "--max-plies", "0")
    first = AdjudicationConfig(
        draw_move_number=34,
        draw_score_cp=20,
        resign_move_count=0,
        resign_two_sided=False,
        max_plies=0,
    )
    same = second(*rules, "--then", "--nodes 9")
    assert judging(context(*rules))["adjudication"] == first
    assert judging(same)["adjudication"] == first
    by_the_rules_of_chess = second(*rules, "--then", "--no-adjudicate")
    assert judging(by_the_rules_of_chess)["adjudication"] == AdjudicationConfig(enabled=False)


@pytest.mark.parametrize(
    ("first", "then", "scaling"),
    [
        ("--scale-nodes", "--nodes 20000", (True, None)),
        ("--scale-nodes-by 0.9", "--gain", (False, 0.9)),
        ("--scale-nodes-by 0.9", "--nodes 20000 --scale-nodes", (True, None)),
        ("--scale-nodes", "--scale-nodes-by 0.8", (False, 0.8)),
        ("--scale-nodes", "--tc 10+0.1", (False, None)),
        ("--tc 1+0.1", "--nodes 5000 --scale-nodes", (True, None)),
    ],
)
def test_nodes_are_scaled_in_both_unless_the_second_says_otherwise_or_has_none(
    first: str, then: str, scaling: tuple[bool, float | None]
) -> None:
    found = second(*first.split(), "--then", then).params
    assert (found["scale_nodes"], found["scale_nodes_by"]) == scaling


@pytest.mark.parametrize(
    ("decisions", "played", "last"),
    [(["H1", "H0"], 2, "H0"), (["H0"], 1, "H0"), (["undecided"], 1, "undecided")],
)
def test_the_second_is_played_when_the_first_accepts_h1(
    monkeypatch: pytest.MonkeyPatch, decisions: list[str], played: int, last: str
) -> None:
    seen: list[str] = []

    def play(context: click.Context, spec: str, remarks: list[str]) -> str:
        seen.append(spec)
        return decisions[len(seen) - 1]

    limits = lambda context: (match_limit(context).describe(), [])  # noqa: E731
    monkeypatch.setattr(sprt_command, "_specified", limits)
    monkeypatch.setattr(sprt_command, "games_at_a_time", lambda spec, values: 1)
    monkeypatch.setattr(sprt_command, "_play", play)
    given = context("--nodes", "100", "--then", "--nodes 200", "--quiet")
    assert sprt_command.start_sprt(given) == last
    assert seen == ["100 nodes a move", "200 nodes a move"][:played]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "nothing cannot be given there; expected options of the second test: --alpha"),
        ("--out x", "--out cannot be given there"),
        ("other.cfg", "--new cannot be given there"),
        ("--nodez 3", "No such option '--nodez'"),
        ("--nodes 'x", "No closing quotation"),
        ("--nodes x", "Invalid value for '--nodes'"),
    ],
)
def test_mistakes(text: str, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        second("--then", text)
    assert str(caught.value).startswith(f"--then {text!r}: {told}")
