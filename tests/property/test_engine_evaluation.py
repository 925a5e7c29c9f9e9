"""One description of the evaluation serves the search (running sums) and the tuner (trace)."""

from __future__ import annotations

import chess
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.evaluate import MAX_EVALUATION_CP, evaluate_record, trace_evaluation
from engine.shell import Game, Weights, build_parameters
from engine.terms import MAX_PHASE, OFFSETS, OURS, THEIRS, WEIGHT_COUNT
from engine.weights import EVALUATION, WEIGHT_LIMIT_CP, weight_defaults
from tests.kernels.probes import running_evaluation
from tests.oracle import SEEDS, STARTS, Start, legal_fen, play

_PHASE = {chess.KNIGHT: 1, chess.BISHOP: 1, chess.ROOK: 2, chess.QUEEN: 4}


def random_weights(seed: int, limit: int) -> Weights:
    rng = np.random.default_rng(seed)
    return {
        term.name: tuple(
            tuple(rng.integers(-limit, limit + 1, len(term.middlegame)).tolist()) for _ in range(2)
        )
        for term in EVALUATION
    }


def vector(weights: Weights, part: int) -> np.ndarray:
    """Middlegame (part 0) or endgame (1) weights in the order of the trace: boards a1 first."""
    values = np.zeros(WEIGHT_COUNT, np.int64)
    for term in EVALUATION:
        printed = np.array(weights[term.name][part], np.int64)
        if term.is_board:
            printed = printed.reshape(8, 8)[::-1].ravel()
        values[OFFSETS[term.name] :][: len(printed)] = printed
    return values


def phase_of(board: chess.Board) -> int:
    pieces = board.piece_map().values()
    return min(24, sum(_PHASE.get(piece.piece_type, 0) for piece in pieces))


def new_trace() -> np.ndarray:
    return np.zeros((2, WEIGHT_COUNT), np.int64)


WEIGHTS = st.one_of(
    st.just(weight_defaults()),
    st.builds(random_weights, SEEDS, st.sampled_from([200, 3_000, WEIGHT_LIMIT_CP])),
)


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 60), weights=WEIGHTS)
@settings(max_examples=40, deadline=None)
def test_the_trace_times_the_weights_is_the_evaluation(
    start: Start, seed: int, plies: int, weights: Weights
) -> None:
    parameters = build_parameters(weights=weights)
    trace = new_trace()
    for game, board in play(start, seed, plies):
        traced, phase, scale_pct = trace_evaluation(game.record, parameters, trace)
        counts = trace[OURS] - trace[THEIRS]
        middlegame, endgame = (int(counts @ vector(weights, part)) for part in (0, 1))
        assert phase == phase_of(board)
        tapered = (middlegame * phase * 100 + endgame * (24 - phase) * scale_pct) // 2400
        limit = int(MAX_EVALUATION_CP)
        assert traced == max(-limit, min(limit, tapered))
        assert evaluate_record(game.record, parameters) == traced
    assert MAX_PHASE == 24


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 60))
@settings(max_examples=25, deadline=None)
def test_the_trace_of_the_flipped_position_is_the_same(start: Start, seed: int, plies: int) -> None:
    """Term by term; and with the other side to move the two rows change places."""
    parameters = build_parameters()
    tempo = OFFSETS["tempo"]
    trace, twin_trace, passed_trace = new_trace(), new_trace(), new_trace()
    for game, board in play(start, seed, plies):
        trace_evaluation(game.record, parameters, trace)
        twin = Game(legal_fen(board.mirror()), start.chess960)
        trace_evaluation(twin.record, parameters, twin_trace)
        assert np.array_equal(trace, twin_trace)
        if board.is_check() or len(board.piece_map()) <= 3:  # a won pawn ending needs the move
            continue
        board.push(chess.Move.null())
        passed = Game(legal_fen(board), start.chess960)
        board.pop()
        trace_evaluation(passed.record, parameters, passed_trace)
        trace[:, tempo] = passed_trace[:, tempo] = 0
        assert np.array_equal(trace, passed_trace[::-1])


@given(start=STARTS, seed=SEEDS, plies=st.integers(1, 60), weights=WEIGHTS)
@settings(max_examples=30, deadline=None)
def test_running_sums_give_the_same_evaluation(
    start: Start, seed: int, plies: int, weights: Weights
) -> None:
    parameters = build_parameters(weights=weights)
    before = None
    for game, _ in play(start, seed, plies):
        if before is not None:
            value, found = running_evaluation(game.record, parameters, before.record)
            assert found
            assert value == evaluate_record(game.record, parameters)
        before = Game(game.fen, start.chess960)


def _expected_placement(board: chess.Board, color: chess.Color) -> np.ndarray:
    """Each piece counts once for its value and once on its own square, seen from its owner."""
    counts = np.zeros(WEIGHT_COUNT, np.int64)
    for square, piece in board.piece_map().items():
        if piece.color == color:
            own_square = square if color == chess.WHITE else square ^ 56
            name = chess.piece_name(piece.piece_type)
            counts[OFFSETS[f"{name}_squares"] + own_square] += 1
            if name != "king":
                counts[OFFSETS[f"{name}_value"]] += 1
    return counts


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 60))
@settings(max_examples=25, deadline=None)
def test_each_side_s_pieces_are_counted_in_its_row(start: Start, seed: int, plies: int) -> None:
    parameters = build_parameters()
    placed = np.zeros(WEIGHT_COUNT, bool)
    for term in EVALUATION:
        if term.name.endswith(("_value", "_squares")):
            placed[OFFSETS[term.name] :][: len(term.middlegame)] = True
    trace = new_trace()
    for game, board in play(start, seed, plies):
        trace_evaluation(game.record, parameters, trace)
        for side, color in ((OURS, board.turn), (THEIRS, not board.turn)):
            expected = _expected_placement(board, color)
            assert np.array_equal(trace[side][placed], expected[placed])


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 60))
@settings(max_examples=25, deadline=None)
def test_every_piece_has_one_mobility(start: Start, seed: int, plies: int) -> None:
    parameters = build_parameters()
    trace = new_trace()
    for game, board in play(start, seed, plies):
        trace_evaluation(game.record, parameters, trace)
        for side, color in ((OURS, board.turn), (THEIRS, not board.turn)):
            for kind in (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN):
                name = f"{chess.piece_name(kind)}_mobility"
                length = len(weight_defaults()[name][0])
                counted = trace[side, OFFSETS[name] :][:length]
                assert counted.sum() == len(board.pieces(kind, color))
