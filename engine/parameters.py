"""Every number that can be tuned and every technique's switch, each declared once. No numba here.

Search parameters are integers; where the meaning is fractional the text form is integer / scale
(`lmr_base` has scale 100: a config says 0.80, a UCI spin and the kernels 80). A technique's switch
is a parameter with bounds 0 and 1. Evaluation terms have a middlegame and an endgame weight in
centipawns; tables are boards as printed: rank 8 first, from the side that owns the piece.
"""

from __future__ import annotations

from typing import NamedTuple

PIECE_NAMES = ("pawn", "knight", "bishop", "rook", "queen", "king")


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


class Term(NamedTuple):
    """An evaluation term: a pair (`middlegame`, `endgame`) of weights, or 64 of each as a board."""

    name: str
    middlegame: tuple[int, ...]
    endgame: tuple[int, ...]
    meaning: str

    @property
    def is_board(self) -> bool:
        return len(self.middlegame) == 64


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
    _switch("killers", "two quiet killer moves a ply, before other quiets"),
    _switch("history", "order quiets by history[side][piece][to]"),
    _number("history_bonus_max", 1600, 1, 16384, "cap of one history update"),
    _number("history_bonus_slope", 160, 1, 4096, "history update for each depth"),
    _switch("history_malus", "lower the history of quiets tried before the cut"),
    _switch("continuation_history", "order quiets also by the moves one and two plies before", 0),
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
    _switch("null_move", "null-move pruning (not in check, with pieces, never twice running)"),
    _number("null_move_min_depth", 3, 1, 64, "least remaining depth for a null move"),
    _number("null_move_base", 3, 0, 10, "reduction R of the null move's search"),
    _number("null_move_depth_divisor", 4, 1, 64, "R grows by depth / this"),
    _number(
        "null_move_margin_cp", 200, 1, 10000, "R grows by (static eval - beta) / this, at most 3"
    ),
    _switch("null_move_needs_eval", "only when the static evaluation is at least beta"),
    _switch("late_move_reductions", "reduce late quiet moves, re-search those that beat alpha"),
    Parameter("lmr_base", 75, 0, 400, 100, "reduction = base + ln(depth) * ln(move) / divisor"),
    Parameter("lmr_divisor", 225, 50, 1000, 100, "divisor of the reduction's logarithms"),
    _number("lmr_min_depth", 3, 1, 64, "least remaining depth for a reduction"),
    _number("lmr_min_moves", 3, 1, 64, "moves searched before the first reduction"),
    _switch("lmr_checks", "reduce moves that give check too", 0),
    _switch("lmr_improving", "reduce one ply more where the side is not improving"),
    _switch("lmr_history", "reduce by history: less for good moves, more for bad ones"),
    _number("lmr_history_divisor", 8192, 256, 65536, "history worth one ply of reduction"),
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
    _switch("internal_iterative_reduction", "one ply less where no table move is known"),
    _number("iir_min_depth", 4, 1, 64, "least depth of internal iterative reduction"),
    _switch("see_ordering", "order losing captures (SEE < 0) after the quiets"),
    _switch("see_pruning", "skip losing captures (SEE below the threshold) in quiescence"),
    _number("see_threshold_cp", 0, -1000, 1000, "least SEE of a capture in quiescence"),
    _switch("delta_pruning", "skip captures in quiescence that cannot reach alpha"),
    _number("delta_margin_cp", 200, 0, 10000, "margin over the captured piece's value"),
    _number("delta_min_pieces", 5, 0, 32, "no delta cut with fewer pieces on the board"),
    _switch("mate_distance_pruning", "bound the window by the mates still possible"),
    _number("draw_score_cp", 0, -200, 200, "score of a draw for the side that searches"),
    _number("move_overhead_ms", 30, 0, 5000, "time kept back for a move's transport"),
    _number("default_moves_to_go", 30, 1, 200, "moves the clock must last when none are named"),
    _number("increment_share_pct", 75, 0, 100, "share of the increment that is spent"),
    _number("soft_time_pct", 55, 1, 100, "no new iteration after this share of a move's time"),
    _number("hard_time_pct", 300, 100, 1000, "a move's time may stretch to this share of it"),
)

