from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from harness.schedule import pair_task, pair_tasks

SEEDS = st.integers(0, 2**64 - 1)
PAIRS = st.integers(0, 10**9)


def test_a_pair_shares_its_opening_and_swaps_colours() -> None:
    first, second = pair_task(run_seed=7, pair=5, start=100).games
    assert (first.pair, first.game, first.opening) == (5, 0, 105)
    assert (second.pair, second.game, second.opening) == (5, 1, 105)
    assert (first.white, second.white) == (0, 1)


def test_the_seeds_never_change() -> None:
    """A changed derivation would change the games of every stored run and every replay."""
    assert pair_task(42, 0).seeds == (7469624399320413976, 6424902662560597386)
    assert pair_task(42, 1).seeds == (6747711652596956269, 15340114366275245657)


@given(seed=SEEDS, pair=PAIRS)
def test_seeds_of_neighbours_differ(seed: int, pair: int) -> None:
    here, there = pair_task(seed, pair), pair_task(seed, pair + 1)
    assert len({*here.seeds, *there.seeds}) == 4
    assert here == pair_task(seed, pair)


def test_the_schedule_has_no_gap_and_no_end() -> None:
    tasks = list(islice(pair_tasks(run_seed=1, start=3, first_pair=10), 5))
    assert [task.pair for task in tasks] == [10, 11, 12, 13, 14]
    assert [task.opening for task in tasks] == [13, 14, 15, 16, 17]
    assert tasks[2] == pair_task(1, 12, 3)
