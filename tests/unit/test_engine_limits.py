"""Limits of a search hold, and the same search gives the same answer however often it is asked."""

from __future__ import annotations

import itertools
import threading
import time

import numpy as np
import pytest

from engine.parameters import search_defaults
from engine.root import time_share_pct
from engine.shell import (
    EXACT,
    STARTPOS,
    FenError,
    Game,
    IllegalMoveError,
    Searcher,
    SearchLimit,
    SearchResult,
)
from engine.transposition import MAX_GENERATION
from tests.oracle import ENDGAMES, KIWIPETE, MIDDLEGAME, NO_MOVES, WELL_KNOWN

MS = 1_000_000
POLL_NODES = 2_048
#: Its captures can be played out for hours: a limit must hold in the first iteration too.
QUEENS = "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1"
ONE_MOVE = "k7/7p/8/8/8/8/1r6/K7 w - - 0 1"


def search(fen: str, limit: SearchLimit, searcher: Searcher | None = None) -> SearchResult:
    """A search in a new game, its time left out."""
    player = searcher or Searcher(hash_mb=1)
    player.new_game(fen)
    return player.go(NO_MOVES, 0, limit)._replace(time_ns=0)


@pytest.mark.parametrize("fen", [*WELL_KNOWN, *ENDGAMES, QUEENS])
@pytest.mark.parametrize("nodes", [1, 2, 17, 100, 1_000, 5_000])
def test_a_node_limit_holds_to_the_node(fen: str, nodes: int) -> None:
    result = search(fen, SearchLimit(nodes=nodes))
    assert result.move in Game(fen).legal_moves()
    assert result.nodes <= nodes
    assert 0 <= result.qnodes <= result.nodes


def test_a_node_limit_is_used_up() -> None:
    for fen in WELL_KNOWN:
        assert search(fen, SearchLimit(nodes=3_000)).nodes == 3_000


@pytest.mark.parametrize("depth", [1, 2, 3, 5, 8])
def test_a_depth_limit_is_the_depth_reached(depth: int) -> None:
    for fen in WELL_KNOWN:
        assert search(fen, SearchLimit(depth=depth)).depth == depth


def test_of_two_limits_the_first_reached_counts() -> None:
    both = SearchLimit(nodes=500, depth=2)
    assert search(STARTPOS, both) == search(STARTPOS, SearchLimit(depth=2))
    both = SearchLimit(nodes=500, depth=30)
    assert search(STARTPOS, both) == search(STARTPOS, SearchLimit(nodes=500))


def test_the_tables_do_not_outlive_a_limit_of_one_node() -> None:
    """The table's move comes first although nothing has been generated yet."""
    searcher = Searcher(hash_mb=1)
    deep = search(KIWIPETE, SearchLimit(depth=8), searcher)
    again = searcher.go(NO_MOVES, 0, SearchLimit(nodes=1))
    assert again.move == deep.move
    searcher.set_position(ENDGAMES[0])
    first = searcher.go(NO_MOVES, 0, SearchLimit(nodes=1))
    assert first.move in Game(ENDGAMES[0]).legal_moves()
    assert searcher.principal_variation() == [first.move]


@pytest.mark.parametrize("fen", [STARTPOS, MIDDLEGAME, QUEENS])
@pytest.mark.parametrize("movetime_ms", [1, 40, 80])
def test_a_fixed_time_is_kept_to_a_poll(fen: str, movetime_ms: int) -> None:
    """The best of some tries, since the machine may be busy with something else."""
    overhead_ms = search_defaults()["move_overhead_ms"]
    allowed_ns = max(1, movetime_ms - overhead_ms) * MS
    searcher = Searcher(hash_mb=1)
    over_ns = [1]
    while len(over_ns) <= 30 and min(over_ns) > 0:
        searcher.new_game(fen)
        result = searcher.go(NO_MOVES, 0, SearchLimit(movetime_ms=movetime_ms))
        poll_ns = POLL_NODES * result.time_ns // result.nodes
        over_ns.append(result.time_ns - allowed_ns - 2 * poll_ns)
        assert result.move in Game(fen).legal_moves()
    assert min(over_ns) <= 0


def test_a_clock_is_never_overrun() -> None:
    searcher = Searcher(hash_mb=1)
    clocks = ((900, 1), (200, 1), (200, 0), (100, 2), (100, 40), (50, 1), (5, 0))
    for time_left_ms, moves_to_go in clocks:
        spent_ms = []
        for _ in range(3):
            searcher.new_game(KIWIPETE)
            limit = SearchLimit(time_left_ms=time_left_ms, moves_to_go=moves_to_go)
            spent_ms.append(searcher.go(NO_MOVES, 0, limit).time_ns / MS)
        assert min(spent_ms) < time_left_ms