# Hand-set starting tables (rules of thumb, no one's tuned values): a pawn gains by advance and
# centre, a knight by centralisation, a king by shelter first and by centralisation in the endgame.
# fmt: off
_PAWN_MG = (
    0, 0, 0, 0, 0, 0, 0, 0,
    50, 58, 60, 66, 66, 56, 58, 48,
    12, 20, 22, 28, 28, 18, 20, 10,
    2, 10, 16, 26, 28, 18, 10, 0,
    -6, 0, 10, 24, 24, 6, 0, -8,
    -8, -2, 0, 6, 6, -6, 0, -8,
    -8, 2, -6, -16, -16, 8, 8, -6,
    0, 0, 0, 0, 0, 0, 0, 0,
)
_PAWN_EG = (
    0, 0, 0, 0, 0, 0, 0, 0,
    104, 102, 98, 96, 96, 98, 102, 104,
    60, 58, 54, 52, 52, 54, 58, 60,
    26, 24, 20, 18, 18, 20, 24, 26,
    10, 8, 4, 2, 2, 4, 8, 10,
    4, 2, -2, -4, -4, -2, 2, 4,
    8, 6, 2, 0, 0, 2, 6, 8,
    0, 0, 0, 0, 0, 0, 0, 0,
)
_KNIGHT_MG = (
    -54, -43, -32, -21, -21, -32, -43, -54,
    -21, -10, 1, 12, 12, 1, -10, -21,
    4, 15, 26, 37, 37, 26, 15, 4,
    15, 26, 37, 48, 48, 37, 26, 15,
    7, 18, 29, 40, 40, 29, 18, 7,
    -6, 5, 16, 27, 27, 16, 5, -6,
    -21, -10, 1, 12, 12, 1, -10, -21,
    -38, -27, -16, -5, -5, -16, -27, -38,
)
_KNIGHT_EG = (
    -40, -31, -22, -13, -13, -22, -31, -40,
    -25, -16, -7, 2, 2, -7, -16, -25,
    -10, -1, 8, 17, 17, 8, -1, -10,
    3, 12, 21, 30, 30, 21, 12, 3,
    1, 10, 19, 28, 28, 19, 10, 1,
    -12, -3, 6, 15, 15, 6, -3, -12,
    -23, -14, -5, 4, 4, -5, -14, -23,
    -34, -25, -16, -7, -7, -16, -25, -34,
)
_BISHOP_MG = (
    -14, -11, -14, -11, -11, -14, -11, -14,
    1, 4, 7, 4, 4, 7, 4, 1,
    -2, 7, 10, 13, 13, 10, 7, -2,
    1, 4, 13, 16, 16, 13, 4, 1,
    1, 4, 13, 16, 16, 13, 4, 1,
    -2, 7, 10, 13, 13, 10, 7, -2,
    1, 20, 7, 4, 4, 7, 20, 1,
    -12, -9, -12, -9, -9, -12, -9, -12,
)
_BISHOP_EG = (
    -10, -7, -4, -1, -1, -4, -7, -10,
    -7, -4, -1, 2, 2, -1, -4, -7,
    -4, -1, 2, 5, 5, 2, -1, -4,
    -1, 2, 5, 8, 8, 5, 2, -1,
    -1, 2, 5, 8, 8, 5, 2, -1,
    -4, -1, 2, 5, 5, 2, -1, -4,
    -7, -4, -1, 2, 2, -1, -4, -7,
    -10, -7, -4, -1, -1, -4, -7, -10,
)
_ROOK_MG = (
    2, 6, 10, 16, 16, 12, 6, 0,
    14, 18, 22, 28, 28, 24, 18, 12,
    -2, 2, 6, 12, 12, 8, 2, -4,
    -10, -6, -2, 4, 4, 0, -6, -12,
    -14, -10, -6, 0, 0, -4, -10, -16,
    -16, -12, -8, -2, -2, -6, -12, -18,
    -18, -14, -10, -4, -4, -8, -14, -20,
    -8, -4, 0, 6, 6, 2, -4, -10,
)
_ROOK_EG = (
    10, 10, 11, 11, 11, 11, 10, 10,
    14, 14, 15, 15, 15, 15, 14, 14,
    8, 8, 9, 9, 9, 9, 8, 8,
    6, 6, 7, 7, 7, 7, 6, 6,
    -2, -2, -1, -1, -1, -1, -2, -2,
    -2, -2, -1, -1, -1, -1, -2, -2,
    0, 0, 1, 1, 1, 1, 0, 0,
    -2, -2, -1, -1, -1, -1, -2, -2,
)
_QUEEN_MG = (
    -2, 0, 2, 4, 4, 2, 0, -2,
    -7, -5, -3, -1, -1, -3, -5, -7,
    -2, 0, 2, 4, 4, 2, 0, -2,
    -7, -5, -3, -1, -1, -3, -5, -7,
    -7, -5, -3, -1, -1, -3, -5, -7,
    -4, -2, 0, 2, 2, 0, -2, -4,
    -3, -1, 1, 3, 3, 1, -1, -3,
    -4, -2, 0, 2, 2, 0, -2, -4,
)
_QUEEN_EG = (
    -24, -18, -12, -6, -6, -12, -18, -24,
    -12, -6, 0, 6, 6, 0, -6, -12,
    -4, 2, 8, 14, 14, 8, 2, -4,
    2, 8, 14, 20, 20, 14, 8, 2,
    -2, 4, 10, 16, 16, 10, 4, -2,
    -12, -6, 0, 6, 6, 0, -6, -12,
    -22, -16, -10, -4, -4, -10, -16, -22,
    -32, -26, -20, -14, -14, -20, -26, -32,
)
_KING_MG = (
    -49, -43, -57, -71, -66, -69, -44, -50,
    -49, -43, -57, -71, -66, -69, -44, -50,
    -55, -49, -63, -77, -72, -75, -50, -56,
    -55, -49, -63, -77, -72, -75, -50, -56,
    -49, -43, -57, -71, -66, -69, -44, -50,
    -33, -27, -41, -55, -50, -53, -28, -34,
    -5, 1, -13, -27, -22, -25, 0, -6,
    22, 34, 6, -22, -12, -18, 32, 20,
)
_KING_EG = (
    -58, -46, -34, -22, -22, -34, -46, -58,
    -30, -18, -6, 6, 6, -6, -18, -30,
    -12, 0, 12, 24, 24, 12, 0, -12,
    -4, 8, 20, 32, 32, 20, 8, -4,
    -8, 4, 16, 28, 28, 16, 4, -8,
    -22, -10, 2, 14, 14, 2, -10, -22,
    -36, -24, -12, 0, 0, -12, -24, -36,
    -52, -40, -28, -16, -16, -28, -40, -52,
)
# fmt: on

