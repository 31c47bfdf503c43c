"""One django-q2 cluster, made safe: whatever dies in it ends all of it."""

import contextlib
import logging
import os
import signal
import sys
from collections.abc import Callable

from django_q.cluster import Cluster
from django_q.conf import Conf
from django_q.signals import post_execute_in_worker, pre_execute

from . import services, stopping
from .processes import tie_forks

PULSE = "EVALHUB_PULSE"  # names the pipe that learns of the start and of each task
READY = b"."
BEGUN = b"+"
ENDED = b"-"


def run() -> None:
    """Work until SIGTERM.

    django-q2 starts a dead worker again, but a worker that died waiting holds the lock of the
    queue for ever. So any death ends the whole group, and the supervisor starts a new one.
    """
    if os.getpgrp() != os.getpid():
        os.setpgrp()
    tie_forks()
    stopping.listen()
    logging.getLogger("django-q").addHandler(EndTheGroup())
    tell = _teller(os.environ.get(PULSE, ""))
    pre_execute.connect(lambda **_: tell(BEGUN), weak=False)
    post_execute_in_worker.connect(lambda **_: tell(ENDED), weak=False)
    services.warm_up(Conf.CLUSTER_NAME)
    cluster = Cluster()
    cluster.start()
    tell(READY)
    cluster.sentinel.join()
    sys.exit(0 if cluster.has_stopped else 1)


class EndTheGroup(logging.StreamHandler):  # type: ignore[type-arg]
    """Says what died, then ends every process of this group."""

    def emit(self, record: logging.LogRecord) -> None:
        if not record.getMessage().startswith("reincarnated "):
            return
        super().emit(record)
        self.flush()
        os.killpg(0, signal.SIGKILL)


def _teller(pulse: str) -> Callable[[bytes], None]:
    if not pulse:
        return lambda beat: None
    os.set_blocking(int(pulse), False)

    def tell(beat: bytes) -> None:
        with contextlib.suppress(OSError):  # the supervisor has died or is slow
            os.write(int(pulse), beat)

    return tell
