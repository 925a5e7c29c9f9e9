"""Positions set up and not played: whatever the FEN, it is refused or played by the rules.

Each case of tests/unit/test_public_cases.py stands for its kind; here are the kinds.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.evaluate import evaluate_record
from engine.shell import FenError, Game, Searcher, build_parameters
from tests.kernels.probes import recomputed_key, verify_tree
from tests.oracle import COUNTERS, SEEDS, flipped_wire, legal_fen, wires_of
from tests.setups import random_setup

PARAMETERS = build_parameters()
IMPOSSIBLE = (
    chess.STATUS_NO_WHITE_KING
    | chess.STATUS_NO_BLACK_KING
    | chess.STATUS_TOO_MANY_KINGS
    | chess.STATUS_TOO_MANY_WHITE_PIECES
    | chess.STATUS_TOO_MANY_BLACK_PIECES
    | chess.STATUS_TOO_MANY_WHITE_PAWNS
    | chess.STATUS_TOO_MANY_BLACK_PAWNS
    | chess.STATUS_PAWNS_ON_BACKRANK
    | chess.STATUS_OPPOSITE_CHECK
)


def oracle_of(game: Game) -> chess.Board:
    return chess.Board(game.fen, chess960=True)


@given(seed=SEEDS, chess960=st.booleans())
@settings(max_examples=400, deadline=None)
def test_what_cannot_be_is_refused_and_nothing_else(seed: int, chess960: bool) -> None:
    fen = random_setup(seed)
    pieces_and_side = " ".join(fen.split()[:2])
    impossible = bool(chess.Board(f"{pieces_and_side} - - 0 1").status() & IMPOSSIBLE)
    if impossible:
        with pytest.raises(FenError) as refusal:
            Game(fen, chess960)
        assert "\n" not in str(refusal.value)
    else:
        assert Game(fen, chess960).fen.split()[:2] == fen.split()[:2]


def test_the_setups_are_of_every_kind() -> None:
    """The properties here would prove little of positions that are all refused, or all plain."""
    kinds: Counter[str] = Counter()
    for seed in range(2_000):
        fen = random_setup(seed)
        try:
            game = Game(fen, chess960=True)
        except FenError:
            kinds["refused"] += 1
            continue
        board = oracle_of(game)
        kinds["taken"] += 1
        kinds["in check"] += board.is_check()
        kinds["in double check"] += board.checkers_mask().bit_count() > 1
        kinds["castling"] += any(map(board.is_castling, board.legal_moves))
        kinds["en passant"] += board.has_legal_en_passant()
        kinds["dropped right"] += any("castling" in note for note in game.notes)
        kinds["dropped square"] += any("en passant" in note for note in game.notes)
        kinds["blocking promotion"] += board.is_check() and any(
            move.promotion and not board.is_capture(move) for move in board.legal_moves
        )
    for kind in kinds:
        assert kinds[kind] >= 20, kinds
    assert len(kinds) == 9


@given(seed=SEEDS, chess960=st.booleans())
@settings(max_examples=300, deadline=None)
def test_what_is_taken_is_played_by_the_rules(seed: int, chess960: bool) -> None:
    """Check, rights and en passant square are right from the first move on."""
    try:
        game = Game(random_setup(seed), chess960)
    except FenError:
        return
    board = oracle_of(game)
    legal = game.legal_moves()
    assert sorted(legal) == sorted(wires_of(board)), game.fen
    assert all(wire & 63 != wire >> 6 & 63 for wire in legal)
    assert legal_fen(board) == game.fen
    assert game.key == recomputed_key(game.record)
    again = Game(game.fen, chess960)
    assert (again.fen, again.notes, again.key) == (game.fen, (), game.key)
    leaves = {way: counter.count(game, 2) for way, counter in COUNTERS.items()}
    assert len(set(leaves.values())) == 1, game.fen


@given(seed=SEEDS)
@settings(max_examples=100, deadline=None)
def test_every_invariant_holds_from_a_setup(seed: int) -> None:
    """Staged moves, hints, keys and sums, in positions in check more often than games are."""
    try:
        game = Game(random_setup(seed), chess960=True)
    except FenError:
        return
    searcher = Searcher(hash_mb=1)
    _, faults = verify_tree(game.record, searcher.record, searcher.parameters, np.int64(1))
    assert faults == 0, game.fen


@given(seed=SEEDS)
@settings(max_examples=150, deadline=None)
def test_colours_changed_change_only_the_colours(seed: int) -> None:
    try:
        game = Game(random_setup(seed), chess960=True)
    except FenError:
        return
    twin = Game(oracle_of(game).mirror().fen(), chess960=True)
    assert twin.key == game.key
    assert twin.status == game.status
    assert evaluate_record(twin.record, PARAMETERS) == evaluate_record(game.record, PARAMETERS)
    assert twin.legal_moves() == [flipped_wire(wire) for wire in game.legal_moves()]


FILE_PAIRS = list(itertools.permutations(range(8), 2))


def castling_board(rng: random.Random, white: tuple[int, int], black: tuple[int, int]) -> str:
    """King and rook of each side on files of its first rank, and a few pieces around them."""
    board = chess.Board(None)
    for (king, rook), colour in ((white, chess.WHITE), (black, chess.BLACK)):
        home = 0 if colour else 56
        board.set_piece_at(home + king, chess.Piece(chess.KING, colour))
        board.set_piece_at(home + rook, chess.Piece(chess.ROOK, colour))
    for _ in range(rng.choice((0, 0, 1, 2, 4))):
        square = rng.randrange(64)
        if not board.piece_at(square):
            kind = rng.choice((chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN))
            board.set_piece_at(square, chess.Piece(kind, rng.random() < 0.5))
    return board.board_fen()


@pytest.mark.parametrize("turn", ["w", "b"])
def test_castling_of_every_king_with_every_rook(turn: str) -> None:
    """King and rook on every pair of files, each side with a pair of its own."""
    rng = random.Random(960)
    castled = set()
    for pair in FILE_PAIRS:
        for _ in range(60):
            white, black = pair, rng.choice(FILE_PAIRS)
            if turn == "b":
                white, black = black, white
            rights = "ABCDEFGH"[white[1]] + "abcdefgh"[black[1]]
            fen = f"{castling_board(rng, white, black)} {turn} {rights} - 0 1"
            board = chess.Board(fen, chess960=True)
            if board.status() & IMPOSSIBLE:
                continue
            game = Game(fen, chess960=True)
            assert sorted(game.legal_moves()) == sorted(wires_of(board)), fen
            assert game.perft(2) == COUNTERS["oracle"].count(game, 2), fen
            assert game.fen == board.fen(), fen
            castled |= {pair for move in board.legal_moves if board.is_castling(move)}
    assert castled == set(FILE_PAIRS)


def test_every_chess960_start_in_both_spellings() -> None:
    for number in range(960):
        board = chess.Board.from_chess960_pos(number)
        by_side, by_file = board.fen(), board.shredder_fen()
        game = Game(by_side, chess960=True)
        again = Game(by_file, chess960=True)
        assert game.fen == again.fen == by_side
        assert game.key == again.key
        assert game.notes == again.notes == ()
        assert sorted(game.legal_moves()) == sorted(wires_of(board))