EVALUATION: tuple[Term, ...] = (
    Term("pawn_value", (92,), (112,), "value of a pawn"),
    Term("knight_value", (330,), (310,), "value of a knight"),
    Term("bishop_value", (345,), (330,), "value of a bishop"),
    Term("rook_value", (480,), (540,), "value of a rook"),
    Term("queen_value", (990,), (980,), "value of a queen"),
    Term("pawn_squares", _PAWN_MG, _PAWN_EG, "a pawn's bonus by square"),
    Term("knight_squares", _KNIGHT_MG, _KNIGHT_EG, "a knight's bonus by square"),
    Term("bishop_squares", _BISHOP_MG, _BISHOP_EG, "a bishop's bonus by square"),
    Term("rook_squares", _ROOK_MG, _ROOK_EG, "a rook's bonus by square"),
    Term("queen_squares", _QUEEN_MG, _QUEEN_EG, "a queen's bonus by square"),
    Term("king_squares", _KING_MG, _KING_EG, "the king's bonus by square"),
    Term("tempo", (10,), (6,), "bonus of the side to move"),
)

WEIGHT_LIMIT_CP = 20_000


def search_defaults() -> dict[str, int]:
    """Every search parameter's name and default integer value."""
    return {parameter.name: parameter.default for parameter in SEARCH}


def weight_defaults() -> dict[str, tuple[tuple[int, ...], tuple[int, ...]]]:
    """Every term's name and its default (middlegame, endgame) weights."""
    return {term.name: (term.middlegame, term.endgame) for term in EVALUATION}
