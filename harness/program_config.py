"""The part of a config file that describes a UCI program, and the program's own word on it."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter_ns
from typing import Final

from harness.builds import Built, Recipe, build, check_bench
from harness.errors import EngineStartError, UsageError
from harness.files import file_sha256
from harness.ini import Entry, nearest
from harness.spec import Program, Timeouts
from harness.uci_options import Greeting, greet, setoption
from harness.uci_process import NS_PER_MS, UciProcess

Entries = dict[tuple[str, str], Entry]

_GIT_KEYS: Final = ("repository", "revision", "build", "binary")
PROGRAM_KEYS: Final = ("command", "arguments", "folder", *_GIT_KEYS, "bench")
TIMEOUT_KEYS: Final = tuple(Timeouts.model_fields)
MAX_TIMEOUT_MS: Final = 24 * 3600 * 1000


def check_text(entry: Entry) -> None:
    """Refuse what cannot be said in one line."""
    if not (entry.key + entry.text).isprintable():
        raise entry.refusal("expected one line of printable characters")


def read_program(entries: Entries) -> Program:
    """The program of an engine of source uci, or git, which is built if need be.

    Raises UsageError, and EngineStartError where the build fails.
    """
    source = entries["engine", "source"]
    built = _build(entries) if source.text == "git" else None
    path = _command(entries) if built is None else built.program
    return Program(
        command=str(path),
        arguments=_arguments(entries.get(("engine", "arguments"))),
        folder=_folder(entries.get(("engine", "folder"))),
        environment={key: e.text for (section, key), e in entries.items() if section == _VARIABLES},
        timeouts=_timeouts(entries),
        sha256=file_sha256(path),
        repository="" if built is None else entries["engine", "repository"].text,
        commit="" if built is None else built.commit,
    )


def _command(entries: Entries) -> Path:
    """The program of an engine of source uci."""
    source = entries["engine", "source"]
    _refuse_others(entries, source, (*_GIT_KEYS, "bench"))
    command = entries.get(("engine", "command"))
    if command is None:
        raise source.refusal("no engine.command; expected the program to be started")
    check_text(command)
    return _find(command)


def _build(entries: Entries) -> Built:
    """The program of an engine of source git."""
    source = entries["engine", "source"]
    _refuse_others(entries, source, ("command",))
    given = {key: entries.get(("engine", key)) for key in (*_GIT_KEYS, "bench")}
    values = {}
    for key in _GIT_KEYS:
        entry = given[key]
        if entry is None:
            raise source.refusal(f"no engine.{key}; expected {', '.join(_GIT_KEYS)}")
        check_text(entry)
        values[key] = entry.text
    repository = entries["engine", "repository"]
    folder = Path(os.path.abspath(repository.path.parent / os.path.expanduser(repository.text)))
    if folder.is_dir():
        values["repository"] = str(folder)
    bench = given["bench"]
    if bench is not None and not bench.text.isdecimal():
        raise bench.refusal("expected the nodes of the program's bench")
    try:
        built = build(Recipe(**values))
    except UsageError as error:
        raise entries["engine", "revision"].refusal(str(error)) from None
    if bench is not None:
        check_bench(built, int(bench.text))
    return built


def _refuse_others(entries: Entries, source: Entry, keys: Iterable[str]) -> None:
    """Keys that mean nothing for this source."""
    for key in keys:
        entry = entries.get(("engine", key))
        if entry is not None:
            raise entry.refusal(f"an engine of source {source.text} has no such key")


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


def introduction(program: Program, entries: Entries) -> Greeting:
    """What a program says of itself, its options tried.

    Raises EngineStartError where it does not start, UsageError for an option that it has not.
    """
    options = [entry for (section, _), entry in entries.items() if section == "options"]
    with _greeted(program) as (process, greeting):
        for entry in options:
            _check_option(entry, greeting)
        deadline_ns = perf_counter_ns() + program.timeouts.ready_ms * NS_PER_MS
        for entry in options:
            process.send(setoption(entry.key, entry.text, greeting), deadline_ns)
        process.wait_ready(program.timeouts.ready_ms)
    return greeting


def greeting_of(program: Program) -> Greeting:
    """What a program says of itself. Raises EngineStartError where it does not start."""
    with _greeted(program) as (_, greeting):
        return greeting


@contextmanager
def _greeted(program: Program) -> Iterator[tuple[UciProcess, Greeting]]:
    """A process of the program that has said what it is; it is ended afterwards."""
    process = UciProcess(program)
    try:
        yield process, greet(process, program.timeouts.start_ms)
    except EngineStartError as error:
        said = f"; it said: {process.stderr_tail.strip()[-200:]}" if process.stderr_tail else ""
        raise EngineStartError(f"{error}; expected a UCI engine{said}") from None
    finally:
        process.close(program.timeouts.quit_ms)


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
