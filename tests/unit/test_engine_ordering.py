"""The order of moves: table move, good captures, killers, quiets by history, losing captures."""

from __future__ import annotations

import numpy as np
import pytest

from engine.history import HISTORY_LIMIT
from engine.ordering import KILLER_SCORE
from engine.shell import STARTPOS, Game, Searcher
from engine.state import GAME_DTYPE, MAX_PLY, new_record
from tests.kernels.probes import picked_order, teach_cutoff
from tests.oracle import KIWIPETE

ROOK, KING = 3, 5
#: Pawns take a queen, a knight and a pawn or promote; a rook could take the guarded pawn.
MIXED = "4k3/2P5/4p3/3p1q2/1n2P3/P7/8/3RK3 w - - 0 1"
NOISY = 7  # of its moves are captures or promotions that lose nothing


def order(
    fen: str, searcher: Searcher | None = None, hint: str | None = None, ply: int = 0
) -> list[str]:
    """The moves of a position as the search would try them, in UCI."""
    game, scratch = Game(fen), new_record(GAME_DTYPE)
    player = searcher or Searcher(hash_mb=0)
    wire = game.parse_uci(hint) if hint else 0
    picked_order(
        game.record, player.record, player.parameters, np.uint64(wire), np.int64(ply), scratch
    )
    names = {
        int(move): game.format_uci(wire)
        for move, wire in zip(game.record.moves, game.legal_moves(), strict=False)
    }
    return [names[int(move)] for move in scratch.moves[: scratch.move_count]]


def reward(
    searcher: Searcher, fen: str, cut: str, earlier: tuple[str, ...] = (), depth: int = 5
) -> None:
    game = Game(fen)
    tried = np.array([game.parse_uci(move) for move in earlier], np.uint64)
    teach_cutoff(
        searcher.record,
        searcher.parameters,
        game.record,
        np.uint64(game.parse_uci(cut)),
        tried,
        np.int64(depth),
        np.int64(0),
    )


def history(searcher: Searcher, side: int, piece: int, square: int) -> int:
    return int(searcher.record.history[side, piece, square])


def test_captures_come_by_victim_then_attacker_and_losing_ones_last() -> None:
    moves = order(MIXED)
    assert moves[:4] == ["c7c8q", "e4f5", "a3b4", "e4d5"]
    assert set(moves[4:7]) == {"c7c8n", "c7c8b", "c7c8r"}
    assert moves[-1] == "d1d5"


def test_without_see_all_captures_come_before_the_quiets() -> None:
    moves = order(MIXED, Searcher({"see_ordering": 0}, hash_mb=0))
    assert moves.index("d1d5") < moves.index("e1e2")


@pytest.mark.parametrize("hint", ["e1e2", "d1d5", "e4f5", "c7c8r"])
def test_the_hint_comes_first_and_only_once(hint: str) -> None:
    moves = order(MIXED, hint=hint)
    assert moves[0] == hint
    assert moves.count(hint) == 1
    assert sorted(moves) == sorted(order(MIXED))


@pytest.mark.parametrize("hint", ["e1g1", "e1c1"])
def test_a_castling_hint_loses_nothing(hint: str) -> None:
    moves = order(KIWIPETE, hint=hint)
    assert sorted(moves) == sorted(order(KIWIPETE))
    first_quiet = next(move for move in moves if move in ("e1g1", "e1c1", "a2a3", "e1f1"))
    assert first_quiet == hint


def test_an_en_passant_hint_loses_nothing() -> None:
    fen = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"
    assert order(fen, hint="e5d6")[0] == "e5d6"
    assert len(order(fen, hint="e5d6")) == len(order(fen)) == len(Game(fen).legal_moves())


def test_killers_come_before_other_quiets_the_latest_first() -> None:
    searcher = Searcher({"history": 0}, hash_mb=0)
    reward(searcher, MIXED, "d1d4")
    reward(searcher, MIXED, "e1e2")
    moves = order(MIXED, searcher)
    assert moves[NOISY:][:2] == ["e1e2", "d1d4"]
    reward(searcher, MIXED, "d1d3")
    moves = order(MIXED, searcher)
    assert moves[NOISY:][:2] == ["d1d3", "e1e2"]


def test_a_killer_that_cuts_again_stays_the_first() -> None:
    searcher = Searcher(hash_mb=0)
    reward(searcher, MIXED, "d1d4")
    reward(searcher, MIXED, "e1e2")
    reward(searcher, MIXED, "e1e2")
    assert len(set(searcher.record.killers[0].tolist())) == 2


def test_killers_belong_to_their_ply() -> None:
    searcher = Searcher({"history": 0}, hash_mb=0)
    searcher.new_game()
    plain = order(MIXED, searcher)
    reward(searcher, MIXED, "d1d4")
    assert order(MIXED, searcher, ply=1) == plain
    assert order(MIXED, searcher, ply=0) != plain


def test_without_fading_history_is_a_plain_sum() -> None:
    plain = {"history_fades": 0, "history_malus": 0, "history_bonus_slope": 1}
    searcher = Searcher(plain, hash_mb=0)
    for depth in (5, 7, 30):
        reward(searcher, MIXED, "e1e2", earlier=("d1d4",), depth=depth)
    assert history(searcher, 0, KING, 12) == 5 + 7 + 30
    assert np.count_nonzero(searcher.record.history) == 1


