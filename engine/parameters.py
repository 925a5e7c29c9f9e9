"""Every number of the search and every technique's switch, each declared once. No numba here.

Search parameters are integers; where the meaning is fractional the text form is integer / scale
(`lmr_base` has scale 100: a config says 0.80, a UCI spin and the kernels 80). A technique's switch
is a parameter with bounds 0 and 1. The evaluation's weights are in `weights.py`.
"""

from __future__ import annotations

from typing import NamedTuple


class Parameter(NamedTuple):
    """One search parameter: `default`, `low` and `high` are integers, shown divided by `scale`."""

    name: str
    default: int
    low: int
    high: int
    scale: int
    meaning: str

    @property
    def expectation(self) -> str:
        """What a value must be, in words."""
        if (self.low, self.high, self.scale) == (0, 1, 1):
            return "0 (off) or 1 (on)"
        kind = "an integer" if self.scale == 1 else f"a number in steps of {self.format(1)}"
        return f"{kind} from {self.format(self.low)} to {self.format(self.high)}"

    def format(self, value: int) -> str:
        """The text form of an integer value: `80` at scale 100 is `0.80`."""
        if self.scale == 1:
            return str(value)
        return f"{value / self.scale:.{len(str(self.scale)) - 1}f}"

    def parse(self, text: str) -> int:
        """The integer that a text means. Raises ValueError naming what was expected."""
        try:
            scaled = float(text) * self.scale
            value = round(scaled)
        except (ValueError, OverflowError):
            raise ValueError(f"expected {self.expectation}") from None
        if abs(scaled - value) > 1e-6 or not self.low <= value <= self.high:
            raise ValueError(f"expected {self.expectation}")
        return value


def _switch(name: str, meaning: str, default: int = 1) -> Parameter:
    return Parameter(name, default, 0, 1, 1, meaning)


def _number(name: str, default: int, low: int, high: int, meaning: str) -> Parameter:
    return Parameter(name, default, low, high, 1, meaning)


