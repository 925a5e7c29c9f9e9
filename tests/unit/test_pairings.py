"""Berger tables, gauntlets, and the numbers of their pairs."""

from itertools import combinations

import pytest

from harness.tournament.pairings import pairings, tournament_games, tournament_pair


def berger(players: int) -> list[tuple[int, int]]:
    """With players numbered from 1, as printed tables have them."""
    return [(first + 1, second + 1) for first, second in pairings("roundrobin", players)]


def test_the_printed_tables_of_four_and_six() -> None:
    """FIDE Handbook, C.05 annex 1."""
    assert berger(4) == [(1, 4), (2, 3), (4, 3), (1, 2), (2, 4), (3, 1)]
    assert berger(6) == [
        *[(1, 6), (2, 5), (3, 4)],
        *[(6, 4), (5, 3), (1, 2)],
        *[(2, 6), (3, 1), (4, 5)],
        *[(6, 5), (1, 4), (2, 3)],
        *[(3, 6), (4, 2), (5, 1)],
    ]


def test_an_odd_number_of_players_has_one_free_in_each_round() -> None:
    assert berger(3) == [(2, 3), (1, 2), (3, 1)]


@pytest.mark.parametrize("players", range(2, 14))
def test_everyone_meets_everyone_once_with_both_colours_alike(players: int) -> None:
    met = pairings("roundrobin", players)
    assert sorted(tuple(sorted(p)) for p in met) == list(combinations(range(players), 2))
    whites = [sum(p.first == player for p in met) for player in range(players)]
    assert max(whites) - min(whites) <= 1


def test_a_gauntlet_is_the_first_player_against_each_other() -> None:
    assert pairings("gauntlet", 4) == ((0, 1), (0, 2), (0, 3))
    assert pairings("match", 2) == ((0, 1),)


def test_all_pairings_of_a_cycle_play_the_same_opening() -> None:
    openings = [tournament_pair(1, pair, cycle_pairs=3, start=5).opening for pair in range(7)]
    assert openings == [5, 5, 5, 6, 6, 6, 7]
    seeds = {tournament_pair(1, pair, 3).seeds for pair in range(7)}
    assert len(seeds) == 7


def test_finished_games_are_left_out() -> None:
    games = tournament_games(1, 2, 1, 0, {(0, 1), (1, 0)})
    assert [(game.pair, game.game, game.opening) for game in games] == [(0, 0, 0), (1, 1, 1)]
