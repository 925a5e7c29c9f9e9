"""Games as PGN text, from their records, in the layout of cutechess and fastchess.

SAN is by python-chess. There is one line for each full move. A player's move is followed by a
comment `{+0.31/9 0.0017s, n=5000}`: the mover's own view of the score in pawns (not white's), a
slash, the depth; the elapsed time; the nodes. A mate is `+M5` or `-M4`, counted in plies as those
tools do. An opening move has `{book}`. The last comment ends with the reason of the game's end.
`Round` is `pair.game` with the numbers of the run, both from 0: NEW is white in game 0. `Limit`
says what TimeControl cannot, nodes or depth.

For fixed nodes or depth two equal runs differ in nothing but `Date` and the times: a text with
every match of TIME_PATTERN deleted is the same byte for byte (which is why lines are never
wrapped by their length).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import chess

from harness.adjudication import describe
from harness.files import whole_file
from harness.record import MATE_BOUND_CP, MATE_CP, GameRecord, Termination

if TYPE_CHECKING:
    from harness.limits import Limit
    from harness.spec import RunSpec

UNKNOWN_DATE: Final = "????.??.??"

# The elapsed time inside a comment, with the blank before it; nothing else matches.
TIME_PATTERN: Final = re.compile(r" \d+\.\d{4}s(?=[,}])")

RESULTS: Final = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}

# The values of the Termination tag in the PGN standard (9.8.1); other endings are "normal".
_TERMINATION_TAGS: Final = {
    Termination.ADJUDICATED_WIN: "adjudication",
    Termination.ADJUDICATED_DRAW: "adjudication",
    Termination.MAX_PLIES: "adjudication",
    Termination.TIME_FORFEIT: "time forfeit",
    Termination.ILLEGAL_MOVE: "rules infraction",
    Termination.CRASH: "abandoned",
    Termination.HANG: "abandoned",
    Termination.FLOOD: "abandoned",
    Termination.INTERRUPTED: "unterminated",
}

_REASONS: Final = {
    Termination.CHECKMATE: "{winner} mates",
    Termination.STALEMATE: "Draw by stalemate",
    Termination.THREEFOLD: "Draw by threefold repetition",
    Termination.FIFTY_MOVES: "Draw by fifty moves rule",
    Termination.INSUFFICIENT_MATERIAL: "Draw by insufficient mating material",
    Termination.ADJUDICATED_WIN: "{winner} wins by adjudication",
    Termination.ADJUDICATED_DRAW: "Draw by adjudication",
    Termination.MAX_PLIES: "Draw by adjudication: maximum length",
    Termination.TIME_FORFEIT: "{loser} loses on time",
    Termination.ILLEGAL_MOVE: "{loser} makes an illegal move",
    Termination.CRASH: "{loser} crashes",
    Termination.HANG: "{loser} does not answer",
    Termination.FLOOD: "{loser} says too much",
    Termination.INTERRUPTED: "Interrupted",
}


@dataclass(frozen=True, slots=True)
class PgnStyle:
    """What a game's text has beside its moves.

    Without `comments` it is minimal: no comments, and only the tags that are needed to read it.
    `opening_of` names the opening of a pair, where the games are from a book.
    """

    comments: bool = True
    opening_of: Callable[[int], str] | None = None


FULL: Final = PgnStyle()


def write_pgn(
    records: Iterable[GameRecord],
    spec: RunSpec,
    path: Path,
    date: str = UNKNOWN_DATE,
    style: PgnStyle = FULL,
) -> int:
    """Write the games, in the order given, and return how many; the file appears whole or not."""
    count = 0
    with whole_file(path) as file:
        for record in records:
            file.write(format_game(record, spec, date, style))
            count += 1
    return count


def format_game(
    record: GameRecord, spec: RunSpec, date: str = UNKNOWN_DATE, style: PgnStyle = FULL
) -> str:
    """One game as PGN, ending with an empty line. `date` is the run's, as `2026.11.30`."""
    # With Chess960 rules python-chess, too, has castling as king takes own rook.
    board = chess.Board(record.fen, chess960=True)
    tags = _tags(record, spec, date, board, style.opening_of)
    lines = [
        f'[{name} "{_tag_text(value)}"]'
        for name, value in tags
        if style.comments or name in _MINIMAL_TAGS
    ]
    return "\n".join([*lines, "", *_movetext(record, board, style.comments), "", ""])


#: The seven that every game has, and what is needed to read its moves.
_MINIMAL_TAGS: Final = frozenset(
    {"Event", "Site", "Date", "Round", "White", "Black", "Result", "Variant", "SetUp", "FEN"}
)