SEARCH: tuple[Parameter, ...] = (
    _switch("principal_variation_search", "zero-window searches after the first move"),
    _switch("fail_soft", "return the best score seen, not the window's edge"),
    _number(
        "aspiration_window_cp", 25, 0, 50000, "half width of the first root window; 0: full window"
    ),
    _number("aspiration_min_depth", 5, 1, 64, "iterations below it use the full window"),
    _number(
        "aspiration_growth_pct", 200, 100, 100000, "a failed side's distance grows to this share"
    ),
    _switch("transposition_table", "probe and store the transposition table"),
    _switch("transposition_cutoffs", "let an entry end a node, not only order its moves"),
    _switch(
        "exact_depth_entries", "the table keeps intervals, and only the asked depth answers", 0
    ),
    _switch("pv_hint", "without a table move, try the last iteration's line first", 0),
    _switch("killers", "two quiet killer moves a ply, before other quiets"),
    _switch("killers_by_depth", "keep killers by remaining depth, not by ply", 0),
    _switch("history", "order quiets by history[side][piece][to]"),
    _number("history_bonus_max", 1600, 1, 16384, "cap of one history update"),
    _number("history_bonus_slope", 160, 1, 4096, "history update for each depth"),
    _switch("history_fades", "a bounded history, in which new cuts outweigh old ones"),
    _switch("history_malus", "lower the history of quiets tried before the cut"),
    _switch("continuation_history", "order quiets also by the moves one and two plies before"),
    _switch("capture_history", "order captures also by capture_history[piece][to][captured]", 0),
    _switch("correction_history", "correct the static evaluation by earlier results like it", 0),
    _switch("singular_extension", "a table move far better than all others is extended", 0),
    _number("singular_min_depth", 6, 2, 64, "least depth of a singular extension"),
    _number("singular_margin_cp", 2, 0, 64, "how much worse the others must be, for each ply"),
    _switch("multi_cut", "where the others too beat beta, return it"),
    _switch("probcut", "cut where a capture beats beta by a margin at reduced depth", 0),
    _number("probcut_min_depth", 5, 2, 64, "least depth of ProbCut"),
    _number("probcut_margin_cp", 160, 0, 2000, "margin above beta of ProbCut"),
    _switch("check_extension", "search one ply deeper in check"),
    _switch("null_move", "null-move pruning (not in check)"),
    _number("null_move_min_depth", 3, 1, 64, "least remaining depth for a null move"),
    _number("null_move_base", 3, 0, 10, "reduction R of the null move's search"),
    _number("null_move_depth_divisor", 4, 1, 64, "R grows by depth / this"),
    _number(
        "null_move_margin_cp", 200, 1, 10000, "R grows by (static eval - beta) / this, at most 3"
    ),
    _number(
        "null_move_verified_depth", 10, 1, 128, "from this depth on a null cut is searched again"
    ),
    _switch("null_move_needs_eval", "only when the static evaluation is at least beta"),
    _switch("null_move_needs_pieces", "only when the side has more than pawns"),
    _switch("null_move_twice", "also in answer to a null move", 0),
    _switch("late_move_reductions", "reduce late quiet moves, re-search those that beat alpha"),
    Parameter("lmr_base", 75, 0, 400, 100, "reduction = base + ln(depth) * ln(move) / divisor"),
    Parameter("lmr_divisor", 225, 50, 100000, 100, "divisor of the reduction's logarithms"),
    _number("lmr_min_depth", 3, 1, 64, "least remaining depth for a reduction"),
    _number("lmr_min_moves", 3, 1, 64, "moves searched before the first reduction"),
    _switch("lmr_pv", "reduce one ply less on the principal variation"),
    _switch("lmr_checks", "reduce moves that give check too", 0),
    _switch("lmr_improving", "reduce one ply more where the side is not improving"),
    _switch("lmr_history", "reduce by history: less for good moves, more for bad ones", 0),
    _number("lmr_history_divisor", 16384, 256, 65536, "history worth one ply of reduction"),
    _switch("reverse_futility", "return where the evaluation is far above beta"),
    _number("reverse_futility_max_depth", 7, 0, 64, "greatest depth of reverse futility"),
    _number("reverse_futility_margin_cp", 75, 0, 2000, "its margin for each ply"),
    _switch("razoring", "drop into quiescence where the evaluation is far below alpha"),
    _number("razoring_max_depth", 3, 0, 64, "greatest depth of razoring"),
    _number("razoring_margin_cp", 220, 0, 5000, "its margin for each ply"),
    _switch("futility", "skip quiets that cannot reach alpha near the leaves"),
    _number("futility_max_depth", 6, 0, 64, "greatest reduced depth of futility"),
    _number("futility_base_cp", 90, 0, 2000, "its margin at depth 0"),
    _number("futility_slope_cp", 80, 0, 2000, "its margin for each ply"),
    _switch("late_move_pruning", "skip the quiets after a number of moves near the leaves"),
    _number("late_move_pruning_max_depth", 6, 0, 64, "greatest depth of late move pruning"),
    _number("late_move_pruning_base", 4, 1, 64, "moves tried: (this + depth^2), half if worsening"),
    _switch("see_search_pruning", "skip moves that lose too much material near the leaves"),
    _number("see_search_max_depth", 7, 0, 64, "greatest depth of SEE pruning in the search"),
    _number("see_quiet_slope_cp", 60, 0, 2000, "loss allowed to a quiet move for each ply"),
    _number("see_noisy_slope_cp", 100, 0, 2000, "loss allowed to a capture for each ply"),
    _switch("internal_iterative_reduction", "one ply less where no table move is known", 0),
    _number("iir_min_depth", 4, 1, 64, "least depth of internal iterative reduction"),
    _switch("see_ordering", "order losing captures (SEE < 0) after the quiets"),
    _switch("see_pruning", "skip losing captures (SEE below the threshold) in quiescence"),
    _number("see_threshold_cp", 0, -1000, 1000, "least SEE of a capture in quiescence"),
    _switch("see_pruning_guarded", "but not promotions, checks, or with few pieces", 0),
    _switch("delta_pruning", "skip captures in quiescence that cannot reach alpha"),
    _number("delta_margin_cp", 200, 0, 10000, "margin over the captured piece's value"),
    _number("delta_min_pieces", 5, 0, 32, "no delta cut with fewer pieces on the board"),
    _switch("node_delta_pruning", "leave a quiescence node that no capture brings to alpha", 0),
    _number("node_delta_cp", 975, 0, 10000, "what a capture may gain there"),
    _number("node_delta_promotion_cp", 875, 0, 10000, "and more with a pawn about to promote"),
    _switch("quiescence_evasions", "in check, quiescence tries every evasion"),
    _number("quiescence_max_ply", 127, 1, 127, "from this ply on quiescence only evaluates"),
    _number("search_max_ply", 127, 1, 127, "from this ply on there is only quiescence"),
    _switch(
        "lazy_evaluation", "in quiescence, evaluate material and squares alone if they suffice", 0
    ),
    _number("lazy_margin_cp", 250, 0, 10000, "how far beyond the window they must lie"),
    _switch("endgame_scales", "count less of an advantage in endings that are hard to win"),
    _number("pawnless_scale_pct", 12, 0, 100, "what counts with a minor piece more and no pawn"),
    _number("opposite_bishops_scale_pct", 85, 0, 100, "what counts with opposite bishops"),
    _number(
        "bare_opposite_bishops_scale_pct", 50, 0, 100, "the same where there is no other piece"
    ),
    _switch("mate_distance_pruning", "bound the window by the mates still possible"),
    _number("draw_score_cp", 0, -200, 200, "score of a draw for the side that searches"),
    _number("move_overhead_ms", 30, 0, 5000, "time kept back for a move's transport"),
    _number("time_reserve_ms", 150, 0, 60000, "time on the clock that no move is planned with"),
    _number("default_moves_to_go", 30, 1, 200, "moves the clock must last when none are named"),
    _number("increment_share_pct", 75, 0, 100, "share of the increment that is spent"),
    _number("soft_time_pct", 55, 1, 100, "no new iteration after this share of a move's time"),
    _number("hard_time_pct", 300, 100, 1000, "a move's time may stretch to this share of it"),
    _number("new_move_time_pct", 50, 0, 200, "longer by this share when the best move is new"),
    _number("stable_move_time_pct", 12, 0, 16, "shorter by this for each iteration that keeps it"),
    _number("stable_move_iterations", 6, 0, 6, "at most so often"),
    _number("score_drop_time_pct", 1, 0, 10, "longer by this for each centipawn the score fell"),
    _number("score_drop_max_cp", 50, 0, 500, "at most so many of them"),
)


_SELECTIVE = (
    "probcut",
    "multi_cut",
    "null_move",
    "late_move_reductions",
    "reverse_futility",
    "razoring",
    "futility",
    "late_move_pruning",
    "see_search_pruning",
    "internal_iterative_reduction",
)
#: Settings under which no move is left out or looked at less deeply, and every mate seen.
EXHAUSTIVE = dict.fromkeys(_SELECTIVE, 0) | {
    "quiescence_evasions": 1,
    "quiescence_max_ply": 127,
    "search_max_ply": 127,
}


def search_defaults() -> dict[str, int]:
    """Every search parameter's name and default integer value."""
    return {parameter.name: parameter.default for parameter in SEARCH}
