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
    return [psutil.Process(pid) for pid in ids if psutil.pid_exists(pid)]


def player_processes(dask: Any) -> list[psutil.Process]:
    """The processes that play games, on all Dask workers."""
    import psutil

    players = []
    for worker in worker_processes(dask):
        with suppress(psutil.NoSuchProcess):  # it ends just now
            children = worker.children(recursive=True)
            players += [child for child in children if "harness.worker" in child.cmdline()]
    return players
