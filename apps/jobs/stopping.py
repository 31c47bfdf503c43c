"""Whether this process was asked to stop: long work ends early and leaves its rest for later."""

import signal
import threading

SIGNAL = signal.SIGUSR1
_asked = threading.Event()


def listen() -> None:
    """Take the signal from now on; children that are forked later take it too."""
    signal.signal(SIGNAL, lambda *_: _asked.set())


def asked() -> bool:
    return _asked.is_set()
