"""A UCI program as it is given on a command line: its command as one word, and its options."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterable

from harness.errors import UsageError
from harness.spec import Program, Timeouts


def program_of(command: str, timeouts: Timeouts | None = None) -> Program:
    """The program of a command. Raises UsageError where there is none."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"{command!r}: {error}; expected words as in a shell") from None
    if not words:
        raise UsageError("ENGINE is empty; expected a config file or a command")
    found = shutil.which(words[0])
    if found is None:
        raise UsageError(f"{words[0]}: no such program; expected a path, or a name in PATH")
    return Program(command=found, arguments=tuple(words[1:]), timeouts=timeouts or Timeouts())


def given_options(texts: Iterable[str]) -> dict[str, str]:
    """The values of --option by name. Raises UsageError."""
    given = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--option {text}: expected NAME=VALUE")
        given[name.strip()] = value.strip()
    return given
