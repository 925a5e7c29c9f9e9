"""FENs, set up at random and damaged: refused in a sentence, or a position to play from."""

from __future__ import annotations

import functools
import random

import chess

from engine.shell import FenError, Game, Searcher, SearchLimit, warm_up
from tests.fuzz.hunt import main
from tests.fuzz.mutations import damaged
from tests.oracle import NO_MOVES, WELL_KNOWN, wires_of
from tests.setups import random_setup

_MOST_PLIES = 20


@functools.cache
def searcher() -> Searcher:
    warm_up()  # in the first case, which may take its time
    return Searcher(hash_mb=1)


def game_or_refusal(fen: str, chess960: bool) -> Game | str:
    try:
        return Game(fen, chess960)
    except FenError as refusal:
        return str(refusal)


def check_by_oracle(game: Game) -> None:
    """The moves, their texts and the FEN are right."""
    board = chess.Board(game.fen, chess960=True)
    legal = game.legal_moves()
    assert sorted(legal) == sorted(wires_of(board)), game.fen
    assert all(game.parse_uci(game.format_uci(move)) == move for move in legal)
    again = Game(game.fen, game.chess960)
    assert (again.key, again.notes) == (game.key, ())
    assert again.fen.split()[:4] == game.fen.split()[:4]  # clocks beyond reason are cut


def case(seed: int) -> None:
    player = searcher()
    rng = random.Random(seed)
    fen = rng.choice(WELL_KNOWN) if rng.random() < 0.2 else random_setup(seed)
    fen, chess960 = damaged(rng, fen), rng.random() < 0.5
    game = game_or_refusal(fen, chess960)
    if isinstance(game, str):
        assert len(game.splitlines()) == 1
        return
    check_by_oracle(game)
    for _ in range(rng.randrange(_MOST_PLIES)):
        moves = game.legal_moves()
        if not moves:
            return
        game.push(rng.choice(moves))
    check_by_oracle(game)
    if game.legal_moves():
        player.new_game(game.fen, chess960)
        assert player.go(NO_MOVES, 0, SearchLimit(nodes=200)).move in game.legal_moves()


if __name__ == "__main__":
    raise SystemExit(main("tests.fuzz.fen", case))
