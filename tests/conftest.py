"""What every test shares: the folders that are collected, and that interrupts are heeded."""

import signal
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent / "benchmarks"

# Programs that a shell starts in the background ignore interrupts, and so would their children;
# several tests interrupt a run.
signal.signal(signal.SIGINT, signal.default_int_handler)


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
