"""The errors a user can cause or meet: one plain sentence each, and the exit code it ends with.

`harness.cli` prints the sentence alone. Every other exception is a bug of ours and keeps its
traceback (exit code 1).
"""

from __future__ import annotations


class HarnessError(Exception):
    """Base of the errors that are told to the user as one sentence."""

    exit_code = 1


class UsageError(HarnessError):
    """Bad input: the sentence names the place, the value and what was expected."""

    exit_code = 2


class EngineStartError(HarnessError):
    """An engine, store or cluster could not be started or reached."""

    exit_code = 4


class Interrupted(HarnessError):
    """Stopped by Ctrl-C or SIGTERM; what was finished is kept and the run can be resumed."""

    exit_code = 130


class MachineFault(HarnessError):
    """The machine could not do what a game needs; whoever plays it is not to blame."""

    exit_code = 4
