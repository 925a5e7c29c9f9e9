"""What every test shares: what is collected, who runs it, and that interrupts are heeded."""

import signal
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
BENCHMARKS = TESTS / "benchmarks"
#: Tests that start programs, each with processes of its own, and judge when these answer.
OF_PROGRAMS = ("e2e", "faults", "match")

# Programs that a shell starts in the background ignore interrupts, those that `nohup` starts ignore
# the end of their terminal, and so would their children; several tests send either to a run.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the benchmarks out unless the command line names them.

    They measure and do not judge, so the gate has no use for their minutes;
    `pytest tests/benchmarks` runs them.
    """
    if collection_path != BENCHMARKS:
        return None
    named = (
        Path(argument.split("::")[0]).resolve()
        for argument in config.invocation_params.args
        if not str(argument).startswith("-")
    )
    asked_for = any(path == BENCHMARKS or BENCHMARKS in path.parents for path in named)
    return None if asked_for else True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """By two processes (`-n 2`), one runs all tests of programs, so that these never meet.

    The other files are shared out whole, since what a file's tests share is made once.
    """
    for item in items:
        folder = item.path.relative_to(TESTS).parts[0]
        group = "programs" if folder in OF_PROGRAMS else str(item.path.relative_to(TESTS))
        item.add_marker(pytest.mark.xdist_group(group))
