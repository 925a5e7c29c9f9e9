"""Positions set up at random, likely or not, as FENs: what a GUI's board editor may send."""

from __future__ import annotations

import random

_OTHERS = "PPPPNBRQ"
_HOME_ROOKS = 0.5  # share of positions with rooks beside a king on its first rank
_EN_PASSANT = 0.3
_PROMOTING = 0.3
_CHECKED = 0.3  # of those


def _place_home_rank(rng: random.Random, board: dict[int, str], white: bool) -> None:
    """A king between two rooks, or beside one, as castling wants it."""
    home = 0 if white else 56
    files = sorted(rng.sample(range(8), 3))
    letters = rng.choice(("RKR", "RK", "KR"))
    for file, letter in zip(files, letters, strict=False):
        board[home + file] = letter if white else letter.lower()


def _place_passed_pawn(rng: random.Random, board: dict[int, str], white_to_move: bool) -> str:
    """A pawn that has just advanced by two, an enemy pawn beside it; the square it passed."""
    file, beside = rng.randrange(8), rng.choice((-1, 1))
    rank, passed = (4, 5) if white_to_move else (3, 2)
    board[rank * 8 + file] = "p" if white_to_move else "P"
    if 0 <= file + beside < 8:
        board[rank * 8 + file + beside] = "P" if white_to_move else "p"
    return "abcdefgh"[file] + "12345678"[passed]


def _place_promotions(rng: random.Random, board: dict[int, str], white_to_move: bool) -> None:
    """Pawns before the last rank; now and then their king is there, in check from the side."""
    last = 56 if white_to_move else 0
    before = 48 if white_to_move else 8
    for file in rng.sample(range(8), 4):
        board.setdefault(before + file, "P" if white_to_move else "p")
    if rng.random() < _CHECKED:
        king, rook = ("K", "r") if white_to_move else ("k", "R")
        for square in [square for square, letter in board.items() if letter == king]:
            del board[square]
        near, far = rng.sample(range(8), 2)
        board[last + near], board[last + far] = king, rook
        for file in range(min(near, far) + 1, max(near, far)):
            board.pop(last + file, None)


def _placement(board: dict[int, str]) -> str:
    rows = []
    for rank in range(7, -1, -1):
        row = "".join(board.get(rank * 8 + file, " ") for file in range(8))
        for width in range(8, 0, -1):
            row = row.replace(" " * width, str(width))
        rows.append(row)
    return "/".join(rows)


def _rights(rng: random.Random) -> str:
    letters = rng.choice(("KQkq", "KQkq", "KQABCDEFGHkqabcdefgh"))
    return "".join(letter for letter in letters if rng.random() < 4 / len(letters)) or "-"


def random_setup(seed: int) -> str:
    """A FEN with up to 34 pieces; most have one king a side, some none, two, or pawns at home."""
    rng = random.Random(seed)
    board: dict[int, str] = {}
    white_to_move = rng.random() < 0.5
    en_passant = "-"
    for _ in range(rng.choice((1, 3, 6, 12, 32))):
        letter = rng.choice(_OTHERS)
        low, high = (0, 64) if letter != "P" or rng.random() < 0.01 else (8, 56)
        board[rng.randrange(low, high)] = rng.choice((letter, letter.lower()))
    for king, is_white in (("K", True), ("k", False)):
        if rng.random() < _HOME_ROOKS:
            _place_home_rank(rng, board, is_white)
        for _ in range(rng.choices((0, 1, 2), (2, 96, 2))[0]):
            if king not in board.values() or rng.random() < 0.1:
                board[rng.randrange(64)] = king
    if rng.random() < _PROMOTING:
        _place_promotions(rng, board, white_to_move)
    if rng.random() < _EN_PASSANT:
        en_passant = _place_passed_pawn(rng, board, white_to_move)
    elif rng.random() < 0.1:
        en_passant = rng.choice("abcdefgh") + rng.choice("36")
    side = "w" if white_to_move else "b"
    clocks = f"{rng.choice((0, 7, 99, 100, 150))} {rng.choice((1, 80))}"
    return f"{_placement(board)} {side} {_rights(rng)} {en_passant} {clocks}"
