"""What explodes is interrupted, and what is quick or only waits is not."""

import re
import signal
import time
from contextlib import suppress

import pytest

from tests.bounds import Exploded, bounded


def test_what_spins_is_interrupted() -> None:
    with pytest.raises(Exploded, match=r"more than 0\.05 seconds of processor time"), bounded(0.05):
        _spin()


def test_a_handler_of_ordinary_errors_does_not_swallow_it() -> None:
    with pytest.raises(Exploded), bounded(0.05), suppress(Exception):
        _spin()


def test_a_catastrophic_pattern_is_interrupted() -> None:
    with pytest.raises(Exploded), bounded(0.05):
        re.match(r"(a+)+$", "a" * 60 + "!")


def test_what_is_quick_is_not_interrupted() -> None:
    with bounded():
        found = sum(range(1_000))

    assert found == 499_500


def test_who_waits_uses_nothing() -> None:
    with bounded(0.2):
        time.sleep(0.3)


def test_what_an_outer_bound_has_left_and_the_handler_before_are_put_back() -> None:
    before = signal.getsignal(signal.SIGPROF)

    with bounded(1_000):
        with bounded(10):
            pass
        left, _again = signal.getitimer(signal.ITIMER_PROF)
    after = signal.getitimer(signal.ITIMER_PROF)

    assert 10 < left <= 1_001
    assert after == (0, 0)
    assert signal.getsignal(signal.SIGPROF) is before


def _spin() -> None:
    while True:
        pass