def test_one_legal_move_takes_no_thought_when_the_clock_runs() -> None:
    assert len(Game(ONE_MOVE).legal_moves()) == 1
    searcher = Searcher(hash_mb=1)
    for limit in (SearchLimit(time_left_ms=60_000), SearchLimit(movetime_ms=60_000)):
        searcher.new_game(ONE_MOVE)
        result = searcher.go(NO_MOVES, 0, limit)
        assert [result.move] == Game(ONE_MOVE).legal_moves()
        assert result.depth == 1


def test_one_legal_move_is_searched_to_a_fixed_depth() -> None:
    """Fixed nodes and depth never depend on a clock, and the score is wanted."""
    assert search(ONE_MOVE, SearchLimit(depth=6)).depth == 6


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        (STARTPOS, "f2f4 e7e6 g2g4 d8h4"),
        ("k7/8/8/8/8/8/2Q5/K7 w - - 0 1", "c2c7"),
        ("k7/2Q5/8/8/8/8/8/K7 b - - 0 1", ""),
    ],
)
def test_a_game_that_is_over_cannot_be_searched(fen: str, moves: str) -> None:
    game = Game(fen)
    played = [game.push_uci(text) for text in moves.split()]
    searcher = Searcher(hash_mb=1)
    searcher.new_game(fen)
    line = np.array([*played, 0], np.uint16)
    with pytest.raises(IllegalMoveError, match="there is no legal move in"):
        searcher.go(line, len(played), SearchLimit(depth=3))
    searcher.new_game()
    assert searcher.go(NO_MOVES, 0, SearchLimit(depth=3)).depth == 3


def test_a_game_drawn_by_rule_can_still_be_searched() -> None:
    for fen in ("8/8/4k3/8/8/4KR2/8/8 w - - 100 90", "8/8/4k3/8/8/4K3/8/8 w - - 0 1"):
        assert search(fen, SearchLimit(depth=3)).move in Game(fen).legal_moves()


def test_an_illegal_move_in_the_game_is_refused_and_can_be_corrected() -> None:
    searcher = Searcher(hash_mb=1)
    good = [Game().parse_uci("e2e4")]
    line = np.array([*good, 0o7777, 0], np.uint16)
    with pytest.raises(IllegalMoveError, match="move h8h8 is not legal in"):
        searcher.go(line, 2, SearchLimit(depth=1))
    assert searcher.go(line, 1, SearchLimit(depth=2)).depth == 2


def test_a_refused_fen_keeps_the_old_position() -> None:
    searcher = Searcher(hash_mb=1)
    before = search(KIWIPETE, SearchLimit(nodes=500), searcher)
    with pytest.raises(FenError):
        searcher.new_game("8/8/8/8/8/8/8/8 w - - 0 1")
    castled = [Game(KIWIPETE).parse_uci("e1g1")]
    searcher.go(np.array([*castled, 0], np.uint16), 1, SearchLimit(nodes=500))
    assert search(KIWIPETE, SearchLimit(nodes=500), searcher) == before


def test_a_refused_fen_keeps_the_old_castling_rules() -> None:
    """Rights that only Chess960 has; going back to the first move reads the old FEN again."""
    fen = "4k3/pppppppp/8/8/8/8/PPPPPPPP/1RK4R w HB - 0 1"
    searcher = Searcher(hash_mb=1)
    searcher.new_game(fen, chess960=True)
    with pytest.raises(FenError):
        searcher.set_position("8/8/8/8/8/8/8/8 w - - 0 1")
    castling = [Game(fen, chess960=True).parse_uci("c1h1")]
    line = np.array([*castling, 0], np.uint16)
    for count in (1, 0, 1):
        searcher.go(line, count, SearchLimit(nodes=50))


@pytest.mark.parametrize("value", [0, -1, -1000])
@pytest.mark.parametrize("field", ["nodes", "depth", "movetime_ms", "time_left_ms", "mate"])
def test_a_limit_of_nothing_is_a_move_at_once(field: str, value: int) -> None:
    """Not a search without limits."""
    result = search(KIWIPETE, SearchLimit(**{field: value}))
    assert result.move in Game(KIWIPETE).legal_moves()
    assert result.depth <= 7


