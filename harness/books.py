"""Opening books in files: EPD and FEN lists, PGN, Polyglot; plain, .gz, .zip or .zst.

What a file is, its first bytes say, not its name. A book stays in memory as the file's text and an
array of line starts (a few bytes a line, no Python object for each); positions are all checked
when it is read, the moves of a PGN when a game is used.
"""

from __future__ import annotations

import io
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, NoReturn, Protocol

import chess
import chess.pgn

from harness.archives import unpack
from harness.book_check import first_fault, may_be_over
from harness.errors import UsageError
from harness.polyglot import DEFAULT_PLIES, book_lines, is_polyglot

_CHUNK_LINES: Final = 4096
_FIFTY_MOVES: Final = 100  # plies

# placement, side, and what else is there of castling, en passant and the two counters; then opcodes
_POSITION: Final = re.compile(
    rb"(?!\S*[1-8]{2})((?:[1-8PNBRQKpnbrqk]{1,8}/){7}[1-8PNBRQKpnbrqk]{1,8})\s+([wb])"
    rb"(?:\s+(-|[KQA-H]{1,2}[kqa-h]{0,2}|[kqa-h]{1,2})(?:\s+(-|[a-h][36])"
    rb"(?:\s+(\d{1,4})(?:\s+(\d{1,4}))?)?(\s*;.*|\s+[A-Za-z].*)?)?)?"
)
_COUNTERS: Final = re.compile(rb"\b(hmvc|fmvn)\s+(\d{1,4})\s*;")

