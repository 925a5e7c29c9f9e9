"""The words of the UCI protocol: commands read into values, results written as lines. No numba.

Scores are from the side to move, as everywhere. The protocol is that of Huber and Meyer-Kahlen
(April 2006). A reader is strict about what it must understand and raises `UciError`, one sentence
that the program answers as `info string`; words it does not know are skipped, as the protocol asks.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from .fen import STARTPOS
from .parameters import SEARCH

if TYPE_CHECKING:
    from .eval_table import EvaluationTable

DEFAULT_HASH_MB = 16
_MIN_MOST_THREADS = 8  # more than there are cores does no harm but to speed
MAX_LINES = 256  # no position has more moves
_NUMBER_LIMIT = 10**12  # larger ones mean it too; keeps nanoseconds in int64
_CLOCK_WORDS = frozenset({"wtime", "btime", "winc", "binc"})
_NUMBER_WORDS = _CLOCK_WORDS | {"movestogo", "depth", "nodes", "movetime", "mate", "perft"}
_CHECK_VALUES = {"true": 1, "false": 0, "1": 1, "0": 0}
_FLAG_WORDS = frozenset({"infinite", "ponder"})
_GO_WORDS = _NUMBER_WORDS | _FLAG_WORDS | {"searchmoves"}


class UciError(ValueError):
    """A command that cannot be obeyed; the message is one sentence."""


def shorten(text: str, most: int = 200) -> str:
    """`text`, its end left out if it is too long for people."""
    return text if len(text) <= most else text[: most - 3] + "..."


def quote(text: str) -> str:
    """What the user wrote, fit for one line."""
    return repr(shorten(text, 60))


def parse_int(text: str, what: str) -> int:
    """A whole number of any size, cut to +-10^12. Raises UciError."""
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise UciError(f"{what} is {quote(text)}; expected a whole number")
    magnitude = text.lstrip("+-").lstrip("0") or "0"
    value = _NUMBER_LIMIT if len(magnitude) > 12 else int(magnitude)
    return -value if text.startswith("-") else value


_EMPTY = "<empty>"  # how the protocol spells a string without a character


class Option(NamedTuple):
    """A setting offered to the GUI. `kind` is spin, check, button or string.

    Values are integers but for a string's, which is empty by default. `parameter` names the search
    parameter it sets, if it sets one.
    """

    name: str
    kind: str
    default: int = 0
    low: int = 0
    high: int = 1
    parameter: str = ""

    @property
    def line(self) -> str:
        head = f"option name {self.name} type {self.kind}"
        if self.kind == "spin":
            return f"{head} default {self.default} min {self.low} max {self.high}"
        if self.kind == "check":
            return f"{head} default {'true' if self.default else 'false'}"
        if self.kind == "string":
            return f"{head} default {_EMPTY}"
        return head

    def parse(self, text: str) -> int:
        """The integer that a value means. Raises UciError naming what was expected."""
        if self.kind == "check":
            if text.lower() not in _CHECK_VALUES:
                raise UciError(f"option {self.name} is {quote(text)}; expected true or false")
            return _CHECK_VALUES[text.lower()]
        value = parse_int(text, f"option {self.name}")
        if not self.low <= value <= self.high:
            raise UciError(f"option {self.name} is {value}; expected {self.low} to {self.high}")
        return value


def _memory_mb() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20


def _options() -> Iterable[Option]:
    yield Option("Hash", "spin", DEFAULT_HASH_MB, 1, max(DEFAULT_HASH_MB, _memory_mb()))
    yield Option("Clear Hash", "button")
    yield Option("Threads", "spin", 1, 1, max(_MIN_MOST_THREADS, os.cpu_count() or 1))
    yield Option("MultiPV", "spin", 1, 1, MAX_LINES)
    yield Option("Ponder", "check")  # the GUI's own: whether it will send `go ponder`
    yield Option("UCI_Chess960", "check")
    yield Option("SyzygyPath", "string")
    for parameter in SEARCH:
        # One of them has a name that every GUI knows.
        name = "Move Overhead" if parameter.name == "move_overhead_ms" else parameter.name
        yield Option(name, "spin", *parameter[1:4], parameter.name)


#: By lower-case name: names are not case-sensitive.
OPTIONS = {option.name.lower(): option for option in _options()}


def parse_setoption(
    words: list[str], options: Mapping[str, Option] = OPTIONS
) -> tuple[Option, int | str]:
    """`name NAME [value VALUE]`, both of any number of words."""
    if not words or words[0].lower() != "name":
        raise UciError("setoption: expected name NAME value VALUE")
    lowered = [word.lower() for word in words]
    end = lowered.index("value") if "value" in lowered else len(words)
    name = " ".join(words[1:end])
    option = options.get(name.lower())
    if option is None:
        raise UciError(f"there is no option {quote(name)}")
    if option.kind == "button":
        return option, 0
    if end == len(words):
        raise UciError(f"option {option.name} has no value")
    text = " ".join(words[end + 1 :])
    if option.kind == "string":
        return option, "" if text == _EMPTY else text
    return option, option.parse(text)


def parse_position(words: list[str]) -> tuple[str, list[str]]:
    """`startpos | fen FEN [moves MOVE ...]` as FEN and move texts; the FEN is not read yet."""
    end = words.index("moves") if "moves" in words else len(words)
    if not words or words[0] not in {"startpos", "fen"}:
        raise UciError("position: expected startpos or fen FEN, then moves MOVE ...")
    if words[0] == "fen":
        return " ".join(words[1:end]), words[end + 1 :]
    if end > 1:
        raise UciError(f"position startpos: {quote(words[1])} is not understood; expected moves")
    return STARTPOS, words[end + 1 :]


class GoCommand(NamedTuple):
    """A `go` as read: `numbers` by their word, the texts after `searchmoves` if it is there.

    With `waits` the move is given only after `stop` (or, with `ponder`, after `ponderhit`).
    """

    numbers: dict[str, int]
    search_moves: list[str] | None
    ponder: bool
    waits: bool
    notes: tuple[str, ...]

    def limits(self, side: int) -> dict[str, int]:
        """The fields of `SearchLimit` for the side to move (0 white, 1 black).

        A clock that leaves out our time is an empty clock.
        """
        numbers = self.numbers
        fields = {word: numbers[word] for word in ("nodes", "depth", "mate") if word in numbers}
        if "movetime" in numbers:
            fields["movetime_ms"] = numbers["movetime"]
        if _CLOCK_WORDS & numbers.keys():
            ours = "wb"[side]
            fields["time_left_ms"] = numbers.get(f"{ours}time", 0)
            fields["increment_ms"] = max(0, numbers.get(f"{ours}inc", 0))
            fields["moves_to_go"] = max(0, numbers.get("movestogo", 0))
        return fields


def parse_go(words: list[str]) -> GoCommand:
    """The words after `go`. Without any limit the search waits for `stop`, as with `infinite`."""
    numbers: dict[str, int] = {}
    flags: set[str] = set()
    search_moves: list[str] | None = None
    notes: list[str] = []
    rest = deque(words)
    while rest:
        word = rest.popleft()
        if word in _NUMBER_WORDS:
            if not rest:
                raise UciError(f"go {word}: expected a number")
            numbers[word] = parse_int(rest.popleft(), f"go {word}")
        elif word in _FLAG_WORDS:
            flags.add(word)
        elif word == "searchmoves":
            search_moves = search_moves or []
            while rest and rest[0] not in _GO_WORDS:
                search_moves.append(rest.popleft())
        else:
            notes.append(f"go: {quote(word)} is not understood")
    if notes and not numbers and not flags and search_moves is None:
        raise UciError(notes[0])
    limited = numbers.keys() - {"movestogo"}
    waits = bool(flags) or not limited
    return GoCommand(numbers, search_moves, "ponder" in flags, waits, tuple(notes))


def format_score(score_cp: int, mate: int, mate_bound: int) -> str:
    """`cp N`, or `mate N` in moves, negative when the side to move is mated."""
    if abs(score_cp) < mate_bound:
        return f"cp {score_cp}"
    moves = (mate - abs(score_cp) + 1) // 2
    return f"mate {moves if score_cp > 0 else -moves}"


def draw_evaluation(table: EvaluationTable) -> str:
    """The terms of the evaluation in pawns, white's view."""
    lines = [
        f"{'':28}{'white':^15} {'black':^15} {'total':>7}",
        f"{'term':28}{'mg':>7} {'eg':>7} {'mg':>7} {'eg':>7}",
    ]
    for row in table.rows:
        sides = " ".join(f"{part_cp / 100:7.2f}" for part_cp in row.white_cp + row.black_cp)
        lines.append(f"{row.name:28}{sides} {row.total_cp / 100:7.2f}")
    lines += [
        "",
        f"Phase: {table.phase} of 24 (mg the more of it), endgame scale: {table.scale_pct} %",
        f"Evaluation: {table.value_cp / 100:+.2f} (white's view)",
    ]
    return "\n".join(lines)


def draw_board(fen: str) -> str:
    """The board as text, white below, with the FEN under it."""
    lines = []
    for rank, row in zip("87654321", fen.split()[0].split("/"), strict=True):
        squares = "".join("." * int(letter) if letter.isdigit() else letter for letter in row)
        lines.append(f"{rank}  {' '.join(squares)}")
    return "\n".join([*lines, "", "   a b c d e f g h", "", f"Fen: {fen}"])
