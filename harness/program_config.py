"""The part of a config file that describes a UCI program, and the program's own word on it."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
from functools import lru_cache
from pathlib import Path
from time import perf_counter_ns
from typing import Final

from harness.errors import EngineStartError
from harness.ini import Entry, nearest
from harness.spec import Program, Timeouts
from harness.uci_options import Greeting, greet, setoption
from harness.uci_process import NS_PER_MS, UciProcess

Entries = dict[tuple[str, str], Entry]

PROGRAM_KEYS: Final = ("command", "arguments", "folder")
TIMEOUT_KEYS: Final = tuple(Timeouts.model_fields)
MAX_TIMEOUT_MS: Final = 24 * 3600 * 1000


def check_text(entry: Entry) -> None:
    """Refuse what cannot be said in one line."""
    if not (entry.key + entry.text).isprintable():
        raise entry.refusal("expected one line of printable characters")


def read_program(entries: Entries) -> Program:
    """The program of an engine of source uci. Raises UsageError."""
    command = entries.get(("engine", "command"))
    if command is None:
        source = entries["engine", "source"]
        raise source.refusal("no engine.command; expected the program to be started")
    check_text(command)
    path = _find(command)
    return Program(
        command=str(path),
        arguments=_arguments(entries.get(("engine", "arguments"))),
        folder=_folder(entries.get(("engine", "folder"))),
        environment={key: e.text for (section, key), e in entries.items() if section == _VARIABLES},
        timeouts=_timeouts(entries),
        sha256=file_sha256(path),
    )


_VARIABLES: Final = "environment"


def _find(entry: Entry) -> Path:
    """A name is looked up as a shell would; a path is relative to the file that has it."""
    text = os.path.expanduser(entry.text)
    if "/" not in text:
        found = shutil.which(text)
        if found is None:
            raise entry.refusal("no such program in PATH; expected one, or a path with a slash")
        return Path(found)
    path = Path(os.path.abspath(entry.path.parent / text))
    if not path.is_file():
        raise entry.refusal(f"no such file; looked for {path}")
    if not os.access(path, os.X_OK):
        raise entry.refusal(f"{path} cannot be executed; expected a program")
    return path


def _arguments(entry: Entry | None) -> tuple[str, ...]:
    if entry is None:
        return ()
    check_text(entry)
    try:
        return tuple(shlex.split(entry.text))
    except ValueError as error:
        raise entry.refusal(f"{error}; expected words as in a shell") from None


def _folder(entry: Entry | None) -> str:
    if entry is None:
        return ""
    path = Path(os.path.abspath(entry.path.parent / os.path.expanduser(entry.text)))
    if not path.is_dir():
        raise entry.refusal(f"no such folder; looked for {path}")
    return str(path)


def _timeouts(entries: Entries) -> Timeouts:
    given = {}
    for (section, key), entry in entries.items():
        if section == "timeouts":
            if not entry.text.isdecimal() or not 1 <= int(entry.text) <= MAX_TIMEOUT_MS:
                raise entry.refusal(f"expected an integer from 1 to {MAX_TIMEOUT_MS} milliseconds")
            given[key] = int(entry.text)
    return Timeouts(**given)


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, which is read again only when it was written since."""
    status = path.stat()
    return _file_sha256(path, status.st_mtime_ns, status.st_size, status.st_ino)


@lru_cache
def _file_sha256(path: Path, *_version: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def introduced_as(program: Program, entries: Entries) -> str:
    """The name that a program gives itself, its options tried.

    Raises EngineStartError where it does not start, UsageError for an option that it has not.
    """
    options = [entry for (section, _), entry in entries.items() if section == "options"]
    process = UciProcess(program)
    try:
        greeting = greet(process, program.timeouts.start_ms)
        for entry in options:
            _check_option(entry, greeting)
        deadline_ns = perf_counter_ns() + program.timeouts.ready_ms * NS_PER_MS
        for entry in options:
            process.send(setoption(entry.key, entry.text, greeting), deadline_ns)
        process.wait_ready(program.timeouts.ready_ms)
    except EngineStartError as error:
        said = f"; it said: {process.stderr_tail.strip()[-200:]}" if process.stderr_tail else ""
        raise EngineStartError(f"{error}; expected a UCI engine{said}") from None
    finally:
        process.close(program.timeouts.quit_ms)
    return greeting.name if greeting.name.isprintable() else ""


def _check_option(entry: Entry, greeting: Greeting) -> None:
    if entry.key.lower() not in greeting.kinds:
        raise entry.refusal(f"the engine has no such option{nearest(entry.key, greeting.spelling)}")


def program_differences(new: Program | None, base: Program | None) -> list[str]:
    """What sets two programs apart, one line each."""
    lines = []
    for key in ("command", "arguments", "folder", "environment", "timeouts", "sha256", "commit"):
        ours, theirs = (_shown(getattr(program, key, "–")) for program in (new, base))
        if ours != theirs:
            lines.append(f"engine.{key}: {ours} against {theirs}")
    return lines


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return shlex.join(value) or "–"
    if isinstance(value, dict):
        return " ".join(f"{name}={text}" for name, text in value.items()) or "–"
    if isinstance(value, Timeouts):
        return " ".join(f"{name}={text}" for name, text in value.model_dump().items())
    return str(value) or "–"
