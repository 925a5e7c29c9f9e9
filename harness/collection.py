"""`--pgn-append`: a run's games at the end of a collection, once, whatever ends the process.

The journal says before where the games will begin and what they are, and after that they are there.
A run that finds only the former looks at that place: it has all of the games, a part, or none.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

if TYPE_CHECKING:
    from harness.journal import Journal

#: Kinds of the journal's events: what is going to be added, and that it was.
_APPENDING: Final = "appending"
_APPENDED: Final = "appended"


def append_once(
    journal: Journal, games: Path, collection: Path, tell: Callable[[str], None]
) -> None:
    """Add the text of a run's games to a collection, unless it has them."""
    place = str(collection.resolve())
    if _latest(journal, _APPENDED, place) is not None:
        tell(f"{collection} has the games of this run already")
        return
    if collection.exists() and not collection.is_file():  # a pipe: nobody can look at it again
        collection.write_bytes(games.read_bytes())
    elif not _append(journal, games.read_bytes(), collection, place):
        tell(
            f"{collection} was written by others while games of this run were being added: it may"
            f" have a part of them; all are in {games}"
        )
        return
    journal.add_event(_APPENDED, to=place)
    journal.commit()


def _append(journal: Journal, text: bytes, collection: Path, place: str) -> bool:
    """Add what is missing of a text; False where that cannot be known."""
    import fcntl

    with collection.open("ab+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # another run may end now, and add its games
        begun = _latest(journal, _APPENDING, place)
        missing = text if begun is None else _missing(file, text, begun)
        if missing is None:
            return False
        if missing == text:
            at = file.seek(0, os.SEEK_END)
            journal.add_event(_APPENDING, to=place, at=at, size=len(text), sha256=_sha256(text))
            journal.commit()
        file.write(missing)
        file.flush()
        os.fsync(file.fileno())
    return True


def _latest(journal: Journal, kind: str, place: str) -> Mapping[str, Any] | None:
    details = [event.detail for event in journal.events() if event.kind == kind]
    return next((detail for detail in reversed(details) if detail["to"] == place), None)


def _missing(file: BinaryIO, text: bytes, begun: Mapping[str, Any]) -> bytes | None:
    """What a collection lacks of games that were begun to be added; None: nobody knows."""
    file.seek(begun["at"])
    tail = file.read()
    if _sha256(tail[: begun["size"]]) == begun["sha256"]:
        return b""
    return text[len(tail) :] if text.startswith(tail) else None


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