_TAG: Final = rb'\[\s*+\w++\s*+"(?:[^"\\\n]|\\.)*+"\s*+\]'
_RESULT: Final = rb"(?:1-0|0-1|1/2-1/2|\*)"
_MOVE_TEXT: Final = (
    rb"(?:\{[^}]*+\}|;[^\n]*+|[()]|\$\d++"  # comments, variations, annotation numbers
    rb"|(?:[O0]-[O0](?:-[O0])?|[NBRQK]?[a-h]?[1-8]?x?[a-h][1-8](?:=?[NBRQ])?)[+#]?[!?]*+"
    rb"|(?!1-0|0-1|1/2)\d++\.*+|\.++)"
)
_GAME: Final = re.compile(
    rb"(?:\s*+" + _TAG + rb")*+(?:\s*+" + _MOVE_TEXT + rb")*+(?:\s*+" + _RESULT + rb")?+\s*+"
)


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a pair of games begins: a position, moves from it, and a name for people.

    `moves` are wire moves: from | to << 6 | promotion << 12, castling as king takes own rook.
    `opcodes` are those of an EPD line, as they stand there.
    """

    fen: str
    moves: tuple[int, ...]
    name: str
    chess960: bool = False
    opcodes: str = ""


class Book(Protocol):
    """The openings of one file, in its order; `has_moves` says whether they are lines of moves."""

    has_moves: ClassVar[bool]

    def __len__(self) -> int: ...

    def opening(self, index: int) -> Opening:
        """The opening at a place, from 0. Raises UsageError when it cannot be played."""


def read_book(path: Path, data: bytes, plies: int = 0) -> Book:
    """The book in a file's bytes; `plies` cuts the lines of a PGN or a Polyglot book.

    0 leaves a PGN's lines whole, and stands for the usual length of Polyglot's.

    Raises UsageError naming file, line, value and expectation.
    """
    text = unpack(path, data)
    if is_polyglot(text):
        return PolyglotBook(path, text, plies)
    if b"\n" not in text:
        text = text.replace(b"\r", b"\n")  # lines as old Macs end them
    if not text.strip():
        raise UsageError(f"{path}: the opening file is empty; expected EPD, FEN or PGN")
    if b"\0" in text:
        raise UsageError(
            f"{path}: neither text nor a Polyglot book with the start position; expected EPD, FEN,"
            " PGN or Polyglot"
        )
    first_word = text.split(None, 1)[0]
    # A placement field has seven slashes; PGN begins with a tag, a move or a comment.
    if first_word.count(b"/") >= 2:
        return PositionBook(path, text)
    return GameBook(path, text, plies)


class PositionBook:
    """A list of positions, one a line: EPD or FEN."""

    has_moves: ClassVar[bool] = False

    def __init__(self, path: Path, text: bytes) -> None:
        self._path = path
        self._text = text
        self._starts = array("Q")
        self._lines = array("L")
        chunk: list[re.Match[bytes]] = []
        start = 0
        for number, line in enumerate(io.BytesIO(text), 1):
            stripped = line.strip()
            if stripped:
                match = _POSITION.fullmatch(stripped)
                if match is None:
                    _refuse(path, number, stripped, "expected a FEN or EPD position")
                self._starts.append(start)
                self._lines.append(number)
                chunk.append(match)
                if len(chunk) == _CHUNK_LINES:
                    self._check(chunk)
                    chunk.clear()
            start += len(line)
        self._check(chunk)

    def _check(self, chunk: Sequence[re.Match[bytes]]) -> None:
        """Refuse the first of the latest positions that no game can start from."""
        placements = [match[1] for match in chunk]
        black_to_move = [match[2] == b"b" for match in chunk]
        first_line = len(self) - len(chunk)
        fault = first_fault(placements, black_to_move)
        if fault is not None:
            index, expectation = fault
            line = self._lines[first_line + index]
            _refuse(self._path, line, chunk[index][0], f"expected {expectation}")
        suspects = set(may_be_over(placements, black_to_move))
        suspects |= {index for index, match in enumerate(chunk) if _has_high_clock(match)}
        for index in sorted(suspects):
            ending = _ending(chess.Board(_complete_fen(chunk[index]), chess960=True))
            if ending:
                line = self._lines[first_line + index]
                _refuse(
                    self._path,
                    line,
                    chunk[index][0],
                    f"the game is over there ({ending}); expected a position to play from",
                )

    def __len__(self) -> int:
        return len(self._starts)

    def opening(self, index: int) -> Opening:
        start = self._starts[index]
        end = self._text.find(b"\n", start)
        match = _POSITION.fullmatch(self._text[start : end if end >= 0 else None].strip())
        assert match is not None  # every line was checked when the book was read
        fen = _complete_fen(match)
        board = chess.Board(fen, chess960=True)
        return Opening(
            fen,
            (),
            f"{self._path.name}:{self._lines[index]}",
            board.has_chess960_castling_rights(),
            (match[7] or b"").decode("utf-8", errors="replace").strip(" \t;"),
        )


def _has_high_clock(match: re.Match[bytes]) -> bool:
    return len(match[5] or b"") > 2 or b"hmvc" in (match[7] or b"")


def _ending(board: chess.Board) -> str:
    """How the game has ended by the rules that hold in a match; empty when it goes on."""
    if not any(board.generate_legal_moves()):
        return "checkmate" if board.is_check() else "stalemate"
    if board.is_insufficient_material():
        return "insufficient material"
    if board.halfmove_clock >= _FIFTY_MOVES:
        return "fifty moves"
    return "threefold repetition" if board.is_repetition(3) else ""


def _complete_fen(match: re.Match[bytes]) -> str:
    """Six fields; the counters come from the FEN, or from EPD's hmvc and fmvn, or are 0 and 1."""
    placement, side, castling, en_passant, halfmoves, fullmoves, opcodes = match.groups()
    counters = dict(_COUNTERS.findall(opcodes or b""))
    fields = (
        placement,
        side,
        castling or b"-",
        en_passant or b"-",
        halfmoves or counters.get(b"hmvc", b"0"),
        fullmoves or counters.get(b"fmvn", b"1"),
    )
    return b" ".join(fields).decode("ascii")


