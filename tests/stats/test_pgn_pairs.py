"""Pairing the games of a PGN file by its headers."""

from pathlib import Path

import pytest

from harness.pgn_pairs import read_match
from harness.score import Pentanomial, Trinomial

FENS = [
    "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
    "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2",
]
Game = tuple[str, str, str, str, str]  # white, black, round, result, FEN or ""


def write(folder: Path, games: list[Game]) -> Path:
    path = folder / "games.pgn"
    texts = []
    for white, black, round_, result, fen in games:
        tags = [("White", white), ("Black", black), ("Round", round_), ("Result", result)]
        if fen:
            tags += [("SetUp", "1"), ("FEN", fen)]
        header = "\n".join(f'[{name} "{value}"]' for name, value in tags)
        texts.append(f'[Event "x"]\n{header}\n\n{{+0.10/5 0.01s}} {result}\n\n')
    path.write_text("".join(texts), encoding="utf-8")
    return path


def test_rounds_of_a_pair_in_any_order(tmp_path: Path) -> None:
    """As written by parallel workers: the games of a pair are not neighbours."""
    path = write(
        tmp_path,
        [
            ("new", "base", "0.0", "1-0", FENS[0]),
            ("new", "base", "1.0", "1/2-1/2", FENS[1]),
            ("base", "new", "1.1", "1-0", FENS[1]),
            ("base", "new", "0.1", "0-1", FENS[0]),
        ],
    )
    assert read_match(path).pairs == Pentanomial(0, 1, 0, 0, 1)
    assert read_match(path, new="base").pairs == Pentanomial(1, 0, 0, 1, 0)


def test_one_round_number_for_both_games(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        [("a", "b", "7", "1-0", ""), ("b", "a", "7", "1-0", "")],
    )
    assert read_match(path).pairs == Pentanomial(0, 0, 1, 0, 0)


def test_neighbours_with_one_opening_where_rounds_tell_nothing(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        [
            ("a", "b", "1", "0-1", FENS[0]),
            ("b", "a", "2", "1/2-1/2", FENS[0]),
            ("b", "a", "3", "1/2-1/2", FENS[1]),
            ("a", "b", "4", "1/2-1/2", FENS[1]),
        ],
    )
    assert read_match(path).pairs == Pentanomial(0, 1, 1, 0, 0)


def test_an_engine_against_itself_is_new_as_white_first(tmp_path: Path) -> None:
    path = write(tmp_path, [("x", "x", "0.0", "1-0", ""), ("x", "x", "0.1", "1-0", "")])
    assert read_match(path).pairs == Pentanomial(0, 0, 1, 0, 0)


@pytest.mark.parametrize(
    ("games", "message"),
    [
        ([], "no games found"),
        ([("a", "b", "1", "*", "")], r"game 1 has the result '\*': expected 1-0"),
        (
            [("a", "b", "1", "1-0", ""), ("b", "c", "1", "1-0", "")],
            r"game 2 \(b - c, round 1\) is not between a and b",
        ),
        (
            [
                ("a", "b", "1.0", "1-0", FENS[0]),
                ("b", "a", "1.1", "1-0", FENS[0]),
                ("a", "b", "2.0", "1-0", FENS[1]),
                ("a", "b", "3.0", "1-0", FENS[1]),
            ],
            r"game 3 \(a - b, round 2.0\) has no partner",
        ),
        (
            [("a", "b", "1", "1-0", FENS[0]), ("b", "a", "1", "1-0", FENS[1])],
            r"game 1 \(a - b, round 1\) has no partner",
        ),
        (
            [("a", "b", "1", "1-0", FENS[0]), ("a", "b", "1", "1-0", FENS[0])],
            "game 1 .* has no partner .* --wdl",
        ),
        (
            [("a", "b", "?", "1-0", ""), ("b", "a", "1", "1-0", "")],
            "game 1 .* has no partner",
        ),
    ],
    ids=["empty", "unfinished", "third player", "many alone", "openings", "colours", "unknown"],
)
def test_games_that_cannot_be_paired(tmp_path: Path, games: list[Game], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_match(write(tmp_path, games))


def test_an_unknown_first_player(tmp_path: Path) -> None:
    path = write(tmp_path, [("a", "b", "1", "1-0", ""), ("b", "a", "1", "1-0", "")])
    with pytest.raises(ValueError, match="no player 'c': expected 'a' or 'b'"):
        read_match(path, new="c")


@pytest.mark.parametrize(
    ("rounds", "alone"),
    [
        (["1.0", "1.1", "2.0", "2.1", "3.0"], "game 5 (a - b, round 3.0)"),
        (["1", "2", "3", "4", "5"], "game 5 (a - b, round 5)"),
        (["?"] * 5, "game 5 (a - b, round ?)"),
    ],
)
def test_one_game_without_partner_is_named_and_not_counted(
    tmp_path: Path, rounds: list[str], alone: str
) -> None:
    players = [("a", "b"), ("b", "a")] * 3
    games = [
        (*players[i], rounds[i], "1/2-1/2" if i % 2 else "1-0", FENS[i // 2 % 2]) for i in range(5)
    ]
    path = write(tmp_path, games)
    match = read_match(path)
    assert match.pairs == Pentanomial(0, 0, 0, 2, 0)
    assert match.games == Trinomial(0, 2, 2)
    assert match.notes() == [
        "NEW is a, BASE is b (as the PGN names them)",
        f"1 game without partner ignored: {alone}",
    ]


def test_the_game_without_partner_may_stand_anywhere(tmp_path: Path) -> None:
    games = [
        ("a", "b", "?", "1-0", FENS[1]),
        ("a", "b", "?", "1-0", FENS[0]),
        ("b", "a", "?", "1-0", FENS[0]),
    ]
    match = read_match(write(tmp_path, games), new="b")
    assert (match.new, match.base) == ("b", "a")
    assert match.ignored == ("game 1 (a - b, round ?)",)
    assert match.pairs == Pentanomial(0, 0, 1, 0, 0)
