"""Counting in pair order: the prefix, duplicates, faults, the end."""

import math
import random
import struct

import pytest

from harness.game import GameRecord, Termination
from harness.score import Pentanomial
from harness.sprt import Hypotheses, llr
from harness.tally import FEW_FAULTS, FEW_FORFEITS, Tally, digest_game

OPEN = Hypotheses(-50, 50, 1e-12, 1e-12)
WHITE_FIRST = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
BLACK_FIRST = "4k3/8/8/8/8/8/8/4K2R b K - 0 1"


def game(
    pair: int,
    number: int,
    new_result: int = 0,
    termination: Termination = Termination.THREEFOLD,
    moves: bytes | None = None,
    **changes: object,
) -> GameRecord:
    values: dict[str, object] = {
        "fen": WHITE_FIRST,
        "plies": 1,
        "scores_cp": b"\0" * 4,
        "depths": b"\1",
        "nodes": b"\1\0\0\0",
        "times_us": b"\1\0\0\0",
        "search_ns": (10, 20),
        "wall_ns": 40,
        "detail": "",
    }
    return GameRecord(
        pair=pair,
        game=number,
        result=-new_result if number else new_result,
        termination=termination,
        moves=struct.pack("<I", 2 * pair + number) if moves is None else moves,
        **(values | changes),  # type: ignore[arg-type]
    )


def pair_of(pair: int, first: int, second: int) -> list[GameRecord]:
    return [game(pair, 0, first), game(pair, 1, second)]


def tally_of(records: list[GameRecord], hypotheses: Hypotheses = OPEN, pairs: int = 1000) -> Tally:
    tally = Tally(hypotheses, pairs)
    for record in records:
        tally.add(record)
    return tally


def test_each_pair_counts_for_new_whatever_its_colour() -> None:
    results = [(-1, -1), (-1, 0), (0, 0), (1, -1), (0, 1), (1, 1), (1, 1)]
    tally = tally_of([g for k, (a, b) in enumerate(results) for g in pair_of(k, a, b)])
    assert tally.pentanomial == Pentanomial(1, 1, 2, 1, 2)
    assert tally.pairs.decode() == "0122344"
    assert tally.pairs_done == 7
    assert tally.games_done == 14
    assert tally.llr_path[-1] == tally.state.llr == llr(tally.pentanomial, -50, 50)


def test_order_of_arrival_changes_nothing() -> None:
    chance = random.Random(1)
    records = [
        g
        for k in range(60)
        for g in pair_of(k, chance.choice((-1, 0, 1)), chance.choice((-1, 0, 1)))
    ]
    in_order = tally_of(records)
    for _ in range(5):
        chance.shuffle(records)
        shuffled = tally_of(records)
        assert shuffled.llr_path == in_order.llr_path
        assert shuffled.pairs == in_order.pairs
        assert shuffled.sides == in_order.sides


def test_pair_waits_for_its_other_game_and_for_the_pairs_before_it() -> None:
    tally = Tally(OPEN, 1000)
    tally.add(game(1, 1))
    tally.add(game(1, 0))
    assert (tally.pairs_done, tally.games_waiting) == (0, 2)
    tally.add(game(0, 1))
    assert (tally.pairs_done, tally.games_waiting) == (0, 3)
    tally.add(game(0, 0))
    assert (tally.pairs_done, tally.games_waiting) == (2, 0)


def test_duplicate_pair_is_reported_and_is_no_evidence() -> None:
    tally = tally_of(
        [
            game(0, 0, 1, moves=b"ab"),
            game(0, 1, 1, moves=b"cd"),
            game(1, 0, 1, moves=b"ab"),
            game(1, 1, 1, moves=b"cd"),
        ]
    )
    assert tally.duplicates == 1
    assert tally.pentanomial == Pentanomial(0, 0, 0, 0, 1)
    assert len(tally.llr_path) == 1
    assert tally.games_done == 4


def test_half_a_pair_or_the_colours_swapped_is_no_duplicate() -> None:
    tally = tally_of(
        [
            game(0, 0, moves=b"ab"),
            game(0, 1, moves=b"cd"),
            game(1, 0, moves=b"ab"),
            game(1, 1, moves=b"ce"),
            game(2, 0, moves=b"cd"),
            game(2, 1, moves=b"ab"),
        ]
    )
    assert tally.duplicates == 0
    assert tally.pairs_done == 3


def test_equal_moves_from_other_positions_are_no_duplicate() -> None:
    records = [game(pair, number, moves=b"ab") for pair in (0, 1) for number in (0, 1)]
    records[2:] = [game(1, number, moves=b"ab", fen=BLACK_FIRST) for number in (0, 1)]
    assert tally_of(records).duplicates == 0


def test_equal_games_within_a_pair_count() -> None:
    """So they are whenever an engine plays itself."""
    records = [game(pair, number, moves=bytes([pair])) for pair in range(5) for number in (0, 1)]
    tally = tally_of(records)
    assert (tally.duplicates, tally.pairs_done) == (0, 5)


def test_run_stops_at_the_first_pair_that_crosses_and_counts_nothing_after_it() -> None:
    test = Hypotheses(0, 50)
    tally = tally_of([g for k in range(400) for g in pair_of(k, 1, k % 2)], test)
    assert tally.decision == "H1"
    assert tally.llr_path[-1] >= test.bounds.upper > max(tally.llr_path[:-1])
    assert tally.pairs_done == len(tally.llr_path) < 400
    assert tally.games_waiting == 800 - tally.games_done


