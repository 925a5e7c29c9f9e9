"""Counts by several generators, and the way down to where two of them differ."""

import functools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import pytest

from engine.shell import Game, PerftCounter
from harness.errors import EngineStartError, UsageError
from harness.perft_counts import (
    STARTPOS,
    Difference,
    Divided,
    Divider,
    Line,
    OurDivider,
    PythonChessDivider,
    UciDivider,
    board_after,
    first_difference,
    steps,
)
from harness.perft_suite import Position, parse_position
from harness.revisions import command_of_engine, working_tree
from harness.spec import Timeouts

KIWIPETE = parse_position("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
CHESS960 = parse_position("1r2k1r1/pp4pp/8/8/8/8/PP4PP/1R2K1R1 w GBgb - 0 1")
EN_PASSANT_PIN = parse_position("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1")
EN_PASSANT_NOW = parse_position("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")


class Spoiled(PythonChessDivider):
    """python-chess with a rule broken: `legal` says which moves there are."""

    def __init__(self, legal: Callable[[chess.Board], list[chess.Move]]) -> None:
        self._legal = legal

    def divide(self, position: Position, depth: int, path: Line = ()) -> Divided:
        board = board_after(position, path)
        return {
            board.uci(move): self._leaves(board, move, depth - 1) for move in self._legal(board)
        }

    def _leaves(self, board: chess.Board, move: chess.Move, depth: int) -> int:
        if depth == 0:
            return 1
        board.push(move)
        leaves = sum(self._leaves(board, reply, depth - 1) for reply in self._legal(board))
        board.pop()
        return leaves


def without_en_passant(board: chess.Board) -> list[chess.Move]:
    return [move for move in board.legal_moves if not board.is_en_passant(move)]


def find_difference(
    ours: Divider, theirs: Divider, position: Position, depth: int
) -> Difference | None:
    return first_difference(ours, theirs, steps([(position, depth)]))


@pytest.fixture(scope="module")
def engine() -> Iterator[UciDivider]:
    divider = UciDivider(command_of_engine(), working_tree())
    yield divider
    divider.close()


def test_a_path_is_played_first(engine: UciDivider) -> None:
    path = ("e1g1", "a6e2", "c3e2")
    expected = PythonChessDivider().divide(parse_position(board_after(KIWIPETE, path).fen()), 2)
    for divider in (OurDivider(), engine, PythonChessDivider()):
        assert divider.divide(KIWIPETE, 2, path) == expected, divider.name


@pytest.mark.parametrize("position", [STARTPOS, KIWIPETE, CHESS960, EN_PASSANT_PIN])
def test_all_divide_alike(engine: UciDivider, position: Position) -> None:
    expected = PythonChessDivider().divide(position, 3)
    for divider in (*map(OurDivider, ("generator", "picker", "oracle")), engine):
        assert divider.divide(position, 3) == expected, divider.name
    assert OurDivider().counting(position)(3) == sum(expected.values())


def test_castling_is_named_as_the_position_s_rules_want() -> None:
    assert {"e1g1", "e1c1"} <= OurDivider().divide(KIWIPETE, 1).keys()
    # In Chess960 the rook's square is the target; here e1b1 and e1g1 are castling both.
    assert {"e1g1", "e1b1"} <= OurDivider().divide(CHESS960, 1).keys()


def test_a_difference_is_followed_to_its_position() -> None:
    found = find_difference(OurDivider(), Spoiled(without_en_passant), EN_PASSANT_PIN, 4)
    assert found is not None
    assert len(found.path) == 2, "the shortest way"
    assert found.missing == ()
    board = chess.Board(EN_PASSANT_PIN.fen)
    for move in found.path:
        board.push_uci(move)
    assert board.fen() == found.position.fen
    (move,) = found.too_many
    assert board.is_en_passant(chess.Move.from_uci(move))


def test_missing_and_too_many_are_seen_from_us() -> None:
    found = find_difference(Spoiled(without_en_passant), OurDivider(), EN_PASSANT_PIN, 3)
    assert found is not None
    assert (len(found.missing), found.too_many) == (1, ())


def test_a_move_given_twice_is_a_move_too_many() -> None:
    class Twice(PythonChessDivider):
        def divide(self, position: Position, depth: int, path: Line = ()) -> Divided:
            below = super().divide(position, depth, path)
            return below | {"e2e4": 2 * below["e2e4"]}

    found = find_difference(Twice(), PythonChessDivider(), STARTPOS, 1)
    assert found == Difference(STARTPOS, (), STARTPOS, (), ("e2e4",))


def test_no_difference_where_there_is_none() -> None:
    tasks = [(STARTPOS, 3), (KIWIPETE, 2), (CHESS960, 2)]
    assert first_difference(OurDivider(), PythonChessDivider(), steps(tasks)) is None


def test_shallow_differences_are_found_first() -> None:
    tasks = [(STARTPOS, 1), (EN_PASSANT_PIN, 3), (EN_PASSANT_NOW, 2)]
    assert steps(tasks) == [
        (STARTPOS, 1),
        (EN_PASSANT_PIN, 1),
        (EN_PASSANT_NOW, 1),
        (EN_PASSANT_PIN, 2),
        (EN_PASSANT_NOW, 2),
        (EN_PASSANT_PIN, 3),
    ]
    found = first_difference(OurDivider(), Spoiled(without_en_passant), steps(tasks))
    assert found == Difference(EN_PASSANT_NOW, (), EN_PASSANT_NOW, (), ("e5d6",))


class SpoiledPicker(PerftCounter):
    """The picker with a rule broken: no en passant, or a move that there is not."""

    def __init__(self, through: str, hash_mb: int, more: tuple[int, ...] = ()) -> None:
        super().__init__(through, hash_mb)
        self._more = more

    def moves(self, game: Game) -> list[int]:
        en_passant = game.fen.split()[3]
        return [
            *(move for move in super().moves(game) if game.format_uci(move)[2:] != en_passant),
            *self._more,
        ]

    def count(self, game: Game, depth: int) -> int:
        if depth == 0:
            return 1
        legal = set(game.legal_moves())
        leaves = 0
        for move in self.moves(game):
            child = Game(game.fen)
            if move in legal:
                child.push(move)
            leaves += self.count(child, depth - 1) if move in legal else 1
        return leaves


@pytest.mark.parametrize(
    ("more", "path", "missing", "too_many"),
    [((), ("d7d5",), ("e5d6",), ()), ((0o1110,), (), (), ("a2b2",))],
)
def test_a_way_whose_moves_are_wrong_is_followed_to_its_last_ply(
    monkeypatch: pytest.MonkeyPatch,
    more: tuple[int, ...],
    path: Line,
    missing: Line,
    too_many: Line,
) -> None:
    """The legal generator is right all the while; a move that the rules refuse is not followed."""
    counter = functools.partial(SpoiledPicker, more=more)
    monkeypatch.setattr("engine.shell.PerftCounter", counter)
    root = parse_position("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1")
    found = find_difference(OurDivider("picker"), PythonChessDivider(), root, 2)
    assert found is not None
    assert (found.path, found.missing, found.too_many) == (path, missing, too_many)


def program(tmp_path: Path, text: str) -> list[str]:
    """The command of a program that greets and then does what `text` says with each `line`."""
    path = tmp_path / "engine.py"
    path.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    line = line.strip()\n"
        "    if line == 'uci': print('uciok', flush=True)\n"
        "    elif line == 'isready': print('readyok', flush=True)\n"
        f"    elif line.startswith('go'):\n        {text}\n"
    )
    return [sys.executable, str(path)]


