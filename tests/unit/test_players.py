import subprocess
import sys

import numpy as np
import pytest

from engine import shell
from engine.shell import Game
from harness.clock import Clocks
from harness.config import EngineConfig, Limit
from harness.errors import EngineStartError
from harness.game import PlayerFault
from harness.players import BuiltinPlayer, NullPlayer, ScriptedPlayer, make_player
from harness.record import MATE_BOUND_CP, MATE_CP, Reply, Termination

STARTPOS = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
MATE_IN_ONE = "7k/R7/6K1/8/8/8/8/8 w - - 0 1"
NODES = Limit(nodes=500)
NO_MOVES = np.empty(0, np.uint16)


def null_replies(seed: int, plies: int) -> list[Reply]:
    """What two null players of one game say, white first."""
    players = (NullPlayer(), NullPlayer())
    for player in players:
        player.new_game(STARTPOS, False, seed)
    moves = np.empty(plies, np.uint16)
    replies = []
    for ply in range(plies):
        reply = players[ply % 2].play(moves, ply, NODES, None)
        moves[ply] = reply.move
        replies.append(reply)
    return replies


def test_null_players_play_legal_moves_that_follow_from_the_seed() -> None:
    replies = null_replies(seed=5, plies=20)
    assert replies == null_replies(seed=5, plies=20)
    assert [reply.move for reply in replies] != [reply.move for reply in null_replies(6, 20)]
    game = Game()
    for reply in replies:
        game.push(reply.move)


def test_null_players_of_one_game_claim_one_outcome() -> None:
    claims = set()
    for seed in range(30):
        replies = null_replies(seed, 6)
        white, black = ({reply.score_cp for reply in replies[side::2]} for side in (0, 1))
        (claim,) = white
        assert black == {-claim}
        claims.add(claim)
    assert claims == {-1_000, 0, 1_000}


@pytest.mark.parametrize(("script", "raised"), [("crash@2", RuntimeError), ("hang@2", PlayerFault)])
def test_scripted_exceptions(script: str, raised: type[Exception]) -> None:
    player = ScriptedPlayer(script)
    for _ in range(2):  # the script starts anew with each game
        player.new_game(STARTPOS, False, 1)
        player.play(NO_MOVES, 0, NODES, None)
        with pytest.raises(raised):
            player.play(NO_MOVES, 0, NODES, None)
        player.play(NO_MOVES, 0, NODES, None)


def test_a_scripted_hang_is_named_so() -> None:
    player = ScriptedPlayer("hang@1")
    player.new_game(STARTPOS, False, 1)
    with pytest.raises(PlayerFault) as fault:
        player.play(NO_MOVES, 0, NODES, None)
    assert fault.value.termination is Termination.HANG


def test_a_scripted_illegal_move_is_legal_nowhere() -> None:
    player = ScriptedPlayer("illegal@1")
    player.new_game(STARTPOS, False, 1)
    assert player.play(NO_MOVES, 0, NODES, None).move == 0


@pytest.mark.parametrize("script", ["illegal", "illegal@", "illegal@-1", "resign@3", "@3"])
def test_an_unknown_script_is_refused(script: str) -> None:
    with pytest.raises(EngineStartError, match="Fault = "):
        make_player(EngineConfig(name="x", source="null", options={"Fault": script}))


def test_the_factory_goes_by_source() -> None:
    assert type(make_player(EngineConfig(name="x", source="null"))) is NullPlayer
    scripted = EngineConfig(name="x", source="null", options={"Fault": "crash@3"})
    assert type(make_player(scripted)) is ScriptedPlayer
    assert type(make_player(EngineConfig(name="x"))) is BuiltinPlayer
    with pytest.raises(EngineStartError, match="mine: source = 'uci' has no program"):
        make_player(EngineConfig(name="mine", source="uci"))


def test_the_engine_plays_within_its_limits_and_says_so() -> None:
    player = BuiltinPlayer(EngineConfig(name="x"))
    player.new_game(STARTPOS, False, 1)
    reply = player.play(NO_MOVES, 0, NODES, None)
    assert reply.move in Game().legal_moves()
    assert 0 < reply.nodes <= 600
    assert reply.depth >= 1
    assert reply.search_ns > 0


def test_another_limit_takes_effect_within_a_game() -> None:
    player = BuiltinPlayer(EngineConfig(name="x"))
    player.new_game(STARTPOS, False, 1)
    few = player.play(NO_MOVES, 0, NODES, None)
    assert player.play(NO_MOVES, 0, Limit(nodes=20_000), None).nodes > few.nodes
    assert player.play(NO_MOVES, 0, Limit(depth=2), None).depth == 2


def test_the_engine_keeps_a_clock() -> None:
    player = BuiltinPlayer(EngineConfig(name="x"))
    player.new_game(STARTPOS, False, 1)
    clocks = Clocks(0, (1_000, 1), (0, 0), 0)
    reply = player.play(NO_MOVES, 0, Limit.parse_tc("1"), clocks)
    assert 0 < reply.search_ns < 500_000_000


def test_a_new_game_forgets_the_last_one() -> None:
    player = BuiltinPlayer(EngineConfig(name="x"))
    player.new_game(STARTPOS, False, 1)
    first = player.play(NO_MOVES, 0, Limit(nodes=5_000), None)
    warm = player.play(NO_MOVES, 0, Limit(nodes=5_000), None)
    player.new_game(STARTPOS, False, 2)
    again = player.play(NO_MOVES, 0, Limit(nodes=5_000), None)
    assert first[:4] == again[:4]
    assert first[:4] != warm[:4]  # there was something to forget


def test_mates_are_reported_as_the_harness_reads_them() -> None:
    player = BuiltinPlayer(EngineConfig(name="x"))
    player.new_game(MATE_IN_ONE, False, 1)
    reply = player.play(NO_MOVES, 0, NODES, None)
    assert reply.score_cp == MATE_CP - 1
    assert (MATE_CP, MATE_BOUND_CP) == (shell.MATE, shell.MATE_BOUND)


def test_the_coordinator_imports_no_compiled_code() -> None:
    modules = "harness.players, harness.game, harness.schedule, harness.pgn"
    check = f"import sys, {modules}; sys.exit('numba' in sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True, timeout=60)
