"""Makes reached.epd and reached960.epd: `python -m tests.perft.make_suite`.

Games are played half by our engine, half at random, from the start position and from those of
Chess960, and of the positions that they reach, or could have reached by a check or a double step,
some are kept for each special rule: every rule has positions that nobody has thought out. Leaves
are counted by our generator and by python-chess, which have nothing in common, and by Stockfish
where there is one; they have to agree. The games are functions of a seed: while the engine plays
the same moves the files are the same. A rule that no game meets has no position (a promotion that
blocks a check, so far): standard.perft has those that were thought out.
"""

from __future__ import annotations

import random
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np

from engine.shell import Searcher, SearchLimit
from harness.books import wire_move
from harness.perft_counts import Divider, OurDivider, PythonChessDivider, UciDivider
from harness.perft_suite import Position

HERE = Path(__file__).parent
SEED = 20261130
OF_EACH_RULE = 4
MAX_LEAVES = 60_000  # python-chess counts so many in a second
MAX_DEPTH = 5
MAX_PLIES = 200
MAX_GAMES = 1_000
ENGINE_NODES = 30

Test = Callable[[chess.Board], bool]


def _promotions(board: chess.Board) -> Iterator[chess.Move]:
    return (move for move in board.legal_moves if move.promotion)


def _is_double_check(board: chess.Board) -> bool:
    return len(board.checkers()) == 2


def _is_en_passant_pinned(board: chess.Board) -> bool:
    pseudo = list(board.generate_pseudo_legal_ep())
    return not board.is_check() and any(not board.is_legal(move) for move in pseudo)


def _is_en_passant_out_of_check(board: chess.Board) -> bool:
    return board.is_check() and board.has_legal_en_passant()


def _may_castle_but_for(board: chess.Board, in_check: bool) -> bool:
    """A right and a free way, but check or an attacked square on it."""
    if not board.clean_castling_rights() or board.is_check() != in_check:
        return False
    king = board.king(board.turn)
    legal = {move.to_square for move in board.generate_castling_moves()}
    for rook in chess.SquareSet(board.clean_castling_rights() & board.occupied_co[board.turn]):
        if not chess.between(king, rook) & board.occupied and rook not in legal:
            target = chess.square(6 if rook > king else 2, chess.square_rank(king))
            if target not in legal:
                return True
    return False


def _captures_and_promotes(board: chess.Board) -> bool:
    return any(board.is_capture(move) for move in _promotions(board))


def _checks_by_underpromotion(board: chess.Board) -> bool:
    return any(
        board.gives_check(move) for move in _promotions(board) if move.promotion != chess.QUEEN
    )


def _blocks_check_by_promotion(board: chess.Board) -> bool:
    return board.is_check() and any(not board.is_capture(move) for move in _promotions(board))


def _is_near_stalemate(board: chess.Board) -> bool:
    if chess.popcount(board.occupied) > 8:
        return False
    return any(_after(board, move).is_stalemate() for move in board.legal_moves)


def _takes_castling_rook(board: chess.Board) -> bool:
    rights = board.clean_castling_rights()
    return any(
        chess.BB_SQUARES[move.to_square] & rights for move in board.generate_legal_captures()
    )


def _after(board: chess.Board, move: chess.Move) -> chess.Board:
    child = board.copy(stack=False)
    child.push(move)
    return child


def _castles(king_file: int, rook_file: int) -> Test:
    """Castling is legal with king and rook on these files."""

    def test(board: chess.Board) -> bool:
        return any(
            (chess.square_file(move.from_square), chess.square_file(move.to_square))
            == (king_file, rook_file)
            for move in board.generate_castling_moves()
        )

    return test


STANDARD: dict[str, Test] = {
    "double check": _is_double_check,
    "en passant forbidden by a pin": _is_en_passant_pinned,
    "en passant out of check": _is_en_passant_out_of_check,
    "castling out of check": lambda board: _may_castle_but_for(board, in_check=True),
    "castling through check": lambda board: _may_castle_but_for(board, in_check=False),
    "a rook that may castle can be taken": _takes_castling_rook,
    "promotion with capture": _captures_and_promotes,
    "underpromotion with check": _checks_by_underpromotion,
    "a promotion that blocks a check": _blocks_check_by_promotion,
    "stalemate near": _is_near_stalemate,
}
CHESS960: dict[str, Test] = {
    f"castling of {chess.FILE_NAMES[king]} with {chess.FILE_NAMES[rook]}": _castles(king, rook)
    for king in range(1, 7)
    for rook in range(8)
    if rook != king
}


