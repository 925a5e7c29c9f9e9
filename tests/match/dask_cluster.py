"""A Dask cluster of processes on this machine, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
    """The processes of the Dask workers."""
    import psutil

    return [psutil.Process(nanny.pid) for nanny in dask.workers.values()]


def player_processes(dask: Any) -> list[psutil.Process]:
    """The processes that play games, on all Dask workers."""
    return [
        child
        for worker in worker_processes(dask)
        for child in worker.children(recursive=True)
        if "harness.worker" in child.cmdline()
    ]
