"""Waiting for a run: workers do it where some are up, otherwise this process does."""

import time
from collections.abc import Callable

from django.utils import timezone

from apps.jobs import services as jobs

from .models import TERMINAL, Run
from .queries.progress import Progress, counts_of, progress_of, work_of

LOOK_SECONDS = 0.5
Tell = Callable[[Progress], None]


def wait_for(run: Run, tell: Tell | None = None) -> Run:
    """Return when the run has ended; without a worker it is executed here, by the same engine."""
    while not _ended(run, tell):
        if workers_are_up():
            time.sleep(LOOK_SECONDS)
        else:
            jobs.work_here(Pacer(lambda: _ended(run, tell)))
    return run


def workers_are_up() -> bool:
    return jobs.alive("worker", timezone.now()) > 0


class Pacer:
    """Asks at most twice a second, however often it is called."""

    def __init__(self, ended: Callable[[], bool]) -> None:
        self._ended = ended
        self._looked = 0.0

    def __call__(self) -> bool:
        if time.monotonic() - self._looked < LOOK_SECONDS:
            return False
        self._looked = time.monotonic()
        return self._ended()


def _ended(run: Run, tell: Tell | None) -> bool:
    run.refresh_from_db()
    if tell:
        tell(progress_of(run, counts_of(run), work_of(run), timezone.now()))
    return run.state in TERMINAL
