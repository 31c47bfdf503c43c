"""The supervisor: sweeps, beats and keeps one cluster for each queue alive."""

import contextlib
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from types import FrameType

from django.db import connections
from django.utils import timezone
from django_q.models import OrmQ

from . import cluster, services, stopping
from .groups import dead_below
from .processes import Child, environment, own_command
from .slots import take_slot

logger = logging.getLogger(__name__)

TICK_SECONDS = 0.5
BEAT_SECONDS = 5.0
LOOK_SECONDS = 5.0
PATIENCE_SECONDS = 60.0
STARTING_SECONDS = 60.0
GRACE_SECONDS = 6.0


class QueueCluster(Child):
    """The cluster of one queue, and how many tasks it is at."""

    def __init__(self, queue: str, slot: Path, patience: float) -> None:
        super().__init__(
            f"cluster {queue}",
            own_command("cluster", queue, "--slot", str(slot)),
            environment=self._own_environment,
            say=logger.warning,
        )
        self.queue = queue
        self.patience = patience
        self.busy = 0
        self._quiet_since = 0.0
        self._dead: set[int] = set()
        self._ears, self._mouth = -1, -1

    def start(self) -> None:
        self._close_pulse()
        self._ears, self._mouth = os.pipe()
        os.set_blocking(self._ears, False)
        self.busy = 0
        self._quiet_since = time.monotonic() + STARTING_SECONDS
        super().start()
        os.close(self._mouth)

    def ask_to_stop(self) -> None:
        """Workers leave the rest of their chunks for later; then the cluster ends by itself."""
        if self._process and self.running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, stopping.SIGNAL)
        super().ask_to_stop()

    def listen(self) -> None:
        """Count the tasks begun and ended since the last time."""
        with contextlib.suppress(BlockingIOError):
            while beats := os.read(self._ears, 65536):
                self._quiet_since = time.monotonic()
                self.busy += beats.count(cluster.BEGUN) - beats.count(cluster.ENDED)

    def is_stuck(self) -> bool:
        """Messages wait, nobody works, and that for too long."""
        quiet = time.monotonic() - self._quiet_since
        if not self.running or self.busy > 0 or quiet < self.patience:
            return False
        since = timezone.now() - timedelta(seconds=self.patience)
        return bool(OrmQ.objects.filter(key=self.queue, lock__lt=since).exists())

    def has_lost_a_process(self) -> bool:
        """Whether a process was dead at the last look and nobody has noticed since.

        A worker that dies at the end of a task holds a lock that the sentinel then waits for.
        """
        group = self.group if self.running else None
        dead = dead_below(group) if group else set()
        lasting, self._dead = dead & self._dead, dead
        return bool(lasting)

    def _own_environment(self) -> Mapping[str, str]:
        return environment(Q_CLUSTER_NAME=self.queue, **{cluster.PULSE: str(self._mouth)})

    def _passed(self) -> tuple[int, ...]:
        return (self._mouth,)

    def _close_pulse(self) -> None:
        if self._ears >= 0:
            os.close(self._ears)


class Every:
    """True at most once in so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._next = time.monotonic()

    def due(self) -> bool:
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + self._seconds
        return True


class Supervisor:
    """Runs until SIGTERM or SIGINT; any number may run on any number of machines."""

    def __init__(
        self, folder: Path, queues: list[str], *, workers: int, patience: float = PATIENCE_SECONDS
    ) -> None:
        self._slot = take_slot(folder)
        self._clusters = [QueueCluster(queue, self._slot.path, patience) for queue in queues]
        self._workers = workers
        self._stopping = threading.Event()
        self._beat = Every(BEAT_SECONDS)
        self._look = Every(min(LOOK_SECONDS, patience))
        self._complaints: dict[str, str] = {}

    def run(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        for group in self._slot.end_left_behind():
            logger.warning("ended the cluster %s that an earlier supervisor left behind", group)
        while not self._stopping.is_set():
            self._tend_clusters()
            self._tend_rows()
            self._stopping.wait(TICK_SECONDS)
        self._end()

    def _tend_clusters(self) -> None:
        before = self._groups()
        for each in self._clusters:
            each.tend()
            each.listen()
        if self._groups() != before:
            self._slot.remember(self._groups())

    def _tend_rows(self) -> None:
        self._attempt("the sweep", services.sweep)
        if self._beat.due():
            self._attempt("the heartbeat", lambda: services.beat("worker", self._workers))
        if self._look.due():
            self._attempt("the look at the queues", self._end_the_stuck)

    def _attempt(self, name: str, action: Callable[[], None]) -> None:
        """The database may be away for a while: say so once, and go on with a new connection."""
        try:
            action()
        except Exception as error:
            if self._complaints.get(name) != str(error):
                logger.exception("%s failed and is tried again until it works", name)
            self._complaints[name] = str(error)
            connections.close_all()
        else:
            if self._complaints.pop(name, None):
                logger.warning("%s works again", name)

    def _end_the_stuck(self) -> None:
        for each in self._clusters:
            if each.is_stuck():
                logger.error("%s takes no message and is ended", each.name)
                each.end()
            elif each.has_lost_a_process():
                logger.error("%s has a dead process that nobody replaces and is ended", each.name)
                each.end()

    def _end(self) -> None:
        """No more messages; running tasks get some seconds, then their leases save the rest."""
        for each in self._clusters:
            each.ask_to_stop()
        deadline = time.monotonic() + GRACE_SECONDS
        for each in self._clusters:
            each.wait(deadline - time.monotonic())
        self._slot.remember([])

    def _groups(self) -> list[int]:
        return [each.group for each in self._clusters if each.group]

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stopping.set()