def test_a_takeback_is_noticed_by_its_moves() -> None:
    """As long as the game before, or longer, but another one."""
    searcher = Searcher(hash_mb=1)
    searcher.new_game()
    lines = ("e2e4 e7e5", "d2d4 d7d5", "d2d4 g8f6 c2c4", "d2d4", "", "g1f3 d7d5")
    for line in lines:
        game = Game()
        played = [game.push_uci(text) for text in line.split()]
        moves = np.array([*played, 0], np.uint16)
        result = searcher.go(moves, len(played), SearchLimit(nodes=200))
        assert searcher.game.key == game.key
        assert result.move in game.legal_moves()


def in_doubt(stable_iterations: int, score_drop: int, **search: int) -> int:
    """The share of the average time."""
    searcher = Searcher(search, hash_mb=0)
    searcher.record.stable_iterations = stable_iterations
    searcher.record.score_drop = score_drop
    return int(time_share_pct(searcher.record, searcher.parameters))


def test_a_move_that_stays_best_takes_less_time() -> None:
    shares = [in_doubt(stable, 0) for stable in range(10)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 100 > shares[-1] > 0
    assert in_doubt(9, 0, stable_move_iterations=2) == in_doubt(2, 0) > in_doubt(3, 0)
    assert in_doubt(9, 0, stable_move_time_pct=0) == in_doubt(0, 0)
    assert in_doubt(0, 0, new_move_time_pct=0) == 100


def test_a_score_that_falls_takes_more_time() -> None:
    assert in_doubt(0, -50) == in_doubt(0, 0) < in_doubt(0, 10) < in_doubt(0, 40)
    assert in_doubt(0, 1000) == in_doubt(0, search_defaults()["score_drop_max_cp"])
    assert in_doubt(0, 1000, score_drop_time_pct=0) == in_doubt(0, 0)


def test_the_search_notes_how_stable_its_move_is() -> None:
    searcher = Searcher(hash_mb=1)
    searcher.new_game(KIWIPETE)
    before, in_a_row = None, 0
    for line in searcher.deepen(NO_MOVES, 0, SearchLimit(depth=9)):
        if line.result.bound == EXACT:
            if before:
                in_a_row = in_a_row + 1 if before.move == line.result.move else 0
                assert searcher.record.score_drop == before.score_cp - line.result.score_cp
            before = line.result
            assert searcher.record.stable_iterations == in_a_row


@pytest.mark.parametrize("fen", [STARTPOS, QUEENS])
def test_stop_ends_a_search_without_limits(fen: str) -> None:
    searcher = Searcher(hash_mb=1)
    searcher.new_game(fen)
    timer = threading.Timer(0.1, searcher.stop)
    timer.start()
    started = time.monotonic()
    result = searcher.go(NO_MOVES, 0, SearchLimit())
    timer.join()
    assert time.monotonic() - started < 5
    assert result.move in Game(fen).legal_moves()
    searcher.new_game()
    assert searcher.go(NO_MOVES, 0, SearchLimit(depth=2)).depth == 2


# The same search, again and again ------------------------------------------------------------

SIGNATURE = SearchLimit(nodes=4_000)


@pytest.fixture(scope="module")
def expected() -> dict[str, SearchResult]:
    return {fen: search(fen, SIGNATURE) for fen in WELL_KNOWN}


def test_another_searcher_finds_the_same(expected: dict[str, SearchResult]) -> None:
    for fen, result in expected.items():
        assert search(fen, SIGNATURE) == result
        assert search(fen, SIGNATURE, Searcher(search_defaults(), hash_mb=1)) == result


def test_a_new_game_forgets_all_that_was_learnt(expected: dict[str, SearchResult]) -> None:
    searcher = Searcher(hash_mb=1)
    for fen in (*WELL_KNOWN, *reversed(WELL_KNOWN)):
        assert search(fen, SIGNATURE, searcher) == expected[fen]
        searcher.go(NO_MOVES, 0, SearchLimit(nodes=20_000))


def test_a_game_played_before_changes_nothing(expected: dict[str, SearchResult]) -> None:
    searcher, game, moves = Searcher(hash_mb=1), Game(), []
    searcher.new_game()
    for _ in range(40):
        played = np.array([*moves, 0], np.uint16)
        moves.append(searcher.go(played, len(moves), SearchLimit(nodes=300)).move)
        game.push(moves[-1])
    for fen, result in expected.items():
        assert search(fen, SIGNATURE, searcher) == result


def test_generations_that_wrap_change_nothing(expected: dict[str, SearchResult]) -> None:
    searcher = Searcher(hash_mb=1)
    for number in range(MAX_GENERATION + 45):
        fen = WELL_KNOWN[number % len(WELL_KNOWN)]
        search(fen, SearchLimit(nodes=400), searcher)
    for fen, result in expected.items():
        assert search(fen, SIGNATURE, searcher) == result


def test_many_searches_of_one_game_keep_their_order() -> None:
    """The age within a game has five bits; forty searches pass its end."""
    results = []
    for _ in range(2):
        searcher = Searcher(hash_mb=1)
        searcher.new_game(KIWIPETE)
        results.append(
            [
                searcher.go(NO_MOVES, 0, SearchLimit(nodes=500))._replace(time_ns=0)
                for _ in range(40)
            ]
        )
    assert results[0] == results[1]


def test_searchers_do_not_disturb_one_another(expected: dict[str, SearchResult]) -> None:
    """Two players of one game, each with tables of its own, move in turn."""
    players = Searcher(hash_mb=1), Searcher({"null_move": 0}, hash_mb=1)
    for fen, result in expected.items():
        assert search(fen, SearchLimit(nodes=700), players[1]) != result
        assert search(fen, SIGNATURE, players[0]) == result


def test_iterations_asked_for_one_by_one_are_those_of_one_call() -> None:
    limits = (SearchLimit(depth=7), SearchLimit(nodes=3_000))
    for fen, limit in itertools.product(WELL_KNOWN, limits):
        searcher = Searcher(hash_mb=1)
        searcher.new_game(fen)
        lines = list(searcher.deepen(NO_MOVES, 0, limit))
        steps = [line.result for line in lines]
        assert steps[-1]._replace(time_ns=0) == search(fen, limit)
        assert all(line.moves[0] == line.result.move for line in lines)
        depths = [step.depth for step in steps]
        assert depths == sorted(depths)
        assert all(a.nodes <= b.nodes for a, b in itertools.pairwise(steps))


def test_the_table_s_size_alone_may_change_the_tree_but_not_the_rules() -> None:
    for hash_mb in (0, 1, 16):
        result = search(KIWIPETE, SearchLimit(nodes=5_000), Searcher(hash_mb=hash_mb))
        assert result.move in Game(KIWIPETE).legal_moves()


# Several threads ------------------------------------------------------------------------------


def helped(threads: int) -> Searcher:
    searcher = Searcher(hash_mb=4)
    searcher.set_threads(threads)
    return searcher


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("limit", [SearchLimit(depth=9), SearchLimit(nodes=20_000)])
def test_threads_search_along_and_end_with_the_search(threads: int, limit: SearchLimit) -> None:
    before = threading.active_count()
    searcher = helped(threads)
    for fen in WELL_KNOWN:
        result = search(fen, limit, searcher)
        assert threading.active_count() == before
        assert result.move in Game(fen).legal_moves()
        own_nodes = int(searcher.record.nodes)
        others = [int(helper.nodes) for helper in searcher._helpers]
        assert own_nodes <= result.nodes <= own_nodes + sum(others)
        assert limit.nodes is None or result.nodes <= limit.nodes
        assert all(others)


def test_threads_step_by_step() -> None:
    before = threading.active_count()
    searcher = helped(3)
    searcher.new_game(KIWIPETE)
    lines = searcher.deepen(NO_MOVES, 0, SearchLimit(depth=8), lines=2)
    assert threading.active_count() == before  # not before the first step is asked for
    for line in lines:
        assert line.result.move in Game(KIWIPETE).legal_moves()
    assert line.result.depth == 8
    assert threading.active_count() == before


def test_threads_end_when_a_search_is_left() -> None:
    before = threading.active_count()
    searcher = helped(2)
    searcher.new_game()
    lines = searcher.deepen(NO_MOVES, 0, SearchLimit())
    next(lines)
    assert threading.active_count() == before + 1
    lines.close()
    assert threading.active_count() == before


def test_one_thread_again_is_the_search_without_threads(expected: dict[str, SearchResult]) -> None:
    searcher = Searcher(hash_mb=1)
    searcher.set_threads(3)
    searcher.new_game()
    searcher.go(NO_MOVES, 0, SIGNATURE)
    searcher.set_threads(1)
    for fen, result in expected.items():
        assert search(fen, SIGNATURE, searcher) == result


def test_threads_obey_a_choice_of_moves() -> None:
    game = Game()
    wanted = [game.parse_uci(text) for text in ("a2a3", "h2h3")]
    searcher = helped(2)
    searcher.new_game()
    for line in searcher.deepen(NO_MOVES, 0, SearchLimit(depth=7), among=wanted):
        assert line.result.move in wanted
