"""The evaluation in centipawns from the side to move: one description, two entry points.

    packed = sum over terms of weight * (our count - their count)          linear, traced exactly
    value  = taper(packed, phase, scale)                                   bounded

The taper blends the two halves of `packed` by the phase and multiplies the endgame half by the
scale of endgames.py, which depends on the position and on which side `packed` has ahead. So for a
given position the value is linear in the weights, but for rounding and where a weight turns the
sign of the endgame half. Attack on the king is no exception: its table is indexed by attack units.

`evaluate` sums on top of the accumulator for the search; `trace_evaluation` records every weight's
counts for the tuner and returns the same number.
"""

from __future__ import annotations

import numpy as np

from .accumulator import compute_accumulator
from .army import army_of, turn_army, turn_attacks
from .endgames import endgame_scale_pct, lone_king_terms
from .jit import kernel
from .king_safety import king_attack, king_shelter
from .kpk import LONE_KING, PAWN_SIDE
from .pawns import passed_pawn_terms, pawn_structure
from .pieces import bishop_terms, outposts, rook_files, survey
from .state import load_position
from .terms import MAX_PHASE, OFFSETS, OURS, PERCENT, THEIRS, feed, placement, row, taper
from .threats import push_threats, threats

#: No static evaluation reaches the scores of forced mates.
MAX_EVALUATION_CP = np.int64(40_000)

TEMPO = np.int64(OFFSETS["tempo"])


@kernel
def _terms_of(mine, theirs, my_attacks, their_attacks, units, weights, trace):
    """One side's terms that need both sides' attacks or the pawns."""
    return (
        pawn_structure(mine, theirs, weights, trace)
        + passed_pawn_terms(mine, theirs, their_attacks, weights, trace)
        + bishop_terms(mine, weights, trace)
        + rook_files(mine, theirs, weights, trace)
        + outposts(mine, theirs, weights, trace)
        + threats(mine, theirs, my_attacks, their_attacks, weights, trace)
        + push_threats(mine, theirs, my_attacks, their_attacks, weights, trace)
        + king_shelter(mine, theirs, weights, trace)
        + king_attack(mine, theirs, my_attacks, their_attacks, units, weights, trace)
    )


@kernel
def positional(position, weights, trace):
    """Every term that is not kept running in the accumulator, ours less theirs."""
    us, them = army_of(position, position.ours), army_of(position, position.theirs)
    turned_us, turned_them = turn_army(us), turn_army(them)
    ours, theirs = row(trace, OURS), row(trace, THEIRS)
    our_score, our_attacks, our_units = survey(us, them, weights, ours)
    their_score, their_attacks, their_units = survey(turned_them, turned_us, weights, theirs)
    our_score += _terms_of(
        us, them, our_attacks, turn_attacks(their_attacks), our_units, weights, ours
    )
    their_score += _terms_of(
        turned_them,
        turned_us,
        their_attacks,
        turn_attacks(our_attacks),
        their_units,
        weights,
        theirs,
    )
    our_score += feed(ours, weights, TEMPO, np.int64(1))
    our_score += lone_king_terms(us, them, PAWN_SIDE, weights, ours)
    their_score += lone_king_terms(turned_them, turned_us, LONE_KING, weights, theirs)
    return our_score - their_score


@kernel
def _bounded(value):
    return max(-MAX_EVALUATION_CP, min(MAX_EVALUATION_CP, value))


@kernel
def evaluate(position, accumulator, parameters):
    """Centipawns from the side to move, |value| <= MAX_EVALUATION_CP."""
    packed = accumulator.score + positional(position, parameters.weights, None)
    scale_pct = endgame_scale_pct(position, packed, parameters)
    return _bounded(taper(packed, accumulator.phase, scale_pct))


@kernel
def evaluate_within(position, accumulator, parameters, alpha, beta):
    """`evaluate` or, where the running sums lie far outside the window, a bound of it.

    Lazy evaluation: what is far below alpha or above beta by material and squares is taken to stay
    there, whatever the other terms say; the bound errs towards the window by the margin.
    """
    if parameters.lazy_evaluation:
        rough = _bounded(taper(accumulator.score, accumulator.phase, PERCENT))
        if rough + parameters.lazy_margin_cp <= alpha:
            return rough + parameters.lazy_margin_cp
        if rough - parameters.lazy_margin_cp >= beta:
            return rough - parameters.lazy_margin_cp
    return evaluate(position, accumulator, parameters)


@kernel
def evaluate_record(record, parameters):
    """`evaluate` of the position in a record, its accumulator computed from nothing."""
    position = load_position(record)
    return evaluate(position, compute_accumulator(position, parameters), parameters)


@kernel
def trace_evaluation(record, parameters, trace):
    """Fill `trace` (int64[2, WEIGHT_COUNT], out: our counts, theirs); (value, phase, scale).

    `trace[OURS] - trace[THEIRS]` times the packed weights, tapered by the phase (at most 24 of
    it) and the scale in percent, is the value.
    """
    position = load_position(record)
    trace[:] = 0
    packed = placement(position, parameters.weights, trace)
    packed += positional(position, parameters.weights, trace)
    phase = min(MAX_PHASE, compute_accumulator(position, parameters).phase)
    scale_pct = endgame_scale_pct(position, packed, parameters)
    return _bounded(taper(packed, phase, scale_pct)), phase, scale_pct
