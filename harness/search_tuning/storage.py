"""Where a study's trials are: Optuna's journal file in its folder, or any store Optuna knows.

One coordinator owns a study. Within a folder the run's lock sees to that; a store that others can
reach holds a lease too: who has it, and when it was last renewed. A dead owner's lease is taken
over, at once where its death can be seen (this machine), else when it is old.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import optuna
from optuna.exceptions import StorageInternalError
from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend

from harness.errors import EngineStartError, UsageError

JOURNAL: Final = "optuna.journal"
_OWNER: Final = "owner"
_RENEW_S: Final = 15.0
#: Some missed renewals: a machine may be slow, but not so slow.
_STALE_S: Final = 120.0


@contextmanager
def opened_study(
    url: str | None, folder: Path, name: str, facts: dict[str, Any]
) -> Iterator[optuna.Study]:
    """The study of that name, made if there is none; `facts` tell one study from another.

    Raises UsageError (a study of that name is another one) and EngineStartError (no store there, or
    none any more).
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)  # the view says what there is to say
    with ExitStack() as connections:
        study = _open(url, folder, name, facts, connections)
        try:
            yield study
        except StorageInternalError as error:
            raise _unreachable(url or JOURNAL, error) from error


def check_usable(url: str, folder: Path, name: str, facts: dict[str, Any]) -> None:
    """Refuse a store that cannot be used, before anything is written.

    Raises EngineStartError (it is not there), and UsageError when its study of that name is another
    one, or is being played.
    """
    with ExitStack() as connections:
        with _reached(url):
            storage = _base_storage(url, connections)
            begun = name in optuna.get_all_study_names(storage)
            study = optuna.load_study(study_name=name, storage=storage) if begun else None
        if study is not None:
            _check_same(study, url, facts)
            check_free(study, folder)


def _open(
    url: str | None, folder: Path, name: str, facts: dict[str, Any], connections: ExitStack
) -> optuna.Study:
    where = url or str(folder / JOURNAL)
    with _reached(where):
        storage = _file_storage(folder) if url is None else _base_storage(url, connections)
        study = optuna.create_study(
            storage=storage, study_name=name, direction="maximize", load_if_exists=True
        )
    _check_same(study, where, facts)
    for key in facts.keys() - study.user_attrs.keys():
        study.set_user_attr(key, facts[key])
    return study


def _check_same(study: optuna.Study, where: str, facts: dict[str, Any]) -> None:
    before = study.user_attrs
    for key, value in facts.items():
        if before.get(key, value) != value:
            raise UsageError(
                f"{_without_password(where)} has a study {study.study_name!r} with another {key};"
                " expected another --name, or the space, base and options that it began with"
            )


@contextmanager
def _reached(where: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # each kind of store has errors of its own
        raise _unreachable(where, error) from error


def _unreachable(where: str, error: Exception) -> EngineStartError:
    reason = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
    store = f"--storage {_without_password(where)}" if "://" in where else where
    return EngineStartError(
        f"{store} cannot be reached: {reason}; expected a store that Optuna can open"
    )


def _file_storage(folder: Path) -> BaseStorage:
    path = folder / JOURNAL
    _cut_unfinished_line(path)
    # Optuna's lock is a file that a killed process leaves; who is here holds the run's own lock.
    Path(f"{path}.lock").unlink(missing_ok=True)
    return JournalStorage(JournalFileBackend(str(path)))


def _cut_unfinished_line(path: Path) -> None:
    """Drop what a crash left of a line, to which the next one would be added."""
    if not path.exists():
        return
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(path, whole)


def _base_storage(url: str, connections: ExitStack) -> BaseStorage:
    storage = RDBStorage(url)
    connections.callback(storage.engine.dispose)
    connections.callback(storage.remove_session)
    return storage


def _without_password(url: str) -> str:
    scheme, found, rest = url.partition("://")
    if not found or "@" not in rest:
        return url
    return f"{scheme}://...@{rest.rpartition('@')[2]}"


def check_free(study: optuna.Study, folder: Path) -> None:
    """Refuse a study that another coordinator has. Raises UsageError."""
    owner, me = study.user_attrs.get(_OWNER), _coordinator(folder)
    if owner is None or owner | me == owner:
        return
    here = owner["host"] == me["host"]
    if _is_alive(owner["process"]) if here else time.time() - owner["at"] < _STALE_S:
        raise UsageError(
            f"study {study.study_name!r} is being played by process {owner['process']} on"
            f" {owner['host']}; expected a study that has stopped"
        )


def _coordinator(folder: Path) -> dict[str, Any]:
    """This one. By host too: on another one the same number is another process."""
    host = socket.gethostname()
    return {"host": host, "process": os.getpid(), "folder": str(folder.resolve())}


class Lease:
    """The right to go on with a study, while it is renewed."""

    def __init__(self, study: optuna.Study, folder: Path) -> None:
        """Take it. Raises UsageError when another coordinator has it."""
        self._study = study
        self._me = _coordinator(folder)
        check_free(study, folder)
        self._renewed_s = float("-inf")
        self.renew()

    def renew(self) -> None:
        """Say that its owner lives; raises UsageError when another one has taken it."""
        now_s = time.monotonic()
        if now_s - self._renewed_s < _RENEW_S:
            return
        if self._renewed_s > 0 and not self._is_mine(self._study.user_attrs.get(_OWNER)):
            raise UsageError(
                f"study {self._study.study_name!r} was taken over by another process; expected to"
                " be the only one"
            )
        self._study.set_user_attr(_OWNER, {**self._me, "at": time.time()})
        self._renewed_s = now_s

    def give_back(self) -> None:
        """Leave the study to others, unless one of them has taken it already."""
        if self._is_mine(self._study.user_attrs.get(_OWNER)):
            self._study.set_user_attr(_OWNER, None)

    def _is_mine(self, owner: dict[str, Any] | None) -> bool:
        return owner is not None and owner | self._me == owner


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