@pytest.mark.parametrize(
    "text",
    [
        "print('bestmove e2e4', flush=True)",
        "print('Nodes searched: 20', flush=True)",
        "...",
        "while True: print('info depth 1', flush=True)",
    ],
)
def test_an_engine_without_perft_is_told(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.perft_counts.PROBE_SECONDS", 0.5)
    with pytest.raises(UsageError, match="expected an engine with perft"):
        UciDivider(program(tmp_path, text))


def answer(heading: str, sign: str, total: str) -> str:
    """The line of a program that divides the start position in an engine's own way of writing."""
    moves = [move.uci() for move in chess.Board().legal_moves]
    lines = [heading, *(f"{move}{sign}1" for move in moves), total]
    return f"print(*{lines!r}, sep='\\n', flush=True)"


@pytest.mark.parametrize(
    ("heading", "sign", "total"),
    [
        ("", ": ", "Nodes searched: 20"),
        ("perft 1", " ", "Total: 20 nodes in 1 ms"),
        ("info string perft", " - ", "bestmove 0000"),
    ],
)
def test_divides_are_read_as_engines_write_them(
    tmp_path: Path, heading: str, sign: str, total: str
) -> None:
    divider = UciDivider(program(tmp_path, answer(heading, sign, total)))
    assert divider.divide(STARTPOS, 1) == PythonChessDivider().divide(STARTPOS, 1)
    divider.close()


def test_a_position_without_moves_divides_into_nothing(engine: UciDivider) -> None:
    mated = parse_position("7k/5KQ1/8/8/8/8/8/8 b - - 0 1")
    assert engine.divide(mated, 2) == OurDivider().divide(mated, 2) == {}


def test_an_engine_without_chess960_is_told(tmp_path: Path) -> None:
    """It would be asked for moves that it has no words for."""
    divider = UciDivider(program(tmp_path, answer("", ": ", "Nodes searched: 20")))
    with pytest.raises(UsageError, match="no option UCI_Chess960; expected an engine that plays"):
        divider.divide(CHESS960, 1)
    divider.close()


def test_memory_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(through: str, hash_mb: int) -> PerftCounter:
        raise MemoryError

    monkeypatch.setattr("engine.shell.PerftCounter", none)
    with pytest.raises(UsageError, match="no 7 MB of memory for each thread; expected a smaller"):
        OurDivider(hash_mb=7)


@pytest.mark.parametrize("command", ["", "/no/such/engine", ["/"]])
def test_an_engine_that_cannot_be_started_is_told(command: str | list[str]) -> None:
    with pytest.raises(EngineStartError, match=r"cannot be started: .*; expected a UCI engine"):
        UciDivider(command)


def test_an_engine_that_ends_is_told(tmp_path: Path) -> None:
    with pytest.raises(EngineStartError, match=r"has ended \(exit code 3\)"):
        UciDivider(program(tmp_path, "sys.exit(3)"))


def test_a_silent_program_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.perft_counts.TIMEOUTS", Timeouts(start_ms=200))
    with pytest.raises(EngineStartError, match=r"has not answered for 0\.2"):
        UciDivider([sys.executable, "-c", "import time; time.sleep(600)"])