def final_position(record: GameRecord) -> str:
    """The position in which a game ended as EPD: counters, result (`c9`) and the game (`id`)."""
    board = chess.Board(record.fen, chess960=True)
    for move in record.columns().moves.tolist():
        board.push(chess_move(move))
    return (
        f"{board.epd()} hmvc {board.halfmove_clock}; fmvn {board.fullmove_number};"
        f' c9 "{_result(record)}"; id "{record.pair}.{record.game}";'
    )


def _tags(
    record: GameRecord,
    spec: RunSpec,
    date: str,
    board: chess.Board,
    opening_of: Callable[[int], str] | None,
) -> Iterator[tuple[str, str]]:
    sides = spec.sides_of(record.pair)
    assert sides is not None  # runs whose games only chunks know write no PGN
    white, black = sides[::-1] if record.game else sides
    yield "Event", f"{spec.title}, seed {spec.seed}"
    yield "Site", "?"
    yield "Date", date
    yield "Round", f"{record.pair}.{record.game}"
    yield "White", white.name
    yield "Black", black.name
    yield "Result", _result(record)
    if board.has_chess960_castling_rights():
        yield "Variant", "Chess960"
    if record.fen != chess.STARTING_FEN:
        yield "SetUp", "1"
        yield "FEN", record.fen
    if opening_of is not None:
        yield "Opening", opening_of(record.pair)
    yield "PlyCount", str(record.plies)
    white_limit, black_limit = white.limit or spec.limit, black.limit or spec.limit
    if white_limit == black_limit:
        yield from _limit_tags("", white_limit)
    else:
        yield from _limit_tags("White", white_limit)
        yield from _limit_tags("Black", black_limit)
    yield "Termination", _TERMINATION_TAGS.get(record.termination, "normal")
    yield "Adjudication", describe(spec.adjudication)
    yield "Annotator", f"Numbishop {spec.tool_version}"


def _limit_tags(side: str, limit: Limit) -> Iterator[tuple[str, str]]:
    yield f"{side}TimeControl", str(limit)
    if limit.is_deterministic:
        yield f"{side}Limit", limit.describe()


def _result(record: GameRecord) -> str:
    return "*" if record.termination is Termination.INTERRUPTED else RESULTS[record.result]


_TAG_SAFE: Final = str.maketrans({'"': "'", "\\": "/", "\n": " ", "\r": " "})


def _tag_text(value: str) -> str:
    """Without quotes and backslashes: the standard's escapes are not read by every program."""
    return value.translate(_TAG_SAFE)


def _movetext(record: GameRecord, board: chess.Board, commented: bool) -> list[str]:
    """The lines of the moves and the result; leaves the board at the end of the game."""
    comments = _comments(record) if commented else [""] * record.plies
    lines: list[str] = []
    for move, comment in zip(record.columns().moves.tolist(), comments, strict=True):
        number = board.fullmove_number
        white_to_move = board.turn
        san = board.san_and_push(chess_move(move))
        text = f"{san} {{{comment}}}" if comment else san
        if white_to_move:
            lines.append(f"{number}. {text}")
        elif lines:
            lines[-1] += f" {text}"
        else:
            lines.append(f"{number}... {text}")
    if not lines and commented:
        lines.append(f"{{{_reason(record)}}}")
    lines.append(_result(record))
    return lines


def chess_move(move: int) -> chess.Move:
    """The python-chess move of a wire move (its promotion pieces are numbered one higher)."""
    promotion = move >> 12
    return chess.Move(move & 63, move >> 6 & 63, promotion + 1 if promotion else None)


def _comments(record: GameRecord) -> list[str]:
    """The text of each move's comment, the opening's moves included."""
    columns = record.columns()
    comments = ["book"] * record.book_plies
    for score_cp, depth, nodes, time_us in zip(
        columns.scores_cp.tolist(),
        columns.depths.tolist(),
        columns.nodes.tolist(),
        columns.times_us.tolist(),
        strict=True,
    ):
        score = format_score(score_cp)
        comments.append(f"{score}/{depth} {time_us / 1_000_000:.4f}s, n={nodes}")
    if comments:
        comments[-1] += f", {_reason(record)}"
    return comments


def format_score(score_cp: int) -> str:
    """`+0.31`, `-M4`: pawns, or plies to the mate, from the side that the score is for."""
    if abs(score_cp) >= MATE_BOUND_CP:
        return f"{'+' if score_cp > 0 else '-'}M{MATE_CP - abs(score_cp)}"
    return f"{score_cp / 100:+.2f}" if score_cp else "0.00"


def _reason(record: GameRecord) -> str:
    """Why the game ended, as comment text: a brace in a detail would end the comment."""
    winner, loser = ("White", "Black") if record.result > 0 else ("Black", "White")
    reason = _REASONS[record.termination].format(winner=winner, loser=loser)
    if record.detail:
        reason += f" ({record.detail})"
    return reason.translate(_COMMENT_SAFE)


_COMMENT_SAFE: Final = str.maketrans({"{": "(", "}": ")", "\n": " ", "\r": " "})
