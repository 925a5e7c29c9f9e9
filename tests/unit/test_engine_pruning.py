"""Each rule of pruning: where it applies, where its guard holds it back, how it grows."""

from __future__ import annotations

import numpy as np
import pytest

from engine.shell import MATE_BOUND, STARTPOS, Game, build_parameters
from engine.state import REDUCTION_LIMIT
from tests.kernels.probes import may_pass_in, null_reduction_of, pruned_by, reduction_of

KING_AND_PAWN = "8/8/2k5/8/2P5/2K5/8/8 w - - 0 9"
IN_CHECK = "4k3/8/8/8/8/8/4r3/R3K3 w - - 0 1"


def may_pass(
    fen: str,
    search: dict[str, int] | None = None,
    *,
    depth: int = 6,
    beta: int = 0,
    static_eval: int = 100,
    ply: int = 1,
) -> bool:
    numbers = (np.int64(number) for number in (depth, beta, static_eval, ply))
    return bool(may_pass_in(Game(fen).record, build_parameters(search), *numbers))


def test_the_side_to_move_may_pass_when_it_stands_well() -> None:
    assert may_pass(STARTPOS)
    assert not may_pass(STARTPOS, static_eval=-1)
    assert may_pass(STARTPOS, {"null_move_needs_eval": 0}, static_eval=-1)


@pytest.mark.parametrize("fen", [KING_AND_PAWN, IN_CHECK])
def test_nobody_passes_in_check_or_with_pawns_only(fen: str) -> None:
    assert not may_pass(fen)


def test_only_the_own_pieces_count_for_passing() -> None:
    assert not may_pass("4k1n1/8/8/8/8/8/4P3/4K3 w - - 0 1")
    assert may_pass("4k1n1/8/8/8/8/8/4P3/4K3 b - - 0 1")


def test_nobody_passes_at_the_root_near_the_leaves_or_against_a_mate() -> None:
    parameters = build_parameters()
    assert not may_pass(STARTPOS, ply=0)
    assert not may_pass(STARTPOS, depth=int(parameters.null_move_min_depth) - 1)
    assert may_pass(STARTPOS, depth=int(parameters.null_move_min_depth))
    assert not may_pass(STARTPOS, beta=-int(MATE_BOUND))
    assert not may_pass(STARTPOS, beta=int(MATE_BOUND), static_eval=int(MATE_BOUND))
    assert not may_pass(STARTPOS, {"null_move": 0})


def test_the_reduction_of_a_pass_grows_with_depth_and_with_the_evaluation() -> None:
    search = {"null_move_base": 3, "null_move_depth_divisor": 4, "null_move_margin_cp": 200}

    def reduction(depth: int, above_beta: int) -> int:
        numbers = (np.int64(depth), np.int64(50), np.int64(50 + above_beta))
        return int(null_reduction_of(build_parameters(search), *numbers))

    assert reduction(3, 0) == 3
    assert reduction(4, 0) == 4
    assert reduction(8, 399) == 3 + 2 + 1
    assert reduction(8, 10_000) == 3 + 2 + 3
    assert reduction(8, -500) == 3 + 2


def late_reduction(
    depth: int, searched: int, *, pv_node: bool = False, improving: int = 1, history: int = 0
) -> int:
    numbers = (np.int64(depth), np.int64(searched), pv_node, np.int64(improving))
    return int(reduction_of(build_parameters({"lmr_history": 1}), *numbers, np.int64(history)))


def test_early_moves_and_shallow_depths_are_not_reduced() -> None:
    parameters = build_parameters()
    assert late_reduction(int(parameters.lmr_min_depth) - 1, 20) == 0
    assert late_reduction(20, int(parameters.lmr_min_moves) - 1) == 0
    assert late_reduction(20, 20) > 0


def test_a_reduction_leaves_at_least_one_ply_and_is_never_negative() -> None:
    for depth in (1, 2, 3, 4, 10, REDUCTION_LIMIT, 127):
        for searched in (0, 1, 3, 10, REDUCTION_LIMIT, 217):
            for history in (-(1 << 14), 0, 1 << 14):
                for improving in (0, 1):
                    plies = late_reduction(
                        depth, searched, improving=improving, history=history, pv_node=True
                    )
                    assert 0 <= plies <= max(0, depth - 2)


def test_reductions_are_less_for_good_history_on_the_pv_and_when_improving() -> None:
    plain = late_reduction(12, 20)
    assert late_reduction(12, 20, pv_node=True) == plain - 1
    assert late_reduction(12, 20, improving=0) == plain + 1
    assert late_reduction(12, 20, history=1 << 14) < plain < late_reduction(12, 20, history=-20_000)


def rules(
    depth: int,
    static_eval: int,
    bound: int,
    *,
    searched: int = 0,
    improving: int = 0,
    search: dict[str, int] | None = None,
) -> dict[str, bool]:
    numbers = (np.int64(number) for number in (depth, static_eval, bound, searched, improving))
    answers = pruned_by(build_parameters(search), *numbers)
    return dict(zip(("above", "below", "futile", "late"), map(bool, answers), strict=True))


def test_margins_grow_with_the_depth() -> None:
    reverse = {"reverse_futility_margin_cp": 75, "reverse_futility_max_depth": 7}
    assert rules(2, 150, 0, search=reverse)["above"]
    assert not rules(2, 149, 0, search=reverse)["above"]
    assert rules(2, 75, 0, improving=1, search=reverse)["above"]
    assert not rules(8, 5_000, 0, search=reverse)["above"]
    razoring = {"razoring_margin_cp": 220, "razoring_max_depth": 3}
    assert rules(2, -440, 0, search=razoring)["below"]
    assert not rules(2, -439, 0, search=razoring)["below"]
    assert not rules(4, -9_000, 0, search=razoring)["below"]
    futility = {"futility_base_cp": 90, "futility_slope_cp": 80, "futility_max_depth": 6}
    assert rules(1, -170, 0, search=futility)["futile"]
    assert not rules(1, -169, 0, search=futility)["futile"]
    assert not rules(7, -9_000, 0, search=futility)["futile"]


def test_the_number_of_moves_tried_grows_with_the_depth() -> None:
    search = {"late_move_pruning_base": 4, "late_move_pruning_max_depth": 6}
    for depth, limit in ((1, 5), (2, 8), (6, 40)):
        assert rules(depth, 0, 0, searched=limit, improving=1, search=search)["late"]
        assert not rules(depth, 0, 0, searched=limit - 1, improving=1, search=search)["late"]
        assert rules(depth, 0, 0, searched=limit // 2, improving=0, search=search)["late"]
    assert not rules(7, 0, 0, searched=200, search=search)["late"]


def test_no_cut_above_a_mated_beta() -> None:
    assert not rules(1, 0, -int(MATE_BOUND))["above"]
    assert rules(1, 0, -int(MATE_BOUND) + 1)["above"]


@pytest.mark.parametrize(
    ("switch", "rule"),
    [
        ("reverse_futility", "above"),
        ("razoring", "below"),
        ("futility", "futile"),
        ("late_move_pruning", "late"),
    ],
)
def test_each_rule_has_its_switch(switch: str, rule: str) -> None:
    numbers = (1, 9_000, 0) if rule == "above" else (1, -9_000, 0)
    assert rules(*numbers, searched=99)[rule]
    assert not rules(*numbers, searched=99, search={switch: 0})[rule]