class GameBook:
    """A PGN: each game's main line, whole or cut, from its start position."""

    has_moves: ClassVar[bool] = True

    def __init__(self, path: Path, text: bytes, plies: int) -> None:
        self._path = path
        self._text = text
        self._plies = plies
        self._starts = array("Q")
        self._lines = array("L")
        position = len(text) - len(text.lstrip())
        line = text.count(b"\n", 0, position) + 1
        while position < len(text):
            match = _GAME.match(text, position)
            assert match is not None  # it can match nothing
            if match.end() == position:
                word = text[position : position + 80].split(None, 1)[0]
                _refuse(path, line, word, "expected a tag, a move or a result")
            self._starts.append(position)
            self._lines.append(line)
            line += text.count(b"\n", position, match.end())
            position = match.end()

    def __len__(self) -> int:
        return len(self._starts)

    def opening(self, index: int) -> Opening:
        start = self._starts[index]
        end = self._starts[index + 1] if index + 1 < len(self) else len(self._text)
        line = self._lines[index]
        text = self._text[start:end].decode("utf-8", errors="replace")
        try:
            game = chess.pgn.read_game(io.StringIO(text), Visitor=_StrictBuilder)
        except ValueError as error:
            raise UsageError(f"{self._path}, game at line {line}: {error}") from None
        assert game is not None  # the text of a game is never empty
        board = game.board()
        if type(board) is not chess.Board:
            raise UsageError(
                f"{self._path}, game at line {line}: Variant {game.headers['Variant']!r}; expected"
                " standard chess or Chess960"
            )
        fen = board.fen()
        fault = first_fault([fen.split()[0].encode()], [not board.turn])
        if fault is not None:
            raise UsageError(f"{self._path}, game at line {line}: {fen!r}: expected {fault[1]}")
        moves = []
        for move in list(game.mainline_moves())[: self._plies or None]:
            moves.append(wire_move(board, move))
            board.push(move)
        ending = _ending(board)
        if ending:
            raise UsageError(
                f"{self._path}, game at line {line}: it is over after {len(moves)} plies"
                f" ({ending}); expected an opening (--plies cuts the lines of a PGN)"
            )
        return Opening(fen, tuple(moves), f"{self._path.name}:{line}", board.chess960)


class PolyglotBook:
    """The lines of a Polyglot book, as long as they are wanted; the likeliest first."""

    has_moves: ClassVar[bool] = True

    def __init__(self, path: Path, data: bytes, plies: int) -> None:
        self._path = path
        self._lines = book_lines(data, plies or DEFAULT_PLIES, lambda board: bool(_ending(board)))

    def __len__(self) -> int:
        return len(self._lines)

    def opening(self, index: int) -> Opening:
        board = chess.Board(chess960=True)
        moves = []
        for move in self._lines[index].moves:
            moves.append(wire_move(board, move))
            board.push(move)
        return Opening(chess.STARTING_FEN, tuple(moves), f"{self._path.name}:{index + 1}")


class _StrictBuilder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Builds a game and lets its errors out, instead of logging them."""

    def handle_error(self, error: Exception) -> None:
        raise ValueError(str(error))


def wire_move(board: chess.Board, move: chess.Move) -> int:
    """A move of python-chess as the engine's 16 bits."""
    to_square = move.to_square
    if board.is_castling(move):
        rooks = board.castling_rights & chess.BB_RANKS[chess.square_rank(move.from_square)]
        on_side = chess.square_file(to_square) > chess.square_file(move.from_square)
        candidates = chess.SquareSet(rooks)
        to_square = max(candidates) if on_side else min(candidates)
    promotion = move.promotion - 1 if move.promotion else 0
    return move.from_square | to_square << 6 | promotion << 12


def _refuse(path: Path, line: int, value: bytes, expectation: str) -> NoReturn:
    shown = value[:80].decode("utf-8", errors="replace")
    raise UsageError(f"{path}, line {line}: {shown!r}: {expectation}")
