"""A Dask cluster of processes on this machine, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import psutil

needs_dask = pytest.mark.skipif(
    find_spec("distributed") is None,
    reason="needs the extra package of the cluster: pip install 'numbishop[cluster]'",
)


@contextmanager
def local_cluster(workers: int = 2, threads: int = 1, **options: Any) -> Iterator[Any]:
    """A scheduler, and workers that are each a process watched over by a nanny."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=workers, threads_per_worker=threads, dashboard_address=":0", **options
    ) as cluster:
        yield cluster


def worker_processes(dask: Any) -> list[psutil.Process]:
    """The processes of the Dask workers, but for those that are only just started again."""
    import psutil

    ids = [nanny.pid for nanny in dask.workers.values() if nanny.pid is not None]
    processes = []
    for process_id in ids:
        with suppress(psutil.NoSuchProcess):
            processes.append(psutil.Process(process_id))
    return processes


def players_of(worker: psutil.Process) -> list[psutil.Process]:
    """The processes of a Dask worker that play games."""
    import psutil

    players = []
    with suppress(psutil.NoSuchProcess):  # the Dask worker ends just now
        for child in worker.children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                players += [child] if "harness.worker" in child.cmdline() else []
    return players


def playing_workers(dask: Any) -> list[psutil.Process]:
    """The processes of the Dask workers that have players already."""
    return [worker for worker in worker_processes(dask) if players_of(worker)]


def player_processes(dask: Any) -> list[psutil.Process]:
    """The processes that play games, on all Dask workers."""
    return [player for worker in worker_processes(dask) for player in players_of(worker)]
