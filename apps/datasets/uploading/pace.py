"""How fast an upload is going, and how long it will still take."""

from datetime import datetime
from typing import NamedTuple

from apps.datasets.models import Upload

SETTLED_SECONDS = 2.0
"""Before that nothing is said: a first second says little about the next ones."""

COMPARED = 5
ROUND_STEPS = ((60, 5), (600, 60), (7_200, 300))
"""Up to so many seconds, to so many of them: nobody needs 3 min 17 s."""


class Pace(NamedTuple):
    """`rate` is records a second; 0 where it is not known yet."""

    rate: float = 0.0
    seconds_left: float | None = None

    @property
    def left(self) -> str:
        return "" if self.seconds_left is None else in_words(self.seconds_left)


def pace(upload: Upload, now: datetime) -> Pace:
    if upload.phase == "validating" and upload.started_at:
        seconds = (now - upload.started_at).total_seconds()
        return of(upload.done, upload.total, seconds, upload.counts.get("total", 0))
    if upload.phase == "storing" and upload.read_at:
        return _of_storing(upload, (now - upload.read_at).total_seconds())
    return Pace()


def of(done: float, total: float, seconds: float, records: int) -> Pace:
    """From how much was done in how many seconds, and how many records that was."""
    if done <= 0 or seconds < SETTLED_SECONDS:
        return Pace()
    return Pace(records / seconds, max(0.0, total - done) * seconds / done)


def in_words(seconds: float) -> str:
    if seconds < 5:
        return "a few seconds left"
    if seconds < 45:
        return f"about {_stepped(seconds)} seconds left"
    minutes = max(1, round(_stepped(seconds) / 60))
    return f"about {minutes} minute{'s' if minutes > 1 else ''} left"


def records_a_second(upload: Upload) -> float | None:
    """Of an upload that has ended, reading and storing together."""
    records = upload.counts.get("total")
    if not records or upload.started_at is None or upload.finished_at is None:
        return None
    seconds = (upload.finished_at - upload.started_at).total_seconds()
    return records / seconds if seconds > 0 else None


def _of_storing(upload: Upload, seconds: float) -> Pace:
    """One transaction shows nothing of itself: the last uploads tell how long it takes."""
    rate = _storing_rate()
    records = upload.counts.get("accepted", 0)
    if not rate or not records:
        return Pace()
    return Pace(rate, max(0.0, records / rate - seconds))


def _storing_rate() -> float:
    """Records a second of the last uploads that were stored here; 0 where there are none."""
    ended = Upload.objects.filter(read_at__isnull=False, version__isnull=False, state="done")
    last = list(ended.order_by("-id")[:COMPARED])
    records = sum(upload.counts.get("accepted", 0) for upload in last)
    seconds = sum(_seconds_storing(upload) for upload in last)
    return records / seconds if seconds > 0 else 0.0


def _seconds_storing(upload: Upload) -> float:
    if upload.read_at is None or upload.finished_at is None:
        return 0.0
    return (upload.finished_at - upload.read_at).total_seconds()


def _stepped(seconds: float) -> int:
    step = next((step for last, step in ROUND_STEPS if seconds <= last), 600)
    return max(step, round(seconds / step) * step)
