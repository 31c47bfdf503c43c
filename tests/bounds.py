"""A bound on work that could explode."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Exploded(BaseException):
    """More work than anything reasonable; no handler of ordinary errors swallows it."""


@contextmanager
def bounded(seconds: float = 60) -> Iterator[None]:
    """Interrupt what uses this much processor time: a guard, and no measure of speed.

    What is right uses a small part of the bound on any machine; what it guards against (quadratic
    or exponential work) uses many times of it. Waiting counts nothing, nor do other processes.
    """
    assert threading.current_thread() is threading.main_thread(), "signals reach the main thread"

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise Exploded(f"more than {seconds} seconds of processor time")

    handler = signal.signal(signal.SIGPROF, interrupt)
    timer = signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, *timer)
        signal.signal(signal.SIGPROF, handler)
