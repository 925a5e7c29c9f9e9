"""One description of the evaluation serves the search (running sums) and the tuner (trace)."""

from __future__ import annotations

import chess
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.evaluate import MAX_EVALUATION_CP, evaluate_record, trace_evaluation
from engine.shell import Game, Weights, build_parameters
from engine.terms import MAX_PHASE, OFFSETS, WEIGHT_COUNT
from engine.weights import EVALUATION, WEIGHT_LIMIT_CP, weight_defaults
from tests.kernels.probes import running_evaluation
from tests.oracle import SEEDS, STARTS, Start, play

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
    coefficients = np.zeros(WEIGHT_COUNT, np.int64)
    for game, board in play(start, seed, plies):
        traced = trace_evaluation(game.record, parameters, coefficients)
        middlegame, endgame = (int(coefficients @ vector(weights, part)) for part in (0, 1))
        phase = phase_of(board)
        tapered = (middlegame * phase + endgame * (24 - phase)) // 24
        limit = int(MAX_EVALUATION_CP)
        assert traced == max(-limit, min(limit, tapered))
        assert evaluate_record(game.record, parameters) == traced
    assert MAX_PHASE == 24


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


@given(start=STARTS, seed=SEEDS, plies=st.integers(0, 60))
@settings(max_examples=25, deadline=None)
def test_counts_are_ours_minus_theirs(start: Start, seed: int, plies: int) -> None:
    """Each piece counts once for its value and once on its own square, seen from its owner."""
    parameters = build_parameters()
    coefficients = np.zeros(WEIGHT_COUNT, np.int64)
    for game, board in play(start, seed, plies):
        trace_evaluation(game.record, parameters, coefficients)
        expected = np.zeros(WEIGHT_COUNT, np.int64)
        expected[OFFSETS["tempo"]] = 1
        for square, piece in board.piece_map().items():
            sign = 1 if piece.color == board.turn else -1
            own_square = square if piece.color == chess.WHITE else square ^ 56
            name = chess.piece_name(piece.piece_type)
            expected[OFFSETS[f"{name}_squares"] + own_square] += sign
            if name != "king":
                expected[OFFSETS[f"{name}_value"]] += sign
        assert np.array_equal(coefficients, expected)
