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


class VoidGame(HarnessError):
    """A game that came to nothing, and through no fault of its players; `kind` says whose."""

    exit_code = 4
    kind = ""


class MachineFault(VoidGame):
    """The machine could not do what a game needs: memory, processes, processor time."""

    kind = "machine"


class HarnessFault(VoidGame):
    """The harness did not do what it should: a bug of ours, met while it spoke to an engine."""

    kind = "harness"
