"""A worker's turn at a long step: when it is over, the step waits for its next one."""

import time

from apps.jobs import stopping

SECONDS = 50.0


class Turn:
    def __init__(self) -> None:
        self._began = time.monotonic()

    def is_over(self) -> bool:
        """After a minute at most, so that no step keeps a worker from the others."""
        return stopping.asked() or time.monotonic() - self._began > SECONDS