class Found(NamedTuple):
    """A position and the rule that it was kept for."""

    rule: str
    fen: str


def play(source: random.Random, searcher: Searcher, board: chess.Board) -> Iterator[chess.Board]:
    """The positions of one game."""
    searcher.new_game(board.shredder_fen() if board.chess960 else board.fen(), board.chess960)
    line: list[int] = []
    while board.ply() < MAX_PLIES and not board.is_game_over():
        yield board
        moves = list(board.legal_moves)
        move = source.choice(moves)
        if source.random() < 0.5:
            played = np.array([*line, 0], np.uint16)
            wire = searcher.go(played, len(line), SearchLimit(nodes=ENGINE_NODES)).move
            move = next(one for one in moves if wire_move(board, one) == wire)
        line.append(wire_move(board, move))
        board.push(move)


def around(board: chess.Board) -> Iterator[chess.Board]:
    """The position, and those after a move that may bring about a rare one."""
    yield board
    home = chess.BB_RANK_2 if board.turn else chess.BB_RANK_7
    answers_by_promotion = board.pawns & board.occupied_co[not board.turn] & home
    for move in board.legal_moves:
        if abs(move.to_square - move.from_square) == 16 or (
            answers_by_promotion and board.gives_check(move)
        ):
            yield _after(board, move)


def collect(rules: dict[str, Test], of_each: int, starts: Iterator[chess.Board]) -> list[Found]:
    """Positions for each rule, no two of one game for the same rule."""
    source, searcher = random.Random(SEED), Searcher(hash_mb=1)
    found: dict[str, list[str]] = {rule: [] for rule in rules}
    for number, start in zip(range(MAX_GAMES), starts, strict=False):
        open_rules = {rule for rule, fens in found.items() if len(fens) < of_each}
        if not open_rules:
            break
        if number % 100 == 0:
            sys.stderr.write(f"game {number}, still looking for {', '.join(sorted(open_rules))}\n")
        for board in (near for now in play(source, searcher, start) for near in around(now)):
            for rule in [rule for rule in sorted(open_rules) if rules[rule](board)]:
                fen = board.shredder_fen() if board.chess960 else board.fen(en_passant="fen")
                found[rule].append(fen)
                open_rules.discard(rule)
    return [Found(rule, fen) for rule in rules for fen in found[rule]]


def starts_of_chess960() -> Iterator[chess.Board]:
    source = random.Random(SEED)
    while True:
        yield chess.Board.from_chess960_pos(source.randrange(960))


def starts_of_chess() -> Iterator[chess.Board]:
    while True:
        yield chess.Board()


def count(position: Position, counters: list[Divider]) -> Iterator[tuple[int, int]]:
    """Leaves by depth, on which all counters agree."""
    for depth in range(1, MAX_DEPTH + 1):
        leaves = {
            counter.name: sum(counter.divide(position, depth).values()) for counter in counters
        }
        if len(set(leaves.values())) > 1:
            raise SystemExit(f"{position.fen}, depth {depth}: {leaves}")
        total = leaves[counters[0].name]
        yield depth, total
        if total * 30 > MAX_LEAVES:  # the next ply would be too much for python-chess
            return


def write(name: str, chess960: bool, found: list[Found], counters: list[Divider]) -> None:
    names = ", ".join(counter.name for counter in counters)
    lines = ["# Made by `python -m tests.perft.make_suite`; counts by each of these:", f"# {names}"]
    for rule, fen in found:
        counts = count(Position(fen, chess960), counters)
        lines += [f"# {rule}", fen + "".join(f" ;D{depth} {leaves}" for depth, leaves in counts)]
    (HERE / name).write_text("\n".join(lines) + "\n")


def main() -> None:
    counters: list[Divider] = [OurDivider(), PythonChessDivider()]
    if shutil.which("stockfish"):
        counters.append(UciDivider("stockfish"))
    write("reached.epd", False, collect(STANDARD, OF_EACH_RULE, starts_of_chess()), counters)
    write("reached960.epd", True, collect(CHESS960, 1, starts_of_chess960()), counters)
    for counter in counters:
        counter.close()


if __name__ == "__main__":
    sys.exit(main())
