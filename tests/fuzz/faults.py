"""Cases that fail at a seed that is known, each in its way: the hunt must find them."""

from __future__ import annotations

import os
import signal
import time

FAULTY_SEED = 13


def holds(seed: int) -> None:
    pass


def raises(seed: int) -> None:
    assert seed != FAULTY_SEED


def crashes(seed: int) -> None:
    if seed == FAULTY_SEED:
        os.kill(os.getpid(), signal.SIGKILL)


def hangs(seed: int) -> None:
    if seed == FAULTY_SEED:
        time.sleep(600)
