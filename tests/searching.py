"""How tests of the search ask it: one position, one limit, one answer."""

from __future__ import annotations

from engine.shell import Game, Searcher, SearchLimit, SearchResult
from tests.oracle import NO_MOVES


def think(
    fen: str, limit: SearchLimit, search: dict[str, int] | None = None, hash_mb: int = 1
) -> tuple[str, SearchResult]:
    """The move found, in UCI, and the whole result."""
    searcher = Searcher(search, hash_mb=hash_mb)
    searcher.new_game(fen)
    result = searcher.go(NO_MOVES, 0, limit)
    return Game(fen).format_uci(result.move), result
