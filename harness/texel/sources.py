"""What the tuner learns from, as blocks of work: the same blocks whatever works on them.

A source is the folder of a run (its journal is read, moves as they are), or a file of games (PGN)
or of labelled positions (see labels.py), plain or packed. Files are read as a stream and cut where
a line or a game ends.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harness.archives import unpacked_pieces
from harness.errors import UsageError
from harness.game import GameRecord
from harness.journal import FILE_NAME, Journal

#: Work for some tenths of a second: enough of it for all workers, little to hold and hand over.
BLOCK_BYTES: Final = 1 << 19
BLOCK_GAMES: Final = 128


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive games or positions of one source; `first_line` counts from 1."""

    source: str
    first_line: int


@dataclass(frozen=True, slots=True)
class RecordedGames(Block):
    """Games of a run; `lost` has a sentence for each damage of its journal."""

    records: tuple[GameRecord, ...]
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PgnText(Block):
    """Whole games of a PGN."""

    text: bytes


@dataclass(frozen=True, slots=True)
class PositionLines(Block):
    """Whole lines, a labelled position each."""

    text: bytes


def blocks_of(path: Path) -> Iterator[Block]:
    """The blocks of a source in their order. Raises UsageError for what is no source."""
    if path.is_dir():
        if not (path / FILE_NAME).is_file():
            raise UsageError(
                f"{path}: no run there; expected a run's folder, or a file of games or positions"
            )
        return _blocks_of_run(path)
    return _blocks_of_file(path)


def sha256_of(path: Path) -> str:
    """Of a file as it lies on the disk; of a run, of its journal."""
    file = path / FILE_NAME if path.is_dir() else path
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _blocks_of_run(folder: Path) -> Iterator[Block]:
    lost: list[str] = []
    with Journal.reading(folder, lost.append) as journal:
        games = journal.games()
        while records := tuple(itertools.islice(games, BLOCK_GAMES)):
            yield RecordedGames(str(folder), records[0].pair, records)
    if lost:
        yield RecordedGames(str(folder), 0, (), tuple(lost))


def _blocks_of_file(path: Path) -> Iterator[Block]:
    pieces = unpacked_pieces(path)
    start = b""
    while not start.strip() and (piece := next(pieces, b"")):
        start += piece
    if not start.strip():
        raise UsageError(f"{path}: it is empty; expected games (PGN) or labelled positions")
    if b"\0" in start:
        raise UsageError(f"{path}: it is no text; expected games (PGN) or labelled positions")
    positions = start.split(None, 1)[0].count(b"/") >= 2
    kind, border = (PositionLines, _LINE_END) if positions else (PgnText, _GAME_END)
    line = 1
    for text in _cut(itertools.chain([start], pieces), border):
        yield kind(str(path), line, text)
        line += text.count(b"\n")


#: Where a text may be cut: after the match.
_LINE_END: Final = re.compile(rb"\n")
#: A line that begins a tag, after one that does not (but for blank ones): a game begins there.
_GAME_END: Final = re.compile(rb"\n(?<!\]\n)(?<!\]\r\n)(?:[ \t\r]*\n)+(?=\[[A-Z][A-Za-z]* *\")")


def _cut(pieces: Iterator[bytes], border: re.Pattern[bytes]) -> Iterator[bytes]:
    """The text again, cut at the first border after each BLOCK_BYTES."""
    held = bytearray()
    searched = BLOCK_BYTES
    for piece in pieces:
        held += piece
        while len(held) > searched:
            match = border.search(held, searched)
            if match is None:
                # The border may lie across the end of what is there: look again a little before.
                searched = max(BLOCK_BYTES, len(held) - _LONGEST_BORDER)
                break
            yield bytes(held[: match.end()])
            del held[: match.end()]
            searched = BLOCK_BYTES
    if held.strip():
        yield bytes(held)


_LONGEST_BORDER: Final = 1024


def describe_sources(paths: Sequence[Path]) -> list[dict[str, str]]:
    """Name and hash of each, for the record of a dataset."""
    return [{"name": path.name, "sha256": sha256_of(path)} for path in paths]
