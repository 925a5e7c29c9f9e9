"""Makes reached.epd and reached960.epd: `python -m tests.perft.make_suite`.

Games are played half by our engine, half at random, and of the positions that they reach, or could
have reached by a check or a double step, some are kept for each special rule: every rule has
positions that nobody has thought out. They start where the rule may be met: from the start
position, from those of Chess960 with king and rook on the files in question, or, for a promotion
that blocks a check, from a few men set up at random. Leaves are counted by our generator and by
python-chess, which have nothing in common, and by Stockfish where there is one; they have to agree.
The games are functions of a seed: while the engine plays the same moves the files are the same.
"""

from __future__ import annotations

import random
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
from tests.benchmarks.opponent import find_program

HERE = Path(__file__).parent
SEED = 20261130
OF_EACH_RULE = 4
MAX_LEAVES = 60_000  # python-chess counts so many in a second
MAX_DEPTH = 5
MAX_PLIES = 200
MAX_GAMES = 1_000
ENGINE_NODES = 30

Test = Callable[[chess.Board], bool]
Start = Callable[[random.Random], chess.Board]


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


class Rule(NamedTuple):
    """What a position shows, and where the games begin that may come to show it."""

    shows: Test
    start: Start


def _start_of_chess(source: random.Random) -> chess.Board:
    return chess.Board()


def _few_men(source: random.Random) -> chess.Board:
    """Kings, rooks and pawns that are about to promote, wherever the dice want them."""
    while True:
        board = chess.Board(None)
        squares = source.sample(chess.SQUARES, 4)
        for square, letter in zip(squares, "KkRr", strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        for home, letter in ((48, "P"), (8, "p")):
            for square in source.sample(range(home, home + 8), 3):
                if not board.piece_at(square):
                    board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = source.random() < 0.5
        if board.is_valid() and not board.is_game_over():
            return board


def _on_files(king_file: int, rook_file: int) -> Start:
    """A start position of Chess960 with king and a rook there."""

    def start(source: random.Random) -> chess.Board:
        while True:
            board = chess.Board.from_chess960_pos(source.randrange(960))
            if board.king(chess.WHITE) == king_file and board.rooks >> rook_file & 1:
                return board

    return start


STANDARD: dict[str, Rule] = {
    name: Rule(shows, _start_of_chess)
    for name, shows in {
        "double check": _is_double_check,
        "en passant forbidden by a pin": _is_en_passant_pinned,
        "en passant out of check": _is_en_passant_out_of_check,
        "castling out of check": lambda board: _may_castle_but_for(board, in_check=True),
        "castling through check": lambda board: _may_castle_but_for(board, in_check=False),
        "a rook that may castle can be taken": _takes_castling_rook,
        "promotion with capture": _captures_and_promotes,
        "underpromotion with check": _checks_by_underpromotion,
        "stalemate near": _is_near_stalemate,
    }.items()
} | {"a promotion that blocks a check": Rule(_blocks_check_by_promotion, _few_men)}
CHESS960: dict[str, Rule] = {
    f"castling of {chess.FILE_NAMES[king]} with {chess.FILE_NAMES[rook]}": Rule(
        _castles(king, rook), _on_files(king, rook)
    )
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


def collect(rules: dict[str, Rule], of_each: int) -> list[Found]:
    """Different positions for each rule, no two of one game for the same rule."""
    source, searcher = random.Random(SEED), Searcher(hash_mb=1)
    found: dict[str, list[str]] = {rule: [] for rule in rules}
    taken: set[str] = set()
    for number in range(MAX_GAMES):
        open_rules = sorted(rule for rule, fens in found.items() if len(fens) < of_each)
        if not open_rules:
            break
        if number % 100 == 0:
            sys.stderr.write(f"game {number}, still looking for {', '.join(open_rules)}\n")
        start = rules[source.choice(open_rules)].start(source)
        for board in (near for now in play(source, searcher, start) for near in around(now)):
            rule = next((rule for rule in open_rules if rules[rule].shows(board)), None)
            fen = board.shredder_fen() if board.chess960 else board.fen(en_passant="fen")
            if rule is not None and fen not in taken:
                found[rule].append(fen)
                taken.add(fen)
                open_rules.remove(rule)
    return [Found(rule, fen) for rule in rules for fen in found[rule]]


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
    names = ", ".join(Path(counter.name).name for counter in counters)
    lines = ["# Made by `python -m tests.perft.make_suite`; counts by each of these:", f"# {names}"]
    for rule, fen in found:
        counts = count(Position(fen, chess960), counters)
        lines += [f"# {rule}", fen + "".join(f" ;D{depth} {leaves}" for depth, leaves in counts)]
    (HERE / name).write_text("\n".join(lines) + "\n")


def main() -> None:
    counters: list[Divider] = [OurDivider(), PythonChessDivider()]
    stockfish = find_program("stockfish")
    if stockfish is not None:
        counters.append(UciDivider(stockfish))
    write("reached.epd", False, collect(STANDARD, OF_EACH_RULE), counters)
    write("reached960.epd", True, collect(CHESS960, 1), counters)
    for counter in counters:
        counter.close()


if __name__ == "__main__":
    sys.exit(main())
