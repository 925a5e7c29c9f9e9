"""The games still to play, cut into chunks."""

from harness.chunks import MAX_GAMES, QUEUE_DEPTH, Chunk, GameQueue, joined, match_queue
from harness.openings import Opening
from harness.schedule import pair_task
from harness.spec import EngineConfig

SECOND_NS = 1_000_000_000


def drain(queue: GameQueue) -> list[Chunk]:
    return list(iter(queue.next_chunk, None))


def numbers(chunks: list[Chunk]) -> list[tuple[int, int]]:
    return [(game.pair, game.game) for chunk in chunks for game in chunk.games]


def test_all_games_in_order_with_the_schedule_s_seeds_and_openings() -> None:
    chunks = drain(match_queue(seed=3, start=10, pairs=3, workers=2))
    games = [game for chunk in chunks for game in chunk.games]
    assert games == [game for pair in range(3) for game in pair_task(3, pair, 10).games]
    assert [chunk.number for chunk in chunks] == list(range(1, len(chunks) + 1))
    assert all(opening is None for chunk in chunks for opening in chunk.openings)


def test_finished_games_are_left_out() -> None:
    queue = match_queue(seed=3, start=0, pairs=3, workers=1, finished={(0, 0), (1, 0), (1, 1)})
    assert queue.games_left == 3
    assert numbers(drain(queue)) == [(0, 1), (2, 0), (2, 1)]
    assert queue.games_left == 0


def test_of_a_pair_the_first_game_may_be_all_that_is_wanted() -> None:
    queue = match_queue(seed=3, start=0, pairs=4, workers=1, finished={(1, 0)}, games_per_pair=1)
    assert queue.games_left == 3
    assert numbers(drain(queue)) == [(0, 0), (2, 0), (3, 0)]
    assert queue.games_left == 0


def test_first_chunks_are_single_games_until_a_game_was_timed() -> None:
    queue = match_queue(seed=1, start=0, pairs=1000, workers=1)
    assert [len(chunk.games) for chunk in (queue.next_chunk(), queue.next_chunk()) if chunk] == [
        1,
        1,
    ]


def test_chunk_is_worth_about_a_second_in_whole_pairs() -> None:
    queue = match_queue(seed=1, start=0, pairs=1000, workers=1)
    queue.measured(games=1, wall_ns=SECOND_NS // 11)
    chunk = queue.next_chunk()
    assert chunk is not None
    assert len(chunk.games) == 8


def test_slow_games_are_one_a_chunk_and_fast_ones_have_a_limit() -> None:
    queue = match_queue(seed=1, start=0, pairs=100_000, workers=1)
    queue.measured(games=1, wall_ns=60 * SECOND_NS)
    slow = queue.next_chunk()
    for _ in range(40):
        queue.measured(games=1000, wall_ns=1)
    fast = queue.next_chunk()
    assert slow is not None
    assert fast is not None
    assert (len(slow.games), len(fast.games)) == (1, MAX_GAMES)


def test_last_games_are_spread_over_all_workers() -> None:
    queue = match_queue(seed=1, start=0, pairs=16, workers=4)
    queue.measured(games=1000, wall_ns=1)
    sizes = [len(chunk.games) for chunk in drain(queue)]
    assert sum(sizes) == 32
    assert max(sizes) <= 32 // (4 * QUEUE_DEPTH)


def test_returned_games_are_next_and_alone() -> None:
    queue = match_queue(seed=1, start=0, pairs=10, workers=1)
    queue.measured(games=1, wall_ns=SECOND_NS // 8)
    lost = queue.next_chunk()
    assert lost is not None
    assert len(lost.games) == 6
    left = queue.games_left
    queue.give_back(lost.games)
    assert queue.games_left == left + 6
    again = [queue.next_chunk() for _ in range(6)]
    assert [chunk.games for chunk in again if chunk] == [(game,) for game in lost.games]


def test_book_openings_travel_with_their_games_and_are_read_once_a_pair() -> None:
    asked: list[int] = []

    class Book:
        size = 5

        def opening(self, i: int) -> Opening:
            asked.append(i)
            return Opening(f"fen {i}", (), f"number {i}")

    queue = match_queue(seed=1, start=2, pairs=3, workers=1, book=Book())
    chunks = drain(queue)
    assert [opening.name for chunk in chunks for opening in chunk.openings if opening] == [
        "number 2",
        "number 2",
        "number 3",
        "number 3",
        "number 4",
        "number 4",
    ]
    assert asked == [2, 3, 4]


def test_chunks_of_a_lost_worker_become_one_with_all_that_belongs_to_their_games() -> None:
    first, second = (EngineConfig(name=name) for name in "ab")
    games = pair_task(1, 0).games
    one = Chunk(1, games[:1], (None,), ((first, second),))
    other = Chunk(2, games[1:], (Opening("fen", (), "name"),), ((second, first),))
    assert joined([one, other]) == Chunk(
        1, games, (None, Opening("fen", (), "name")), ((first, second), (second, first))
    )
