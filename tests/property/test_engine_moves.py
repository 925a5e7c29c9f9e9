"""Generation, making moves, keys and FEN against python-chess along random games."""

from __future__ import annotations

import chess
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.movegen import ALL_MOVES, NOISY, QUIETS
from engine.shell import Game, Searcher
from engine.state import GAME_DTYPE, new_record
from tests.kernels.probes import alien_moves, generate_kinds, recomputed_key, verify_tree
from tests.oracle import (
    SEEDS,
    STARTS,
    Start,
    flipped_wire,
    identity,
    is_noisy,
    legal_fen,
    play,
    random_position,
    wires_of,
)


def generated(game: Game, kinds: np.uint64) -> list[int]:
    """The wire moves of some kinds, in the generator's order."""
    scratch = new_record(GAME_DTYPE)
    generate_kinds(game.record, kinds, scratch)
    turn = 56 * game.side_to_move
    return [
        (move & 0o7777) ^ (turn | turn << 6) | (move >> 18 & 7) << 12
        for move in map(int, scratch.moves[: scratch.move_count])
    ]


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 120))
@settings(max_examples=60, deadline=None)
def test_legal_moves_are_the_oracles(start: Start, seed: int, plies: int) -> None:
    for game, board in play(start, seed, plies):
        legal = game.legal_moves()
        assert sorted(legal) == sorted(wires_of(board)), board.fen()


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_noisy_and_quiet_moves_are_each_the_oracles(start: Start, seed: int, plies: int) -> None:
    for game, board in play(start, seed, plies):
        moves = wires_of(board)
        noisy = {wire for wire, move in moves.items() if is_noisy(board, move)}
        assert sorted(generated(game, NOISY)) == sorted(noisy), board.fen()
        assert sorted(generated(game, QUIETS)) == sorted(moves.keys() - noisy), board.fen()
        assert sorted(generated(game, ALL_MOVES)) == sorted(moves), board.fen()


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_fen_is_the_oracles_and_reads_back(start: Start, seed: int, plies: int) -> None:
    for game, board in play(start, seed, plies):
        assert game.fen == legal_fen(board)
        again = Game(game.fen, start.chess960)
        assert again.fen == game.fen
        assert again.notes == ()
        assert again.key == game.key
        assert again.side_to_move == game.side_to_move


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_a_fen_with_every_passed_square_loses_what_is_not_legal(
    start: Start, seed: int, plies: int
) -> None:
    for game, board in play(start, seed, plies):
        loose = Game(board.fen(en_passant="fen"), start.chess960)
        assert loose.fen == game.fen
        assert loose.key == game.key
        assert bool(game.record.en_passant) == board.has_legal_en_passant()
        dropped = board.ep_square is not None and not board.has_legal_en_passant()
        assert bool(loose.notes) == dropped


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 120))
@settings(max_examples=40, deadline=None)
def test_the_running_key_is_the_key_from_nothing(start: Start, seed: int, plies: int) -> None:
    for game, _ in play(start, seed, plies):
        assert recomputed_key(game.record) == game.key


@given(start=STARTS, seeds=st.lists(SEEDS, min_size=2, max_size=4), plies=st.integers(1, 60))
@settings(max_examples=30, deadline=None)
def test_keys_are_equal_exactly_where_positions_are(
    start: Start, seeds: list[int], plies: int
) -> None:
    """The side to move is not in the key, so positions of the same side are compared."""
    keys: dict[bool, dict[str, int]] = {chess.WHITE: {}, chess.BLACK: {}}
    for seed in seeds:
        for game, board in play(start, seed, plies):
            known = keys[board.turn].setdefault(identity(board), game.key)
            assert known == game.key, board.fen()
    for by_position in keys.values():
        assert len(set(by_position.values())) == len(by_position)


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 80))
@settings(max_examples=30, deadline=None)
def test_colours_changed_change_only_the_colours(start: Start, seed: int, plies: int) -> None:
    for game, board in play(start, seed, plies):
        twin = Game(legal_fen(board.mirror()), start.chess960)
        assert twin.key == game.key
        assert twin.status == Game(game.fen, start.chess960).status
        assert [flipped_wire(wire) for wire in twin.legal_moves()] == game.legal_moves()


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 80))
@settings(max_examples=25, deadline=None)
def test_every_invariant_holds_through_a_tree_walked_by_the_move_picker(
    start: Start, seed: int, plies: int
) -> None:
    """Key, running sums, sets, null move, en passant, noisy and quiet moves, hints, the picker."""
    game, board = random_position(start, seed, plies)
    searcher = Searcher(hash_mb=1)
    leaves, faults = verify_tree(game.record, searcher.record, searcher.parameters, np.int64(2))
    assert faults == 0
    expected = 0
    for move in list(board.legal_moves):
        board.push(move)
        expected += board.legal_moves.count()
        board.pop()
    assert leaves == expected


@given(start=STARTS, other=STARTS, seed=SEEDS, plies=st.integers(0, 60))
@settings(max_examples=30, deadline=None)
def test_a_move_of_another_position_is_known_to_be_legal_or_not(
    start: Start, other: Start, seed: int, plies: int
) -> None:
    """What a table's entry may hold: moves of an earlier position or of quite another game."""
    aliens = [Game(game.fen, other.chess960) for game, _ in play(other, seed + 1, plies)]
    for index, (game, _) in enumerate(play(start, seed, plies)):
        aliens.append(Game(game.fen, start.chess960))
        for alien in (aliens[-1], aliens[-3:][0], aliens[index % len(aliens)]):
            _, wrong = alien_moves(game.record, alien.record)
            assert wrong == 0, (game.fen, alien.fen)


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 40))
@settings(max_examples=8, deadline=None)
def test_uci_text_is_the_oracles_and_reads_back(start: Start, seed: int, plies: int) -> None:
    for game, board in play(start, seed, plies):
        plain = board.copy(stack=False)
        plain.chess960 = start.chess960
        for wire, move in wires_of(board).items():
            text = game.format_uci(wire)
            assert text == plain.uci(move)
            assert game.parse_uci(text) == wire
            assert game.parse_uci(move.uci().upper()) == wire