def test_a_plain_sum_stays_below_the_killers() -> None:
    loud = {"history_fades": 0, "history_bonus_max": 16384, "history_bonus_slope": 4096}
    searcher = Searcher(loud, hash_mb=0)
    for _ in range(200):
        reward(searcher, MIXED, "e1e2", depth=60)
    reward(searcher, MIXED, "d1d4", depth=1)
    assert order(MIXED, searcher)[NOISY:][:2] == ["d1d4", "e1e2"]
    assert history(searcher, 0, KING, 12) < KILLER_SCORE


def test_equal_moves_keep_the_generator_s_order() -> None:
    searcher = Searcher({"history": 0, "killers": 0}, hash_mb=0)
    game = Game(STARTPOS)
    generated = [game.format_uci(move) for move in game.legal_moves()]
    assert order(STARTPOS, searcher) == generated


def test_history_orders_the_quiets() -> None:
    searcher = Searcher({"killers": 0}, hash_mb=0)
    for depth, move in ((3, "d1a1"), (9, "e1d2"), (6, "d1d4")):
        reward(searcher, MIXED, move, depth=depth)
    moves = order(MIXED, searcher)
    quiets = [move for move in moves if move in ("d1a1", "e1d2", "d1d4", "e1e2")]
    assert quiets == ["e1d2", "d1d4", "d1a1", "e1e2"]


def test_quiets_that_did_not_cut_lose_history() -> None:
    searcher = Searcher(hash_mb=0)
    reward(searcher, MIXED, "e1e2", earlier=("d1d4", "d1a1"), depth=2)
    slope = int(searcher.parameters.history_bonus_slope)
    assert history(searcher, 0, KING, 12) == 2 * slope
    assert history(searcher, 0, ROOK, 27) == history(searcher, 0, ROOK, 0) == -2 * slope
    assert np.count_nonzero(searcher.record.history) == 3


def test_without_malus_or_history_nothing_is_lowered() -> None:
    for switches in ({"history_malus": 0}, {"history": 0}):
        searcher = Searcher(switches, hash_mb=0)
        reward(searcher, MIXED, "e1e2", earlier=("d1d4",))
        assert history(searcher, 0, ROOK, 27) == 0
        assert (history(searcher, 0, KING, 12) > 0) == ("history" not in switches)


def test_without_killers_none_are_kept() -> None:
    searcher = Searcher({"killers": 0}, hash_mb=0)
    reward(searcher, MIXED, "e1e2")
    assert not searcher.record.killers.any()


def test_history_is_kept_for_each_side_in_its_own_frame() -> None:
    """A black move is remembered under black, on the square as black sees it."""
    searcher = Searcher(hash_mb=0)
    reward(searcher, "3rk3/8/8/8/8/8/8/4K3 b - - 0 1", "d8d5")
    assert history(searcher, 1, ROOK, 27) > 0
    assert np.count_nonzero(searcher.record.history) == 1


def test_history_stays_within_its_limit_and_fades() -> None:
    searcher = Searcher({"history_bonus_max": 16384, "history_bonus_slope": 4096}, hash_mb=0)
    for _ in range(200):
        reward(searcher, MIXED, "e1e2", earlier=("d1d4",), depth=60)
    assert 0 < history(searcher, 0, KING, 12) <= HISTORY_LIMIT
    assert -HISTORY_LIMIT <= history(searcher, 0, ROOK, 27) < 0
    peak = history(searcher, 0, KING, 12)
    reward(searcher, MIXED, "d1d4", earlier=("e1e2",), depth=1)
    assert history(searcher, 0, KING, 12) < peak


@pytest.mark.parametrize("move", ["a3b4", "c7c8q", "e4f5", "d1d5"])
def test_the_history_of_a_capture_is_its_own(move: str) -> None:
    """A promotion that takes nothing has a cell too, not that of another piece's capture."""
    searcher = Searcher({"capture_history": 1}, hash_mb=0)
    reward(searcher, MIXED, move)
    wire = Game(MIXED).parse_uci(move)
    piece, target = (ROOK if move[0] == "d" else 0), wire >> 6 & 63
    ((kind, captured),) = np.argwhere(searcher.record.capture_history)
    assert kind == piece * 64 + target
    assert captured == {"b4": 1, "c8": 6, "f5": 4, "d5": 0}[move[2:4]]


def test_a_bonus_grows_with_depth_up_to_its_cap() -> None:
    def bonus(depth: int) -> int:
        searcher = Searcher(hash_mb=0)
        reward(searcher, MIXED, "e1e2", depth=depth)
        return history(searcher, 0, KING, 12)

    cap = int(Searcher(hash_mb=0).parameters.history_bonus_max)
    assert bonus(1) < bonus(4) < cap
    assert bonus(40) == bonus(60) == cap


def test_a_new_game_forgets_killers_and_history() -> None:
    searcher = Searcher(hash_mb=0)
    reward(searcher, MIXED, "e1e2", earlier=("d1d4",))
    searcher.new_game()
    assert not searcher.record.history.any()
    assert not searcher.record.killers.any()
    assert len(searcher.record.killers) == MAX_PLY + 1