def test_losing_run_accepts_h0() -> None:
    tally = tally_of([g for k in range(400) for g in pair_of(k, -1, k % 2)], Hypotheses(0, 50))
    assert tally.decision == "H0"


def test_run_is_undecided_when_all_pairs_were_played_duplicates_included() -> None:
    records = [game(k, n, moves=b"x") for k in range(3) for n in (0, 1)]
    tally = tally_of(records, pairs=3)
    assert tally.decision == "undecided"
    assert tally.duplicates == 2


@pytest.mark.parametrize("fault", [Termination.ILLEGAL_MOVE, Termination.CRASH, Termination.HANG])
def test_crashes_do_not_become_a_verdict(fault: Termination) -> None:
    """fastchess accepted H0 from 28 crashes in 28 games."""
    records = [game(k, n, -1, fault) for k in range(14) for n in (0, 1)]
    tally = tally_of(records, Hypotheses(0, 5))
    assert tally.decision == "invalid"
    assert tally.games_done == FEW_FAULTS + 1
    assert (
        tally.invalid_reason
        == f"4 of 4 games ended by an engine's fault: NEW {fault.value.replace('_', ' ')} 4"
    )


def test_few_faults_are_lost_games_that_count() -> None:
    records = [
        game(k, n, -1, Termination.CRASH if k == 0 and n == 0 else Termination.CHECKMATE)
        for k in range(10)
        for n in (0, 1)
    ]
    tally = tally_of(records)
    assert tally.decision is None
    assert tally.fault_count == 1
    assert tally.pentanomial.ll == 10


def test_two_percent_of_faults_are_borne_in_a_long_run() -> None:
    """From the 50th game on, each 50th is a crash."""
    records = [
        game(k, n, 0, Termination.CRASH if (2 * k + n) % 50 == 49 else Termination.STALEMATE)
        for k in range(1000)
        for n in (0, 1)
    ]
    assert tally_of(records).decision == "undecided"


def test_losses_on_time_are_chess_until_they_are_very_many() -> None:
    def forfeits(share: int) -> Tally:
        return tally_of(
            [
                game(k, n, 0, Termination.TIME_FORFEIT if k % share == 0 else Termination.STALEMATE)
                for k in range(100)
                for n in (0, 1)
            ],
            pairs=100,
        )

    assert forfeits(20).decision == "undecided"
    assert forfeits(1).decision == "invalid"
    assert forfeits(1).games_done == FEW_FORFEITS + 2  # whole pairs
    assert "lost on time" in (forfeits(1).invalid_reason or "")


@pytest.mark.parametrize(
    ("fen", "book_plies", "number", "new_moves_first"),
    [
        (WHITE_FIRST, 0, 0, True),
        (WHITE_FIRST, 0, 1, False),
        (WHITE_FIRST, 3, 0, False),
        (WHITE_FIRST, 3, 1, True),
        (BLACK_FIRST, 0, 0, False),
        (BLACK_FIRST, 0, 1, True),
        (BLACK_FIRST, 1, 0, True),
    ],
)
def test_depths_and_nodes_go_to_the_side_that_searched(
    fen: str, book_plies: int, number: int, new_moves_first: bool
) -> None:
    record = game(
        0,
        number,
        fen=fen,
        plies=book_plies + 3,
        depths=bytes([9, 4, 8]),
        nodes=struct.pack("<3I", 1000, 1, 70_000),
        search_ns=(500, 300),
    )
    new, base = digest_game(record).sides
    first, second = (new, base) if new_moves_first else (base, new)
    assert (first.moves, first.depths, first.nodes) == (2, 17, 71_000)
    assert (second.moves, second.depths, second.nodes) == (1, 4, 1)
    assert (new.search_ns, base.search_ns) == (500, 300)


def test_means_are_none_where_nothing_was_measured() -> None:
    tally = Tally(OPEN, 1)
    assert [side.mean_depth for side in tally.sides] == [None, None]
    assert [side.nps for side in tally.sides] == [None, None]
    tally = tally_of(pair_of(0, 1, 0))
    assert tally.sides[0].mean_depth == 1.0
    assert tally.sides[0].nps == pytest.approx(1e9 * 1 / 20)


def test_trinomial_model_counts_games_and_still_reports_pairs() -> None:
    test = Hypotheses(0, 50, model="trinomial")
    tally = tally_of(pair_of(0, 1, -1) + pair_of(1, 0, 0), test)
    assert tally.state.counts.classes == (1, 2, 1)
    assert tally.pentanomial == Pentanomial(0, 0, 2, 0, 0)


def test_speeds_are_compared_game_by_game_for_new_whatever_its_colour() -> None:
    """NEW takes half of BASE's time for as many nodes in one game, a third in the other."""
    nodes = struct.pack("<2I", 600, 600)
    records = [
        game(0, 0, plies=2, depths=bytes(2), nodes=nodes, search_ns=(100, 200)),
        game(0, 1, plies=2, depths=bytes(2), nodes=nodes, search_ns=(100, 300)),
        game(1, 0, plies=2, depths=bytes(2), nodes=nodes, search_ns=(100, 900)),
    ]
    tally = tally_of(records)
    assert tally.speed.games == 2, "the pair that is not complete does not count"
    assert tally.speed.total == pytest.approx(math.log(2) + math.log(3))


def test_unmeasured_speeds_are_not_compared() -> None:
    assert tally_of([game(0, 0, search_ns=(0, 0)), game(0, 1)]).speed.games == 0
