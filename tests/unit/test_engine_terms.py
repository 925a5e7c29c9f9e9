"""Each evaluation term on positions made for it: what it counts, for white and for black."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from engine.evaluate import trace_evaluation
from engine.shell import Game, build_parameters
from engine.terms import OFFSETS, WEIGHT_COUNT
from engine.weights import weight_defaults

PARAMETERS = build_parameters()


@lru_cache
def trace_of(fen: str) -> np.ndarray:
    trace = np.zeros((2, WEIGHT_COUNT), np.int64)
    trace_evaluation(Game(fen).record, PARAMETERS, trace)
    return trace


def counts(fen: str, term: str) -> tuple[list[int], list[int]]:
    """White's and black's counts of a term; white is to move."""
    length = len(weight_defaults()[term][0])
    ours, theirs = trace_of(fen)[:, OFFSETS[term] :][:, :length].tolist()
    return ours, theirs


def at(length: int, *places: int) -> list[int]:
    """A list of zeros with ones added at these places."""
    return [places.count(place) for place in range(length)]


def white_to_move(board: str) -> str:
    return f"{board} w - - 0 1"


# --- Pawns --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("term", "board", "white", "black"),
    [
        ("isolated_pawn", "4k3/p1p5/8/8/8/8/P2PP3/4K3", 1, 2),
        ("isolated_pawn", "4k3/8/8/8/8/8/P6P/4K3", 2, 0),  # no wrapping round the edge
        ("isolated_pawn", "4k3/5p2/8/8/6P1/8/5P2/4K3", 0, 1),  # neighbours at any distance
        ("doubled_pawn", "4k3/8/8/8/8/P7/P7/4K3", 1, 0),
        ("doubled_pawn", "4k3/2p5/2p5/2p5/P7/8/P7/4K3", 1, 2),
        ("doubled_pawn", "4k3/p7/8/8/8/8/P7/4K3", 0, 0),
        ("backward_pawn", "4k3/8/8/1p6/2P5/3P4/8/4K3", 0, 0),  # no attack on d4
        ("backward_pawn", "4k3/8/8/2p1p3/2P1P3/3P4/8/4K3", 1, 0),  # d4 is attacked
        ("backward_pawn", "4k3/8/8/2p1p3/2P5/1P1P4/8/4K3", 2, 0),  # and b4
        ("backward_pawn", "4k3/8/8/2p1p3/8/3P4/8/4K3", 0, 0),  # isolated, not backward
        ("backward_pawn", "4k3/8/8/4p3/8/2PP4/8/4K3", 0, 0),  # a neighbour can still help
    ],
)
def test_pawns_with_a_weakness(term: str, board: str, white: int, black: int) -> None:
    assert counts(white_to_move(board), term) == ([white], [black])


@pytest.mark.parametrize(
    ("term", "board", "white", "black"),
    [
        ("phalanx_pawn", "4k3/8/8/8/8/8/PP6/4K3", (0, 0), ()),
        ("phalanx_pawn", "4k3/6pp/8/3PP3/8/8/P6P/4K3", (3, 3), (0, 0)),
        ("supported_pawn", "4k3/p7/1p6/8/8/4P3/3P1P2/4K3", (1,), (1,)),
        ("supported_pawn", "4k3/8/8/8/8/P6P/1P6/4K3", (1,), ()),
        ("passed_pawn", "4k3/8/8/8/3P4/8/8/4K3", (2,), ()),
        ("passed_pawn", "4k3/8/3p4/8/3P4/8/8/4K3", (), ()),
        ("passed_pawn", "4k3/8/2p5/8/3P4/8/8/4K3", (), ()),
        ("passed_pawn", "4k3/8/8/8/2pP4/8/8/4K3", (2,), (3,)),  # past each other
        ("passed_pawn", "7k/3P4/8/8/3P4/8/p7/4K3", (5,), (5,)),  # the foremost only
        ("passed_pawn", "4k3/7p/8/8/P7/8/8/4K3", (2,), (0,)),
    ],
)
def test_pawns_by_rank(
    term: str, board: str, white: tuple[int, ...], black: tuple[int, ...]
) -> None:
    assert counts(white_to_move(board), term) == (at(6, *white), at(6, *black))


@pytest.mark.parametrize(
    ("board", "free"),
    [
        ("k7/8/8/8/3P4/8/8/4K3", True),
        ("8/8/8/3k4/3P4/8/8/4K3", False),  # blocked
        ("8/8/4k3/8/3P4/8/8/4K3", False),  # its next square is attacked
        ("3r3k/8/8/8/3P4/8/8/4K3", False),
        ("k7/8/8/3N4/3P4/8/8/4K3", False),  # its own piece is in the way too
    ],
)
def test_a_passed_pawn_is_free_if_its_next_square_is_safe(board: str, free: bool) -> None:
    white, _ = counts(white_to_move(board), "free_passed_pawn")
    assert white == at(6, *([2] if free else []))


def test_the_kings_distances_count_for_each_rank_beyond_the_third() -> None:
    near = white_to_move("7k/8/3K4/2P5/8/8/8/8")  # stop c6: 1 and 5 king moves away; the fifth rank
    assert counts(near, "passed_own_king") == ([1 * 2], [0])
    assert counts(near, "passed_their_king") == ([5 * 2], [0])
    third = white_to_move("7k/8/8/8/8/2P5/8/K7")
    assert counts(third, "passed_own_king") == ([0], [0])
    farthest = white_to_move("7k/P7/8/8/8/8/8/7K")  # seven moves count as five
    assert counts(farthest, "passed_own_king") == ([5 * 4], [0])


# --- Pieces -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("term", "board", "white", "black"),
    [
        ("knight_mobility", "4k3/8/8/8/3N4/8/8/N3K3", (8, 2), ()),
        ("knight_mobility", "4k3/8/8/1p6/3N4/8/8/4K3", (8,), ()),  # a pawn may be taken
        ("knight_mobility", "4k3/3p4/8/8/3N4/1P6/8/4K3", (5,), ()),  # b3, c6 and e6 do not count
        ("bishop_mobility", "4k3/8/8/8/3B4/8/8/4K3", (13,), ()),
        ("bishop_mobility", "4k3/8/8/8/3B4/4P3/8/4K3", (10,), ()),
        ("bishop_mobility", "4k3/8/8/8/8/2Q5/1B6/4K3", (9,), ()),  # through its own queen
        ("rook_mobility", "4k3/8/8/8/8/8/8/R3K3", (10,), ()),
        ("rook_mobility", "4k3/8/8/8/R7/8/R7/4K3", (14, 14), ()),  # a battery sees through
        ("queen_mobility", "4k3/8/8/8/3Q4/8/8/4K3", (27,), ()),
        ("queen_mobility", "4k3/8/8/8/8/8/4K3/q7", (), (21,)),
    ],
)
def test_mobility(term: str, board: str, white: tuple[int, ...], black: tuple[int, ...]) -> None:
    length = len(weight_defaults()[term][0])
    assert counts(white_to_move(board), term) == (at(length, *white), at(length, *black))


@pytest.mark.parametrize(
    ("term", "board", "white", "black"),
    [
        ("bishop_pair", "4k3/8/8/8/8/8/8/2B1KB2", 1, 0),
        ("bishop_pair", "2b1kb2/8/8/8/8/8/8/2B1K3", 0, 1),
        ("bishop_pair", "4k3/8/8/8/8/4B3/8/2B1K3", 0, 0),  # both on dark squares
        ("bishop_pawn", "4k3/8/8/8/8/8/PP6/2B1K3", 1, 0),  # b2 is light as f1, a2 is light
        ("bishop_pawn", "4kb2/1p1p4/8/8/8/8/P1P5/4KB2", 2, 0),
        ("rook_open_file", "4k3/8/8/8/8/8/7P/R3K2R", 1, 0),
        ("rook_half_open_file", "r3k3/8/8/p7/8/8/7P/R3K2R", 1, 0),
        ("rook_half_open_file", "r3k2r/8/8/p7/8/8/7P/4K3", 0, 1),
        ("rook_open_file", "r3k2r/8/8/p7/8/8/7P/4K3", 0, 0),
        ("knight_outpost", "4k3/8/8/3N4/4P3/8/8/4K3", 1, 0),
        ("knight_outpost", "4k3/8/8/3N4/8/8/8/4K3", 0, 0),  # unguarded
        ("knight_outpost", "4k3/2p5/8/3N4/4P3/8/8/4K3", 0, 0),  # c7-c6 comes
        ("knight_outpost", "4k3/8/8/2pN4/4P3/8/8/4K3", 1, 0),  # that pawn has gone past
        ("knight_outpost", "4k3/8/8/8/8/3N4/4P3/4K3", 0, 0),  # too near home
        ("knight_outpost", "7k/8/3N4/4P3/8/8/8/4K3", 1, 0),
        ("knight_outpost", "4k3/8/3p4/4n3/8/8/8/4K3", 0, 1),
        ("bishop_outpost", "4k3/8/8/3B4/4P3/8/8/4K3", 1, 0),
    ],
)
def test_bishops_rooks_and_outposts(term: str, board: str, white: int, black: int) -> None:
    assert counts(white_to_move(board), term) == ([white], [black])


# --- Threats ------------------------------------------------------------------------------------

PAWN, KNIGHT, BISHOP, ROOK, QUEEN = range(5)


@pytest.mark.parametrize(
    ("term", "board", "white", "black"),
    [
        ("threat_by_pawn", "7k/8/8/3n1r2/4P3/8/8/K7", (KNIGHT, ROOK), ()),
        ("threat_by_pawn", "7k/8/8/3p1p2/4P3/8/8/K7", (), ()),
        ("threat_by_pawn", "7k/8/8/8/4p3/3Q4/8/K7", (), (QUEEN,)),
        ("threat_by_minor", "7k/8/8/2r1q3/8/3N4/8/K7", (ROOK, QUEEN), ()),  # guarded or not
        ("threat_by_minor", "7k/8/1p6/2b5/8/3N4/8/K7", (), ()),  # guarded by a pawn
        ("threat_by_minor", "7k/8/8/2b5/8/3N4/8/K7", (BISHOP,), ()),
        ("threat_by_rook", "7k/8/8/8/R2p3n/8/8/K7", (PAWN,), ()),
        ("threat_by_rook", "7k/4p3/3q4/8/3R4/8/8/K7", (QUEEN,), ()),
        ("threat_by_rook", "7k/4p3/3n4/8/3R4/8/8/K7", (), ()),
    ],
)
def test_threats_by_victim(
    term: str, board: str, white: tuple[int, ...], black: tuple[int, ...]
) -> None:
    assert counts(white_to_move(board), term) == (at(5, *white), at(5, *black))


@pytest.mark.parametrize(
    ("term", "board", "white", "black"),
    [
        ("threat_by_king", "7k/8/8/8/8/8/1p6/K7", 1, 0),
        ("threat_by_king", "7k/8/8/8/8/p7/1p6/K7", 0, 0),  # guarded by a pawn
        ("threat_by_king", "3r3k/1b6/8/3n4/2K5/8/8/8", 0, 0),  # guarded twice
        ("threat_by_king", "3r3k/1b6/8/3n4/2K1P3/8/8/8", 1, 0),  # but attacked twice
        ("hanging", "7k/8/8/8/R2p3n/8/8/K7", 1, 0),  # the pawn; the knight is behind it
        ("hanging", "7k/8/8/8/R2p4/8/8/3r2K1", 0, 0),  # guarded; and a king in check does not hang
        ("push_threat", "7k/8/3n4/8/8/4P3/8/K7", 0, 0),
        ("push_threat", "7k/8/8/3n4/8/8/4P3/K7", 1, 0),  # by the double push
        ("push_threat", "7k/8/8/3n4/8/4N3/4P3/K7", 0, 0),  # blocked
        ("push_threat", "7k/8/8/3n1p2/8/8/4P3/K7", 0, 0),  # e4 is attacked by a pawn
        ("push_threat", "7k/8/8/3n4/4P3/8/8/K7", 0, 0),  # attacked already
        ("push_threat", "8/8/8/3k4/8/5K2/4P3/8", 0, 0),  # a check is no threat to a piece
    ],
)
def test_other_threats(term: str, board: str, white: int, black: int) -> None:
    assert counts(white_to_move(board), term) == ([white], [black])


# --- King safety --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("term", "board", "white"),
    [
        ("king_shield", "k7/8/8/8/8/8/5PPP/6K1", (1, 1, 1)),
        ("king_shield", "k7/8/8/8/8/6P1/5P2/6K1", (1, 2, 0)),
        ("king_shield", "k7/8/8/8/8/8/5PPP/7K", (1, 1, 1)),  # three files at the edge too
        ("king_shield", "k7/8/8/8/6K1/8/5PPP/8", (0, 0, 0)),  # behind the king
        ("king_storm", "k7/8/8/6pp/8/5p2/8/6K1", (2, 4, 4)),
        ("king_storm", "k7/8/6p1/8/6p1/8/8/6K1", (0, 3, 0)),  # the foremost
    ],
)
def test_shelter_by_file(term: str, board: str, white: tuple[int, ...]) -> None:
    assert counts(white_to_move(board), term)[0] == at(7, *white)


@pytest.mark.parametrize(
    ("board", "white"),
    [
        ("k7/8/8/8/8/8/5PPP/6K1", 0),
        ("k7/8/8/8/8/8/5P1P/6K1", 1),
        ("k7/6p1/8/8/8/8/5P1P/6K1", 0),
        ("k7/8/8/8/8/8/8/6K1", 3),
    ],
)
def test_open_files_near_the_king(board: str, white: int) -> None:
    assert counts(white_to_move(board), "king_open_file")[0] == [white]


def attack_units(board: str) -> int:
    (place,) = np.flatnonzero(counts(white_to_move(board), "king_attack")[0])
    return int(place)


def test_each_side_has_one_attack() -> None:
    white, black = counts(white_to_move("k7/8/8/8/8/8/5PPP/6K1"), "king_attack")
    assert white == black == at(len(white), 0)


def test_more_attackers_make_more_units() -> None:
    shelter = "6k1/5ppp/8/{}/8/8/8/{}K1"
    boards = [shelter.format("8", "3Q2"), shelter.format("6N1", "3Q2"), shelter.format("6NQ", "6")]
    quiet, with_knight, with_queen_near = map(attack_units, boards)
    assert quiet < with_knight < with_queen_near


@pytest.mark.parametrize(
    ("board", "units"),
    [
        # The queen attacks h7 and h8; those and f7 only the king guards; checks on d5 and h7.
        ("6k1/8/6P1/7Q/8/8/8/K7", (5 + 2) + 2 * 3 + 4),
        # A knight guards h7 and d5.
        ("6k1/8/5nP1/7Q/8/8/8/K7", (5 + 2) + 2 * 2),
        # A rook guards f7 and h7; of d5, attacked twice, the only guard is a queen.
        ("6k1/r7/6P1/7Q/1K6/2N5/8/3q4", (5 + 2) + 2 + 4),
        # The queen attacks g7 and h8, which only the king guards; checks on a8 and c4.
        ("6k1/8/8/8/8/8/7K/Q4B2", (5 + 2) + 2 * 2 + 4 + 3),
    ],
)
def test_attack_units_counted_by_hand(board: str, units: int) -> None:
    assert attack_units(board) == units


def test_an_attack_without_a_queen_is_six_units_less() -> None:
    """Both attack the weak f7 and have safe checks, the rook on g1, the queen on a8."""
    assert attack_units("6k1/5p1p/8/8/8/8/Q7/K4R2") == (3 + 1) + (5 + 1) + 2 + 5 + 4
    assert attack_units("6k1/5p1p/8/8/8/8/8/K4R2") == (3 + 1) + 2 + 5 - 6


def test_the_attack_is_bounded_by_its_table() -> None:
    length = len(weight_defaults()["king_attack"][0])
    assert attack_units("6k1/8/6N1/4BNQR/8/6RR/8/K7") == length - 1
