"""FEN in and out, tolerant of form and strict about sense. Plain Python; squares a1 = 0.

Two to six fields, any white space; X-FEN and Shredder castling rights. A castling right or en
passant square that cannot be is dropped with a note; a position that cannot be (no king, too many
pieces, a pawn on the last rank, a king that could be taken) is refused with the reason.
"""

from __future__ import annotations

from typing import NamedTuple

STARTPOS = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

_PIECES = "pnbrqkPNBRQK"
_CLOCK_LIMIT = 1_000  # far beyond any real clock; keeps arithmetic in range


class FenError(ValueError):
    """A FEN that cannot be read or a position that cannot be; the message is one sentence."""


class Setup(NamedTuple):
    """A position as read: `board[square]` is a letter of PNBRQKpnbrqk or an empty string."""

    board: tuple[str, ...]
    white_to_move: bool
    castling_rooks: tuple[int, ...]  # squares of the rooks that may still castle, both sides
    en_passant: int | None  # as written; whether the capture is legal the rules decide
    halfmove: int
    fullmove: int
    notes: tuple[str, ...]


def square_name(square: int) -> str:
    """`0` is `a1`."""
    return "abcdefgh"[square % 8] + "12345678"[square // 8]


def parse_fen(text: str, chess960: bool = False) -> Setup:
    """Read a FEN. Raises FenError. Without `chess960` only the standard castling rights exist."""
    fields = text.split()
    if not 2 <= len(fields) <= 6:
        raise FenError(f"FEN {text.strip()!r} has {len(fields)} fields; expected 2 to 6")
    fields += ["-", "-", "0", "1"][len(fields) - 2 :]
    board = _parse_placement(fields[0])
    if fields[1] not in {"w", "b"}:
        raise FenError(f"side to move is {fields[1]!r}; expected w or b")
    white = fields[1] == "w"
    _refuse_impossible(board)
    notes: list[str] = []
    return Setup(
        tuple(board),
        white,
        _parse_castling(fields[2], board, chess960, notes),
        _parse_en_passant(fields[3], board, white, notes),
        _parse_clock(fields[4], "halfmove clock", 0),
        max(1, _parse_clock(fields[5], "move number", 0)),
        tuple(notes),
    )


def _parse_placement(text: str) -> list[str]:
    ranks = text.split("/")
    if len(ranks) != 8:
        raise FenError(f"piece placement {text!r} has {len(ranks)} ranks; expected 8")
    board: list[str] = [""] * 64
    for row, rank_text in enumerate(ranks):
        file = 0
        for letter in rank_text:
            if letter in "12345678":
                file += int(letter)
            elif letter in _PIECES and file < 8:
                board[(7 - row) * 8 + file] = letter
                file += 1
            elif letter == "~" and file:  # a promoted piece in some dialects
                continue
            else:
                raise FenError(f"rank {rank_text!r} has {letter!r}; expected pieces and digits")
        if file != 8:
            raise FenError(f"rank {rank_text!r} has {file} squares; expected 8")
    return board


def _refuse_impossible(board: list[str]) -> None:
    for colour, king, pawn in (("white", "K", "P"), ("black", "k", "p")):
        kings = board.count(king)
        if kings != 1:
            raise FenError(f"{colour} has {kings} kings; expected one")
        pieces = sum(bool(letter) and letter.isupper() == (colour == "white") for letter in board)
        if pieces > 16 or board.count(pawn) > 8:
            raise FenError(f"{colour} has more pieces than a game can give it")
        for square in (*range(8), *range(56, 64)):
            if board[square] == pawn:
                raise FenError(f"{colour} has a pawn on {square_name(square)}")


def _find_rook(letter: str, board: list[str], chess960: bool) -> int | None:
    """The rook that a castling letter means, or None if there is none."""
    white = letter.isupper()
    home = 0 if white else 56
    king = board.index("K" if white else "k")
    rook = "R" if white else "r"
    if king // 8 != home // 8:
        return None
    side = letter.upper()
    if side == "K":
        candidates = range(home + 7, king, -1)
    elif side == "Q":
        candidates = range(home, king)
    else:
        candidates = range(home + "ABCDEFGH".index(side), home + "ABCDEFGH".index(side) + 1)
    found = next((square for square in candidates if board[square] == rook), None)
    standard = king % 8 == 4 and found is not None and found % 8 in (0, 7)
    return found if chess960 or standard else None


def _parse_castling(
    text: str, board: list[str], chess960: bool, notes: list[str]
) -> tuple[int, ...]:
    if text == "-":
        return ()
    rooks: dict[tuple[bool, bool], int] = {}
    for letter in text:
        if letter.upper() not in "KQABCDEFGH":
            raise FenError(f"castling rights are {text!r}; expected letters of KQkq, A-H, a-h or -")
        rook = _find_rook(letter, board, chess960)
        if rook is None:
            notes.append(f"castling right {letter} dropped: king or rook is not in place")
            continue
        king = board.index("K" if letter.isupper() else "k")
        if rooks.setdefault((letter.isupper(), rook > king), rook) != rook:
            notes.append(f"castling right {letter} dropped: another rook castles on that side")
    return tuple(sorted(rooks.values()))


def _parse_en_passant(text: str, board: list[str], white: bool, notes: list[str]) -> int | None:
    if text == "-":
        return None
    if len(text) != 2 or text[0] not in "abcdefgh" or text[1] not in "12345678":
        raise FenError(f"en passant square is {text!r}; expected a square or -")
    square = "abcdefgh".index(text[0]) + 8 * (int(text[1]) - 1)
    up = 8 if white else -8
    possible = (
        square // 8 == (5 if white else 2)
        and not board[square]
        and not board[square + up]
        and board[square - up] == ("p" if white else "P")
    )
    if not possible:
        notes.append(f"en passant square {text} dropped: no pawn has just passed it")
        return None
    return square


def _parse_clock(text: str, what: str, least: int) -> int:
    try:
        return min(max(int(text), least), _CLOCK_LIMIT)
    except ValueError:
        raise FenError(f"{what} is {text!r}; expected a number") from None


def format_fen(setup: Setup, chess960: bool = False) -> str:
    """The FEN of a setup; X-FEN rights, with the rook's file where the outermost is not meant."""
    ranks = []
    for row in range(7, -1, -1):
        text = ""
        for letter in setup.board[row * 8 : row * 8 + 8]:
            if letter:
                text += letter
            elif text[-1:].isdigit():
                text = text[:-1] + str(int(text[-1]) + 1)
            else:
                text += "1"
        ranks.append(text)
    return " ".join(
        (
            "/".join(ranks),
            "w" if setup.white_to_move else "b",
            _format_castling(setup, chess960) or "-",
            "-" if setup.en_passant is None else square_name(setup.en_passant),
            str(setup.halfmove),
            str(setup.fullmove),
        )
    )


def _format_castling(setup: Setup, chess960: bool) -> str:
    board = list(setup.board)
    letters = []
    for rook in sorted(setup.castling_rooks, key=lambda square: (square // 8, -(square % 8))):
        white = rook < 8
        king = board.index("K" if white else "k")
        letter = "K" if rook > king else "Q"
        if _find_rook(letter if white else letter.lower(), board, chess960) != rook:
            letter = "ABCDEFGH"[rook % 8]
        letters.append(letter if white else letter.lower())
    return "".join(letters)
