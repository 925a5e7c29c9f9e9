"""Results of many players: counted by pairing, in whatever order they come."""

import random
import struct

from harness.game import GameRecord, Termination
from harness.score import Pentanomial, Trinomial
from harness.tally import FEW_FAULTS, FEW_FORFEITS
from harness.tournament.crosstable import Crosstable
from harness.tournament.pairings import Pairing, pairings
from harness.tournament.ratings import Meeting
from tests.unit.test_tally import game

CYCLE = pairings("roundrobin", 3)


def table_of(records: list[GameRecord], pairs: int = 1000) -> Crosstable:
    table = Crosstable(3, CYCLE, pairs)
    for record in records:
        table.add(record)
    return table


def test_each_pair_counts_for_its_own_pairing() -> None:
    table = table_of(
        [
            *(game(0, 0, 1), game(0, 1, 0)),
            *(game(1, 0, -1), game(1, 1, -1)),
            *(game(3, 0, 0), game(3, 1, 0)),
            *(game(5, 0, 1), game(5, 1, -1)),
        ]
    )
    assert table.pairs_done == 4
    assert table.meetings == (
        Meeting(*CYCLE[0], Pentanomial(wd=1, dd_wl=1)),
        Meeting(*CYCLE[1], Pentanomial(ll=1)),
        Meeting(*CYCLE[2], Pentanomial(dd_wl=1)),
    )
    assert [e.games for e in table.encounters] == [
        Trinomial(0, 3, 1),
        Trinomial(2, 0, 0),
        Trinomial(1, 0, 1),
    ]


def test_order_of_arrival_changes_nothing() -> None:
    chance = random.Random(5)
    records = [
        game(pair, number, chance.choice((-1, 0, 1)), depths=bytes([chance.randrange(9)]))
        for pair in range(40)
        for number in (0, 1)
    ]
    in_order = table_of(records)
    for _ in range(5):
        chance.shuffle(records)
        shuffled = table_of(records)
        assert shuffled.meetings == in_order.meetings
        assert [d.searched for d in shuffled.deeds] == [d.searched for d in in_order.deeds]


def test_half_a_pair_does_not_count() -> None:
    first, second = game(0, 0, 1), game(0, 1, 1)
    table = table_of([second])
    assert (table.pairs_done, table.games_done, table.games_waiting) == (0, 0, 1)
    assert not table.counts(second)
    table.add(first)
    assert (table.pairs_done, table.games_waiting) == (1, 0)
    assert table.counts(first)


def test_the_same_pair_again_is_no_evidence_but_another_pairing_s_is() -> None:
    records = [
        game(pair, number, 1, moves=struct.pack("<H", number))
        for pair in (0, 1, 3)  # 0 and 3 are of the same pairing
        for number in (0, 1)
    ]
    table = table_of(records)
    assert table.pairs_done == 3
    assert table.duplicates == 1
    assert [e.pairs.observations for e in table.encounters] == [1, 1, 0]


def test_what_a_player_searched_is_his_whatever_place_he_has() -> None:
    """In game 0 of a pairing its first player moves first here, in game 1 the other one."""
    table = table_of([game(0, 0, depths=b"\7"), game(0, 1, depths=b"\4")])
    first, second = CYCLE[0]
    assert table.deeds[first].searched.depths == 7
    assert table.deeds[second].searched.depths == 4
    assert table.deeds[first].games == table.deeds[second].games == 2


def test_the_one_who_lost_by_a_fault_is_to_blame() -> None:
    pairing = Pairing(*CYCLE[1])
    records = [
        game(1, 0, 1, Termination.CRASH),
        game(1, 1, -1, Termination.ILLEGAL_MOVE),
        game(4, 0, -1, Termination.TIME_FORFEIT),
        game(4, 1, 0),
    ]
    table = table_of(records)
    assert table.deeds[pairing.second].faults == {Termination.CRASH: 1}
    assert table.deeds[pairing.first].faults == {
        Termination.ILLEGAL_MOVE: 1,
        Termination.TIME_FORFEIT: 1,
    }


def test_a_player_with_many_faults_ends_the_tournament() -> None:
    few = [game(3 * k, n, 0 if n else 1, Termination.HANG if n == 0 else Termination.THREEFOLD)
           for k in range(FEW_FAULTS) for n in (0, 1)]  # fmt: skip
    table = table_of(few)
    assert table.spoilt is None
    assert not table.reached
    for record in (game(90, 0, 1, Termination.HANG), game(90, 1)):
        table.add(record)
    assert table.spoilt == (
        CYCLE[0].second,
        f"{FEW_FAULTS + 1} of 8 games ended by an engine's fault",
    )
    assert table.reached


def test_a_player_who_loses_on_time_all_the_time_ends_the_tournament() -> None:
    records = [
        game(3 * k, n, 1, Termination.TIME_FORFEIT) for k in range(FEW_FORFEITS) for n in (0, 1)
    ]
    table = table_of(records)
    assert table.spoilt is not None
    assert "lost on time" in table.spoilt[1]


def test_it_ends_with_its_last_pair() -> None:
    records = [game(pair, number) for pair in range(3) for number in (0, 1)]
    assert not table_of(records[:-1], pairs=3).reached
    assert table_of(records, pairs=3).reached
