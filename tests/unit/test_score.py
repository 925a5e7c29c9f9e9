from itertools import product

import pytest

from harness.score import Pentanomial, Trinomial, pair_class, parse_ptnml, parse_wdl


def test_classes_are_the_half_points_of_a_pair() -> None:
    seen = {
        (first, second): pair_class(first, second)
        for first, second in product((-1, 0, 1), repeat=2)
    }
    assert seen == {
        (-1, -1): 0,
        (-1, 0): 1,
        (0, -1): 1,
        (0, 0): 2,
        (1, -1): 2,
        (-1, 1): 2,
        (0, 1): 3,
        (1, 0): 3,
        (1, 1): 4,
    }


def test_pentanomial_adds_by_class() -> None:
    total = Pentanomial(1, 2, 3, 4, 5) + Pentanomial.from_class(0) + Pentanomial.from_pair(1, 1)
    assert total == Pentanomial(ll=2, ld=2, dd_wl=3, wd=4, ww=6)
    assert total.classes == (2, 2, 3, 4, 6)
    assert (total.observations, total.games) == (17, 34)


def test_trinomial_keeps_a_win_and_a_loss_apart_from_two_draws() -> None:
    assert Trinomial.from_pair(1, -1) == Trinomial(losses=1, draws=0, wins=1)
    assert Trinomial.from_pair(0, 0) == Trinomial(losses=0, draws=2, wins=0)
    assert (Trinomial(1, 2, 3) + Trinomial(0, 1, 0)).games == 7


def test_inverted_is_the_other_players_view() -> None:
    assert Pentanomial(1, 2, 3, 4, 5).inverted() == Pentanomial(5, 4, 3, 2, 1)
    assert Trinomial(1, 2, 3).inverted() == Trinomial(3, 2, 1)


def test_refuses_negative_counts_and_unknown_classes() -> None:
    with pytest.raises(ValueError, match="no negative number"):
        Pentanomial(0, 0, -1, 0, 0)
    with pytest.raises(ValueError, match="pair class 5: expected 0 to 4"):
        Pentanomial.from_class(5)


def test_parses_the_command_lines_counts() -> None:
    assert parse_ptnml("43,61,144, 55,37") == Pentanomial(43, 61, 144, 55, 37)
    assert parse_wdl("10,20,30") == Trinomial(losses=30, draws=20, wins=10)


@pytest.mark.parametrize(
    "text", ["", "1,2,3,4", "1,2,3,4,5,6", "1,2,3,4,-5", "1,2,3,4,x", "1,2,3,4,5.0"]
)
def test_says_what_counts_should_look_like(text: str) -> None:
    with pytest.raises(ValueError, match="expected five counts LL,LD,DD\\+WL,WD,WW"):
        parse_ptnml(text)


def test_says_the_order_of_wins_draws_losses() -> None:
    with pytest.raises(ValueError, match="'1,2': expected three counts wins,draws,losses"):
        parse_wdl("1,2")
