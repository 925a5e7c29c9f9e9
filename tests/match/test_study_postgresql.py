"""A study whose trials are kept by PostgreSQL, where its programs are installed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.errors import UsageError
from tests.match.engines import WorkerHere
from tests.match.runs import kill_hard, wait_until_stopped
from tests.match.studies import launch, play, small_study

pytest.importorskip("psycopg")
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning"),
]


def programs() -> Path:
    """Where the server's programs are; Debian has them outside of PATH."""
    in_path = shutil.which("pg_ctl")
    found = [Path(in_path)] if in_path else sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    if not found:
        pytest.skip("PostgreSQL is not installed")
    return found[-1].parent


class Server:
    """One of the test's own, which nobody else can reach."""

    def __init__(self, folder: Path, user: str | None) -> None:
        self._folder, self._user = folder, user
        self.url = f"postgresql+psycopg://tuner@/postgres?host={folder}"
        self._run("initdb", "--username=tuner", "--auth=trust", "--no-sync")

    def start(self) -> None:
        server = f"-c listen_addresses= -c unix_socket_directories={self._folder}"
        self._run("pg_ctl", "start", "-w", "-o", server, "-l", str(self._folder / "log"))

    def stop(self) -> None:
        self._run("pg_ctl", "stop", "-m", "immediate")

    def _run(self, program: str, *words: str) -> None:
        words = (str(programs() / program), "-D", str(self._folder / "data"), *words)
        subprocess.run(
            words, check=True, user=self._user, cwd=self._folder, stdout=subprocess.DEVNULL
        )


@pytest.fixture
def server() -> Iterator[Server]:
    # It refuses to be root, and another user cannot see into root's folders of pytest.
    user = "nobody" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="numbishop-"))
    if user:
        shutil.chown(folder, user)
    try:
        server = Server(folder, user)
        server.start()
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder)


def test_a_study_goes_on_after_a_kill_and_has_one_coordinator(
    tmp_path: Path, server: Server
) -> None:
    spec = small_study()
    whole = play(spec, tmp_path / "whole", hire=WorkerHere)
    process = launch(spec, tmp_path / "cut", 90, server.url)
    wait_until_stopped(process)
    with pytest.raises(UsageError, match=f"'small' is being played by process {process.pid} on"):
        play(spec, tmp_path / "second", storage=server.url, hire=WorkerHere)
    kill_hard(process)
    resumed = play(spec, tmp_path / "cut", 2, storage=server.url)
    assert (resumed.told, resumed.conclusion) == (whole.told, whole.conclusion)
    assert not (tmp_path / "cut" / "optuna.journal").exists()


def test_a_study_whose_store_is_lost_says_so_and_goes_on_when_it_is_back(
    tmp_path: Path, server: Server
) -> None:
    spec = small_study()
    process = launch(spec, tmp_path / "cut", 60, server.url)
    wait_until_stopped(process)
    server.stop()
    process.send_signal(signal.SIGCONT)
    _, told = process.communicate(timeout=240)
    server.start()
    assert (process.returncode, told.count("\n")) == (4, 1), told
    assert "error: --storage postgresql+psycopg://...@/postgres?host=" in told
    assert play(spec, tmp_path / "cut", storage=server.url, hire=WorkerHere).conclusion
