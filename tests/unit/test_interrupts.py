"""Signals that ask a run to end are heeded at a good moment."""

import os
import signal

import pytest

from harness.errors import Interrupted
from harness.interrupts import REQUESTS, Interrupts


@pytest.mark.parametrize("number", sorted(REQUESTS))
def test_a_signal_is_noted_and_raised_when_asked_for(number: int) -> None:
    before = signal.getsignal(number)
    with Interrupts() as interrupts:
        interrupts.check()
        os.kill(os.getpid(), number)
        with pytest.raises(Interrupted):
            interrupts.check()
    assert signal.getsignal(number) == before


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    """As `nohup` has it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts() as interrupts:
            os.kill(os.getpid(), signal.SIGHUP)
            interrupts.check()
    finally:
        signal.signal(signal.SIGHUP, before)
