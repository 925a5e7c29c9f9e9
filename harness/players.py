"""The players that live in this process, and the factory that makes a player from its config.

The protocol they keep is `harness.game.Player`. `engine.shell` is imported inside the
constructors: the coordinator imports this module too and must stay free of compiled code.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from harness.clock import TIME_MARGIN_MS, Clocks
from harness.engines import loaded_shell
from harness.errors import EngineStartError
from harness.game import Player, PlayerFault, Reply, Termination
from harness.splitmix import SplitMix64
from harness.uci_player import UciPlayer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.config import EngineConfig
    from harness.limits import Limit

__all__ = ["BuiltinPlayer", "NullPlayer", "Player", "Reply", "ScriptedPlayer", "make_player"]


class BuiltinPlayer:
    """The compiled engine with one configuration, tables of its own, in this process."""

    def __init__(self, config: EngineConfig) -> None:
        shell = loaded_shell(config.source_digest)
        try:
            self._searcher = shell.Searcher(config.search, config.weights, config.hash_mb)
        except MemoryError:
            raise EngineStartError(
                f"{config.name}: options.Hash = {config.hash_mb} MB cannot be had in this machine's"
                " memory; expected less"
            ) from None
        self._search_limit = shell.SearchLimit
        self._untimed_limit: Limit | None = None
        self._untimed = shell.SearchLimit()

    def new_game(self, fen: str, chess960: bool, seed: int) -> None:
        self._searcher.new_game(fen, chess960)

    def play(
        self, moves: NDArray[np.uint16], count: int, limit: Limit, clocks: Clocks | None
    ) -> Reply:
        if clocks is not None:
            search_limit = self._search_limit(
                nodes=limit.nodes or None,
                depth=limit.depth or None,
                movetime_ms=limit.movetime_ms or None,
                time_left_ms=clocks.time_left_ms[clocks.side] if limit.has_clock else None,
                increment_ms=clocks.increment_ms[clocks.side],
                moves_to_go=clocks.moves_to_go,
            )
        else:
            if limit is not self._untimed_limit:
                self._untimed_limit = limit
                self._untimed = self._search_limit(
                    nodes=limit.nodes or None, depth=limit.depth or None
                )
            search_limit = self._untimed
        result = self._searcher.go(moves, count, search_limit)
        return Reply(result.move, result.score_cp, result.depth, result.nodes, result.time_ns)

    def cpu_ns(self) -> int:
        return time.thread_time_ns()

    def exhibit(self) -> None:
        """It is asked by calls, not by a conversation."""

    def close(self) -> None:
        """Nothing is held but memory."""


class NullPlayer:
    """Answers at once: a random legal move, and a score that claims an outcome.

    Both are functions of the game's seed alone. Two null players of one game claim the same
    outcome (each third of the seeds gives one), so adjudication ends their games within a few
    moves, with wins, draws and losses: what a test of the machinery around games needs.
    """

    CLAIM_CP: Final = 1_000

    def new_game(self, fen: str, chess960: bool, seed: int) -> None:
        from engine.shell import Game

        self._game = Game(fen, chess960)
        self._pushed = 0
        self._random = SplitMix64(seed)
        self._white_claim_cp = self.CLAIM_CP * (self._random.below(3) - 1)

    def play(
        self, moves: NDArray[np.uint16], count: int, limit: Limit, clocks: Clocks | None
    ) -> Reply:
        for move in moves[self._pushed : count].tolist():
            self._game.push(move)
        self._pushed = count
        legal_moves = self._game.legal_moves()
        move = legal_moves[self._random.below(len(legal_moves))]
        claim_cp = self._white_claim_cp
        return Reply(move, -claim_cp if self._game.side_to_move else claim_cp, 1, 1, 0)

    def cpu_ns(self) -> int:
        return time.thread_time_ns()

    def exhibit(self) -> None:
        """There is no conversation."""

    def close(self) -> None:
        """Nothing is held."""


class ScriptedPlayer(NullPlayer):
    """A null player that misbehaves once: `illegal@4` means at its fourth own move of a game.

    `illegal` answers a move that no position allows, `crash` raises, `hang` reports that its
    engine does not answer, `overstep` thinks until its flag has fallen (in timed games).
    """

    FAULTS: Final = ("illegal", "crash", "hang", "overstep")

    def __init__(self, script: str) -> None:
        fault, _, at = script.partition("@")
        if fault not in self.FAULTS or not at.isdecimal():
            expected = ", ".join(f"{name}@N" for name in self.FAULTS)
            raise EngineStartError(f"null player: Fault = {script!r}, expected one of {expected}")
        self._fault = fault
        self._at_move = int(at)
        self._own_moves = 0

    def new_game(self, fen: str, chess960: bool, seed: int) -> None:
        super().new_game(fen, chess960, seed)
        self._own_moves = 0

    def play(
        self, moves: NDArray[np.uint16], count: int, limit: Limit, clocks: Clocks | None
    ) -> Reply:
        reply = super().play(moves, count, limit, clocks)
        self._own_moves += 1
        if self._own_moves != self._at_move:
            return reply
        if self._fault == "illegal":
            return reply._replace(move=0)  # a1a1
        if self._fault == "crash":
            raise RuntimeError("crashed as scripted")
        if self._fault == "hang":
            raise PlayerFault(Termination.HANG, "does not answer, as scripted")
        if clocks is not None:
            left_ms = limit.movetime_ms or clocks.time_left_ms[clocks.side]
            time.sleep((left_ms + TIME_MARGIN_MS + 5) / 1000)
        return reply


def make_player(config: EngineConfig) -> Player:
    """The player that `config` describes."""
    if config.source == "builtin" or config.source_digest:
        return BuiltinPlayer(config)
    if config.source == "null":
        script = config.options.get("Fault")
        return ScriptedPlayer(script) if script else NullPlayer()
    return UciPlayer(config)
